/** When a timer runs: once, or on its days of the week at the same local time. */
import { startOfDay } from '../../shared/time.ts';
import type { Timer } from '../../shared/timers.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Its times that touch a period of days. Past times of a repeated timer are not known. */
export function occurrences(timer: Timer, begin: number, end: number): readonly Span[] {
  const { start_time: start, end_time: over, duration, repeat_mask: mask } = timer;
  const next = { start, end: over };
  const touches = (span: Span) => span.start < end && span.end > begin;
  if (mask === 0 || timer.state === 'ended') return touches(next) ? [next] : [];
  const first = new Date(start * 1000);
  const spans: Span[] = [];
  // It may have begun the day before.
  for (let midnight = startOfDay(begin, -1); midnight < end; midnight = startOfDay(midnight, 1)) {
    const day = new Date(midnight * 1000);
    const weekday = (day.getDay() + 6) % 7;
    const moment = day.setHours(first.getHours(), first.getMinutes(), first.getSeconds()) / 1000;
    if ((mask & (1 << weekday)) === 0 || moment <= start) continue;
    spans.push({ start: moment, end: moment + duration });
  }
  return [next, ...spans].filter(touches);
}
