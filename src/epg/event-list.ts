/**
 * The one way from a question about the guide to bytes: which services, which of their events, and how they are
 * written. Native code answers all of it with one stream of pieces (native/epg/answers/event_list.h).
 */
import type { UnixSeconds } from '../clock.ts';
import { type DvbTriplet, packServices } from '../dvb/triplet.ts';
import { type EventForm, type EventPiece, type Guide, native, type ServiceList } from '../native.ts';
import { type GuideQuery, nativeQuery } from './query.ts';

/** Selects the events of each service in a list. */
export type EventQuestion =
  /** The running event, the first one after `from`, both, or the last one that starts before `from`. */
  | {
      readonly asked: 'now' | 'next' | 'nowNext' | 'before';
      readonly from: UnixSeconds;
      /** An event also counts in its end second, unless another has started. */
      readonly endInclusive?: boolean;
      readonly limit?: number;
    }
  /** The event with this event_id. */
  | { readonly asked: 'id'; readonly id: number; readonly limit?: number }
  /** Events that run at `from` or start later, and start before `until` (absent: no end). */
  | {
      readonly asked: 'window';
      readonly from: UnixSeconds;
      readonly until?: UnixSeconds | undefined;
      readonly limit?: number;
    }
  /** The first hits of a search, by start, then in the order of the list, each once for every entry of its service. */
  | { readonly asked: 'search'; readonly query: ListedQuery; readonly limit: number };

/** A search over the services of a list, or over its own `services`. */
export type ListedQuery = Omit<GuideQuery, 'order' | 'offset' | 'limit'>;

/** What fields depend on besides the event. */
export interface Moment {
  /** Current time: the value of `now`, and the base of `remaining`. */
  readonly now: UnixSeconds;
  /** Pairs of a time and the seconds local time is ahead of UTC from then on, ascending. Empty: UTC. */
  readonly zone: Float64Array;
}

export interface EventAnswer {
  /** Of a search: matching events on services of the list; exact, whatever the limit. */
  readonly total: number;
  /** Of a search: number of list entries the hits are written as. */
  readonly rows: number;
  /** To be read once. A piece is valid until two others have been asked for. */
  readonly bytes: AsyncIterable<Buffer>;
}

const noService: DvbTriplet = { originalNetworkId: 0, transportStreamId: 0, serviceId: 0 };

/** `texts` has `columns` texts for every service. `key` is undefined for an entry without a guide. */
export function serviceList(
  services: readonly { readonly key: DvbTriplet | undefined }[],
  texts: readonly string[],
  columns: number,
): ServiceList {
  const keys = packServices(services.map(({ key }) => key ?? noService));
  const guide = Uint8Array.from(services, ({ key }) => (key === undefined ? 0 : 1));
  return new native.ServiceList({ keys, guide, texts, columns });
}

/**
 * Answers a question. A search runs on a worker, as does what takes longer than an instant of anything else. The list
 * has the texts that the form needs.
 */
export async function askEvents(
  guide: { readonly native: Guide },
  services: ServiceList,
  form: EventForm,
  question: EventQuestion,
  moment: Moment,
): Promise<EventAnswer> {
  const first =
    question.asked === 'search'
      ? await native.searchEvents(guide.native, services, form, nativeQuestion(question), moment)
      : native.listEvents(guide.native, services, form, question, moment);
  return { total: first.total, rows: first.rows, bytes: piecesOf(first) };
}

/** Buffers of an answer, used by turns: a piece is being sent, one waits, one is written. */
const buffersOfAnswer = 3;
/** A piece and an event with long texts. */
const bufferLength = 320 * 1024;

/**
 * A new Buffer for each piece would make V8 collect the whole heap every 35 MB: the now and next of 5,725 services then
 * took 23 ms instead of 11.
 */
async function* piecesOf(first: EventPiece): AsyncGenerator<Buffer, void, undefined> {
  const buffers: Buffer[] = [];
  let piece: EventPiece | undefined = first;
  for (let at = 0; piece !== undefined; at = (at + 1) % buffersOfAnswer) {
    yield piece.bytes.subarray(0, piece.size);
    if (piece.next === undefined) return;
    buffers[at] ??= Buffer.allocUnsafeSlow(bufferLength);
    piece = await piece.next(buffers[at] as Buffer);
  }
}

/** All bytes of an answer. */
export async function wholeAnswer(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of bytes) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** The number of events in the answer if nothing changes; not for a search. */
export function countEvents(
  guide: { readonly native: Guide },
  services: ServiceList,
  form: EventForm,
  question: Exclude<EventQuestion, { asked: 'search' }>,
  moment: Moment,
): number {
  return native.countEvents(guide.native, services, form, question, moment);
}

function nativeQuestion({ query, ...question }: Extract<EventQuestion, { asked: 'search' }>) {
  return { ...question, query: nativeQuery(query) };
}
