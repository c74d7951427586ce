/**
 * The guide on disk: read at start, written when it has changed, so that a restart (or a power cut) costs little of it. A file that
 * cannot be used costs nothing but the time until the carousels have brought everything again.
 */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Guide, GuideLoaded, GuideSaved } from './guide.ts';

/** Where a data folder has its guide. */
export const guideFile = (dataDir: string): string => join(dataDir, 'guide.snapshot');

export interface GuideStoreOptions {
  /** Path of the snapshot. */
  readonly path: string;
  /** Seconds between two looks whether the guide has changed; 0: it is written by `stop()` and `save()` only. */
  readonly every: number;
}

/** Milliseconds after which a loaded guide has come to rest, and is made independent of its file; then how often it is looked
 * whether the disk below it is still there. */
const restPace = 60_000;

export class GuideStore {
  /** Of the snapshot. */
  readonly path: string;
  readonly #guide: Guide;
  readonly #log: Logger;
  readonly #every: number;
  #saved: number | undefined;
  /** Until the last save is through: one writes at a time. */
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

  /** Begins with the guide of the last run, if its file can be used; says in the log why not. */
  async open(): Promise<void> {
    try {
      const loaded = await this.load();
      if (loaded) this.#log.info({ events: loaded.events }, 'guide loaded');
    } catch (error) {
      this.#log.warn(`${(error as Error).message}; the guide begins empty`);
    }
    if (this.#every > 0) {
      this.#saveTimer = setInterval(() => void this.#saveQuietly(), this.#every * 1000);
      this.#saveTimer.unref();
    }
    this.#restTimer = setInterval(() => void this.#rest(), restPace);
    this.#restTimer.unref();
  }

  /** Writes what has changed, for the last time. */
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

  /** Writes the guide in the background, when it has changed: what does not come from the air comes only once. */
  saveSoon(): void {
    void this.#saveQuietly();
  }

  /** Replaces the guide by what is on the disk; null when nothing is. @throws ReceiverError `file-unreadable` */
  async load(): Promise<GuideLoaded | null> {
    const loaded = await this.#guide.load(this.path);
    if (loaded) {
      this.#saved = this.#guide.generation;
      this.#left = false;
    }
    return loaded;
  }

  async #saveQuietly(): Promise<void> {
    await this.#idle;
    if (this.#guide.generation === this.#saved) return;
    try {
      await this.save();
    } catch (error) {
      this.#log.error((error as Error).message);
    }
  }

  async #rest(): Promise<void> {
    if (this.#guide.snapshotLost) {
      this.#log.error(`${this.path} cannot be read any more; the guide begins anew`);
      await this.#guide.clear();
    } else if (!this.#left) {
      this.#left = true;
      await this.#guide.leaveSnapshot();
    }
  }
}
