/**
 * Whether a recording has been watched, as its files tell every client: by the position where playback was stopped (mark of
 * type 3 in `.cuts`; Enigma2 and OpenWebif show it as a percentage), or by the tag `PlayCount=N` of Kodi.
 */
import type { Recordings } from '../../client/client.ts';
import { isAtEnd, resumeAt } from './resume.ts';

export type Recording = Recordings['items'][number];

/** A mark of /api/movieinfo; the position is in ticks. */
export interface Mark {
  readonly type: number;
  readonly pos: number;
}

export const ticksPerSecond = 90_000;
/** Type of the mark with the position where playback was stopped. */
export const lastPosition = 3;
/** The tag of a watched recording. */
export const watchedTag = 'PlayCount=1';

/** The tag that the receiver gives to exports. */
export const exportTag = 'Export';

/** Whether it is an export of another recording. Older ones have no tag, and are known by their folder. */
export const isExport = ({ tags, filename }: Recording) => tags.includes(exportTag) || filename.includes('/Exports/');

/** The tags with which clients count how often a recording was played. */
export const playCounts = (tags: readonly string[]) => tags.filter((tag) => tag.startsWith('PlayCount='));

export function isWatched({ tags, meta, length, begin, event, recording: isRunning }: Recording): boolean {
  if (playCounts(tags).some((tag) => tag !== 'PlayCount=0')) return true;
  // A running recording gets longer: its current end is not the end of the programme.
  if (isRunning || length === null) return false;
  // Nobody watches the margin after the programme.
  const over = event ? event.start_time + event.duration - begin : 0;
  return isAtEnd(meta.marks?.watched ?? 0, over > 0 && over < length ? over : length);
}

/** The position in seconds at which to resume; see `resumeAt`. */
export function resumeOf({ meta, length }: Recording): number {
  return resumeAt(meta.marks?.watched ?? 0, length ?? 0);
}

/** `cuts` for /api/movieinfo: the other marks, and this position in seconds as the one where playback was stopped. */
export function cutsWith(marks: readonly Mark[], seconds: number): string {
  const others = marks.filter(({ type }) => type !== lastPosition);
  return [...others, { type: lastPosition, pos: seconds * ticksPerSecond }]
    .map(({ type, pos }) => `${type}:${pos}`)
    .join();
}
