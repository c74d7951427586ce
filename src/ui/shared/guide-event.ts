/** An event of the guide, whatever answer it came from. */
import type { Event as EventRow } from '../../client/client.ts';

export interface GuideEvent {
  /** Service reference. */
  readonly reference: string;
  readonly channel: string;
  /** Event id, unique in its service for the days of a guide. */
  readonly id: number;
  /** Unix seconds. */
  readonly start: number;
  /** Seconds. */
  readonly duration: number;
  readonly title: string;
  readonly short: string;
  readonly long: string;
  /** content_nibble_level_1 * 16 + content_nibble_level_2 (EN 300 468, table 28); 0: none. */
  readonly genre: number;
  readonly genreName: string;
}

/** As the epg operations write it; undefined for the row of a service without an event. */
export function fromOperation(row: {
  readonly id: number | null;
  readonly begin_timestamp: number | null;
  readonly duration_sec: number | null;
  readonly title: string | null;
  readonly shortdesc: string | null;
  readonly longdesc: string | null;
  readonly sref: string;
  readonly sname: string;
  readonly genre: string;
  readonly genreid: number;
}): GuideEvent | undefined {
  if (!row.begin_timestamp) return undefined;
  return {
    reference: row.sref,
    channel: row.sname,
    id: row.id ?? 0,
    start: row.begin_timestamp,
    duration: row.duration_sec ?? 0,
    title: row.title ?? '',
    short: row.shortdesc ?? '',
    long: row.longdesc ?? '',
    genre: row.genreid,
    genreName: row.genre,
  };
}

/** The fields to ask of /api/eventsearch and /api/eventlookup for `fromRow`: `flags`. */
export const rowFlags = 'IBDTSERNW';

/** As eventsearch and eventlookup write it. */
export function fromRow(row: EventRow): GuideEvent | undefined {
  if (!row.start_time) return undefined;
  const [genre] = row.genre ?? [];
  return {
    reference: row.service_reference ?? '',
    channel: row.service_name ?? '',
    id: row.id ?? 0,
    start: row.start_time,
    duration: row.duration ?? 0,
    title: row.title ?? '',
    short: row.shortinfo ?? '',
    long: row.longinfo ?? '',
    genre: genre ? genre.level1 * 16 + genre.level2 : 0,
    genreName: genre?.text ?? '',
  };
}

export function isRunning({ start, duration }: GuideEvent, time: number): boolean {
  return start <= time && time < start + duration;
}
