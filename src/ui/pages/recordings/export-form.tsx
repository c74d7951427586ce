/** Exports a recording as a file for other players. */
import { useState } from 'preact/hooks';
import { attempt, showToast } from '../../shared/attempt.ts';
import { receiver } from '../../shared/receiver.ts';
import { useResponse } from '../../shared/use-response.ts';
import type { Recording } from '../../shared/watched.ts';
import { words } from '../../shared/words.ts';

/** The files that can be exported: transport streams. */
export const isExportable = ({ filename, recording }: Recording) => !recording && /\.(ts|trp)$/i.test(filename);

interface ExportFormProps {
  readonly recording: Recording;
  readonly onDone: () => void;
}

export function ExportForm({ recording: { filename, meta }, onDone }: ExportFormProps) {
  const [format, setFormat] = useState<'mkv' | 'mp4'>('mkv');
  const [isCut, setCut] = useState(false);
  const { value } = useResponse((signal) => receiver.get('/api/exports', {}, { signal }), []);
  const [chosen, setChosen] = useState<boolean>();
  const isMedia = chosen ?? value?.names === 'media';
  const { recordings: texts } = words.value;
  // In and out marks: kinds 0 and 1.
  const hasBreaks = meta.marks?.marks?.some(([, kind = 2]) => kind < 2) ?? false;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const done = await attempt(() =>
      receiver.post('/api/exports', {
        ...{ file: filename, format, cut: isCut && hasBreaks },
        names: isMedia ? 'media' : 'recording',
      }),
    );
    if (done === undefined) return;
    showToast(texts.exportStarted);
    onDone();
  };
  return (
    <form class="line export-form" data-needs="record" onSubmit={(event) => void submit(event)}>
      <label>
        {texts.exportAs}
        <select value={format} onChange={(event) => setFormat(event.currentTarget.value as 'mkv' | 'mp4')}>
          <option value="mkv">MKV</option>
          <option value="mp4">MP4</option>
        </select>
      </label>
      {hasBreaks && (
        <label class="choice">
          <input type="checkbox" checked={isCut} onChange={(event) => setCut(event.currentTarget.checked)} />
          {texts.withoutBreaks}
        </label>
      )}
      <label class="choice">
        <input type="checkbox" checked={isMedia} onChange={(event) => setChosen(event.currentTarget.checked)} />
        {texts.mediaNames}
      </label>
      <button type="submit" class="button">
        {texts.export}
      </button>
    </form>
  );
}
