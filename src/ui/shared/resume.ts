/** A position closer to the start or end of the recording is ignored. In short recordings: a quarter of the length. */
const marginSeconds = 20;
/** Fraction of the length after which a recording counts as watched: only the credits follow. */
const watchedFraction = 0.97;

const marginOf = (length: number) => Math.min(marginSeconds, length / 4);

/** Whether only the credits follow after a position in seconds. False if the length is unknown (0). */
export function isAtEnd(position: number, length: number): boolean {
  return length > 0 && position >= Math.min(length - marginOf(length), watchedFraction * length);
}

/** Position in seconds at which to resume; 0 if playback starts at the beginning. A length of 0 is unknown. */
export function resumeAt(position: number, length: number): number {
  return position > marginOf(length || Infinity) && !isAtEnd(position, length) ? position : 0;
}
