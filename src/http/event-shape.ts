/**
 * How lists of events that native code writes look (written-list.ts), said once: by a record whose values are marks.
 *
 * The record is written by a face as any other, by its XML view or as JSON, and the text is cut at the marks: what stands between
 * them are the literals of a native template, the marks its fields. So definitions and views remain the only place that knows the
 * elements, their order and their form.
 */
import type { UnixSeconds } from '../clock.ts';
import type { DvbTriplet } from '../dvb/triplet.ts';
import {
  type EventField,
  EventForm,
  EventList,
  type EventQuestion,
  EventServices,
  type Segments,
} from '../epg/event-list.ts';
import { Turn } from '../turn.ts';
import { localTime } from './local-time.ts';
import type { ReceiverParts } from './parts.ts';
import { type ByteSource, type ItemForm, type ListFrame, noFrame, pieceMemory, WrittenList } from './written-list.ts';

/** Private use characters, which every face writes as they are. */
const mark = (name: string) => `\ue000${name}\ue001`;

/** Stands in a record for a field of the event. */
export function eventMark(field: EventField): string {
  return mark(field);
}

/** Stands in a record for a text of the service. */
export function columnMark(column: string): string {
  return mark(`:${column}`);
}

/** What JSON writes without quotes. */
const bare: ReadonlySet<string> = new Set<EventField>([
  'id',
  'start',
  'duration',
  'minutes',
  'now',
  'remaining',
  'genreId',
  'genres',
  'parental',
]);

const localFields: ReadonlySet<unknown> = new Set<EventField>(['date', 'begin', 'end']);

interface Compiled<Column> {
  readonly form: EventForm;
  readonly columns: readonly Column[];
  /** It has dates or times of day. */
  readonly local: boolean;
  /** What is not known is written too. */
  readonly complete: boolean;
}

/** One shape of records. T is the record that it stands for, Column the texts of a service that it may have. */
export class EventShape<T, Column extends string> {
  /** Only for the type checker. */
  declare readonly record: T;
  readonly #event: object;
  readonly #missing: object | undefined;
  readonly #texts: 'as sent' | 'cleaned';
  readonly #columns: readonly Column[];
  readonly #compiled = new WeakMap<ItemForm, Compiled<Column>>();

  /**
   * Records of marks: of an event, and of one that is not known (absent: it is left out). `cleaned` texts are without DVB's
   * control codes in JSON too. `columns`: what the services are given texts of, in this order and all of them, whether a face needs
   * them or not.
   */
  constructor(
    event: object,
    missing?: object,
    {
      texts = 'as sent',
      columns = [],
    }: { texts?: 'as sent' | 'cleaned'; columns?: readonly Column[] | undefined } = {},
  ) {
    this.#event = event;
    this.#missing = missing;
    this.#texts = texts;
    this.#columns = columns;
  }

  /** How a face writes it; made once for each. */
  compiled(form: ItemForm): Compiled<Column> {
    const known = this.#compiled.get(form);
    if (known !== undefined) return known;
    const columns = [...this.#columns];
    const event = segments(form.write(this.#event), form, columns);
    const missing = this.#missing === undefined ? [] : segments(form.write(this.#missing), form, columns);
    const kind = form.kind === 'json' && this.#texts === 'cleaned' ? 'cleanedJson' : form.kind;
    const local = event.some((part) => localFields.has(part));
    const complete = missing.length > 0;
    const compiled = { form: new EventForm(kind, event, missing), columns, local, complete };
    this.#compiled.set(form, compiled);
    return compiled;
  }
}

/** Cuts a written record at its marks. Columns that are new are added to `columns`. */
function segments<Column extends string>(text: string, { kind }: ItemForm, columns: Column[]): Segments {
  const parts = text.split(/\ue000(:?\w+)\ue001/);
  for (let i = 1; kind === 'json' && i < parts.length; i += 2) {
    if (!bare.has(parts[i] ?? '')) continue;
    // It is a text here only because of its mark.
    parts[i - 1] = parts[i - 1]?.replace(/"$/, '') ?? '';
    parts[i + 1] = parts[i + 1]?.replace(/^"/, '') ?? '';
  }
  return parts.map((part, index) => {
    if (index % 2 === 0) return part;
    if (!part.startsWith(':')) return part;
    const column = part.slice(1) as Column;
    if (!columns.includes(column)) columns.push(column);
    return columns.indexOf(column);
  });
}

/** A service that lists of events are asked for: under which one the guide keeps its events, undefined for what has none. */
export interface KeyedService {
  readonly key: DvbTriplet | undefined;
}

/** Services whose texts are made without a look at the time. */
const servicesOfTurn = 128;

/** Services of an answer, in its order, and the texts that it may show of each. */
export class ListedServices<Column extends string, Entry extends KeyedService = KeyedService> {
  readonly entries: readonly Entry[];
  readonly #text: (entry: Entry, column: Column) => string;
  /** By the columns. */
  readonly #native = new Map<string, EventServices>();

  constructor(entries: readonly Entry[], text: (entry: Entry, column: Column) => string) {
    this.entries = entries;
    this.#text = text;
  }

  /** The same for native lists, made once for each set of texts. */
  withTexts(columns: readonly Column[]): EventServices {
    const name = columns.join();
    const known = this.#native.get(name);
    if (known !== undefined) return known;
    const made = EventServices.of(this.entries, this.#textsOf(this.entries, columns), columns.length);
    this.#native.set(name, made);
    return made;
  }

  /** Makes `withTexts` of these columns ready, in turns; for long lists. */
  async prepare(columns: readonly Column[]): Promise<void> {
    const parts: EventServices[] = [];
    const turn = new Turn();
    for (let from = 0; from === 0 || from < this.entries.length; from += servicesOfTurn) {
      if (turn.isOver) await turn.next();
      const entries = this.entries.slice(from, from + servicesOfTurn);
      parts.push(EventServices.of(entries, this.#textsOf(entries, columns), columns.length));
    }
    this.#native.set(columns.join(), EventServices.joined(parts));
  }

  #textsOf(entries: readonly Entry[], columns: readonly Column[]): string[] {
    return entries.flatMap((entry) => columns.map((column) => this.#text(entry, column)));
  }
}

/** The events of services that answer a question, in the order of the services or of the hits. */
export class EventRecords<T, Column extends string> extends WrittenList<T> {
  readonly #parts: Pick<ReceiverParts, 'guide' | 'config'>;
  readonly #services: Pick<ListedServices<Column>, 'withTexts'>;
  readonly #shape: EventShape<T, Column>;
  readonly #question: EventQuestion;
  readonly #now: UnixSeconds;

  constructor(
    parts: Pick<ReceiverParts, 'guide' | 'config'>,
    services: Pick<ListedServices<Column>, 'withTexts'>,
    shape: EventShape<T, Column>,
    question: EventQuestion,
    now: UnixSeconds,
  ) {
    super();
    this.#parts = parts;
    this.#services = services;
    this.#shape = shape;
    this.#question = question;
    this.#now = now;
  }

  open(form: ItemForm, frame: ListFrame): ByteSource {
    const { complete } = this.#shape.compiled(form);
    const { length } = this.#texts(form);
    const { asked, limit } = this.#question;
    const known = complete && limit === undefined && asked !== 'window' && asked !== 'hits';
    if (!known || length < leastShared) return new EventBytes(this.#list(form, frame), asked !== 'search');
    return new SharedEventBytes(length, frame, (frame, first, count) => this.#list(form, frame, first, count));
  }

  /** How many there are; what has changed by the time that they are written is another matter. */
  count(form: ItemForm): number {
    return this.#list(form, noFrame).count();
  }

  #texts(form: ItemForm): EventServices {
    return this.#services.withTexts(this.#shape.compiled(form).columns);
  }

  #list(form: ItemForm, frame: ListFrame, firstService?: number, serviceCount?: number): EventList {
    const { form: template, local } = this.#shape.compiled(form);
    const zone = local ? localTime(this.#parts.config.timeZone).changes(this.#now) : undefined;
    const options = { frame, now: this.#now, zone, firstService, serviceCount };
    return new EventList(this.#parts.guide, this.#texts(form), template, this.#question, options);
  }
}

/**
 * What is made on JavaScript's thread before workers go on. To wake a worker and to be woken by it takes some fifty microseconds, in
 * which a core of a desktop writes two hundred events; a slow one does a part of them and leaves the rest to a worker.
 */
const atOnce = { bytes: 192 * 1024, microseconds: 200 } as const;
/** Bytes that an event with its longest texts may need, escaped, at the end of a piece. Others are given memory of their own. */
const room = 64 * 1024;

class EventBytes implements ByteSource {
  readonly #list: EventList;
  readonly #atOnce: boolean;

  /** `startsAtOnce`: so little work that JavaScript's thread can do the beginning. */
  constructor(list: EventList, startsAtOnce: boolean) {
    this.#list = list;
    this.#atOnce = startsAtOnce;
  }

  get ended(): boolean {
    return this.#list.ended;
  }

  take(memory: Buffer = Buffer.allocUnsafeSlow(atOnce.bytes + room)): Buffer {
    if (!this.#atOnce) return memory.subarray(0, 0);
    return this.#list.take(memory, Math.min(atOnce.bytes, memory.length - room), atOnce.microseconds);
  }

  next(memory: Buffer = Buffer.allocUnsafeSlow(pieceMemory)): Promise<Buffer> {
    return this.#list.next(memory, memory.length - room);
  }
}

/** Services that are written at once, and by one worker at a time: with two events each some 100 and 300 kilobytes. */
const servicesAtOnce = 64;
const servicesOfPiece = 192;
/** From so many services on two workers write a list. */
const leastShared = servicesAtOnce + 2 * servicesOfPiece;

type OpenServices = (frame: ListFrame, firstService: number, serviceCount: number) => EventList;

/**
 * A list that has an event, or the lack of one, for every service: what stands before a service does not depend on the ones before
 * it, so that pieces of the list are written beside each other.
 */
class SharedEventBytes implements ByteSource {
  readonly parallel = 2;
  readonly #length: number;
  readonly #frame: ListFrame;
  readonly #open: OpenServices;
  #next = 0;

  constructor(length: number, frame: ListFrame, open: OpenServices) {
    this.#length = length;
    this.#frame = frame;
    this.#open = open;
  }

  get ended(): boolean {
    return this.#next >= this.#length;
  }

  take(memory: Buffer = Buffer.allocUnsafeSlow(pieceMemory)): Buffer {
    return this.#services(servicesAtOnce).take(memory, wholePiece, wholePiece);
  }

  next(memory: Buffer = Buffer.allocUnsafeSlow(pieceMemory)): Promise<Buffer> {
    return this.#services(servicesOfPiece).next(memory, wholePiece);
  }

  #services(serviceCount: number): EventList {
    const firstService = this.#next;
    this.#next += serviceCount;
    const { head, separator, tail } = this.#frame;
    const frame = { head: firstService === 0 ? head : separator, separator, tail: this.ended ? tail : '', empty: '' };
    return this.#open(frame, firstService, serviceCount);
  }
}

/** No bound: as many bytes as the services need. */
const wholePiece = Number.MAX_SAFE_INTEGER;
