import { href } from '../../shared/route.ts';
import { positionOf } from '../../shared/time.ts';
import { words } from '../../shared/words.ts';
import { type Recording, resumeOf } from './library.ts';

/** Plays it on the page, from where it was left. */
export function PlayRecording({ recording }: { readonly recording: Recording }) {
  const { filename, label } = recording;
  const { recordings: said } = words.value;
  const resume = resumeOf(recording);
  const text = resume > 0 ? said.resumeAt(positionOf(resume)) : said.play;
  return (
    <a class="button" href={href('watch', { recording: filename })} aria-label={`${text}: ${label}`}>
      {text}
    </a>
  );
}

/** Plays one that somebody has left in the middle from its beginning. */
export function PlayAnew({ recording }: { readonly recording: Recording }) {
  if (resumeOf(recording) === 0) return null;
  return (
    <a class="button" href={href('watch', { recording: recording.filename, from: 'start' })}>
      {words.value.recordings.fromStart}
    </a>
  );
}
