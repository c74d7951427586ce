/**
 * The programme guide: a typed wrapper around the native event store.
 *
 * Tuners add sections: their native threads pass them to the store without JavaScript. Each query returns one Buffer of
 * JSON, built on a worker thread. All times are Unix seconds, UTC.
 */
import { dirname } from 'node:path';
import { type Clock, systemClock, type UnixSeconds } from '../base/clock.ts';
import { fail } from '../base/errors.ts';
import { createFolder } from '../base/files.ts';
import { Listeners } from '../base/listeners.ts';
import { type EventTemplate, type Guide as NativeGuide, native, type StoreOptions } from '../base/native.ts';
import { once } from '../base/once.ts';
import { type DvbTriplet, packServices } from '../dvb/triplet.ts';
import type { GuideEvent, NowNext } from './event.ts';
import { askEvents, type EventQuestion, serviceList, wholeResponse } from './event-response.ts';
import { genreTexts } from './genres.ts';
import { type GuideQuery, nativeQuery, type Suggestion } from './query.ts';

export type {
  GuideEvent,
  NowNext,
  ParentalRating,
} from './event.ts';
export { genreText } from './genres.ts';
export type { GuideQuery, Suggestion, TextMatch, TextScope } from './query.ts';

export interface GuideOptions extends StoreOptions {
  /** Source of the current time. Default: the system clock. */
  readonly clock?: Clock;
  /** Seconds for which ended events are kept. Default: 0. */
  readonly history?: number;
}

/** Contents and counters of the guide. Counters are totals since the start. */
export interface GuideStatistics {
  readonly services: number;
  readonly events: number;
  /** Distinct texts and their bytes. */
  readonly texts: number;
  readonly textBytes: number;
  /** Bytes of memory of the store, including unused space. */
  readonly memoryBytes: number;
  /** Increases with every change. */
  readonly generation: number;
  readonly sections: {
    readonly received: number;
    readonly repeated: number;
    readonly overflowed: number;
    readonly malformed: number;
    readonly applied: number;
  };
  readonly decoder: {
    readonly events: number;
    readonly malformedEvents: number;
    readonly undefinedStarts: number;
    readonly malformedDescriptors: number;
    readonly undefinedCharacters: number;
    readonly malformedTexts: number;
    readonly unknownTables: number;
    readonly textsWithoutDecoder: number;
  };
  readonly store: {
    readonly added: number;
    readonly replaced: number;
    readonly vanished: number;
    readonly overlapped: number;
    readonly expired: number;
    readonly refused: number;
  };
}

/** Result of importing an epg.dat. */
export interface EpgDatImport {
  /** Version of the format, 7 or 8. */
  readonly version: number;
  /** Byte order of the box that wrote the file. */
  readonly byteOrder: 'little' | 'big';
  /** Services and events imported. */
  readonly services: number;
  readonly events: number;
  /** Distinct descriptors in the file. */
  readonly descriptors: number;
  /** Events left out because they have ended. */
  readonly ended: number;
  /** Events left out because their times or the numbers of their service are invalid. */
  readonly malformed: number;
  /** Descriptors that events refer to and the file does not have. */
  readonly missingDescriptors: number;
  /** False if events were left out because the guide is full. */
  readonly complete: boolean;
}

/** Result of exporting an epg.dat. */
export interface EpgDatExport {
  readonly services: number;
  readonly events: number;
  /** Distinct descriptors. */
  readonly descriptors: number;
  /** Size of the file. */
  readonly bytes: number;
  /** Events left out because another event of the service starts at the same time, which the format cannot hold. */
  readonly leftOut: number;
  /** Events whose text was cut, between characters, because Enigma2 holds less. */
  readonly cut: number;
  /** Descriptors left out because another one has the same hash. */
  readonly collisions: number;
}

export interface SearchResult {
  /** Number of all hits, regardless of offset and limit. */
  readonly total: number;
  readonly events: readonly GuideEvent[];
}

/** Result of saving a snapshot. */
export interface GuideSaved {
  /** Size of the file. */
  readonly bytes: number;
  readonly events: number;
  /** `Guide.generation` of the contents. */
  readonly generation: number;
}

/** Result of loading a snapshot. */
export interface GuideLoaded {
  readonly events: number;
  /** When it was written. */
  readonly created: UnixSeconds;
}

/** Why a file could not be read or written. */
interface Problem {
  readonly problem: string;
}

async function parsed<Answer>(answer: Promise<Buffer>): Promise<Answer> {
  return JSON.parse((await answer).toString('utf8')) as Answer;
}

/** Formats an event as JSON of a GuideEvent. */
const recordTemplate = once(
  () =>
    new native.EventTemplate({
      escape: 'json',
      event: [{ of: 'record' }],
      missing: ['null'],
      separator: ',',
      genres: genreTexts,
    }),
);

/** Formats the address of an event's picture as JSON. */
const pictureTemplate = once(
  () =>
    new native.EventTemplate({
      escape: 'json',
      event: [{ of: 'picture' }],
      missing: ['null'],
      separator: ',',
      genres: genreTexts,
    }),
);

const noZone = new Float64Array();

export class Guide {
  /** The native object, for the tuners that feed it. */
  readonly native: NativeGuide;
  /** ISO 639-2 codes in order of preference. */
  readonly languages: readonly string[];
  readonly #clock: Clock;
  readonly #history: number;
  readonly #listeners = new Listeners<[generation: number]>();
  /** The generation last reported. */
  #reportedGeneration: number;
  #written: Promise<unknown> = Promise.resolve();

  constructor({ clock = systemClock, history = 0, ...options }: GuideOptions = {}) {
    this.native = new native.Guide(options);
    this.languages = options.languages ?? [];
    this.#clock = clock;
    this.#history = history;
    this.#reportedGeneration = this.generation;
  }

  /** Increases with every change of an event: while it is the same, answers are the same. */
  get generation(): number {
    return this.native.generation;
  }

  /**
   * Calls `listener` when events were added, changed or removed; returns a function that removes it. For data that
   * arrives in pieces (a broadcast, a guide file), the code that adds it calls `notifyChange()`.
   */
  onChange(listener: (generation: number) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Notifies the listeners if anything has changed since the last notification. */
  notifyChange(): void {
    const { generation } = this;
    if (generation === this.#reportedGeneration) return;
    this.#reportedGeneration = generation;
    this.#listeners.call(generation);
  }

  /** The guide drops events that end at or before this time. */
  get keptSince(): UnixSeconds {
    return this.#clock.now() - this.#history;
  }

  /**
   * Returns the running and the next event of many services, one entry per service in the order given.
   * Present/following takes precedence over the schedule while it is received (native/epg/store/timeline.h).
   */
  async nowNext(services: readonly DvbTriplet[], time: UnixSeconds = this.#clock.now()): Promise<NowNext[]> {
    const events = await this.events(services, { asked: 'nowNext', from: time });
    return services.map((_, index) => ({ now: events[2 * index] ?? null, next: events[2 * index + 1] ?? null }));
  }

  /**
   * Returns the event that runs at `time` (start <= time < end), or null. For the current time, the same as in
   * `nowNext`.
   */
  at(service: DvbTriplet, time: UnixSeconds): Promise<GuideEvent | null> {
    return this.#event(service, { asked: 'now', from: time });
  }

  /** Returns every event that runs at `from` or starts later, and starts before `until` (undefined: no end). In the order
   * of `services`, then by start. */
  async window(services: readonly DvbTriplet[], from: UnixSeconds, until?: UnixSeconds): Promise<GuideEvent[]> {
    const events = await this.events(services, { asked: 'window', from, until });
    return events.filter((event) => event !== null);
  }

  /** Returns the event with this event_id, or null. */
  byId(service: DvbTriplet, id: number): Promise<GuideEvent | null> {
    return this.#event(service, { asked: 'id', id });
  }

  /** Returns the address of the picture of the event with this event_id, which a guide file has given; or null. */
  async pictureOf(service: DvbTriplet, id: number): Promise<string | null> {
    const [address] = await this.#ask<string | null>([service], { asked: 'id', id }, pictureTemplate());
    return address ?? null;
  }

  async #event(service: DvbTriplet, question: EventQuestion): Promise<GuideEvent | null> {
    const [event] = await this.events([service], question);
    return event ?? null;
  }

  /** Returns the events that answer a question, in the order of the services; null for a missing one. */
  events(services: readonly DvbTriplet[], question: EventQuestion): Promise<(GuideEvent | null)[]> {
    return this.#ask(services, question, recordTemplate());
  }

  async #ask<Answer>(
    services: readonly DvbTriplet[],
    question: EventQuestion,
    template: EventTemplate,
  ): Promise<Answer[]> {
    const list = serviceList(
      services.map((key) => ({ key })),
      [],
      0,
    );
    const response = await askEvents(this, list, template, question, { now: this.#clock.now(), zone: noZone });
    return JSON.parse(`[${await wholeResponse(response)}]`) as Answer[];
  }

  async search(query: GuideQuery): Promise<SearchResult> {
    return parsed(this.native.search(nativeQuery(query)));
  }

  /** Returns distinct titles of events that have not ended with a word that starts with `text`; titles that start with
   * it come first. `isForgiving`: if there are none, those that have all words of it but for slips of the keyboard. */
  async suggest(text: string, { limit = 10, isForgiving = false } = {}): Promise<Suggestion[]> {
    return parsed(this.native.suggest(text, this.#clock.now(), limit, isForgiving));
  }

  /** Lists every service that has events, with their number. */
  async services(): Promise<{ service: DvbTriplet; events: number }[]> {
    return parsed(this.native.services());
  }

  /**
   * Removes events that ended more than `history` seconds ago, except those in present/following. Returns their number.
   */
  async expire(now: UnixSeconds = this.#clock.now()): Promise<number> {
    return this.#changed(this.native.expire(now, this.#history));
  }

  /** Removes every event. Returns their number. */
  async clear(): Promise<number> {
    return this.#changed(this.native.clear());
  }

  /** Resolves when all sections passed so far are in the store. */
  async flush(): Promise<void> {
    await this.native.flush();
  }

  /** Adds one complete EIT section, for imports and tests. A section with a wrong CRC_32 is counted and dropped. */
  ingestSection(section: Uint8Array): void {
    this.native.ingestSection(section);
  }

  /** Reads the event of an `.eit` file, with service ids of 0; null if it has none. The guide does not change. */
  eventOfFile(file: Uint8Array): GuideEvent | null {
    return JSON.parse(this.native.eventOfFile(file)) as GuideEvent | null;
  }

  /** Builds the `.eit` file of the event with this event_id, at most 4096 bytes; null if there is no such event. */
  async eventFile(service: DvbTriplet, id: number): Promise<Buffer | null> {
    const file = await this.native.eventFile(packServices([service]), id);
    return file.length === 0 ? null : file;
  }

  /**
   * Imports the events of Enigma2's epg.dat (versions 7 and 8, of any box), except those that ended before `keptSince`.
   * They count as a schedule that events from the broadcast replace.
   *
   * @throws epg-dat-malformed if the file is missing, is no epg.dat, has an older version, was not completed, or is
   * truncated or damaged (the message has the position); in each case nothing has changed.
   */
  async importEpgDat(path: string): Promise<EpgDatImport> {
    const answer = await this.#changed(parsed<EpgDatImport | Problem>(this.native.importEpgDat(path, this.keptSince)));
    if ('problem' in answer) throw fail('epg-dat-malformed', answer.problem);
    return answer;
  }

  /**
   * Writes Enigma2's epg.dat (version 8, little endian, as on all current boxes): events that have not ended and
   * start within 28 days. Atomic: the old file stays until the new one is on the disk. Exports of one guide run one
   * after another.
   *
   * @throws file-unwritable
   */
  async exportEpgDat(path: string): Promise<EpgDatExport> {
    return this.#write(path, () => this.native.exportEpgDat(path, this.#clock.now()));
  }

  /**
   * Writes the whole guide to a snapshot for `load()`. Atomic: the old file stays until the new one is on the disk.
   * Writes of one guide run one after another; the guide can be read meanwhile.
   *
   * @throws file-unwritable
   */
  async save(path: string): Promise<GuideSaved> {
    return this.#write(path, () => this.native.save(path, this.#clock.now()));
  }

  /**
   * Replaces the guide by a snapshot. The file stays mapped and is read on demand. Returns null if there is no
   * file.
   *
   * @throws file-unreadable if the file is damaged, of another version or another kind of machine; nothing has changed
   *   then.
   */
  async load(path: string): Promise<GuideLoaded | null> {
    const answer = await this.#changed(parsed<GuideLoaded | (Problem & { missing: boolean })>(this.native.load(path)));
    if (!('problem' in answer)) return answer;
    if (answer.missing) return null;
    throw fail('file-unreadable', path, answer.problem);
  }

  /**
   * Replaces the guide's memory by mapped pages of the snapshot that `save()` has just written, as after a restart.
   * Returns false, without effect, if the guide has changed since or the file cannot be read.
   */
  async moveInto(path: string, { generation }: GuideSaved): Promise<boolean> {
    const answer = await parsed<GuideLoaded | Problem>(this.native.moveInto(path, generation));
    return !('problem' in answer);
  }

  /** Copies the essential data out of the snapshot (about 40 bytes per event): if the disk disappears, only texts are
   * lost. */
  async leaveSnapshot(): Promise<void> {
    await this.native.leaveSnapshot();
  }

  /** Whether the disk of the loaded snapshot has disappeared: texts are missing, and the guide should be cleared. */
  get snapshotLost(): boolean {
    return this.native.snapshotLost;
  }

  /** Notifies the listeners once a change is complete. */
  async #changed<Answer>(done: Promise<Answer>): Promise<Answer> {
    const answer = await done;
    this.notifyChange();
    return answer;
  }

  async #write<Answer extends object>(path: string, write: () => Promise<Buffer>): Promise<Answer> {
    const written = this.#written.then(async () => {
      await createFolder(dirname(path)).catch((error: Error) => {
        throw fail('file-unwritable', path, error.message);
      });
      return parsed<Answer | Problem>(write());
    });
    this.#written = written.catch(() => undefined);
    const answer = await written;
    if ('problem' in answer) throw fail('file-unwritable', path, answer.problem);
    return answer;
  }

  async statistics(): Promise<GuideStatistics> {
    return parsed(this.native.statistics());
  }
}
