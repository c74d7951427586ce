/** A search as parameters of the page's address, and as parameters of `/api/eventsearch`. */
import type { Parameters } from '../../../client/client.ts';
import { eveningOf } from '../../shared/evening.ts';
import { genreKeys } from '../../shared/genres.ts';
import { primeTime } from '../../shared/prime-time.ts';
import { now } from '../../shared/receiver.ts';
import { startOfDay } from '../../shared/time.ts';

/** Parameters in the address: text and filters. */
export type Query = Readonly<Record<string, string>>;

/** Parts of the day, in minutes after midnight. */
const parts = {
  morning: [360, 720],
  afternoon: [720, 1080],
  evening: [1080, 1320],
  night: [1320, 360],
} as const;

/** Duration from which an event is long. A film lasts longer than an episode of a series; both have the same genre. */
const longSeconds = 75 * 60;

const lengths = {
  long: { minimum_duration: longSeconds },
  short: { maximum_duration: longSeconds - 1 },
} as const;

const filters = ['everywhere', 'when', 'part', 'genre', 'length', 'bouquet'] as const;

/** The search in an address. `title` is a whole title, `text` any words. Addresses of earlier versions have `day` and numbers of genres. */
export function queryOf(address: Query): Query {
  const { day, genre, ...rest } = address;
  const all: Query = { when: day ?? '', ...rest, genre: genreKeys[Number(genre) - 1] ?? genre ?? '' };
  return Object.fromEntries(['text', 'title', ...filters].flatMap((name) => (all[name] ? [[name, all[name]]] : [])));
}

export const hasFilters = (query: Query) => filters.some((name) => query[name] && name !== 'everywhere');

/** The words that must all be found, in any order. */
export const wordsOf = ({ text = '' }: { readonly text?: string }) => text.split(/\s+/).filter((word) => word !== '');

const isKey = <Table extends object>(table: Table, key: string | undefined): key is keyof Table & string =>
  key !== undefined && Object.hasOwn(table, key);

type SearchParameters = Parameters<'get', '/api/eventsearch'>;

export function parametersOf(query: Query): SearchParameters {
  const { title, everywhere, when, part, genre = '', length, bouquet } = query;
  const group = genreKeys.indexOf(genre as (typeof genreKeys)[number]) + 1;
  return {
    what: title ? [title] : wordsOf(query),
    querytype: title ? 'title-is' : everywhere ? 'all' : 'title+short',
    begin: now(),
    ...(isKey(parts, part) && minutesOf(parts[part])),
    ...(when !== undefined && timesOf(when)),
    ...(group > 0 && { genre: group }),
    ...(isKey(lengths, length) && lengths[length]),
    ...(bouquet && { bouquet }),
  };
}

const minutesOf = ([from, until]: readonly [number, number]) => ({ from_minute: from, until_minute: until });

/** The period of `now`, `tonight`, `tomorrow-night` or a day such as `2026-11-26`; none for any other text. */
function timesOf(when: string) {
  const time = now();
  const spanOf = (start: number) => ({ begin: Math.max(time, start), end: startOfDay(start, 1) });
  if (when === 'now') return { end: time + 1 };
  if (when === 'tonight') return eveningOf(primeTime(time), time);
  if (when === 'tomorrow-night') return eveningOf(primeTime(startOfDay(time, 1)), time);
  const midday = new Date(`${when}T12:00`).getTime() / 1000;
  return Number.isNaN(midday) ? {} : spanOf(startOfDay(midday));
}
