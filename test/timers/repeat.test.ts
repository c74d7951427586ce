/** Local times and repeating timers over changes of the clock. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LocalTime } from '../../src/base/local-time.ts';
import { nextOccurrence, occurrences, occurrencesWithin, timeOfLocal } from '../../src/timers/repeat.ts';

const berlin = new LocalTime('Europe/Berlin');
const at = (text: string) => Date.parse(text) / 1000;
const local = (time: number, zone = berlin) => `${zone.weekdayAndDate(time)} ${zone.clockWithSeconds(time)}`;
const first = <T>(all: Iterable<T>, count: number) => {
  const taken: T[] = [];
  for (const one of all) if (taken.push(one) >= count) break;
  return taken;
};

describe('a local time', () => {
  it.each([
    ['2026-03-29T00:30:00Z', 'Sun 29.03.2026 01:30:00'],
    ['2026-03-29T01:30:00Z', 'Sun 29.03.2026 03:30:00'],
  ])('%s is %s', (time, shown) => {
    expect(local(at(time))).toBe(shown);
    expect(timeOfLocal(berlin, at(time) + berlin.offset(at(time)))).toBe(at(time));
  });

  it('that the clock skips is moved by the size of the jump', () => {
    expect(local(timeOfLocal(berlin, at('2026-03-29T02:30:00Z')))).toBe('Sun 29.03.2026 03:30:00');
  });

  it('that occurs twice is converted to the first time', () => {
    const time = timeOfLocal(berlin, at('2026-10-25T02:30:00Z'));
    expect([local(time), berlin.offset(time)]).toEqual(['Sun 25.10.2026 02:30:00', 7200]);
  });

  it.each(['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Pacific/Apia', 'UTC'])(
    'is shown by the time found for it wherever it occurs, in %s',
    (name) => {
      const zone = new LocalTime(name);
      fc.assert(
        fc.property(fc.integer({ min: at('2020-01-01T00:00:00Z'), max: at('2035-01-01T00:00:00Z') }), (time) => {
          const shown = time + zone.offset(time);
          const found = timeOfLocal(zone, shown);
          expect(found + zone.offset(found)).toBe(shown);
          expect(found).toBeLessThanOrEqual(time);
        }),
      );
    },
  );
});

describe('repeating timers', () => {
  /** Mon to Fri 20:15 to 21:00. */
  const news = { begin: at('2026-01-05T19:15:00Z'), end: at('2026-01-05T20:00:00Z'), repeated: 31 };

  it('keep their local time over a year with both changes of the clock', () => {
    const year = occurrencesWithin(news, berlin, { begin: news.begin, end: at('2027-01-05T00:00:00Z') });
    expect(year).toHaveLength(261);
    expect(new Set(year.map(({ begin }) => berlin.clock(begin)))).toEqual(new Set(['20:15']));
    expect(new Set(year.map(({ end }) => berlin.clock(end)))).toEqual(new Set(['21:00']));
    expect(new Set(year.map(({ begin }) => berlin.weekdayAndDate(begin).slice(0, 3)))).toEqual(
      new Set(['Mon', 'Tue', 'Wed', 'Thu', 'Fri']),
    );
  });

  it('know leap days', () => {
    const daily = { begin: at('2028-02-27T19:15:00Z'), end: at('2028-02-27T20:00:00Z'), repeated: 127 };
    const within = { begin: daily.begin, end: at('2028-03-02T00:00:00Z') };
    const days = occurrencesWithin(daily, berlin, within).map(({ begin }) => new Date(begin * 1000).toISOString());
    expect(days.map((text) => text.slice(5, 16))).toEqual(['02-27T19:15', '02-28T19:15', '02-29T19:15', '03-01T19:15']);
    const tuesdays = { ...daily, repeated: 2 };
    expect(nextOccurrence(tuesdays, berlin, daily.end)?.begin).toBe(at('2028-02-29T19:15:00Z'));
  });

  it('over midnight end on the next day, in nights of 23 and 25 hours too', () => {
    const night = { begin: at('2026-03-27T22:30:00Z'), end: at('2026-03-28T03:00:00Z'), repeated: 127 };
    const spring = first(occurrences(night, berlin, night.begin), 3);
    expect(spring.map(({ begin, end }) => [local(begin), local(end), (end - begin) / 3600])).toEqual([
      ['Fri 27.03.2026 23:30:00', 'Sat 28.03.2026 04:00:00', 4.5],
      ['Sat 28.03.2026 23:30:00', 'Sun 29.03.2026 04:00:00', 3.5],
      ['Sun 29.03.2026 23:30:00', 'Mon 30.03.2026 04:00:00', 4.5],
    ]);
    const autumn = nextOccurrence(night, berlin, at('2026-10-24T12:00:00Z'));
    expect([local(autumn?.begin ?? 0), ((autumn?.end ?? 0) - (autumn?.begin ?? 0)) / 3600]).toEqual([
      'Sat 24.10.2026 23:30:00',
      5.5,
    ]);
  });

  it.each([
    ['02:30', '03:15', '03:30', '04:15'],
    ['01:30', '02:30', '01:30', '03:30'],
    ['02:15', '02:45', '03:15', '03:45'],
  ])(
    'from %s to %s keep their times over the night that skips them, each derived from the one before',
    (from, to, ...moved) => {
      const begin = at(`2026-03-27T${from}:00+01:00`);
      let timer: Parameters<typeof nextOccurrence>[0] = { begin, end: at(`2026-03-27T${to}:00+01:00`), repeated: 127 };
      const nights: string[][] = [];
      for (let night = 0; night < 5; night++) {
        nights.push([berlin.clock(timer.begin), berlin.clock(timer.end)]);
        timer = { ...timer, ...nextOccurrence(timer, berlin, timer.end, { first: begin }) };
      }
      expect(nights).toEqual([[from, to], [from, to], moved, [from, to], [from, to]]);
      expect(timer.localSpan).toBeUndefined();
    },
  );

  it('that began years ago are found at once', () => {
    const old = { ...news, begin: at('2009-01-05T19:15:00Z'), end: at('2009-01-05T20:00:00Z') };
    expect(local(nextOccurrence(old, berlin, at('2026-06-06T12:00:00Z'))?.begin ?? 0)).toBe('Mon 08.06.2026 20:15:00');
  });

  it('do not occur before their first day', () => {
    expect(nextOccurrence(news, berlin, at('2025-06-01T00:00:00Z'))?.begin).toBe(news.begin);
    const sunday = { begin: at('2026-01-05T19:15:00Z'), end: at('2026-01-05T20:00:00Z'), repeated: 64 };
    expect(local(nextOccurrence(sunday, berlin, 0)?.begin ?? 0)).toBe('Sun 11.01.2026 20:15:00');
  });

  it('return the current occurrence, or the next one with skipRunning', () => {
    const running = at('2026-01-06T19:30:00Z');
    expect(local(nextOccurrence(news, berlin, running)?.begin ?? 0)).toBe('Tue 06.01.2026 20:15:00');
    expect(local(nextOccurrence(news, berlin, running, { skipRunning: true })?.begin ?? 0)).toBe(
      'Wed 07.01.2026 20:15:00',
    );
  });

  it('without a length get one second', () => {
    const moment = { begin: news.begin, end: news.begin, repeated: 127 };
    expect(nextOccurrence(moment, berlin, news.begin)).toEqual({ begin: news.begin, end: news.begin + 1 });
  });

  it('without weekdays have a single occurrence, until it has passed', () => {
    const once = { ...news, repeated: 0 };
    expect(nextOccurrence(once, berlin, once.begin)).toEqual({ begin: once.begin, end: once.end });
    expect(nextOccurrence(once, berlin, once.end)).toBeUndefined();
  });

  it('occur on the days of the mask, in order, from any start', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 127 }),
        fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2026-12-31T00:00:00Z') }),
        fc.integer({ min: 1, max: 40 * 3600 }),
        fc.integer({ min: -400 * 86_400, max: 400 * 86_400 }),
        (repeated, begin, length, away) => {
          const timer = { begin, end: begin + length, repeated };
          const after = begin + away;
          const found = first(occurrences(timer, berlin, after), 10);
          for (const [index, span] of found.entries()) {
            expect(span.end).toBeGreaterThan(after);
            expect(span.begin).toBeGreaterThan(found[index - 1]?.begin ?? 0);
            const day = (new Date((span.begin + berlin.offset(span.begin)) * 1000).getUTCDay() + 6) % 7;
            expect(repeated & (1 << day)).not.toBe(0);
          }
        },
      ),
    );
  });
});
