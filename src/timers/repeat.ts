/**
 * The times of repeating timers: the same local time on each of their weekdays, in the receiver's zone, also on days of
 * 23 or 25 hours. A local time that the clock skips (02:30 when summer time begins) is moved by the size of the jump.
 * The library rrule (iCalendar) would add 135 KB for one kind of rule.
 */
import type { UnixSeconds } from '../base/clock.ts';

/** Local time of a zone. */
export interface Zone {
  /** Seconds that local time is ahead of UTC at this time. */
  offset(time: UnixSeconds): number;
}

/** When something begins and ends. */
export interface Span {
  readonly begin: UnixSeconds;
  readonly end: UnixSeconds;
}

/** When a repeating timer begins and how long it lasts by local clocks. */
export interface LocalSpan {
  /** Seconds since local midnight, 0 to 86,399. */
  readonly begin: number;
  /** Seconds of local time from `begin` to the end. */
  readonly length: number;
}

/** One time of a timer. */
export interface Occurrence extends Span {
  /**
   * The regular local times, if a change of the clock moves the begin or the end on that day. Later occurrences are
   * derived from them. Otherwise undefined.
   */
  readonly localSpan: LocalSpan | undefined;
}

/** The basis of a timer's times: one of them, and the weekdays. */
interface Repeating extends Span {
  readonly repeated: number;
  readonly localSpan?: LocalSpan | undefined;
}

const day = 86_400;

/** Local time, in seconds as if it were UTC. */
const localTime = (zone: Zone, time: UnixSeconds) => time + zone.offset(time);

/** The UTC time at which local clocks show `local`; the first one if they show it twice. */
export function timeOfLocal(zone: Zone, local: number): UnixSeconds {
  // At most one change of the clock lies between a day before and a day after.
  const early = zone.offset(local - day);
  const late = zone.offset(local + day);
  const [first, second] = [local - early, local - late];
  if (localTime(zone, first) === local) return localTime(zone, second) === local ? Math.min(first, second) : first;
  // A skipped local time is converted with the offset before the change.
  return localTime(zone, second) === local ? second : first;
}

/** Bit of the weekday: 1 Monday to 64 Sunday. */
const weekdayBit = (local: number) => 1 << ((new Date(local * 1000).getUTCDay() + 6) % 7);

/**
 * The times of a timer that end after `after`, in order: at most one for a single timer, an endless sequence for a
 * repeated one. The day of `first` is the first possible one.
 */
export function* occurrences(
  timer: Repeating,
  zone: Zone,
  after: UnixSeconds,
  first: UnixSeconds = timer.begin,
): Generator<Occurrence, void, undefined> {
  const { begin, end, repeated } = timer;
  if (repeated === 0) {
    if (end > after) yield { begin, end, localSpan: undefined };
    return;
  }
  const pattern = timer.localSpan ?? localSpanAt(timer, zone);
  // An occurrence of length 0 would never end after `after`.
  const length = Math.max(pattern.length, 1);
  const firstDay = Math.floor(localTime(zone, first) / day);
  // An occurrence that ends after `after` begins at most a day and its own length earlier.
  const start = Math.max(firstDay, Math.floor((localTime(zone, after) - length) / day) - 1);
  for (let today = start; ; today++) {
    const local = today * day + pattern.begin;
    if ((repeated & weekdayBit(local)) === 0) continue;
    const beginsAt = timeOfLocal(zone, local);
    const isMoved = localTime(zone, beginsAt) !== local;
    const endsAt = Math.max(isMoved ? beginsAt + length : timeOfLocal(zone, local + length), beginsAt + 1);
    if (endsAt <= after) continue;
    const isRegular = !isMoved && localTime(zone, endsAt) === local + length;
    yield { begin: beginsAt, end: endsAt, localSpan: isRegular ? undefined : pattern };
  }
}

/** The local times of a timer at one of its times. */
export function localSpanAt({ begin, end }: Span, zone: Zone): LocalSpan {
  const local = localTime(zone, begin);
  return { begin: ((local % day) + day) % day, length: Math.max(0, localTime(zone, end) - local) };
}

/**
 * The first time of a timer that ends after `after`; with `skipRunning`, the first that begins after it. Undefined if
 * there is none.
 */
export function nextOccurrence(
  timer: Repeating,
  zone: Zone,
  after: UnixSeconds,
  { skipRunning = false, first = timer.begin }: { readonly skipRunning?: boolean; readonly first?: UnixSeconds } = {},
): Occurrence | undefined {
  for (const span of occurrences(timer, zone, after, first)) {
    if (!skipRunning || span.begin > after) return span;
  }
  return undefined;
}

/** The first `maxCount` times of a timer that overlap `within`, in order. */
export function occurrencesWithin(
  timer: Repeating & { readonly firstBegin?: UnixSeconds },
  zone: Zone,
  within: Span,
  maxCount = 400,
): Occurrence[] {
  const found: Occurrence[] = [];
  for (const span of occurrences(timer, zone, within.begin, timer.firstBegin ?? timer.begin)) {
    if (span.begin >= within.end || found.length >= maxCount) break;
    found.push(span);
  }
  return found;
}
