/** Which recordings are listed, and in which order. */
import { folded } from '../../shared/fold.ts';
import type { Series } from '../../shared/series.ts';
import { isWatched, type Recording } from '../../shared/watched.ts';

export const sortings = ['newest', 'oldest', 'title', 'channel', 'length', 'size'] as const;
export type Sorting = (typeof sortings)[number];

/** What sorting needs of a series: the newest and oldest episode, and sums. */
interface Sortable {
  readonly series: Series;
  readonly newest: Recording | undefined;
  readonly oldest: Recording | undefined;
  readonly length: number;
  readonly size: number;
}

function sortable(series: Series): Sortable {
  const all = series.episodes.map(({ recording }) => recording);
  const byTime = [...all].sort((a, b) => b.begin - a.begin);
  const sum = (amountOf: (one: Recording) => number) => all.reduce((total, one) => total + amountOf(one), 0);
  return {
    series,
    newest: byTime[0],
    oldest: byTime.at(-1),
    length: sum(({ length }) => length ?? 0),
    size: sum(({ size }) => size),
  };
}

const { compare } = new Intl.Collator();
const byNewest = (a: Sortable, b: Sortable) => (b.newest?.begin ?? 0) - (a.newest?.begin ?? 0);
const channelOf = ({ newest }: Sortable) => newest?.recording_servicename ?? '';
const orders: Readonly<Record<Sorting, (a: Sortable, b: Sortable) => number>> = {
  newest: byNewest,
  oldest: (a, b) => (a.oldest?.begin ?? 0) - (b.oldest?.begin ?? 0),
  title: (a, b) => compare(a.series.title, b.series.title) || byNewest(a, b),
  channel: (a, b) => compare(channelOf(a), channelOf(b)) || byNewest(a, b),
  length: (a, b) => b.length - a.length,
  size: (a, b) => b.size - a.size,
};

export function sorted(all: readonly Series[], by: string | undefined): readonly Series[] {
  const sorting = sortings.find((one) => one === by) ?? 'newest';
  return all
    .map(sortable)
    .sort(orders[sorting])
    .map(({ series }) => series);
}

/** The filters in the address. */
export interface Filters {
  readonly find?: string;
  /** `yes` or `no` */
  readonly seen?: string;
  /** content_nibble_level_1 */
  readonly genre?: string;
  readonly channel?: string;
}

/** Whether one of the filters is used: then sub-folders are listed too. */
export const isFiltered = ({ find, seen, genre, channel }: Filters) => Boolean(find || seen || genre || channel);

export function filtered(all: readonly Recording[], filters: Filters): readonly Recording[] {
  const { find = '', seen, genre, channel } = filters;
  return all.filter(
    (one) =>
      (!find || isFound(one, find)) &&
      (!seen || isWatched(one) === (seen === 'yes')) &&
      (!genre || genreOf(one) === Number(genre)) &&
      (!channel || one.recording_servicename === channel),
  );
}

/** content_nibble_level_1; 0 if unknown. */
export const genreOf = ({ programme }: Recording) => (programme?.genre ?? 0) >> 4;

/** Whether the recording's texts contain all words of the search; case and accents are ignored. */
export function isFound({ label, recording_servicename, meta, event }: Recording, search: string): boolean {
  const texts = folded([label, recording_servicename, meta.Description, event?.longinfo].join(' '));
  return folded(search)
    .split(/\s+/)
    .every((word) => texts.includes(word));
}
