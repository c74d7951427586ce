/**
 * Lists of events that native code writes (written-list.ts): which services, which question, which shape.
 *
 * A shape is a record schema of event-records.ts. How it is written is found out once for each face, by writing a record whose
 * values are marks and cutting the text at them: what stands between the marks are the literals of the native template. So the
 * schema and the XML view remain the only place that knows the elements, their order and their form.
 */
import type { UnixSeconds } from '../../clock.ts';
import { type EventField, EventForm, EventList, type EventQuestion, type Segments } from '../../epg/event-list.ts';
import { localTime } from '../local-time.ts';
import type { ReceiverParts } from '../parts.ts';
import { type ByteSource, type ItemForm, type ListFrame, WrittenList } from '../written-list.ts';
import { EventRecord, FoundEventRecord, ListedEventRecord, missingEvent, unknownEvent } from './event-records.ts';
import { type GuideServices, type ServiceColumn, serviceColumns } from './guide-entries.ts';

/** Which field of an event a property of a record is. The others are texts of the service. */
const eventFields: Readonly<Record<string, EventField>> = {
  id: 'id',
  begin_timestamp: 'start',
  duration_sec: 'duration',
  title: 'title',
  shortdesc: 'shortText',
  longdesc: 'extendedText',
  now_timestamp: 'now',
  remaining: 'remaining',
  genre: 'genre',
  genreid: 'genreId',
  date: 'date',
  begin: 'begin',
  end: 'end',
  duration: 'minutes',
};

/** These are numbers: JSON has them without quotes. */
const numbers: ReadonlySet<string> = new Set([
  'id',
  'begin_timestamp',
  'duration_sec',
  'now_timestamp',
  'remaining',
  'genreid',
  'duration',
]);

/** Private use characters, which both faces write as they are. */
const mark = (name: string) => `\ue000${name}\ue001`;

/** How a shape is written by a face: the native template and the texts of a service that it needs. */
interface Compiled {
  readonly form: EventForm;
  readonly columns: readonly ServiceColumn[];
  /** It has dates or times of day. */
  readonly local: boolean;
}

/** One shape of records. T is the record that it stands for. */
class EventShape<T> {
  /** Only for the type checker. */
  declare readonly record: T;
  readonly #names: readonly string[];
  readonly #missing: EventRecord | undefined;
  readonly #compiled = new WeakMap<ItemForm, Compiled>();

  /** `missing` is the record of an event that is not known, with marks for the texts of the service; absent: no record. */
  constructor(schema: { readonly properties: object }, missing?: EventRecord) {
    this.#names = Object.keys(schema.properties);
    this.#missing = missing;
  }

  compiled(form: ItemForm): Compiled {
    const known = this.#compiled.get(form);
    if (known !== undefined) return known;
    const compiled = this.#compile(form);
    this.#compiled.set(form, compiled);
    return compiled;
  }

  #compile(form: ItemForm): Compiled {
    const record = Object.fromEntries(this.#names.map((name) => [name, mark(name)]));
    const columns: ServiceColumn[] = [];
    const event = segments(form.write(record), form, columns);
    const missing = this.#missing === undefined ? [] : segments(form.write(this.#missing), form, columns);
    const local = event.some((part) => part === 'date' || part === 'begin' || part === 'end');
    return { form: new EventForm(form.kind, event, missing), columns, local };
  }
}

/** Cuts a written record at its marks. New columns are added to `columns`. */
function segments(text: string, { kind }: ItemForm, columns: ServiceColumn[]): Segments {
  const parts = text.split(/\ue000(\w+)\ue001/);
  // A number is a text here, because of its mark, and JSON puts a text in quotes.
  for (let i = 1; kind === 'json' && i < parts.length; i += 2) {
    if (!numbers.has(parts[i] ?? '')) continue;
    parts[i - 1] = parts[i - 1]?.replace(/"$/, '') ?? '';
    parts[i + 1] = parts[i + 1]?.replace(/^"/, '') ?? '';
  }
  return parts.map((part, index) => {
    if (index % 2 === 0) return part;
    const field = eventFields[part];
    if (field !== undefined) return field;
    if (!isColumn(part)) throw new Error(`no field of a list of events is called ${part}`);
    if (!columns.includes(part)) columns.push(part);
    return columns.indexOf(part);
  });
}

function isColumn(name: string): name is ServiceColumn {
  return Object.hasOwn(serviceColumns, name);
}

const markedService = { sref: mark('sref'), sname: mark('sname') };

export const eventShapes = {
  /** Known events only. */
  plain: new EventShape<EventRecord>(EventRecord),
  /** All null (`None` in XML) where no event is known. */
  orNull: new EventShape<EventRecord>(EventRecord, { ...unknownEvent, ...markedService }),
  /** Zeros and `N/A` where no event is known. */
  orNotAvailable: new EventShape<EventRecord>(EventRecord, missingEvent(markedService)),
  listed: new EventShape<ListedEventRecord>(ListedEventRecord),
  found: new EventShape<FoundEventRecord>(FoundEventRecord),
} as const;

/** Events of services, in the order of the services. */
class EventRecords<T> extends WrittenList<T> {
  readonly #parts: ReceiverParts;
  readonly #services: GuideServices;
  readonly #shape: EventShape<T>;
  readonly #question: EventQuestion;
  readonly #now: UnixSeconds;

  constructor(
    parts: ReceiverParts,
    services: GuideServices,
    shape: EventShape<T>,
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
    const { guide, config } = this.#parts;
    const compiled = this.#shape.compiled(form);
    const services = this.#services.withTexts(this.#parts, compiled.columns);
    const zone = compiled.local ? localTime(config.timeZone).changes(this.#now) : undefined;
    const list = new EventList(guide, services, compiled.form, this.#question, { ...frame, now: this.#now, zone });
    return {
      get ended() {
        return list.ended;
      },
      take: () => list.take(firstBytes, firstEvents),
      next: () => list.next(pieceBytes),
    };
  }
}

/** What is made on this thread, before workers go on: tens of microseconds. */
const firstEvents = 64;
const firstBytes = 32 * 1024;
/** What a worker makes at a time. */
const pieceBytes = 64 * 1024;

/** The answer to a question about services, to stand in a result where its list of events stands. */
export function events<T>(
  parts: ReceiverParts,
  services: GuideServices,
  shape: EventShape<T>,
  question: EventQuestion,
  now: UnixSeconds = parts.clock.now(),
): WrittenList<T> {
  return new EventRecords(parts, services, shape, question, now);
}
