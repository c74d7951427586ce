/**
 * The times of repeated timers: the same local time on each of their weekdays, in the receiver's zone. A day of 23 or
 * 25 hours keeps the local time. A time that the clock skips (02:30 when it goes forward) shifts by the size of the
 * jump. rrule (iCalendar) would add 135 KB for one kind of rule.
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

/** The local times of a repeated timer. */
export interface Shown {
  /** Seconds since local midnight, 0 to 86,399. */
  readonly begin: number;
  /** Seconds from there to the end. */
  readonly length: number;
}

/** One time of a timer. */
export interface Occurrence extends Span {
  /**
   * The regular local times, if the clock skips the begin or the end on that day: later times are derived from them.
   * Else undefined.
   */
  readonly shown: Shown | undefined;
}

/** The basis of a timer's times: one of them, and the weekdays. */
interface Repeating extends Span {
  readonly repeated: number;
  readonly shown?: Shown | undefined;
}

const day = 86_400;

/** Local time, in seconds as if it were UTC. */
const wall = (zone: Zone, time: UnixSeconds) => time + zone.offset(time);

/** The time at which local clocks show this; the first one if they do so twice. */
export function atWall(zone: Zone, shown: number): UnixSeconds {
  // Offsets a day before and after: there is at most one change between them.
  const early = zone.offset(shown - day);
  const late = zone.offset(shown + day);
  const [first, second] = [shown - early, shown - late];
  if (wall(zone, first) === shown) return wall(zone, second) === shown ? Math.min(first, second) : first;
  // A skipped time is read by the clock before the change.
  return wall(zone, second) === shown ? second : first;
}

/** Bit of the weekday: 1 Monday to 64 Sunday. */
const weekdayBit = (shown: number) => 1 << ((new Date(shown * 1000).getUTCDay() + 6) % 7);

/**
 * The times of a timer that end after `after`, in order: the only one of a single timer, an endless sequence for a
 * repeated one. None begins on a day before that of `first`.
 */
export function* occurrences(
  timer: Repeating,
  zone: Zone,
  after: UnixSeconds,
  first: UnixSeconds = timer.begin,
): Generator<Occurrence, void, undefined> {
  const { begin, end, repeated } = timer;
  if (repeated === 0) {
    if (end > after) yield { begin, end, shown: undefined };
    return;
  }
  const pattern = timer.shown ?? shownAt(timer, zone);
  // A time of length 0 would never lie ahead.
  const length = Math.max(pattern.length, 1);
  const firstDay = Math.floor(wall(zone, first) / day);
  // A time that ends after `after` begins at most its own length and a day earlier.
  const start = Math.max(firstDay, Math.floor((wall(zone, after) - length) / day) - 1);
  for (let today = start; ; today++) {
    const shown = today * day + pattern.begin;
    if ((repeated & weekdayBit(shown)) === 0) continue;
    const beginsAt = atWall(zone, shown);
    const isMoved = wall(zone, beginsAt) !== shown;
    const endsAt = Math.max(isMoved ? beginsAt + length : atWall(zone, shown + length), beginsAt + 1);
    if (endsAt <= after) continue;
    const isShown = !isMoved && wall(zone, endsAt) === shown + length;
    yield { begin: beginsAt, end: endsAt, shown: isShown ? undefined : pattern };
  }
}

/** The local times of a timer at one of its times. */
export function shownAt({ begin, end }: Span, zone: Zone): Shown {
  const shown = wall(zone, begin);
  return { begin: ((shown % day) + day) % day, length: Math.max(0, wall(zone, end) - shown) };
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

/** The times of a timer that overlap `within`, in order; at most `most`. */
export function occurrencesWithin(
  timer: Repeating & { readonly firstBegin?: UnixSeconds },
  zone: Zone,
  within: Span,
  most = 400,
): Occurrence[] {
  const found: Occurrence[] = [];
  for (const span of occurrences(timer, zone, within.begin, timer.firstBegin ?? timer.begin)) {
    if (span.begin >= within.end || found.length >= most) break;
    found.push(span);
  }
  return found;
}
