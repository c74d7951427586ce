/**
 * The guide on disk: read at start and written when it has changed, so that a restart or a power cut loses little. If
 * the file cannot be used, the guide fills again from the broadcast.
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
  readonly saveIntervalSeconds: number;
}

/** Milliseconds after loading until the guide is made independent of its file, and between checks that the file can
 * still be read. */
const fileCheckIntervalMs = 60_000;

export class GuideStore {
  /** Path of the snapshot. */
  readonly path: string;
  readonly #guide: Guide;
  readonly #log: Logger;
  readonly #saveIntervalSeconds: number;
  #savedGeneration: number | undefined;
  /** Resolves after the last save: only one is written at a time. */
  #idle: Promise<void> = Promise.resolve();
  #saveTimer: NodeJS.Timeout | undefined;
  #fileCheckTimer: NodeJS.Timeout | undefined;
  #isIndependent = true;

  constructor(
    { guide, log }: { readonly guide: Guide; readonly log: Logger },
    { path, saveIntervalSeconds }: GuideStoreOptions,
  ) {
    this.path = path;
    this.#guide = guide;
    this.#log = log;
    this.#saveIntervalSeconds = saveIntervalSeconds;
    this.#savedGeneration = guide.generation;
  }

  /** Loads the guide of the last run, and starts saving. Logs the reason if the file cannot be used. */
  async open(): Promise<void> {
    try {
      const loaded = await this.load();
      if (loaded) this.#log.info({ events: loaded.events }, 'guide loaded');
    } catch (error) {
      this.#log.warn(`${(error as Error).message}; starting with an empty guide`);
    }
    if (this.#saveIntervalSeconds > 0) {
      this.#saveTimer = setInterval(() => void this.#saveIfChanged(), this.#saveIntervalSeconds * 1000);
      this.#saveTimer.unref();
    }
    this.#fileCheckTimer = setInterval(() => void this.#checkFile(), fileCheckIntervalMs);
    this.#fileCheckTimer.unref();
  }

  /** Stops saving, after a last save. */
  async stop(): Promise<void> {
    clearInterval(this.#saveTimer);
    clearInterval(this.#fileCheckTimer);
    await this.#saveIfChanged();
  }

  /** Writes the guide now. @throws ReceiverError `file-unwritable` */
  save(): Promise<GuideSaved> {
    const saved = this.#idle.then(async () => {
      const saved = await this.#guide.save(this.path);
      this.#savedGeneration = saved.generation;
      return saved;
    });
    this.#idle = saved.then(
      () => undefined,
      () => undefined,
    );
    return saved;
  }

  /**
   * Saves the guide in the background if it has changed, and moves its memory into the file (`Guide.moveInto`). Used
   * after imports, whose data is not broadcast. bench/footprint.ts measures the memory that this saves.
   */
  saveSoon(): void {
    void this.#saveIfChanged(true);
  }

  /** Replaces the guide by the saved one; null if there is none. @throws ReceiverError `file-unreadable` */
  async load(): Promise<GuideLoaded | null> {
    const loaded = await this.#guide.load(this.path);
    if (loaded) {
      this.#savedGeneration = this.#guide.generation;
      this.#isIndependent = false;
    }
    return loaded;
  }

  async #saveIfChanged(moves = false): Promise<void> {
    await this.#idle;
    if (this.#guide.generation === this.#savedGeneration) return;
    try {
      const saved = await this.save();
      if (moves && (await this.#guide.moveInto(this.path, saved))) this.#isIndependent = false;
    } catch (error) {
      this.#log.error(`the guide cannot be saved, and a restart would lose its changes: ${(error as Error).message}`);
    }
  }

  async #checkFile(): Promise<void> {
    if (this.#guide.snapshotLost) {
      this.#log.error(`${this.path} can no longer be read; starting with an empty guide`);
      await this.#guide.clear();
    } else if (!this.#isIndependent) {
      this.#isIndependent = true;
      await this.#guide.leaveSnapshot();
    }
  }
}
