/** What the marks of a recording mean for the player: chapters, and breaks to skip. */

import { type Mark, ticksPerSecond } from '../../shared/watched.ts';

/** Part of a recording, in seconds from its beginning. */
export interface Span {
  readonly begin: number;
  readonly end: number;
}

/** `in`: playback starts here, `out`: it ends here. */
const markTypes = { in: 0, out: 1, chapter: 2 } as const;

/** The end of a break that needs no button. A seek to the end may land this much earlier. */
const minRestSeconds = 3;

const secondsOf = ({ pos }: Mark) => pos / ticksPerSecond;
const byPosition = (marks: readonly Mark[]) => [...marks].sort((one, other) => one.pos - other.pos);

export function chaptersOf(marks: readonly Mark[]): readonly number[] {
  return byPosition(marks.filter(({ type }) => type === markTypes.chapter)).map(secondsOf);
}

/**
 * The parts that are cut out, usually advertisements: from an out mark to the next in mark or the end, and up to an in mark
 * that comes first. `length`: of the recording, in seconds.
 */
export function breaksOf(marks: readonly Mark[], length: number): readonly Span[] {
  const breaks: Span[] = [];
  let begin: number | undefined = 0;
  let isFirst = true;
  for (const mark of byPosition(marks)) {
    if (mark.type === markTypes.out) begin = isFirst || begin === undefined ? secondsOf(mark) : begin;
    else if (mark.type === markTypes.in && begin !== undefined) {
      breaks.push({ begin, end: secondsOf(mark) });
      begin = undefined;
    } else continue;
    isFirst = false;
  }
  if (!isFirst && begin !== undefined && begin < length) breaks.push({ begin, end: length });
  return breaks.filter((one) => one.end > one.begin);
}

/** The break at a position, if enough of it is left. */
export function breakAt(breaks: readonly Span[], position: number): Span | undefined {
  return breaks.find(({ begin, end }) => position >= begin && position < end - minRestSeconds);
}

/** The position of the next (1) or previous (-1) chapter or end of a break; within a chapter, its start comes first. */
export function chapterFrom(
  { chapters, breaks }: { readonly chapters: readonly number[]; readonly breaks: readonly Span[] },
  position: number,
  step: 1 | -1,
): number | undefined {
  const stops = [...new Set([0, ...chapters, ...breaks.map(({ end }) => end)])].sort((one, other) => one - other);
  return step > 0
    ? stops.find((stop) => stop > position + 1)
    : (stops.findLast((stop) => stop < position - minRestSeconds) ?? 0);
}
