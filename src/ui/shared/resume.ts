/** A position closer to the start or end of the recording is ignored. In short recordings: a quarter of the length. */
const marginSeconds = 20;
/** Fraction of the length after which a recording counts as watched: only the credits follow. */
const watchedFraction = 0.97;

/** Position in seconds at which to resume; 0 if playback starts at the beginning. A length of 0 is unknown. */
export function resumeAt(position: number, length: number): number {
  const end = length || Infinity;
  const near = Math.min(marginSeconds, end / 4);
  return position > near && position < Math.min(end - near, watchedFraction * end) ? position : 0;
}
