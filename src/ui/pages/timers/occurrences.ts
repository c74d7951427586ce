/** The occurrences of a timer: once, or at the same local time on its weekdays. */
import { startOfDay } from '../../shared/time.ts';
import type { Timer } from '../../shared/timers.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Occurrences that overlap a period in Unix seconds. Past occurrences of a repeating timer are unknown. */
export function occurrences(timer: Timer, begin: number, end: number): readonly Span[] {
  const { start_time: start, end_time: stop, duration, repeat_mask: mask } = timer;
  const next = { start, end: stop };
  const overlaps = (span: Span) => span.start < end && span.end > begin;
  if (mask === 0 || timer.state === 'ended') return overlaps(next) ? [next] : [];
  const first = new Date(start * 1000);
  const spans: Span[] = [];
  // An occurrence may start on the day before.
  for (let midnight = startOfDay(begin, -1); midnight < end; midnight = startOfDay(midnight, 1)) {
    const day = new Date(midnight * 1000);
    const weekday = (day.getDay() + 6) % 7;
    const moment = day.setHours(first.getHours(), first.getMinutes(), first.getSeconds()) / 1000;
    if ((mask & (1 << weekday)) === 0 || moment <= start) continue;
    spans.push({ start: moment, end: moment + duration });
  }
  return [next, ...spans].filter(overlaps);
}
