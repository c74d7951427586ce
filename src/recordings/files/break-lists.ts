/** The lists of advertisements that programs such as comskip write: EDL, and comskip's own text. */
import { keptSpans, type Span } from './breaks.ts';

/** Characters of a line, breaks in a list, and seconds of a recording. */
const maxLineLength = 200;
const maxBreaks = 500;
const maxSeconds = 7 * 86_400;

/** Actions of EDL that leave a part out: cut, and commercial break (Kodi). Others mute or mark scenes. */
const cuttingActions = new Set(['0', '3']);

function* linesOf(text: string): Generator<readonly string[]> {
  for (const line of text.split('\n')) {
    if (line.length <= maxLineLength) yield line.split(/\s/).filter(Boolean);
  }
}

/** `90.5`, `1:30.5` and `0:01:30.5`; undefined for anything else, such as frame numbers. */
function secondsIn(text: string): number | undefined {
  if (!/^(?:\d{1,3}:){0,2}\d{1,7}(?:\.\d{1,9})?$/.test(text)) return undefined;
  return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}

/** Reads an EDL: begin, end and action on each line. Other lines are skipped. */
export function parseEdl(text: string): readonly Span[] {
  const breaks: Span[] = [];
  for (const [first = '', second = '', action = '0'] of linesOf(text)) {
    const [begin, end] = [secondsIn(first), secondsIn(second)];
    if (begin !== undefined && end !== undefined && cuttingActions.has(action)) breaks.push({ begin, end });
    if (breaks.length >= maxBreaks) break;
  }
  return breaks;
}

/**
 * Reads comskip's text: the first line has the frames and 100 times their rate, the third and later ones the first and last
 * frame of each break. Undefined if it is none, or not complete.
 */
export function parseComskip(text: string): readonly Span[] | undefined {
  const [, digits = ''] =
    /^FILE PROCESSING COMPLETE {1,9}\d{1,9} FRAMES AT {1,9}(\d{1,6}(?:\.\d{1,6})?)/.exec(text) ?? [];
  const rate = digits.includes('.') ? Number(digits) : Number(digits) / 100;
  if (rate < 1 || rate > 1000) return undefined;
  const breaks: Span[] = [];
  for (const [first = '', last = '', ...rest] of linesOf(text)) {
    if (rest.length > 0 || !/^\d{1,9}$/.test(first) || !/^\d{1,9}$/.test(last)) continue;
    breaks.push({ begin: Number(first) / rate, end: Number(last) / rate });
    if (breaks.length >= maxBreaks) break;
  }
  return breaks;
}

/** Breaks in order, within the recording and without overlaps. None if they leave nothing of it. */
export function plausibleBreaks(breaks: readonly Span[], length: number): readonly Span[] {
  const merged: Span[] = [];
  const within = breaks
    .map(({ begin, end }) => ({ begin, end: Math.min(end, length, maxSeconds) }))
    .filter(({ begin, end }) => end > begin)
    .sort((a, b) => a.begin - b.begin);
  for (const one of within) {
    const last = merged.at(-1);
    if (last && one.begin <= last.end)
      merged[merged.length - 1] = { begin: last.begin, end: Math.max(last.end, one.end) };
    else merged.push(one);
  }
  return keptSpans(merged, length).length === 0 ? [] : merged;
}
