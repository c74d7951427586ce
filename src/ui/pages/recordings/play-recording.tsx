import { href } from '../../shared/route.ts';
import { positionOf } from '../../shared/time.ts';
import { words } from '../../shared/words.ts';
import { type Recording, resumeOf } from './library.ts';

/** A link that plays a recording on the page, from the position where it was stopped. */
export function PlayRecording({ recording }: { readonly recording: Recording }) {
  const { filename, label } = recording;
  const { recordings: texts } = words.value;
  const resume = resumeOf(recording);
  const text = resume > 0 ? texts.resumeAt(positionOf(resume)) : texts.play;
  return (
    <a class="button" href={href('watch', { recording: filename })} aria-label={`${text}: ${label}`}>
      {text}
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
