/**
 * The one way from a question about the guide to bytes: which services, which of their events, and how they are
 * written. Native code answers all of it with one stream of pieces (native/epg/answers/event_list.h).
 */
import type { UnixSeconds } from '../base/clock.ts';
import { type EventForm, type EventPiece, type Guide, native, type ServiceList } from '../base/native.ts';
import { type DvbTriplet, packServices } from '../dvb/triplet.ts';
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
  /**
   * Hits of a search, by start, then in the order of the list, each once for every entry of its service; the first
   * `skip` of these rows are left out.
   */
  | { readonly asked: 'search'; readonly query: ListedQuery; readonly skip?: number; readonly limit: number };

/** A search over the services of a list, or over its own `services`. */
export type ListedQuery = Omit<GuideQuery, 'order' | 'offset' | 'limit'>;

/** What fields depend on besides the event. */
export interface Moment {
  /** Current time: the value of `now`, and the base of `remaining`. */
  readonly now: UnixSeconds;
  /** Pairs of a time and the seconds local time is ahead of UTC from then on, ascending. Empty: UTC. */
  readonly zone: Float64Array;
}

/** A piece of an answer, and an event with long texts. */
const memoryLength = 320 * 1024;
/** Unused memory that is kept. Sixteen clients without pause use that many at once. */
const mostUnused = 16;
const unused: Buffer[] = [];

/**
 * Memory for bytes that are being sent, to be returned after that.
 *
 * V8 collects its whole heap after every 35 MB of new Buffers, for 5 to 10 ms. With new ones for each response, 3,000
 * lists of one channel took nine such collections, and the now and next of 5,725 channels 23 ms instead of 11.
 */
export function takeMemory(): Buffer {
  return unused.pop() ?? Buffer.allocUnsafeSlow(memoryLength);
}

export function returnMemory(memory: Buffer): void {
  if (unused.length < mostUnused) unused.push(memory);
}

const piecesAtOnce = 3;

/** The answer to a question. */
export class EventAnswer {
  /** Of a search: matching events on services of the list; exact, whatever the limit. */
  readonly total: number;
  /** Of a search: number of list entries the hits are written as. */
  readonly rows: number;
  #piece: EventPiece;
  /** A piece is being sent, one waits, one is written: their memory is used by turns. */
  #memory: Buffer[];
  #writing: Promise<EventPiece> | undefined;

  /** `first` is in `memory`. */
  constructor(first: EventPiece, memory: Buffer) {
    this.total = first.total;
    this.rows = first.rows;
    this.#piece = first;
    this.#memory = [memory];
  }

  /** To be read once. A piece is valid until two others have been asked for, and until `end`. */
  async *bytes(): AsyncGenerator<Buffer, void, undefined> {
    yield this.#piece.bytes.subarray(0, this.#piece.size);
    for (let at = 1; this.#piece.next !== undefined; at = (at + 1) % piecesAtOnce) {
      this.#memory[at] ??= takeMemory();
      this.#writing = this.#piece.next(this.#memory[at] as Buffer);
      this.#piece = await this.#writing;
      yield this.#piece.bytes.subarray(0, this.#piece.size);
    }
  }

  /** To be called when the bytes are sent, or nobody wants them any more. */
  async end(): Promise<void> {
    await this.#writing?.catch(() => undefined);
    for (const memory of this.#memory) returnMemory(memory);
    this.#memory = [];
  }
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
  const memory = takeMemory();
  const asked = [guide.native, services, form] as const;
  const first =
    question.asked === 'search'
      ? await native.searchEvents(...asked, nativeQuestion(question), moment, memory)
      : native.listEvents(...asked, question, moment, memory);
  return new EventAnswer(first, memory);
}

/** All bytes of an answer. */
export async function wholeAnswer(answer: Pick<EventAnswer, 'bytes' | 'end'>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of answer.bytes()) pieces.push(Buffer.from(piece));
  void answer.end();
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
