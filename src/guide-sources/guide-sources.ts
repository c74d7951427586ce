/**
 * Refreshes the guide from its sources, some at a time. Addresses are read at their times, and only if the server has a
 * new version; programs run at their times; files are read when they change. What fails is tried again after growing
 * pauses. Without sources no timer runs.
 */
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { fail, type ReceiverError, systemReason } from '../base/errors.ts';
import { FileRefused, readFlags } from '../base/files.ts';
import { KeyedQueue } from '../base/keyed-queue.ts';
import { Listeners } from '../base/listeners.ts';
import type { ImportedGuide } from '../epg/guide-file.ts';
import { type NetworkStreams, Unchanged, type Validators } from '../iptv/network-streams.ts';
import { grabbed } from './grabber.ts';
import { type ImportParts, importGuide } from './import-guide.ts';
import { allSources, type GuideSource, nextReading, sourceName, sourceOf } from './source.ts';
import { noResult, type SourceResult, type SourcesFile } from './sources-file.ts';

export interface GuideSourcesParts extends ImportParts {
  readonly network: Pick<NetworkStreams, 'download'>;
  readonly clock: Clock;
  readonly zone: { offset(time: number): number };
  readonly file: SourcesFile;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Returns a number from 0 to 1. Default: `Math.random`. */
  readonly random?: () => number;
}

export interface ListedSource {
  readonly source: GuideSource;
  readonly result: SourceResult;
  readonly isRunning: boolean;
}

/** Sources that are read at a time, and milliseconds after which a slow one no longer holds up the others. */
const maxReading = 4;
const placeMs = 60_000;
/** Sources that may be added by HTTP. */
const maxAdded = 32;
/** Milliseconds between two looks at files, and at most until the next look at the clock, which may be set. */
const fileIntervalMs = 60_000;
const maxWaitMs = 3_600_000;
/** Seconds after the last choice of a channel until the guide is read again. */
const soonSeconds = 60;
/** Seconds by which the clock may be set back before readings in the future no longer count. */
const maxSetBack = 3600;

/** Of an address that is added. */
interface AddOptions {
  readonly every?: number | undefined;
  readonly priority?: number | undefined;
}
const defaults = { every: 86_400, times: [], priority: 0 } as const;

/** What a reading adds to the result of its source: the version that was read. */
type Version = Partial<Pick<SourceResult, 'etag' | 'lastModified' | 'version'>>;

export class GuideSources {
  readonly #parts: GuideSourcesParts;
  readonly #fixed: readonly GuideSource[];
  readonly #readings = new KeyedQueue(maxReading, placeMs);
  readonly #changes = new Listeners<[ListedSource]>();
  /** Ends the readings of sources, which may wait for slow servers. */
  readonly #running = new Map<string, AbortController>();
  /** Sources whose next reading is of the whole guide, because it would lead to other services than the last one. */
  readonly #outdated = new Set<string>();
  #stopped = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** Sources that are read again before they are due, and when; infinity: none. */
  readonly #planned = new Set<string>();
  #soon = Number.POSITIVE_INFINITY;
  /** Sources that are read at the start, because what they failed for may have been corrected. */
  #failedBefore: ReadonlySet<string> = new Set();

  constructor(parts: GuideSourcesParts, configured: readonly GuideSource[]) {
    this.#parts = parts;
    this.#fixed = configured;
    if (parts.file.problem !== '') parts.log.warn(parts.file.problem);
    parts.services.onChange(() => this.#noteServices());
  }

  get all(): readonly ListedSource[] {
    return allSources(this.#fixed, this.#parts.file.added).map((source) => this.#listed(source));
  }

  /** Calls `listener` when the reading of a source begins and when it has ended. */
  onChange(listener: (changed: ListedSource) => void): () => void {
    return this.#changes.add(listener);
  }

  start(): void {
    this.#stopped = new AbortController();
    this.#failedBefore = new Set(this.all.filter(({ result }) => result.failures > 0).map(({ source }) => source.id));
    this.#wait(0);
  }

  /** Aborts the current readings. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    clearTimeout(this.#timer);
    await this.#readings.idle();
  }

  /**
   * Adds an address, if it can be imported. One that is known is imported again, and keeps what is not given.
   * @throws ReceiverError if it cannot, if there are too many, if it is removed before it is imported (`not-found`), or if the
   *   configuration file names it (`not-allowed`)
   */
  async add(url: string, { every, priority }: AddOptions = {}): Promise<ListedSource> {
    const { file } = this.#parts;
    const { id } = sourceOf('url', url, false, defaults);
    if (this.#fixed.some((source) => source.id === id))
      throw fail('not-allowed', 'adding a guide source that the configuration file names');
    const adding = this.#readings.run(id, async () => {
      const old = file.added.filter((one) => one.url === url);
      const before = old[0] ?? defaults;
      const others = file.added.filter((one) => one.url !== url);
      if (others.length >= maxAdded) throw fail('not-allowed', `adding more than ${maxAdded} guide sources`);
      file.added = [...others, { url, every: every ?? before.every, priority: priority ?? before.priority }];
      try {
        await this.#import(this.#find(id).source, { isForced: true });
        return this.#find(id);
      } catch (error) {
        // Unless it was removed meanwhile, it is as before.
        file.added = file.added.flatMap((one) => (one.url === url ? old : one));
        if (old.length === 0) file.results.delete(id);
        throw error;
      } finally {
        await this.#save();
      }
    });
    return adding.finally(() => this.#wait());
  }

  /**
   * Removes an address that was added, and ends its reading. Its events stay until they end.
   * @throws ReceiverError `not-found`, `not-allowed`
   */
  async remove(id: string): Promise<void> {
    const { file } = this.#parts;
    const { source } = this.#find(id);
    if (source.isFixed) throw fail('not-allowed', 'removing a guide source of the configuration file');
    this.#running.get(id)?.abort();
    file.added = file.added.filter(({ url }) => url !== source.place);
    file.results.delete(id);
    await this.#save();
  }

  /**
   * Changes the priority of an address that was added. It is read again in a minute.
   * @throws ReceiverError `not-found`, `not-allowed`
   */
  async setPriority(id: string, priority: number): Promise<void> {
    const { file } = this.#parts;
    const { source } = this.#find(id);
    if (source.isFixed) throw fail('not-allowed', 'changing a guide source of the configuration file');
    file.added = file.added.map((one) => (one.url === source.place ? { ...one, priority } : one));
    await this.#save();
    this.#plan([{ source }]);
  }

  /** Reads a source now, whether it has changed or not. @throws ReceiverError `not-found`, or why it cannot be read */
  async refresh(id: string): Promise<void> {
    await this.#read(id, { isForced: true });
  }

  /** Reads everything again in a minute, unless this is called again: channels have been chosen for services. */
  readSoon(): void {
    this.#plan(this.all);
  }

  /** New services may be those of channels without a match: after the first scan, for example, of all of them. */
  #noteServices(): void {
    for (const { source } of this.all) this.#outdated.add(source.id);
    this.#planUnmatched();
  }

  #planUnmatched(): void {
    const unmatched = this.all.filter(({ result }) => result.imported > 0 && result.matched === 0);
    if (unmatched.length > 0) this.#plan(unmatched);
  }

  #plan(sources: readonly Pick<ListedSource, 'source'>[]): void {
    for (const { source } of sources) {
      this.#outdated.add(source.id);
      this.#planned.add(source.id);
    }
    this.#soon = this.#parts.clock.now() + soonSeconds;
    this.#wait();
  }

  #find(id: string): ListedSource {
    const found = this.all.find(({ source }) => source.id === id);
    if (found === undefined) throw this.#unknown(id);
    return found;
  }

  #unknown(id: string): ReceiverError {
    return fail('not-found', `guide source '${id}'`);
  }

  #listed(source: GuideSource): ListedSource {
    const result = this.#parts.file.results.get(source.id) ?? noResult;
    return { source, result, isRunning: this.#running.has(source.id) };
  }

  /** Waits until the next source is due. */
  #wait(ms = this.#waitMs()): void {
    clearTimeout(this.#timer);
    if (this.all.length === 0 || this.#stopped.signal.aborted) return;
    this.#timer = setTimeout(() => this.#readDue(), ms).unref();
  }

  #waitMs(): number {
    const { clock } = this.#parts;
    const all = this.all.filter(({ source }) => !this.#readings.has(source.id));
    const due = Math.min(
      this.#soon,
      ...all.filter(({ source }) => source.kind !== 'file').map(({ result }) => result.due),
    );
    const max = !clock.synchronised || all.some(({ source }) => source.kind === 'file') ? fileIntervalMs : maxWaitMs;
    return Math.max(1000, Math.min((due - clock.now()) * 1000, max));
  }

  #readDue(): void {
    const { clock } = this.#parts;
    const now = clock.now();
    // Until the time is known, it is unknown which programmes have ended.
    if (clock.synchronised) {
      const planned = new Set(now >= this.#soon ? this.#planned : []);
      if (now >= this.#soon) {
        this.#soon = Number.POSITIVE_INFINITY;
        this.#planned.clear();
      }
      const isDue = ({ source: { id, kind }, result: { due, checked } }: ListedSource) =>
        !this.#readings.has(id) &&
        (kind === 'file' || now >= due || checked > now + maxSetBack || this.#failedBefore.has(id));
      for (const one of this.all) {
        // The failure is in the result.
        if (planned.has(one.source.id) || isDue(one))
          this.#read(one.source.id, { isForced: false }).catch(() => undefined);
      }
      this.#failedBefore = new Set();
    }
    this.#wait();
  }

  /** Reads a source when it is its turn, then waits for the next one that is due. */
  async #read(id: string, how: { readonly isForced: boolean }): Promise<void> {
    this.#find(id);
    await this.#readings.run(id, () => this.#import(this.#find(id).source, how)).finally(() => this.#wait());
  }

  /** Reads a source and notes the result. @throws ReceiverError if it cannot be read or is removed meanwhile; Unchanged */
  async #import(source: GuideSource, { isForced }: { readonly isForced: boolean }): Promise<ImportedGuide> {
    const { file, clock, log } = this.#parts;
    const { id } = source;
    this.#stopped.signal.throwIfAborted();
    const before = file.results.get(id) ?? noResult;
    const read: Version = {};
    const end = new AbortController();
    const signal = AbortSignal.any([this.#stopped.signal, end.signal]);
    this.#running.set(id, end);
    this.#changes.call(this.#listed(source));
    let after = before;
    try {
      const isWhole = isForced || this.#outdated.has(id) || (await this.#parts.guide.services()).length === 0;
      const known = isWhole ? noResult : before;
      const pieces = this.#open(source, known, read, signal);
      this.#outdated.delete(id);
      const imported = await importGuide(this.#parts, pieces, {
        ...{ signal, rank: source.priority },
        ...{ numbers: source.numbers, channels: source.channels },
      });
      after = { ...before, ...read, imported: clock.now(), failures: 0, ...statisticsOf(imported) };
      log.info(`guide source ${source.name}: ${after.programmes} programmes for ${after.matched} channels`);
      return imported;
    } catch (error) {
      if (end.signal.aborted) throw this.#unknown(id);
      if (error instanceof Unchanged)
        after = { ...before, failures: 0, problem: before.failures > 0 ? '' : before.problem };
      else if (!signal.aborted) after = this.#failed(source, before, error, read);
      throw error;
    } finally {
      this.#running.delete(id);
      if (!signal.aborted && !isSame(source, before, after)) await this.#note(source, after);
      // Services that have changed meanwhile were not compared.
      if (this.#outdated.has(id)) this.#planUnmatched();
      this.#changes.call(this.#listed(source));
    }
  }

  #failed(source: GuideSource, before: SourceResult, error: unknown, { version }: Version): SourceResult {
    const prefix = `${sourceName(source.kind, source.place)}: `;
    const reason = systemReason(error);
    const problem = reason.startsWith(prefix) ? reason.slice(prefix.length) : reason;
    const failures = before.failures + 1;
    if (problem !== before.problem) this.#parts.log.warn(`guide source ${source.name}: ${problem}`);
    return { ...before, failures, problem, ...(version !== undefined && { version }) };
  }

  async #note(source: GuideSource, result: SourceResult): Promise<void> {
    const { file, clock, zone, random = Math.random } = this.#parts;
    const { failures } = result;
    const now = clock.now();
    const schedule = { now, offset: (time: number) => zone.offset(time), random: random(), failures };
    file.results.set(source.id, { ...result, checked: now, due: nextReading(source, schedule) });
    await this.#save();
  }

  /** If that fails, a restart reads the sources again. */
  async #save(): Promise<void> {
    const { file, log } = this.#parts;
    await file.save().catch((error: Error) => log.warn(`the guide sources are not saved: ${error.message}`));
  }

  #open(source: GuideSource, known: SourceResult, read: Version, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const { kind, place, args } = source;
    if (kind === 'url') return this.#download(place, known, { read, signal });
    return kind === 'file' ? readChanged(place, known, read) : grabbed(place, args, { signal });
  }

  #download(
    url: string,
    { etag, lastModified }: Validators,
    { read, signal }: { readonly read: Version; readonly signal: AbortSignal },
  ): AsyncIterable<Uint8Array> {
    return this.#parts.network.download(url, {
      validators: { etag, lastModified },
      onValidators: (validators) => Object.assign(read, validators),
      signal,
    });
  }
}

/** Whether a look at a file has found nothing new, so that there is nothing to note. */
const isSame = ({ kind }: GuideSource, before: SourceResult, after: SourceResult) =>
  kind === 'file' &&
  before.imported === after.imported &&
  before.problem === after.problem &&
  before.version === after.version;

/** Yields a file. @throws Unchanged if it is the one that was read last; FileRefused, or the system's error */
async function* readChanged(
  path: string,
  { version }: Pick<SourceResult, 'version'>,
  read: Version,
): AsyncGenerator<Uint8Array, void, undefined> {
  const file: FileHandle = await open(path, readFlags);
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new FileRefused('is not a regular file');
    read.version = `${status.size} ${status.mtimeMs} ${status.ino}`;
    if (read.version === version) throw new Unchanged();
    yield* createReadStream('', { fd: file, autoClose: false });
  } finally {
    await file.close();
  }
}

/** Of an epg.dat, services count as channels. */
function statisticsOf(imported: ImportedGuide) {
  if (imported.format === 'epg.dat')
    return { programmes: imported.events, matched: imported.services, unmatched: 0, channels: [], problem: '' };
  const { channels, unmatched, programmes } = imported;
  const isLost = channels.matched === 0 && programmes > 0;
  return {
    programmes: imported.imported,
    matched: channels.matched,
    unmatched: channels.unmatched,
    channels: unmatched.map(({ id, name, programmes }) => ({ id, name, programmes })),
    problem: isLost ? 'none of its channels is in the channel lists' : '',
  };
}
