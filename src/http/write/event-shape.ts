/**
 * Lists of events in results. A list consists of a shape (how an event is written), the services with their texts, and a
 * question to the guide. Native code writes it.
 *
 * A shape is a record of slots. The XML or JSON writer writes it like any other record, and the text that it writes between
 * the slots becomes the literals of a native template. So only the definitions and views of the operations know the elements,
 * their names and their order.
 */
import type { Clock, UnixSeconds } from '../../base/clock.ts';
import { localTime } from '../../base/local-time.ts';
import { type EventTemplate, native, type ServiceList } from '../../base/native.ts';
import type { DvbTriplet } from '../../dvb/triplet.ts';
import {
  askEvents,
  countEvents,
  type EventQuestion,
  type EventResponse,
  serviceList,
  wholeResponse,
} from '../../epg/event-response.ts';
import { genreTexts } from '../../epg/genres.ts';
import type { Guide } from '../../epg/guide.ts';
import { compactForm } from './json.ts';
import { type ListForm, Slot, WrittenList } from './written-list.ts';

/** How an event is written, and what is written where there is none (absent: nothing). T is the type of an event's record. */
export class EventShape<T> {
  /** For the type checker only. */
  declare readonly record: T;
  readonly #event: object;
  readonly #missing: object | undefined;
  readonly #templates = new WeakMap<ListForm, EventTemplate>();

  constructor(event: object, missing?: object) {
    this.#event = event;
    this.#missing = missing;
  }

  /** The native template, created once for each form of a list. It removes DVB's control codes from texts. */
  nativeTemplate(form: ListForm): EventTemplate {
    const known = this.#templates.get(form);
    if (known !== undefined) return known;
    const made = new native.EventTemplate({
      escape: form.format === 'xml' ? 'xml' : 'cleanedJson',
      event: segments(form, this.#event),
      missing: this.#missing === undefined ? [] : segments(form, this.#missing),
      separator: form.separator,
      genres: genreTexts,
    });
    this.#templates.set(form, made);
    return made;
  }
}

function segments(form: ListForm, record: object): (string | Slot)[] {
  return [...form.item(record)].map((piece) => {
    if (typeof piece === 'object' && !(piece instanceof Slot)) throw new Error('an item of a list contains a list');
    return piece;
  });
}

/** The services of a response, in order, with the texts that it may show of each. */
export class ListedServices<Entry extends { readonly key: DvbTriplet | undefined } = { key: DvbTriplet | undefined }> {
  readonly entries: readonly Entry[];
  readonly #columns: number;
  readonly #texts: (entry: Entry) => readonly string[];
  #native: ServiceList | undefined;

  /** `texts` returns `columns` texts of an entry. In a record, `new Slot(INDEX)` stands for the text with this index. */
  constructor(entries: readonly Entry[], columns: number, texts: (entry: Entry) => readonly string[]) {
    this.entries = entries;
    this.#columns = columns;
    this.#texts = texts;
  }

  /** The services and their texts for native code. Built on first use. */
  get native(): ServiceList {
    this.#native ??= serviceList(this.entries, this.entries.flatMap(this.#texts), this.#columns);
    return this.#native;
  }
}

/** The parts that a list of events needs: the guide, the current time, and the zone of local times. */
export interface EventParts {
  readonly guide: Pick<Guide, 'native' | 'keptSince'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly config: { readonly timeZone: string };
}

/** The events of services that match a question, in the order of the services or of the hits. */
export class EventList<T> extends WrittenList<T> {
  readonly #parts: EventParts;
  readonly #services: Pick<ListedServices, 'native'>;
  readonly #shape: EventShape<T>;
  readonly #question: EventQuestion;
  readonly #now: UnixSeconds;
  /** All responses, which `end` releases. */
  readonly #responses: Promise<EventResponse>[] = [];
  /** The response that `ask` has requested, and its form. */
  #early: { readonly form: ListForm; readonly response: Promise<EventResponse> } | undefined;

  constructor(
    parts: EventParts,
    services: Pick<ListedServices, 'native'>,
    shape: EventShape<T>,
    question: EventQuestion,
    now = parts.clock.now(),
  ) {
    super();
    this.#parts = parts;
    this.#services = services;
    this.#shape = shape;
    this.#question = question.asked === 'search' ? excludePast(question, parts.guide.keptSince) : question;
    this.#now = now;
  }

  async *bytes(form: ListForm): AsyncGenerator<Buffer, void, undefined> {
    if (this.#early !== undefined && this.#early.form !== form)
      throw new Error('a list is written in another form than it was asked for');
    yield* (await (this.#early?.response ?? this.#ask(form))).bytes();
  }

  override async end(): Promise<void> {
    for (const response of await Promise.allSettled(this.#responses.splice(0))) {
      if (response.status === 'fulfilled') await response.value.end();
    }
  }

  /**
   * Asks the guide now, for a result in which the number of events precedes the events. Afterwards the list can be written
   * only once, and only in `form`.
   */
  ask(form: ListForm): Promise<EventResponse> {
    const response = this.#ask(form);
    this.#early = { form, response };
    return response;
  }

  #ask(form: ListForm): Promise<EventResponse> {
    const response = askEvents(...this.#asked(form), this.#question, this.#moment());
    this.#responses.push(response);
    return response;
  }

  /** The number of events now, for any question but a search. It may differ from the number written later. */
  count(form: ListForm): number {
    const question = this.#question;
    if (question.asked === 'search')
      throw new Error('the response to a search contains its number of events: use ask()');
    return countEvents(...this.#asked(form), question, this.#moment());
  }

  #asked(form: ListForm) {
    return [this.#parts.guide, this.#services.native, this.#shape.nativeTemplate(form)] as const;
  }

  #moment() {
    return { now: this.#now, zone: localTime(this.#parts.config.timeZone).changes(this.#now) };
  }
}

/** Excludes past events from a search. A schedule has the whole day, so the guide contains events that have ended. */
function excludePast(search: Extract<EventQuestion, { asked: 'search' }>, since: UnixSeconds): EventQuestion {
  return { ...search, query: { ...search.query, from: Math.max(search.query.from ?? 0, since) } };
}

/** Reads the records of a list, for a response that changes them. */
export async function recordsOf<T>(list: WrittenList<T>): Promise<T[]> {
  const bytes = await wholeResponse({ bytes: () => list.bytes(compactForm), end: () => list.end() });
  return JSON.parse(`[${bytes}]`) as T[];
}
