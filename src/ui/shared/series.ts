/**
 * Recordings by series. Recordings with the same title or the same series CRID belong together. Titles are compared without
 * the season and the episode, which broadcasters also put into titles. Exports are no episodes.
 */
import { type EpisodeNumber, episodeOf, titleOf } from '../../epg/episode-number.ts';
import { folded } from './fold.ts';
import { isExport, isWatched, type Recording, resumeOf } from './watched.ts';

export interface Episode extends EpisodeNumber {
  readonly recording: Recording;
}

export interface Series {
  /** The folded title, which addresses the series. */
  readonly key: string;
  readonly title: string;
  /** In the order in which they are watched; a series of one is a single recording. */
  readonly episodes: readonly Episode[];
}

/** The season and episode that the texts of a recording name. */
export const numberOf = ({ label, meta, event }: Recording): EpisodeNumber =>
  episodeOf({ title: label, description: meta.Description ?? '', extendedText: event?.longinfo ?? '' });

/** Groups recordings by series, in order of their first recording in the list. */
export function groupBySeries(recordings: readonly Recording[]): readonly Series[] {
  /** The group of each title and CRID; a group that was merged into another one leads to that. */
  const groups = new Map<string, Recording[]>();
  for (const recording of recordings) {
    const keys = keysOf(recording);
    const known = [...new Set(keys.flatMap((key) => groups.get(key) ?? []))];
    const all = [...new Set(keys.map((key) => groups.get(key)))].filter((group) => group !== undefined);
    const [target = []] = all;
    if (all.length > 1) {
      target.splice(0, target.length, ...known);
      for (const [key, group] of groups) if (all.includes(group)) groups.set(key, target);
    }
    target.push(recording);
    for (const key of keys) groups.set(key, target);
  }
  return [...new Set(groups.values())].map(seriesOf);
}

function keysOf(recording: Recording): readonly string[] {
  const { label, filename, programme, meta } = recording;
  if (isExport(recording)) return [`file ${filename}`];
  const title = folded(titleOf(label));
  const series = programme?.series?.toLowerCase();
  // A CRID without an authority counts within its service.
  const crid = series?.startsWith('/') ? meta.Serviceref + series : series;
  return [title ? `title ${title}` : `file ${filename}`, ...(crid ? [`series ${crid}`] : [])];
}

function seriesOf(recordings: readonly Recording[]): Series {
  const counts = new Map<string, number>();
  for (const { label } of recordings) counts.set(titleOf(label), (counts.get(titleOf(label)) ?? 0) + 1);
  const [[title] = ['']] = [...counts].sort(([, many], [, more]) => more - many);
  const episodes = recordings.map((recording) => ({ recording, ...numberOf(recording) })).sort(inOrder);
  return { key: folded(title), title: recordings.length > 1 ? title : (recordings[0]?.label ?? ''), episodes };
}

/** By season and episode, and then those without a number by time. */
function inOrder(a: Episode, b: Episode): number {
  const isNumbered = ({ episode: number }: Episode) => (number === undefined ? 1 : 0);
  return (
    isNumbered(a) - isNumbered(b) ||
    (a.season ?? 0) - (b.season ?? 0) ||
    (a.episode ?? 0) - (b.episode ?? 0) ||
    a.recording.begin - b.recording.begin
  );
}

/** The episodes by season, in order; those of no season are last. */
export function seasonsOf({ episodes }: Series): readonly (readonly [number | undefined, readonly Episode[]])[] {
  const seasons = new Map<number | undefined, Episode[]>();
  for (const one of episodes) seasons.set(one.season, [...(seasons.get(one.season) ?? []), one]);
  return [...seasons].sort(([a = Infinity], [b = Infinity]) => (a === b ? 0 : a - b));
}

/** The episode after a recording; undefined after the last one. Other recordings of the same episode are skipped. */
export function episodeAfter(all: readonly Recording[], filename: string): Episode | undefined {
  const isThis = ({ recording }: Episode) => recording.filename === filename;
  const episodes = groupBySeries(all).find((one) => one.episodes.some(isThis))?.episodes ?? [];
  const at = episodes.findIndex(isThis);
  const current = episodes[at];
  return current && episodes.slice(at + 1).find((one) => !isSameEpisode(one, current));
}

function isSameEpisode(a: Episode, b: Episode): boolean {
  if (a.episode !== undefined || b.episode !== undefined) return a.season === b.season && a.episode === b.episode;
  const text = a.recording.meta.Description;
  return text !== undefined && text !== '' && text === b.recording.meta.Description;
}

/** The episode to watch next: the one that was begun, else the first that was not watched, else the first. */
export function upNext({ episodes }: Series): Episode | undefined {
  const unwatched = episodes.filter(({ recording }) => !isWatched(recording));
  return unwatched.find(({ recording }) => resumeOf(recording) > 0) ?? unwatched[0] ?? episodes[0];
}
