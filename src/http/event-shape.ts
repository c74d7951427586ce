/**
 * The format of event lists that native code writes (written-list.ts), defined by a record whose values are
 * placeholders ("marks").
 *
 * A face writes the record like any other, through its XML view or as JSON, and the text is split at the marks. The
 * parts between the marks become the literals of a native template, the marks its fields. So definitions and views
 * remain the only place that knows the elements, their order and their form.
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

/** Private use characters, which every face writes unchanged. */
const mark = (name: string) => `\ue000${name}\ue001`;

/** The placeholder of a field of the event. */
export function eventMark(field: EventField): string {
  return mark(field);
}

/** The placeholder of a text of the service. */
export function columnMark(column: string): string {
  return mark(`:${column}`);
}

/** Fields that JSON writes without quotes. */
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
  /** The template contains dates or times of day. */
  readonly local: boolean;
  /** Missing events are written too. */
  readonly complete: boolean;
}

/** A record layout. T is the type of the record, Column the service texts that it may contain. */
export class EventShape<T, Column extends string> {
  /** For the type checker only. */
  declare readonly record: T;
  readonly #event: object;
  readonly #missing: object | undefined;
  readonly #texts: 'as sent' | 'cleaned';
  readonly #columns: readonly Column[];
  readonly #compiled = new WeakMap<ItemForm, Compiled<Column>>();

  /**
   * `event` and `missing` are records of marks, for a known event and for a missing one. Without `missing`, missing
   * events are left out. `cleaned` texts have DVB's control codes removed in JSON too. `columns` fixes the service
   * texts and their order, whether or not a face needs all of them.
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

  /** The template for a form. Compiled once per form. */
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

/** Splits a written record at its marks. New columns are appended to `columns`. */
function segments<Column extends string>(text: string, { kind }: ItemForm, columns: Column[]): Segments {
  const parts = text.split(/\ue000(:?\w+)\ue001/);
  for (let i = 1; kind === 'json' && i < parts.length; i += 2) {
    if (!bare.has(parts[i] ?? '')) continue;
    // The quotes are there only because the mark is a string.
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

/**
 * A service of an event list. `key` is the service under which the guide stores the events, undefined if there is none.
 */
export interface KeyedService {
  readonly key: DvbTriplet | undefined;
}

/** Number of services whose texts are built before the time is checked. */
const servicesOfTurn = 128;

/** The services of a response, in order, with the texts that it may show of each. */
export class ListedServices<Column extends string, Entry extends KeyedService = KeyedService> {
  readonly entries: readonly Entry[];
  readonly #text: (entry: Entry, column: Column) => string;
  /** By column names. */
  readonly #native = new Map<string, EventServices>();

  constructor(entries: readonly Entry[], text: (entry: Entry, column: Column) => string) {
    this.entries = entries;
    this.#text = text;
  }

  /** The same for native lists. Built once for each set of texts. */
  withTexts(columns: readonly Column[]): EventServices {
    const name = columns.join();
    const known = this.#native.get(name);
    if (known !== undefined) return known;
    const made = EventServices.of(this.entries, this.#textsOf(this.entries, columns), columns.length);
    this.#native.set(name, made);
    return made;
  }

  /** Prepares `withTexts` for these columns in turns; for long lists. */
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

/** The events of services that match a query, in the order of the services or of the hits. */
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

  /** The number of events now. It may differ from the number written later. */
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
 * Bounds of what is written on JavaScript's thread before workers take over. Waking a worker and being woken by it
 * takes about fifty microseconds, in which a desktop core writes two hundred events. A slow core writes some of them
 * and leaves the rest to a worker.
 */
const atOnce = { bytes: 192 * 1024, microseconds: 200 } as const;
/**
 * Bytes reserved at the end of a piece for one event with its longest texts, escaped. Larger events get memory of their
 * own.
 */
const room = 64 * 1024;

class EventBytes implements ByteSource {
  readonly #list: EventList;
  readonly #atOnce: boolean;

  /** `startsAtOnce`: the work is small enough for JavaScript's thread to write the beginning. */
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

/** Services written at once, and by one worker at a time: with two events each about 100 and 300 kilobytes. */
const servicesAtOnce = 64;
const servicesOfPiece = 192;
/** From this many services on, two workers write a list. */
const leastShared = servicesAtOnce + 2 * servicesOfPiece;

type OpenServices = (frame: ListFrame, firstService: number, serviceCount: number) => EventList;

/**
 * A list that has an event, or a missing one, for every service. The text before a service does not depend on the
 * previous services, so pieces of the list can be written in parallel.
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

/** Unbounded: as many bytes as the services need. */
const wholePiece = Number.MAX_SAFE_INTEGER;
