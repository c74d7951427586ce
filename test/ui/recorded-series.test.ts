/** Recordings by series: what belongs together, in which order, what comes next, and what has been watched. */
import { describe, expect, it } from 'vitest';
import { titleOf } from '../../src/epg/episode-number.ts';

interface Recording {
  readonly filename: string;
  readonly label: string;
  readonly begin: number;
  readonly length: number | null;
  readonly size: number;
  readonly recording: boolean;
  readonly tags: readonly string[];
  readonly recording_servicename: string;
  readonly meta: { readonly Description: string; readonly Serviceref: string; readonly marks?: { watched: number } };
  readonly event?: { readonly longinfo: string; readonly start_time?: number; readonly duration?: number };
  readonly programme?: { readonly genre?: number; readonly series?: string };
}
interface EpisodeNumber {
  readonly season?: number;
  readonly episode?: number;
}
type Episode = EpisodeNumber & { readonly recording: Recording };
interface Series {
  readonly key: string;
  readonly title: string;
  readonly episodes: readonly Episode[];
}
interface SeriesModule {
  numberOf(recording: Recording): EpisodeNumber;
  groupBySeries(all: readonly Recording[]): readonly Series[];
  seasonsOf(series: Series): readonly (readonly [number | undefined, readonly Episode[]])[];
  episodeAfter(all: readonly Recording[], filename: string): Episode | undefined;
  upNext(series: Series): Episode | undefined;
}
interface WatchedModule {
  isWatched(recording: Recording): boolean;
  cutsWith(marks: readonly { readonly type: number; readonly pos: number }[], seconds: number): string;
}
interface ListingModule {
  sorted(all: readonly Series[], by: string | undefined): readonly Series[];
  filtered(all: readonly Recording[], filters: object): readonly Recording[];
}
// Imported by URL, because their types need those of a browser.
const load = (path: string) => import(new URL(`../../src/ui/${path}`, import.meta.url).href);
const { numberOf, groupBySeries, seasonsOf, episodeAfter, upNext } = (await load('shared/series.ts')) as SeriesModule;
const { isWatched, cutsWith } = (await load('shared/watched.ts')) as WatchedModule;
const { sorted, filtered } = (await load('pages/recordings/listing.ts')) as ListingModule;

let made = 0;
/** A recording of an hour, a day after the previous one. */
function recording(label: string, text = '', more: Partial<Recording> = {}): Recording {
  made++;
  return {
    filename: `/movie/${made}.ts`,
    label,
    begin: made * 86_400,
    length: 3600,
    size: 1000,
    recording: false,
    tags: [],
    recording_servicename: 'Alpha',
    meta: { Description: text, Serviceref: '1:0:1:1:1:1:0:0:0:0:' },
    ...more,
  };
}

const stoppedAt = (seconds: number) => ({
  meta: { Description: '', Serviceref: '1:0:1:1:1:1:0:0:0:0:', marks: { watched: seconds } },
});
const files = ({ episodes }: Series) => episodes.map((one) => one.recording.filename);

describe('the season and episode of a recording', () => {
  it.each([
    ['S2 E5', { season: 2, episode: 5 }],
    ['s02e05 The storm', { season: 2, episode: 5 }],
    ['The storm (S2 Ep5)', { season: 2, episode: 5 }],
    ['Staffel 2, Folge 5', { season: 2, episode: 5 }],
    ['2. Staffel, 5. Folge', { season: 2, episode: 5 }],
    ['Saison 2, Épisode 5', { season: 2, episode: 5 }],
    ['Temporada 2, Capítulo 5', { season: 2, episode: 5 }],
    ['Sezon 2, odc. 5', { season: 2, episode: 5 }],
    ['Folge 512', { episode: 512 }],
    ['3/8. The storm', { episode: 3 }],
    ['The storm (3/8)', { episode: 3 }],
    ['Season 4', { season: 4 }],
    ['The storm of 1953', {}],
    ['Made in 16/9', {}],
    ['A mysterious5 E5', {}],
  ])('are read from “%s”', (text, expected) => {
    expect(numberOf(recording('Harbour', text))).toEqual(expected);
  });

  it('are read from the title, and from the long text only together', () => {
    expect(numberOf(recording('Harbour (12)'))).toEqual({ episode: 12 });
    expect(numberOf(recording('Harbour (1999)'))).toEqual({});
    expect(numberOf(recording('Harbour', '', { event: { longinfo: 'Rain.\nS2 E5 · 2019' } }))).toMatchObject({
      season: 2,
    });
    expect(numberOf(recording('Harbour', '', { event: { longinfo: 'As in part 2 of the film.' } }))).toEqual({});
  });
});

it('the title of a series has no season and episode', () => {
  for (const title of ['Harbour (3/8)', 'Harbour - Staffel 2, Folge 5: Sturm', 'Harbour S2 E5', 'Harbour (12)'])
    expect(titleOf(title)).toBe('Harbour');
  for (const title of ['Apollo 13', 'Season 2', 'Harbour (1999)', '24']) expect(titleOf(title)).toBe(title);
});

describe('recordings', () => {
  it('belong to one series by title, whatever its case and accents, and by series CRID', () => {
    const all = [
      recording('Le Café'),
      recording('LE CAFE (2/3)'),
      recording('Harbour', '', { programme: { series: 'crid://a.example/h' } }),
      recording('The new harbour', '', { programme: { series: 'crid://a.example/H' } }),
      recording('The new harbour'),
      recording('Alone'),
    ];
    expect(groupBySeries(all).map((one) => [one.title, one.episodes.length])).toEqual([
      ['Le Café', 2],
      ['The new harbour', 3],
      ['Alone', 1],
    ]);
  });

  it('of different services share no CRID without an authority', () => {
    const programme = { series: '/7' };
    const other = { meta: { Description: '', Serviceref: '1:0:1:2:1:1:0:0:0:0:' } };
    const all = [recording('News', '', { programme }), recording('Films', '', { programme, ...other })];
    expect(groupBySeries(all)).toHaveLength(2);
  });

  it('are not grouped with their exports', () => {
    const all = [
      recording('Harbour'),
      recording('Harbour'),
      recording('Harbour', '', { tags: ['Export'] }),
      recording('Harbour', '', { filename: '/movie/Exports/Harbour.mkv' }),
    ];
    expect(groupBySeries(all).map(({ episodes }) => episodes.length)).toEqual([2, 1, 1]);
  });

  it('without a title are not grouped', () => {
    expect(groupBySeries([recording(''), recording('')])).toHaveLength(2);
  });

  it('are in the order of their numbers, and then by time', () => {
    const [late, special, second, first] = [
      recording('Harbour', 'S2 E1'),
      recording('Harbour', 'The making of'),
      recording('Harbour', 'S1 E2'),
      recording('Harbour', 'S1 E1'),
    ] as const;
    const [series] = groupBySeries([late, special, second, first]);
    expect(series && files(series)).toEqual([first, second, late, special].map(({ filename }) => filename));
    expect(series && seasonsOf(series).map(([season, episodes]) => [season, episodes.length])).toEqual([
      [1, 2],
      [2, 1],
      [undefined, 1],
    ]);
  });

  it('of one series are sorted by their newest and oldest, and by sums', () => {
    const all = [
      recording('A', '', { size: 5 }),
      recording('B', 'one', { size: 3 }),
      recording('C', '', { size: 4 }),
      recording('B', 'two', { size: 3 }),
    ];
    const order = (by: string) => sorted(groupBySeries(all), by).map(({ title }) => title);
    expect(order('newest')).toEqual(['B', 'C', 'A']);
    expect(order('oldest')).toEqual(['A', 'B', 'C']);
    expect(order('size')).toEqual(['B', 'A', 'C']);
    expect(order('title')).toEqual(['A', 'B', 'C']);
  });

  it('are filtered by what was watched, genre, channel and words', () => {
    const all = [
      recording('Harbour', 'Storm', { programme: { genre: 0x15 } }),
      recording('Valley', 'Snow', { programme: { genre: 0x20 }, recording_servicename: 'Beta' }),
      recording('Match', '', { tags: ['PlayCount=1'] }),
    ];
    const labels = (filters: object) => filtered(all, filters).map(({ label }) => label);
    expect(labels({})).toEqual(['Harbour', 'Valley', 'Match']);
    expect(labels({ seen: 'no' })).toEqual(['Harbour', 'Valley']);
    expect(labels({ seen: 'yes' })).toEqual(['Match']);
    expect(labels({ genre: '1' })).toEqual(['Harbour']);
    expect(labels({ channel: 'Beta' })).toEqual(['Valley']);
    expect(labels({ find: 'sTORM härbour' })).toEqual(['Harbour']);
  });
});

describe('the next episode', () => {
  it('is the following number, not another recording of the same one', () => {
    const [again, first, third, other] = [
      recording('Harbour', 'S1 E1'),
      recording('Harbour', 'S1 E1'),
      recording('Harbour', 'S1 E3'),
      recording('Valley', 'S1 E2'),
    ] as const;
    const all = [again, first, third, other];
    expect(episodeAfter(all, again.filename)?.recording).toBe(third);
    expect(episodeAfter(all, first.filename)?.recording).toBe(third);
    expect(episodeAfter(all, third.filename)).toBeUndefined();
    expect(episodeAfter(all, other.filename)).toBeUndefined();
    expect(episodeAfter(all, '/movie/missing.ts')).toBeUndefined();
  });

  it('without numbers is the next recording with another text', () => {
    const [first, repeat, second] = [
      recording('News', 'Monday'),
      recording('News', 'Monday'),
      recording('News', 'Tuesday'),
    ] as const;
    expect(episodeAfter([first, repeat, second], first.filename)?.recording).toBe(second);
  });

  it('of a series is the one that was begun, else the first unwatched, else the first', () => {
    const [watched, fresh, begun] = [
      recording('Harbour', '', { tags: ['PlayCount=2'] }),
      recording('Harbour'),
      recording('Harbour', '', stoppedAt(1000)),
    ] as const;
    const next = (...all: readonly Recording[]) => {
      const [series] = groupBySeries(all);
      return series && upNext(series)?.recording;
    };
    expect(next(watched, fresh, begun)).toBe(begun);
    expect(next(watched, fresh)).toBe(fresh);
    expect(next(watched)).toBe(watched);
  });
});

describe('a recording has been watched', () => {
  it('near its end, unless it is still running', () => {
    expect(isWatched(recording('Harbour', '', stoppedAt(1800)))).toBe(false);
    expect(isWatched(recording('Harbour', '', stoppedAt(3595)))).toBe(true);
    expect(isWatched(recording('Harbour', '', { ...stoppedAt(3595), recording: true }))).toBe(false);
    expect(isWatched(recording('Harbour', '', { ...stoppedAt(3595), length: null }))).toBe(false);
  });

  it('near the end of the programme, before the margin', () => {
    const one = recording('Harbour', '', stoppedAt(3000));
    const event = { longinfo: '', start_time: one.begin + 180, duration: 2880 };
    expect(isWatched(one)).toBe(false);
    expect(isWatched({ ...one, event })).toBe(true);
    // The event of the first minutes, or one that is not over, says nothing.
    expect(isWatched({ ...one, event: { ...event, duration: 7200 } })).toBe(false);
    expect(isWatched({ ...one, event: { ...event, start_time: one.begin - 3600 } })).toBe(false);
  });

  it('by the count of another client', () => {
    expect(isWatched(recording('Harbour', '', { tags: ['EPG', 'PlayCount=3'] }))).toBe(true);
    expect(isWatched(recording('Harbour', '', { tags: ['PlayCount=0'] }))).toBe(false);
  });

  it('with its other marks kept', () => {
    const marks = [
      { type: 2, pos: 900 },
      { type: 3, pos: 5 },
    ];
    expect(cutsWith(marks, 2)).toBe('2:900,3:180000');
  });
});
