/**
 * The guide on disk: read at start and written when it has changed, so that a restart or a power cut loses little of
 * it. An unusable file costs only the time until the carousels have brought everything again.
 */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Guide, GuideLoaded, GuideSaved } from './guide.ts';

/** The guide's file in a data folder. */
export const guideFile = (dataDir: string): string => join(dataDir, 'guide.snapshot');

export interface GuideStoreOptions {
  /** Path of the snapshot. */
  readonly path: string;
  /** Seconds between checks for changes; 0: only `stop()` and `save()` write. */
  readonly every: number;
}

/** Milliseconds until a loaded guide has settled and is made independent of its file; also the interval of the check
 * that the disk below it is still there. */
const restPace = 60_000;

export class GuideStore {
  /** Path of the snapshot. */
  readonly path: string;
  readonly #guide: Guide;
  readonly #log: Logger;
  readonly #every: number;
  #saved: number | undefined;
  /** Resolves after the last save, since only one writes at a time. */
  #idle: Promise<void> = Promise.resolve();
  #saveTimer: NodeJS.Timeout | undefined;
  #restTimer: NodeJS.Timeout | undefined;
  #left = true;

  constructor({ guide, log }: { readonly guide: Guide; readonly log: Logger }, { path, every }: GuideStoreOptions) {
    this.path = path;
    this.#guide = guide;
    this.#log = log;
    this.#every = every;
    this.#saved = guide.generation;
  }

  /** Loads the guide of the last run. Logs why if its file cannot be used. */
  async open(): Promise<void> {
    try {
      const loaded = await this.load();
      if (loaded) this.#log.info({ events: loaded.events }, 'guide loaded');
    } catch (error) {
      this.#log.warn(`${(error as Error).message}; starting with an empty guide`);
    }
    if (this.#every > 0) {
      this.#saveTimer = setInterval(() => void this.#saveQuietly(), this.#every * 1000);
      this.#saveTimer.unref();
    }
    this.#restTimer = setInterval(() => void this.#rest(), restPace);
    this.#restTimer.unref();
  }

  /** Writes any changes for the last time. */
  async stop(): Promise<void> {
    clearInterval(this.#saveTimer);
    clearInterval(this.#restTimer);
    await this.#saveQuietly();
  }

  /** Writes the guide now. @throws ReceiverError `file-unwritable` */
  save(): Promise<GuideSaved> {
    const saved = this.#idle.then(async () => {
      const saved = await this.#guide.save(this.path);
      this.#saved = saved.generation;
      return saved;
    });
    this.#idle = saved.then(
      () => undefined,
      () => undefined,
    );
    return saved;
  }

  /**
   * Writes the guide in the background if it has changed, and goes on in its file. For data that is not broadcast and
   * will not come again: bench/footprint.ts tells what that takes off the memory of a large import.
   */
  saveSoon(): void {
    void this.#saveQuietly(true);
  }

  /** Replaces the guide by the one on disk; null if there is none. @throws ReceiverError `file-unreadable` */
  async load(): Promise<GuideLoaded | null> {
    const loaded = await this.#guide.load(this.path);
    if (loaded) {
      this.#saved = this.#guide.generation;
      this.#left = false;
    }
    return loaded;
  }

  async #saveQuietly(moving = false): Promise<void> {
    await this.#idle;
    if (this.#guide.generation === this.#saved) return;
    try {
      const saved = await this.save();
      if (moving && (await this.#guide.moveInto(this.path, saved))) this.#left = false;
    } catch (error) {
      this.#log.error(`the guide is not saved, a restart would lose its changes: ${(error as Error).message}`);
    }
  }

  async #rest(): Promise<void> {
    if (this.#guide.snapshotLost) {
      this.#log.error(`${this.path} can no longer be read; starting with an empty guide`);
      await this.#guide.clear();
    } else if (!this.#left) {
      this.#left = true;
      await this.#guide.leaveSnapshot();
    }
  }
}
