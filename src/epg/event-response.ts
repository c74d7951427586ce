/**
 * Lists events as bytes. A question says which services, which of their events and which format are requested; native
 * code produces the response as a stream of pieces (native/epg/responses/event_list.h).
 */
import type { UnixSeconds } from '../base/clock.ts';
import { type EventPiece, type EventTemplate, type Guide, native, type ServiceList } from '../base/native.ts';
import { type DvbTriplet, packServices } from '../dvb/triplet.ts';
import { type GuideQuery, nativeQuery } from './query.ts';

/** Selects the events of each service in a list. */
export type EventQuestion =
  /** The running event, the first one after `from`, both, or the last one that starts before `from`. */
  | {
      readonly asked: 'now' | 'next' | 'nowNext' | 'before';
      readonly from: UnixSeconds;
      /** An event is also running in its end second, unless another has started. */
      readonly endInclusive?: boolean;
      readonly limit?: number;
    }
  /** The event with this event_id. */
  | { readonly asked: 'id'; readonly id: number; readonly limit?: number }
  /** Events that run at `from` or start later, and start before `until` (undefined: no end). */
  | {
      readonly asked: 'window';
      readonly from: UnixSeconds;
      readonly until?: UnixSeconds | undefined;
      readonly limit?: number;
    }
  /**
   * Hits of a search, by start and then in the order of the list. A hit gives a row for each list entry of its service;
   * the first `skip` rows are left out.
   */
  | { readonly asked: 'search'; readonly query: ListedQuery; readonly skip?: number; readonly limit: number };

/** A search over the services of a list, or over its own `services`. */
export type ListedQuery = Omit<GuideQuery, 'order' | 'offset' | 'limit'>;

/** The time on which fields depend, besides the event. */
export interface Moment {
  /** Current time: the value of `now`, and the base of `remaining`. */
  readonly now: UnixSeconds;
  /** Ascending pairs of a time and the offset of local time from UTC, in seconds, from that time. Empty: UTC. */
  readonly zone: Float64Array;
}

/** Bytes of a buffer: a piece of a response, plus an event with long texts. */
const bufferBytes = 320 * 1024;
/** Unused buffers that are kept: as many as sixteen clients use that send requests without a pause. */
const maxUnusedBuffers = 16;
const unused: Buffer[] = [];

/**
 * Takes a buffer for bytes to be sent; to be given back by `returnBuffer` once they are.
 *
 * V8 runs a full garbage collection of 5 to 10 ms after every 35 MB of new Buffers. With new ones for each response,
 * 3,000 lists of one channel took nine such collections, and the now and next of 5,725 channels took 23 ms instead of
 * 11.
 */
export function takeBuffer(): Buffer {
  return unused.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
}

export function returnBuffer(buffer: Buffer): void {
  if (unused.length < maxUnusedBuffers) unused.push(buffer);
}

const bufferCount = 3;

/** The response to a question. */
export class EventResponse {
  /** Of a search: number of matching events on services of the list, regardless of the limit. */
  readonly total: number;
  /** Of a search: number of rows that the hits give. */
  readonly rows: number;
  #piece: EventPiece;
  /** Buffers used in rotation: for the piece being sent, the next one, and the one being written. */
  #buffers: Buffer[];
  #writing: Promise<EventPiece> | undefined;

  /** @param buffer the buffer that holds `first` */
  constructor(first: EventPiece, buffer: Buffer) {
    this.total = first.total;
    this.rows = first.rows;
    this.#piece = first;
    this.#buffers = [buffer];
  }

  /** The bytes; can be read once. A piece is valid until the second one after it is requested, and until `end`. */
  async *bytes(): AsyncGenerator<Buffer, void, undefined> {
    yield this.#piece.bytes.subarray(0, this.#piece.size);
    for (let at = 1; this.#piece.next !== undefined; at = (at + 1) % bufferCount) {
      this.#buffers[at] ??= takeBuffer();
      this.#writing = this.#piece.next(this.#buffers[at] as Buffer);
      this.#piece = await this.#writing;
      yield this.#piece.bytes.subarray(0, this.#piece.size);
    }
  }

  /** Returns the buffers. To be called when the bytes have been sent, or are no longer needed. */
  async end(): Promise<void> {
    await this.#writing?.catch(() => undefined);
    for (const buffer of this.#buffers) returnBuffer(buffer);
    this.#buffers = [];
  }
}

const noService: DvbTriplet = { originalNetworkId: 0, transportStreamId: 0, serviceId: 0 };

/** `texts` has `columns` texts for every service. `key` is undefined for an entry without guide data. */
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
 * Answers a question. Searches and long lists run on a worker thread. The list must have the texts that the template uses.
 */
export async function askEvents(
  guide: { readonly native: Guide },
  services: ServiceList,
  template: EventTemplate,
  question: EventQuestion,
  moment: Moment,
): Promise<EventResponse> {
  const buffer = takeBuffer();
  const asked = [guide.native, services, template] as const;
  const first =
    question.asked === 'search'
      ? await native.searchEvents(...asked, nativeQuestion(question), moment, buffer)
      : native.listEvents(...asked, question, moment, buffer);
  return new EventResponse(first, buffer);
}

/** Reads all bytes of a response, and ends it. */
export async function wholeResponse(response: Pick<EventResponse, 'bytes' | 'end'>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of response.bytes()) pieces.push(Buffer.from(piece));
  void response.end();
  return Buffer.concat(pieces);
}

/** The number of events in the response to a question, as the guide is now. */
export function countEvents(
  guide: { readonly native: Guide },
  services: ServiceList,
  template: EventTemplate,
  question: Exclude<EventQuestion, { asked: 'search' }>,
  moment: Moment,
): number {
  return native.countEvents(guide.native, services, template, question, moment);
}

function nativeQuestion({ query, ...question }: Extract<EventQuestion, { asked: 'search' }>) {
  return { ...question, query: nativeQuery(query) };
}
