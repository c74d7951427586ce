/** The details of a recording, and the actions on it. */
import { useState } from 'preact/hooks';
import { attempt } from '../../shared/attempt.ts';
import { Dialog, Question } from '../../shared/dialog.tsx';
import { FolderPicker } from '../../shared/pickers.tsx';
import { receiver } from '../../shared/receiver.ts';
import { change } from '../../shared/route.ts';
import { dayOf, sizeOf, timeOf } from '../../shared/time.ts';
import { exportTag, isExport, isWatched, type Recording } from '../../shared/watched.ts';
import { words } from '../../shared/words.ts';
import { ExportForm, isExportable } from './export-form.tsx';
import {
  copyRecording,
  folderAbove,
  folderOf,
  isTrash,
  lengthText,
  markWatched,
  moveRecording,
  removeRecording,
  renameRecording,
} from './library.ts';
import { PlayFromStart, PlayRecording } from './play-recording.tsx';

interface RecordingDialogProps {
  readonly recording: Recording;
  /** Paths of the folders in the one that is listed. */
  readonly folders: readonly string[];
}

const close = () => change({ recording: undefined });

export function RecordingDialog({ recording, folders }: RecordingDialogProps) {
  const { filename, label, recording_servicename: channel, begin, size, meta, event, tags } = recording;
  const { common, channel: ofChannel, recordings: texts } = words.value;
  const isDeleted = isTrash(folderOf(filename));
  const [isConfirming, setConfirming] = useState(false);
  const watched = isWatched(recording);
  const remove = async () => {
    close();
    await removeRecording(recording);
  };
  const facts = [
    channel,
    `${dayOf(begin)}, ${timeOf(begin)}`,
    lengthText(recording),
    size > 0 && sizeOf(size),
    isExport(recording) && texts.isExport,
    ...shownTags(tags),
    watched && texts.watched,
  ];
  return (
    <Dialog title={label || common.untitled} onClose={close}>
      <p class="facts">{facts.filter(Boolean).join(' · ')}</p>
      <p class="actions">
        <PlayRecording recording={recording} />
        <PlayFromStart recording={recording} />
        {!isDeleted && (
          <button
            type="button"
            class="button"
            data-needs="record"
            onClick={() => void attempt(() => markWatched(recording, !watched))}
          >
            {watched ? texts.markUnwatched : texts.markWatched}
          </button>
        )}
        <a class="button" href={receiver.address('/web/ts.m3u', { file: filename })}>
          {words.value.common.playInApp}
        </a>
        <a class="button" href={receiver.address('/file', { file: filename })}>
          {texts.download}
        </a>
        <button
          type="button"
          class="button"
          data-needs="record"
          onClick={() => (recording.recording ? setConfirming(true) : void remove())}
        >
          {isDeleted ? texts.deletePermanently : common.delete}
        </button>
      </p>
      {meta.Description && <p class="sub">{meta.Description}</p>}
      <p class="long">{event?.longinfo || (meta.Description ? '' : ofChannel.noDescription)}</p>
      {!isDeleted && isExportable(recording) && <ExportForm recording={recording} onDone={close} />}
      {!recording.recording && !isDeleted && <Rename recording={recording} />}
      {!recording.recording && <MoveForm recording={recording} folders={folders} isDeleted={isDeleted} />}
      {!isDeleted && <p class="path">{filename}</p>}
      {isConfirming && (
        <Question
          title={texts.deleteRunning}
          effect={texts.deleteRunningEffect}
          action={common.delete}
          onConfirm={remove}
          onClose={() => setConfirming(false)}
        />
      )}
    </Dialog>
  );
}

/** Tags without those of clients, such as `PlayCount=1`, and of the receiver. */
const shownTags = (tags: readonly string[]) => tags.filter((tag) => !tag.includes('=') && tag !== exportTag);

function Rename({ recording: { filename, label } }: { readonly recording: Recording }) {
  const [title, setTitle] = useState(label);
  const { recordings: texts } = words.value;
  const rename = async (event: SubmitEvent) => {
    event.preventDefault();
    if (await renameRecording(filename, title)) close();
  };
  return (
    <form class="line" data-needs="record" onSubmit={(event) => void rename(event)}>
      <label>
        {texts.title}
        <input
          required
          maxLength={200}
          pattern="[^\/]*"
          value={title}
          onInput={(event) => setTitle(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button" disabled={title === label}>
        {texts.rename}
      </button>
    </form>
  );
}

interface MoveFormProps extends RecordingDialogProps {
  readonly isDeleted: boolean;
}

/** Moves or copies a recording to another folder. From the trash it can only be moved. */
function MoveForm({ recording: { filename }, folders, isDeleted }: MoveFormProps) {
  const here = folderOf(filename);
  const [folder, setFolder] = useState(isDeleted ? folderAbove(here) : '');
  const { recordings: texts } = words.value;
  const move = async (event: SubmitEvent) => {
    event.preventDefault();
    close();
    await moveRecording(filename, folder);
  };
  const copy = async () => {
    close();
    await copyRecording(filename, folder);
  };
  const above = folderAbove(here);
  const near = isDeleted ? [] : [...folders, above];
  return (
    <form class="line" data-needs="record" onSubmit={(event) => void move(event)}>
      <FolderPicker
        label={texts.toFolder}
        value={folder}
        more={near}
        besides={here}
        within={isDeleted ? undefined : here}
        onPick={setFolder}
      />
      <button type="submit" class="button" disabled={folder === '' || folder === here}>
        {isDeleted ? texts.restore : texts.move}
      </button>
      {!isDeleted && (
        <button type="button" class="button" disabled={folder === '' || folder === here} onClick={() => void copy()}>
          {texts.copy}
        </button>
      )}
    </form>
  );
}
