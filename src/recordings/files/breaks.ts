/** The parts of a recording that its marks cut out, usually advertisements. */
import type { Cut } from './cuts-file.ts';

/** Part of a recording, in seconds from its beginning. */
export interface Span {
  readonly begin: number;
  readonly end: number;
}

const ticksPerSecond = 90_000;
/** A gap between breaks that is shorter contains no programme. */
const minKeptSeconds = 1;

/**
 * The parts that are cut out: from an out mark to the next in mark or the end, and up to an in mark that comes first.
 * `length`: of the recording, in seconds.
 */
export function breaksOf(cuts: readonly Cut[], length: number): readonly Span[] {
  const breaks: Span[] = [];
  let begin: number | undefined = 0;
  let isFirst = true;
  for (const { kind, position } of [...cuts].sort((one, other) => one.position - other.position)) {
    const seconds = position / ticksPerSecond;
    if (kind === 1) begin = isFirst || begin === undefined ? seconds : begin;
    else if (kind === 0 && begin !== undefined) {
      breaks.push({ begin, end: seconds });
      begin = undefined;
    } else continue;
    isFirst = false;
  }
  if (!isFirst && begin !== undefined && begin < length) breaks.push({ begin, end: length });
  return breaks.filter((one) => one.end > one.begin);
}

/** What is left without the breaks, in order. */
export function keptSpans(breaks: readonly Span[], length: number): readonly Span[] {
  const kept: Span[] = [];
  let begin = 0;
  for (const one of breaks) {
    kept.push({ begin, end: Math.min(one.begin, length) });
    begin = one.end;
  }
  return [...kept, { begin, end: length }].filter((span) => span.end - span.begin >= minKeptSeconds);
}

/** The positions of chapters, in seconds. */
export function chaptersOf(cuts: readonly Cut[]): readonly number[] {
  return cuts
    .flatMap(({ kind, position }) => (kind === 2 ? position / ticksPerSecond : []))
    .sort((one, other) => one - other);
}
