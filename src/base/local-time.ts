/**
 * Local times as the interfaces write them: in the receiver's time zone, in fixed English formats that clients can
 * parse.
 *
 * Intl is too slow for thousands of events. It supplies only the zone's offset, which is cached for each quarter of an
 * hour of the calendar; no zone changes its offset within one. Libraries such as luxon (235 KB) also ask Intl.
 */
import type { UnixSeconds } from './clock.ts';

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const quarter = 900;
const day = 86_400;
const year = 366 * day;
/** When the cache is full, it is emptied. A week of events needs 700 entries. */
const maxCachedOffsets = 4096;

export class LocalTime {
  readonly #format: Intl.DateTimeFormat;
  readonly #offsets = new Map<number, number>();
  #changes: { readonly season: number; readonly pairs: Float64Array } | undefined;

  /** @throws RangeError if `zone` is not an IANA name, such as `Europe/Berlin` */
  constructor(zone: string) {
    const numeric = 'numeric';
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    });
  }

  /** `20:15` */
  clock(time: UnixSeconds): string {
    return this.#iso(time).slice(11, 16);
  }

  /** `20:15:07` */
  clockWithSeconds(time: UnixSeconds): string {
    return this.#iso(time).slice(11, 19);
  }

  /** `20260101201507` */
  digits(time: UnixSeconds): string {
    return this.#iso(time).slice(0, 19).replace(/\D/g, '');
  }

  /** `Thu 01.01.2026` */
  weekdayAndDate(time: UnixSeconds): string {
    const local = new Date((time + this.offset(time)) * 1000);
    const [year, month, day] = local.toISOString().slice(0, 10).split('-');
    return `${days[local.getUTCDay()]} ${day}.${month}.${year}`;
  }

  /**
   * The changes of the offset from a year before `around` to two years after, for code without time zone data: pairs of
   * a time and the offset since then (Unix seconds, seconds), in order. The last offset applies to all later times.
   */
  changes(around: UnixSeconds): Float64Array {
    const season = Math.floor(around / (90 * day));
    if (this.#changes?.season === season) return this.#changes.pairs;
    const pairs: number[] = [];
    const week = 7 * day;
    const start = Math.floor((season * 90 * day - year) / week) * week;
    let before = this.#offsetOfBlock(start);
    pairs.push(start, before);
    // Changes are at least weeks apart: the shortest summer time on record lasted three weeks.
    for (let time = start; time < start + 3 * year + 90 * day; time += week) {
      const after = this.#offsetOfBlock(time + week);
      if (after !== before) pairs.push(this.#changeBetween(time, time + week, before), after);
      before = after;
    }
    this.#changes = { season, pairs: Float64Array.from(pairs) };
    return this.#changes.pairs;
  }

  /** Seconds by which local time is ahead of UTC at this time. */
  offset(time: UnixSeconds): number {
    const block = Math.floor(time / quarter);
    const known = this.#offsets.get(block);
    if (known !== undefined) return known;
    if (this.#offsets.size >= maxCachedOffsets) this.#offsets.clear();
    const offset = this.#offsetOfBlock(block * quarter);
    this.#offsets.set(block, offset);
    return offset;
  }

  /** The first quarter of an hour whose offset differs from `before`. */
  #changeBetween(from: UnixSeconds, until: UnixSeconds, before: number): UnixSeconds {
    let [low, high] = [from / quarter, until / quarter];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#offsetOfBlock(middle * quarter) === before) low = middle;
      else high = middle;
    }
    return high * quarter;
  }

  #offsetOfBlock(start: UnixSeconds): number {
    const parts: Record<string, number> = {};
    for (const { type, value } of this.#format.formatToParts(start * 1000)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - start;
  }

  #iso(time: UnixSeconds): string {
    return new Date((time + this.offset(time)) * 1000).toISOString();
  }
}

const zones = new Map<string, LocalTime>();

/** The shared LocalTime of a zone. */
export function localTime(zone: string): LocalTime {
  let known = zones.get(zone);
  if (known === undefined) {
    known = new LocalTime(zone);
    zones.set(zone, known);
  }
  return known;
}
