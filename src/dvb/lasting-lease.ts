/** Keeps a tuner for as long as it is wanted: if the current one is lost, retries until another is free. */
import type { TunerLease } from './tuner-pool.ts';

/** Milliseconds between attempts to get a tuner. */
const retryAfter = 2000;

interface LastingLeaseParts {
  /** Gets another tuner for the same service. */
  readonly tune: () => Promise<TunerLease>;
  /** Starts using the tuner; called for the first one too. */
  readonly use: (lease: TunerLease) => void;
}

export class LastingLease {
  readonly #parts: LastingLeaseParts;
  #lease: TunerLease | undefined;
  #tuning: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #stopped = false;

  /** Takes ownership of the lease and uses it. */
  constructor(lease: TunerLease, parts: LastingLeaseParts) {
    this.#parts = parts;
    this.#take(lease);
  }

  /** Undefined while there is none. */
  get current(): TunerLease | undefined {
    return this.#lease;
  }

  /** Reports that the tuner delivers nothing more, whatever the reason. */
  lost(): void {
    this.#lease?.release();
    this.#lease = undefined;
    this.#tryTuning();
  }

  /** Stops looking for another tuner. The current one is held until `release`. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry);
    await this.#tuning;
  }

  release(): void {
    this.#lease?.release();
    this.#lease = undefined;
  }

  #take(lease: TunerLease): void {
    this.#lease = lease;
    this.#parts.use(lease);
  }

  #tryTuning(): void {
    this.#tuning = this.#parts
      .tune()
      .then((lease) => {
        if (this.#stopped) lease.release();
        else this.#take(lease);
      })
      .catch(() => {
        if (!this.#stopped) this.#retry = setTimeout(() => this.#tryTuning(), retryAfter).unref();
      });
  }
}
