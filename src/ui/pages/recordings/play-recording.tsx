import { href } from '../../shared/route.ts';
import { positionOf } from '../../shared/time.ts';
import { type Recording, resumeOf } from '../../shared/watched.ts';
import { words } from '../../shared/words.ts';

/** `Play` or `Resume at 1:05:09`. */
export function playText(recording: Recording): string {
  const { recordings: texts } = words.value;
  const resume = resumeOf(recording);
  return resume > 0 ? texts.resumeAt(positionOf(resume)) : texts.play;
}

interface PlayProps {
  readonly recording: Recording;
  /** What is played, if that is not clear: `S2 E5`. */
  readonly what?: string;
}

/** A link that plays a recording on the page, from the position where it was stopped. */
export function PlayRecording({ recording, what = '' }: PlayProps) {
  return (
    <a class="button strong" href={href('watch', { recording: recording.filename })}>
      {[playText(recording), what].filter(Boolean).join(': ')}
    </a>
  );
}

/** A link that plays a partly watched recording from its beginning. */
export function PlayFromStart({ recording }: { readonly recording: Recording }) {
  if (resumeOf(recording) === 0) return null;
  return (
    <a class="button" href={href('watch', { recording: recording.filename, from: 'start' })}>
      {words.value.recordings.fromStart}
    </a>
  );
}
