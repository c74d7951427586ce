/** What the marks of a recording mean for the player: chapters, and breaks to skip. */

import { breaksOf as breaksOfCuts, chaptersOf as chaptersOfCuts, type Span } from '../../../recordings/files/breaks.ts';
import type { Cut, CutKind } from '../../../recordings/files/cuts-file.ts';
import type { Mark } from '../../shared/watched.ts';

/** The end of a break that needs no button. A seek to the end may land this much earlier. */
const minRestSeconds = 3;

const cutsOf = (marks: readonly Mark[]): readonly Cut[] =>
  marks.map(({ type, pos }) => ({ kind: type as CutKind, position: pos }));

export const chaptersOf = (marks: readonly Mark[]) => chaptersOfCuts(cutsOf(marks));

/** The parts that are cut out. `length`: of the recording, in seconds. */
export const breaksOf = (marks: readonly Mark[], length: number) => breaksOfCuts(cutsOf(marks), length);

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
