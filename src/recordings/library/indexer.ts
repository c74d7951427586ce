/**
 * Writes the `.ap` file of each recording that has none, such as one made by another program: once, in the background,
 * one recording at a time. Reads at most a quarter of the time, and not at all while a tuner records or streams. The
 * native code that indexes while recording finds the access points.
 */
import { constants, type Stats } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ReceiverError, systemReason } from '../../base/errors.ts';
import { native } from '../../base/native.ts';
import type { RecordingActions } from './actions.ts';
import type { RecordingFolders } from './folders.ts';
import type { RecordingLibrary } from './library.ts';
import { isTrashed } from './trash-folder.ts';

export interface IndexerParts {
  readonly folders: Pick<RecordingFolders, 'open' | 'inFolder'>;
  readonly library: Pick<RecordingLibrary, 'onUnindexed'>;
  readonly actions: Pick<RecordingActions, 'edit'>;
  readonly log: Logger;
  /** Whether this file is being recorded. */
  readonly isActive: (path: string) => boolean;
  /** Whether a tuner records or streams. */
  readonly isBusy: () => boolean;
}

export interface IndexerPace {
  /** Milliseconds without a write after which a file counts as complete. */
  readonly settleMs: number;
  /** Minimum pause between two reads of 1 MiB. */
  readonly minRestMs: number;
  /** Milliseconds after which a busy receiver is looked at again. */
  readonly busyMs: number;
}

const usualPace: IndexerPace = { settleMs: 30_000, minRestMs: 50, busyMs: 5000 };
/** A pause is this many times as long as the read before it. */
const restFactor = 3;
/** Bytes from the beginning in which there must be an access point. */
const maxBytesToFirstPoint = 64 << 20;
/** Failures that are remembered. */
const maxFailures = 1000;

export class Indexer {
  readonly #parts: IndexerParts;
  readonly #pace: IndexerPace;
  /** Paths, in the order in which they are indexed. */
  readonly #waiting = new Set<string>();
  /** The one that a client has requested last: indexed first. */
  #requested: string | undefined;
  #current: string | undefined;
  /** Paths of files that are being written: added again later. */
  readonly #postponed = new Set<string>();
  #run: Promise<void> | undefined;
  /** The files that could not be indexed: path and state. */
  readonly #failed = new Map<string, string>();
  readonly #ending = new AbortController();

  constructor(parts: IndexerParts, pace: IndexerPace = usualPace) {
    this.#parts = parts;
    this.#pace = pace;
    parts.library.onUnindexed((path, isRequested) => this.#add(path, isRequested));
  }

  /** Ends at once; resolves when no file is open any more. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#run;
  }

  #add(path: string, isRequested = false): void {
    if (this.#ending.signal.aborted || path === this.#current || isTrashed(path)) return;
    this.#waiting.add(path);
    if (isRequested) this.#requested = path;
    this.#run ??= this.#work();
  }

  #postpone(path: string): void {
    if (this.#postponed.has(path)) return;
    this.#postponed.add(path);
    setTimeout(() => {
      this.#postponed.delete(path);
      this.#add(path);
    }, this.#pace.settleMs).unref();
  }

  async #work(): Promise<void> {
    for (let path = this.#next(); path !== undefined; path = this.#next()) {
      this.#current = path;
      const isOver = await this.#index(path).catch((error: unknown) => {
        if (!this.#ending.signal.aborted) this.#parts.log.debug(`${path} is not indexed: ${systemReason(error)}`);
        return true;
      });
      this.#current = undefined;
      if (!isOver) this.#postpone(path);
    }
    this.#run = undefined;
  }

  #next(): string | undefined {
    if (this.#ending.signal.aborted) return undefined;
    const [first] = this.#waiting;
    const path = this.#requested ?? first;
    this.#requested = undefined;
    if (path !== undefined) this.#waiting.delete(path);
    return path;
  }

  /** Returns false while the file changes. Rejects if the receiver stops, or if the recording cannot be indexed. */
  async #index(path: string): Promise<boolean> {
    const { folders } = this.#parts;
    if (await folders.inFolder(dirname(path), (at) => isIndexed(at, basename(path)))) return true;
    const index = new native.FileIndex();
    try {
      return await this.#indexWith(index, path);
    } finally {
      index.close();
    }
  }

  async #indexWith(index: InstanceType<typeof native.FileIndex>, path: string): Promise<boolean> {
    const { folders, actions, log } = this.#parts;
    let restMs = 0;
    let state: string | undefined;
    for (let bytes = 0, count = -1; count !== 0 && !this.#isHopeless(index, bytes, count); bytes += count) {
      await this.#rest(restMs);
      const began = performance.now();
      // Opened each time: while it waits, the disk can be removed.
      const file = await folders.open(path);
      try {
        const status = await file.stat();
        const now = stateOf(status);
        if (this.#failed.get(path) === now) return true;
        state ??= now;
        if (now !== state || this.#isBeingWritten(path, status)) return false;
        count = await index.step(file.fd);
      } catch (error) {
        this.#addFailure(path, state);
        throw error;
      } finally {
        await file.close();
      }
      restMs = (performance.now() - began) * restFactor;
    }
    const accessPoints = index.entries();
    try {
      await actions.edit(path, { accessPoints });
    } catch (error) {
      if (error instanceof ReceiverError && error.code === 'recording-busy') return false;
      this.#addFailure(path, state);
      throw error;
    }
    // An empty file beside one with a time in the future would not count.
    if (accessPoints.length === 0) this.#addFailure(path, state);
    log.info(accessPoints.length > 0 ? `indexed ${path}` : `${path} has no access points: positions are estimated`);
    return true;
  }

  /** Whether no access point was found where one must be. Asked after each step; checks once. */
  #isHopeless(index: { entries(): Uint8Array }, bytes: number, count: number): boolean {
    const isReached = bytes >= maxBytesToFirstPoint && bytes - count < maxBytesToFirstPoint;
    return isReached && index.entries().length === 0;
  }

  #isBeingWritten(path: string, { mtimeMs }: Stats): boolean {
    const age = Date.now() - mtimeMs;
    return this.#parts.isActive(path) || (age >= 0 && age < this.#pace.settleMs);
  }

  #addFailure(path: string, state = ''): void {
    if (this.#failed.size >= maxFailures) this.#failed.clear();
    this.#failed.set(path, state);
  }

  /** Waits, and until the receiver is idle. Rejects if it stops. */
  async #rest(ms: number): Promise<void> {
    const wait = (time: number) => pause(time, undefined, { ref: false, signal: this.#ending.signal });
    await wait(Math.max(ms, this.#pace.minRestMs));
    while (this.#parts.isBusy()) await wait(this.#pace.busyMs);
  }
}

/** Whether a recording has access points by now. Rejects if none can be added to its folder. */
async function isIndexed(folder: string, name: string): Promise<boolean> {
  await access(folder, constants.W_OK);
  const points = await lstat(`${folder}${name}.ap`).catch(() => undefined);
  return points?.isFile() === true && points.size > 0;
}

/** Changes whenever the file does. */
const stateOf = ({ dev, ino, size, mtimeMs }: Stats) => `${dev} ${ino} ${size} ${mtimeMs}`;
