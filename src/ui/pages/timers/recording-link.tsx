/** A link from a timer to its recording in the library. */
import { Film } from 'lucide';
import { Icon } from '../../shared/icon.tsx';
import { href } from '../../shared/route.ts';
import type { Timer } from '../../shared/timers.ts';
import { words } from '../../shared/words.ts';

export function RecordingLink({ timer: { filename, title } }: { readonly timer: Timer }) {
  if (filename === null) return null;
  const { timers: texts } = words.value;
  const target = { folder: filename.slice(0, filename.lastIndexOf('/') + 1), recording: `${filename}.ts` };
  return (
    <a class="button to-recording" href={href('recordings', target)} aria-label={texts.recordingOf(title)}>
      <Icon of={Film} size={16} /> <span>{texts.recording}</span>
    </a>
  );
}
