/** What a timer records: a programme with margins, or a period. */
import type { Timer } from '../../shared/timers.ts';

export interface Plan {
  /** Unix seconds: the programme, without the margins. */
  readonly start: number;
  readonly end: number;
  /** In seconds. Both are undefined if they were not chosen and do not follow from the event. */
  readonly before?: number;
  readonly after?: number;
}

/** The longest margins that the settings allow. A timer that is longer records a period. */
const maxMarginSeconds = 120 * 60;

const isMargin = (seconds: number) => seconds >= 0 && seconds <= maxMarginSeconds;

export function planOf({ start_time: start, end_time: end, event, ...timer }: Timer): Plan {
  const { margin_before: chosenBefore, margin_after: chosenAfter } = timer;
  if (chosenBefore !== undefined && chosenAfter !== undefined)
    return { start: start + chosenBefore, end: end - chosenAfter, before: chosenBefore, after: chosenAfter };
  if (event === undefined) return { start, end };
  const eventEnd = event.start_time + event.duration;
  const [before, after] = [event.start_time - start, end - eventEnd];
  return isMargin(before) && isMargin(after)
    ? { start: event.start_time, end: eventEnd, before, after }
    : { start, end };
}
