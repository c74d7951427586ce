/**
 * The programme guide: a typed face of the native event store.
 *
 * Sections come in from tuners (the tuner's native thread hands them to the store without JavaScript), answers go out as
 * one Buffer of JSON per call, made on a worker thread. All times are Unix seconds, UTC.
 */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, systemClock, type UnixSeconds } from '../clock.ts';
import { type DvbTriplet, packServices } from '../dvb/triplet.ts';
import { fail } from '../errors.ts';
import { Listeners } from '../listeners.ts';
import { native } from '../native.ts';
import type { GuideEvent, NowNext } from './event.ts';
import { type GuideQuery, nativeQuery, type Suggestion } from './query.ts';

export type {
  ContentIdentifier,
  EventComponent,
  Genre,
  GuideEvent,
  NowNext,
  ParentalRating,
} from './event.ts';
export { genreText } from './genres.ts';
export type { GuideOrder, GuideQuery, Suggestion, TextMatch, TextScope } from './query.ts';

/** Bounds and choices of the store; all have defaults that suit a receiver with 512 MB. */
export interface GuideOptions {
  /** Where now comes from. Default: the system clock. */
  readonly clock?: Clock;
  /** ISO 639-2 codes in order of preference, for events in several languages. Default: the broadcaster's order. */
  readonly languages?: readonly string[];
  /** Seconds for which ended events are kept. Default 2 hours. */
  readonly history?: number;
  /** At the bound the events furthest in the future give way. Default 1,500,000. */
  readonly maximumEvents?: number;
  /** At the bound further services are refused. Default 20,000. */
  readonly maximumServices?: number;
  /** Bytes of distinct texts; at the bound new events are refused. Default 256 MiB. */
  readonly maximumTextBytes?: number;
  /** Text of an encoding.conf: assumptions for texts without a selection byte, by language and multiplex. */
  readonly encodings?: string;
  /** Texts of the Freesat/Freeview Huffman tables 1 and 2 (`freesat.t1`, `freesat.t2`). */
  readonly huffman?: readonly [table1: string, table2: string];
}

/** What the guide holds and what went past it. Counters are sums since the start. */
export interface GuideStatistics {
  readonly services: number;
  readonly events: number;
  /** Distinct texts and their bytes. */
  readonly texts: number;
  readonly textBytes: number;
  /** All memory of the store in bytes, unused room included. */
  readonly memoryBytes: number;
  /** Rises with every change. */
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

/** What was taken from an epg.dat. */
export interface EpgDatImport {
  /** 7 or 8, of the format. */
  readonly version: number;
  /** That of the box that wrote the file. */
  readonly byteOrder: 'little' | 'big';
  /** Services and events taken. */
  readonly services: number;
  readonly events: number;
  /** Distinct descriptors in the file. */
  readonly descriptors: number;
  /** Events left out: they ended before `from`. */
  readonly ended: number;
  /** Events left out: their times, or the numbers of their service, are none. */
  readonly malformed: number;
  /** Descriptors that events refer to and the file does not have. */
  readonly missingDescriptors: number;
  /** False when a bound of the guide kept events out. */
  readonly complete: boolean;
}

/** What an epg.dat was made of. */
export interface EpgDatExport {
  readonly services: number;
  readonly events: number;
  /** Distinct descriptors. */
  readonly descriptors: number;
  /** Size of the file. */
  readonly bytes: number;
  /** Events that the format has no place for: they begin together with another one of their service. */
  readonly leftOut: number;
  /** Events with more text than an event of Enigma2 holds, cut between characters. */
  readonly cut: number;
  /** Descriptors left out because another one has their hash. */
  readonly collisions: number;
}

export interface SearchResult {
  /** Hits in all, whatever offset and limit. */
  readonly total: number;
  readonly events: readonly GuideEvent[];
}

/** What the addon gives for `Guide`; every promise yields UTF-8 JSON. */
interface NativeGuide {
  readonly generation: number;
  nowNext(services: Uint16Array, time: number): Promise<Buffer>;
  at(services: Uint16Array, time: number, endInclusive: boolean): Promise<Buffer>;
  before(services: Uint16Array, time: number): Promise<Buffer>;
  after(services: Uint16Array, time: number): Promise<Buffer>;
  window(services: Uint16Array, from: number, until: number): Promise<Buffer>;
  byId(service: Uint16Array, id: number): Promise<Buffer>;
  search(query: object): Promise<Buffer>;
  similar(service: Uint16Array, id: number, limit: number): Promise<Buffer>;
  suggest(text: string, from: number, limit: number): Promise<Buffer>;
  services(): Promise<Buffer>;
  statistics(): Promise<Buffer>;
  expire(before: number): Promise<number>;
  clear(): Promise<number>;
  flush(): Promise<number>;
  ingestSection(section: Uint8Array): void;
  eventOfFile(file: Uint8Array): string;
  /** No JSON: the bytes of the file. */
  eventFile(service: Uint16Array, id: number): Promise<Buffer>;
  importEpgDat(path: string, from: number): Promise<Buffer>;
  exportEpgDat(path: string, now: number): Promise<Buffer>;
  save(path: string, now: number): Promise<Buffer>;
  load(path: string): Promise<Buffer>;
  leaveSnapshot(): Promise<number>;
  readonly snapshotLost: boolean;
}

/** What was written to a snapshot. */
export interface GuideSaved {
  /** Size of the file. */
  readonly bytes: number;
  readonly events: number;
  /** `Guide.generation` of what is in the file. */
  readonly generation: number;
}

/** What came from a snapshot. */
export interface GuideLoaded {
  readonly events: number;
  /** When it was written. */
  readonly created: UnixSeconds;
}

/** Why a file could not be read or written. */
interface Problem {
  readonly problem: string;
}

type NativeGuideClass = new (options: object) => NativeGuide;

const endOfTime = Number.MAX_SAFE_INTEGER;

async function parsed<Answer>(answer: Promise<Buffer>): Promise<Answer> {
  return JSON.parse((await answer).toString('utf8')) as Answer;
}

export class Guide {
  /** The native object, for the tuner that feeds it. */
  readonly native: object;
  /** ISO 639-2 codes in order of preference. */
  readonly languages: readonly string[];
  readonly #native: NativeGuide;
  readonly #clock: Clock;
  readonly #history: number;
  readonly #listeners = new Listeners<[generation: number]>();
  /** The generation that was told last. */
  #told: number;
  #written: Promise<unknown> = Promise.resolve();

  constructor({ clock = systemClock, history = 2 * 3600, ...options }: GuideOptions = {}) {
    const { Guide: NativeClass } = native as { Guide: NativeGuideClass };
    this.#native = new NativeClass(options);
    this.native = this.#native;
    this.languages = options.languages ?? [];
    this.#clock = clock;
    this.#history = history;
    this.#told = this.generation;
  }

  /** Rises with every change of an event; equal numbers mean equal answers. */
  get generation(): number {
    return this.#native.generation;
  }

  /**
   * Calls `listener` when events have come, changed or gone; returns what takes it off again. What comes in pieces (a broadcast,
   * a guide file) is told by whoever brings it, with `tellChange()`.
   */
  onChange(listener: (generation: number) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Tells the listeners, when anything has changed since they were told last. */
  tellChange(): void {
    const { generation } = this;
    if (generation === this.#told) return;
    this.#told = generation;
    this.#listeners.call(generation);
  }

  /** What ended then or earlier is not kept. */
  get keptSince(): UnixSeconds {
    return this.#clock.now() - this.#history;
  }

  /** The event that runs at `time` (start <= time < end), or null. */
  async now(service: DvbTriplet, time: UnixSeconds = this.#clock.now()): Promise<GuideEvent | null> {
    return this.at(service, time);
  }

  /** The first event that begins after `time`, or null. */
  async next(service: DvbTriplet, time: UnixSeconds = this.#clock.now()): Promise<GuideEvent | null> {
    return this.after(service, time);
  }

  /** Running and following event of many services at once, one entry per service in the order asked. */
  async nowNext(services: readonly DvbTriplet[], time: UnixSeconds = this.#clock.now()): Promise<NowNext[]> {
    return services.length === 0 ? [] : parsed(this.#native.nowNext(packServices(services), time));
  }

  /** The event that runs at `time`: start <= time < end; with `endInclusive` an event still counts in its end second
   * when no other has begun by then. */
  async at(
    service: DvbTriplet,
    time: UnixSeconds,
    { endInclusive = false }: { endInclusive?: boolean } = {},
  ): Promise<GuideEvent | null> {
    const [event] = await parsed<(GuideEvent | null)[]>(this.#native.at(packServices([service]), time, endInclusive));
    return event ?? null;
  }

  /** The event running at `time` on each of many services, in the order asked; null where none is known. */
  async atMany(services: readonly DvbTriplet[], time: UnixSeconds): Promise<(GuideEvent | null)[]> {
    return parsed(this.#native.at(packServices(services), time, false));
  }

  /** The event that begins last before `time` (one that begins exactly then does not count), or null. */
  async before(service: DvbTriplet, time: UnixSeconds): Promise<GuideEvent | null> {
    const [event] = await parsed<(GuideEvent | null)[]>(this.#native.before(packServices([service]), time));
    return event ?? null;
  }

  /** The first event with start > `time`, or null. */
  async after(service: DvbTriplet, time: UnixSeconds): Promise<GuideEvent | null> {
    const [event] = await parsed<(GuideEvent | null)[]>(this.#native.after(packServices([service]), time));
    return event ?? null;
  }

  /** Every event that runs at `from` or begins later, and begins before `until` (absent: no end). In the order of
   * `services`, then by start. */
  async window(services: readonly DvbTriplet[], from: UnixSeconds, until?: UnixSeconds): Promise<GuideEvent[]> {
    return parsed(this.#native.window(packServices(services), from, until ?? endOfTime));
  }

  /** The event with this event_id, or null. */
  async byId(service: DvbTriplet, id: number): Promise<GuideEvent | null> {
    const [event] = await parsed<(GuideEvent | null)[]>(this.#native.byId(packServices([service]), id));
    return event ?? null;
  }

  async search(query: GuideQuery): Promise<SearchResult> {
    return parsed(this.#native.search(nativeQuery(query)));
  }

  /** Other showings of the same programme on any service: equal title and texts (or the same programme CRID), by start. */
  async similar(service: DvbTriplet, id: number, { limit = 100 }: { limit?: number } = {}): Promise<SearchResult> {
    return parsed(this.#native.similar(packServices([service]), id, limit));
  }

  /** Distinct titles with a word that begins with what was typed, those that begin with it first. Only events that have
   * not ended count. */
  async suggest(text: string, { limit = 10 }: { limit?: number } = {}): Promise<Suggestion[]> {
    return parsed(this.#native.suggest(text, this.#clock.now(), limit));
  }

  /** Every service that has events, with their number. */
  async services(): Promise<{ service: DvbTriplet; events: number }[]> {
    return parsed(this.#native.services());
  }

  /** Removes what ended longer ago than the history kept; gives the number of events removed. */
  async expire(now: UnixSeconds = this.#clock.now()): Promise<number> {
    return this.#changed(this.#native.expire(now - this.#history));
  }

  /** Forgets every event. Gives their number. */
  async clear(): Promise<number> {
    return this.#changed(this.#native.clear());
  }

  /** Resolves when every section handed over so far is in the store. */
  async flush(): Promise<void> {
    await this.#native.flush();
  }

  /** Takes one complete EIT section, as imports and tests have it; one whose CRC_32 is wrong is counted and dropped. */
  ingestSection(section: Uint8Array): void {
    this.#native.ingestSection(section);
  }

  /** The event in the `.eit` file of a recording, its service all 0; null when the file has none. The guide does not change. */
  eventOfFile(file: Uint8Array): GuideEvent | null {
    return JSON.parse(this.#native.eventOfFile(file)) as GuideEvent | null;
  }

  /** The `.eit` file of the event with this event_id, at most 4096 bytes; null when the guide has no such event. */
  async eventFile(service: DvbTriplet, id: number): Promise<Buffer | null> {
    const file = await this.#native.eventFile(packServices([service]), id);
    return file.length === 0 ? null : file;
  }

  /**
   * Takes the events of Enigma2's epg.dat (versions 7 and 8, of any box), except those that ended before `from`; absent: before
   * the history kept. They are one more schedule: what is on the air replaces them.
   *
   * @throws file-unreadable when the file is not there, is no epg.dat, is older, was not finished, or is cut or damaged (with
   * the place); nothing has changed then.
   */
  async importEpgDat(
    path: string,
    { from = this.#clock.now() - this.#history }: { from?: UnixSeconds } = {},
  ): Promise<EpgDatImport> {
    const answer = await this.#changed(parsed<EpgDatImport | Problem>(this.#native.importEpgDat(path, from)));
    if ('problem' in answer) throw fail('file-unreadable', path, answer.problem);
    return answer;
  }

  /**
   * Writes Enigma2's epg.dat (version 8, little endian, as on all current boxes): what has not ended at `now` and begins within 28
   * days. Atomically: the old file stays until the new one is on the disk. Exports of one guide wait for each other.
   *
   * @throws file-unwritable
   */
  async exportEpgDat(path: string, { now = this.#clock.now() }: { now?: UnixSeconds } = {}): Promise<EpgDatExport> {
    return this.#write(path, () => this.#native.exportEpgDat(path, now));
  }

  /**
   * Writes the whole guide to a snapshot, from which `load()` takes it. Atomically: the old file stays until the new one is on the
   * disk. What writes files of one guide waits for each other; the guide goes on being read meanwhile.
   *
   * @throws file-unwritable
   */
  async save(path: string, { now = this.#clock.now() }: { now?: UnixSeconds } = {}): Promise<GuideSaved> {
    return this.#write(path, () => this.#native.save(path, now));
  }

  /**
   * Replaces the guide by the one of a snapshot, which stays mapped: only what is asked for is read. Null when there is no file.
   *
   * @throws file-unreadable when the file is damaged, of another version or another kind of machine; nothing has changed then.
   */
  async load(path: string): Promise<GuideLoaded | null> {
    const answer = await this.#changed(parsed<GuideLoaded | (Problem & { fault: string })>(this.#native.load(path)));
    if (!('problem' in answer)) return answer;
    if (answer.fault === 'missing') return null;
    throw fail('file-unreadable', path, answer.problem);
  }

  /** Copies out of the snapshot what a guide cannot do without (some 40 bytes an event), so that a disk that goes away costs
   * texts and no more. */
  async leaveSnapshot(): Promise<void> {
    await this.#native.leaveSnapshot();
  }

  /** True when the disk below a loaded snapshot has gone: texts are missing, and the guide is best cleared. */
  get snapshotLost(): boolean {
    return this.#native.snapshotLost;
  }

  /** Tells the listeners what was done to the guide, when it is done. */
  async #changed<Answer>(done: Promise<Answer>): Promise<Answer> {
    const answer = await done;
    this.tellChange();
    return answer;
  }

  async #write<Answer>(path: string, write: () => Promise<Buffer>): Promise<Answer> {
    const written = this.#written.then(async () => {
      await mkdir(dirname(path), { recursive: true }).catch((error: Error) => {
        throw fail('file-unwritable', path, error.message);
      });
      return parsed<Answer | Problem>(write());
    });
    this.#written = written.catch(() => undefined);
    const answer = await written;
    if (typeof answer === 'object' && answer !== null && 'problem' in answer)
      throw fail('file-unwritable', path, answer.problem);
    return answer as Answer;
  }

  async statistics(): Promise<GuideStatistics> {
    return parsed(this.#native.statistics());
  }
}
