/**
 * Event lists serialized natively, straight from the store and in pieces, so that a response of any length takes
 * neither this thread's time nor its heap. A typed wrapper around native/epg/event_list.h.
 */
import type { UnixSeconds } from '../clock.ts';
import { type DvbTriplet, packServices, tripletKey } from '../dvb/triplet.ts';
import { native } from '../native.ts';
import type { GuideEvent } from './event.ts';
import { genreText } from './genres.ts';
import type { Guide } from './guide.ts';
import { type GuideQuery, nativeQuery } from './query.ts';

/** Fields of an event in a template. Times of day and dates are local, in the zone of the reader. */
export type EventField =
  | 'id'
  | 'start'
  | 'duration'
  | 'minutes'
  | 'title'
  | 'shortText'
  | 'extendedText'
  | 'now'
  | 'remaining'
  | 'genre'
  | 'genreId'
  /** `genres` and `parental` are JSON: a list, and a record or null. */
  | 'genres'
  | 'parental'
  | 'date'
  | 'begin'
  | 'end';

/** Alternating literals and fields, starting and ending with a literal. A number is a column of the service list. */
export type Segments = readonly (string | EventField | number)[];

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
  /** The hits of a search, in its order, each once for every entry of the list that is its service. */
  | { readonly asked: 'hits'; readonly hits: EventHits; readonly limit: number }
  /** The first hits of a search, by start, then in the order of the list. The search runs on a worker. */
  | { readonly asked: 'search'; readonly query: ListedQuery; readonly limit: number };

/** A search over the services of a list, or over its own `services`. */
export type ListedQuery = Omit<GuideQuery, 'order' | 'offset' | 'limit'>;

/** The hits of a search on the services of a list. */
export interface ListedHits extends EventHits {
  /** Matching events on services of the list; exact, whatever the number of rows. */
  readonly total: number;
  /** Number of list entries the hits are written as. */
  readonly rows: number;
}

/** Events identified by service, id and start. */
export interface EventHits {
  /** Three numbers each: original network, transport stream, service. */
  readonly keys: Uint16Array;
  readonly ids: Uint16Array;
  readonly starts: Uint32Array;
}

/** Packs found events for a question. */
export function hitsOf(events: readonly Pick<GuideEvent, 'service' | 'id' | 'start'>[]): EventHits {
  return {
    keys: packServices(events.map(({ service }) => service)),
    ids: Uint16Array.from(events, ({ id }) => id),
    starts: Uint32Array.from(events, ({ start }) => start),
  };
}

/** Returns the distinct services of the hits. */
export function distinctServices({ keys }: EventHits): DvbTriplet[] {
  const services = new Map<number, DvbTriplet>();
  for (let i = 0; i + 2 < keys.length; i += 3) {
    const [originalNetworkId = 0, transportStreamId = 0, serviceId = 0] = keys.subarray(i, i + 3);
    const service = { originalNetworkId, transportStreamId, serviceId };
    services.set(tripletKey(service), service);
  }
  return [...services.values()];
}

/**
 * Text before the first event, between two, after the last, and in place of the whole list if it is empty. Reuse the
 * object for lists with the same frame: its native form is cached.
 */
export interface EventListFrame {
  readonly head: string;
  readonly separator: string;
  readonly tail: string;
  readonly empty: string;
}

export interface EventListOptions {
  readonly frame: EventListFrame;
  /** Current time: the value of `now`, and the base of `remaining`. */
  readonly now: UnixSeconds;
  /** Pairs of a time and the seconds local time is ahead of UTC from then on, ascending. Absent: UTC. */
  readonly zone?: Float64Array | undefined;
  /** Restricts the list to a range of its services; not for hits. Default: all. */
  readonly firstService?: number | undefined;
  readonly serviceCount?: number | undefined;
}

/** The number of bytes written to the memory, or a Buffer with all of them if the memory was too small. */
type NativePiece = number | Buffer;

interface NativeReader {
  readonly ended: boolean;
  take(memory: Uint8Array, bytes: number, microseconds: number): NativePiece;
  next(memory: Uint8Array, bytes: number): Promise<NativePiece>;
}

/** The first piece, with a reader for the rest if there is more. */
type NativeBeginning = NativePiece | { readonly piece: NativePiece; readonly rest: NativeReader };

type NativeList = readonly [
  guide: object,
  services: object,
  template: object,
  frame: object,
  zone: object | undefined,
  numbers: Float64Array,
  found: object | undefined,
];

const {
  ServiceList,
  EventTemplate,
  EventListFrame,
  LocalTimes,
  beginEvents,
  beginEventsOnWorker,
  countEvents,
  findListed,
} = native as {
  ServiceList: {
    new (keys: Uint16Array, guide: Uint8Array, texts: readonly string[], columns: number): object;
    new (parts: readonly object[]): object;
  };
  EventTemplate: new (
    form: 'xml' | 'json' | 'cleanedJson',
    event: Segments,
    missing: Segments,
    genres: readonly string[],
  ) => object;
  EventListFrame: new (head: string, separator: string, tail: string, empty: string) => object;
  LocalTimes: new (changes: Float64Array) => object;
  beginEvents: (...list: [...NativeList, memory: Uint8Array, bytes: number, microseconds: number]) => NativeBeginning;
  beginEventsOnWorker: (...list: [...NativeList, memory: Uint8Array, bytes: number]) => Promise<NativeBeginning>;
  countEvents: (...list: NativeList) => number;
  findListed: (guide: object, query: object, services: object, rows: number) => Promise<ListedHits>;
};

const noService: DvbTriplet = { originalNetworkId: 0, transportStreamId: 0, serviceId: 0 };

/** Services in the order of the response, with the texts shown of each. Built once, used by any number of readers. */
export class EventServices {
  readonly native: object;
  readonly length: number;

  private constructor(native: object, length: number) {
    this.native = native;
    this.length = length;
  }

  /** `texts` has `columns` texts for every service. `key` is undefined for an entry without a guide. */
  static of(
    services: readonly { readonly key: DvbTriplet | undefined }[],
    texts: readonly string[],
    columns: number,
  ): EventServices {
    const keys = packServices(services.map(({ key }) => key ?? noService));
    const guide = Uint8Array.from(services, ({ key }) => (key === undefined ? 0 : 1));
    return new EventServices(new ServiceList(keys, guide, texts, columns), services.length);
  }

  /** Concatenates lists with the same columns: a long list is built in parts. */
  static joined(parts: readonly EventServices[]): EventServices {
    const [only] = parts;
    if (only !== undefined && parts.length === 1) return only;
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    return new EventServices(new ServiceList(parts.map(({ native }) => native)), length);
  }
}

/** Names by level 1 * 16 + level 2 (EN 300 468 §6.2.9). */
const genres = Array.from({ length: 256 }, (_, nibbles) => genreText(nibbles >> 4, nibbles & 15));

/** How to write an event, and what to write where there is none (empty: nothing). */
export class EventForm {
  readonly native: object;

  /** `cleanedJson` is JSON without the control codes of DVB (emphasis, line break). */
  constructor(form: 'xml' | 'json' | 'cleanedJson', event: Segments, missing: Segments) {
    this.native = new EventTemplate(form, event, missing, genres);
  }
}

/** The index is the number that native code uses. */
const questions: readonly EventQuestion['asked'][] = [
  'now',
  'next',
  'nowNext',
  'before',
  'id',
  'window',
  'hits',
  'search',
];

/** Shared by all calls: native code reads it before it returns. */
const questionNumbers = new Float64Array(9);

/** Encodes a question for native code: see QuestionNumbers in native/epg/event_list_binding.cc. NaN: not given. */
function numbersOf(question: EventQuestion, { firstService, serviceCount, now }: EventListOptions): Float64Array {
  const numbers = questionNumbers;
  numbers[0] = questions.indexOf(question.asked);
  numbers[1] = 'from' in question ? question.from : Number.NaN;
  numbers[2] = ('until' in question ? question.until : undefined) ?? Number.NaN;
  numbers[3] = 'endInclusive' in question && question.endInclusive ? 1 : 0;
  numbers[4] = 'id' in question ? question.id : Number.NaN;
  numbers[5] = question.limit ?? Number.NaN;
  numbers[6] = firstService ?? Number.NaN;
  numbers[7] = serviceCount ?? Number.NaN;
  numbers[8] = now;
  return numbers;
}

function foundOf(question: EventQuestion): object | undefined {
  if (question.asked === 'hits') return question.hits;
  return question.asked === 'search' ? nativeQuery(question.query) : undefined;
}

/** Native counterparts of objects passed before. */
const frames = new WeakMap<EventListFrame, object>();
const zones = new WeakMap<Float64Array, object>();

function nativeFrame(frame: EventListFrame): object {
  let made = frames.get(frame);
  if (made === undefined) {
    made = new EventListFrame(frame.head, frame.separator, frame.tail, frame.empty);
    frames.set(frame, made);
  }
  return made;
}

function nativeZone(changes: Float64Array | undefined): object | undefined {
  if (changes === undefined) return undefined;
  let made = zones.get(changes);
  if (made === undefined) {
    made = new LocalTimes(changes);
    zones.set(changes, made);
  }
  return made;
}

/**
 * The bytes of one list, piece by piece. Request one piece at a time, after the one before has arrived.
 *
 * A piece is written into memory that the caller lends, so that a long list needs no more than that. A piece that does
 * not fit (an event may have texts of many kilobytes) comes in memory of its own.
 */
export class EventList {
  readonly #guide: Pick<Guide, 'native'>;
  readonly #services: EventServices;
  readonly #form: EventForm;
  readonly #question: EventQuestion;
  readonly #options: EventListOptions;
  #begins = true;
  /** Reader for the pieces after the first. */
  #rest: NativeReader | undefined;

  constructor(
    guide: Pick<Guide, 'native'>,
    services: EventServices,
    form: EventForm,
    question: EventQuestion,
    options: EventListOptions,
  ) {
    this.#guide = guide;
    this.#services = services;
    this.#form = form;
    this.#question = question;
    this.#options = options;
  }

  /** True when there is no further piece. */
  get ended(): boolean {
    return !this.#begins && (this.#rest?.ended ?? true);
  }

  /** Number of events it will write if nothing changes; not for a search. Only before the first piece. */
  count(): number {
    return countEvents(...this.#list());
  }

  /** Produces the next piece on this thread: about `bytes` long, or as much as fits into `microseconds`. */
  take(memory: Buffer, bytes: number, microseconds: number): Buffer {
    if (this.#begins) return placed(memory, this.#begun(beginEvents(...this.#list(), memory, bytes, microseconds)));
    return placed(memory, this.#rest?.take(memory, bytes, microseconds) ?? 0);
  }

  /** Produces the next piece, about `bytes` long, on a worker thread. Do not touch the memory until it resolves. */
  async next(memory: Buffer, bytes: number): Promise<Buffer> {
    if (this.#begins) return placed(memory, this.#begun(await beginEventsOnWorker(...this.#list(), memory, bytes)));
    return placed(memory, (await this.#rest?.next(memory, bytes)) ?? 0);
  }

  #list(): NativeList {
    const { frame, zone } = this.#options;
    return [
      this.#guide.native,
      this.#services.native,
      this.#form.native,
      nativeFrame(frame),
      nativeZone(zone),
      numbersOf(this.#question, this.#options),
      foundOf(this.#question),
    ];
  }

  #begun(beginning: NativeBeginning): NativePiece {
    this.#begins = false;
    if (typeof beginning === 'number' || Buffer.isBuffer(beginning)) return beginning;
    this.#rest = beginning.rest;
    return beginning.piece;
  }
}

function placed(memory: Buffer, made: NativePiece): Buffer {
  return typeof made === 'number' ? memory.subarray(0, made) : made;
}

/**
 * Finds the first hits on services of the list, as many as fill `rows` entries of it. Without `services` in the query,
 * hits that start at the same time come in the order of the list.
 */
export function searchListed(
  guide: Pick<Guide, 'native'>,
  query: ListedQuery,
  services: EventServices,
  rows: number,
): Promise<ListedHits> {
  return findListed(guide.native, nativeQuery(query), services.native, rows);
}
