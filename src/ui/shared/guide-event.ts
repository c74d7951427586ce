/** An event of the guide, converted from either response format. */
import type { Event as EventRow } from '../../client/client.ts';

export interface GuideEvent {
  /** Service reference. */
  readonly reference: string;
  readonly channel: string;
  /** event_id: unique within the service while the event is in the guide. */
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
  /** Whether the guide has a picture; unknown unless requested by the flag L. */
  readonly hasPicture?: boolean;
}

/** Converts a row of the epg operations; undefined for a service without an event. */
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

/** `flags` with the fields that `fromRow` reads, for /api/eventsearch and /api/eventlookup. */
export const rowFlags = 'IBDTSERNW';

/** Converts a row of eventsearch or eventlookup; undefined for a service without an event. */
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
    hasPicture: !!row.picture,
  };
}

export function isRunning({ start, duration }: GuideEvent, time: number): boolean {
  return start <= time && time < start + duration;
}
