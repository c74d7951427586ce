/** A tuner for as long as it is wanted: when the one that is held goes away, another one is looked for until there is one. */
import type { TunerLease } from './tuner-pool.ts';

/** Milliseconds between two tries for a tuner. */
const retryAfter = 2000;

interface LastingLeaseParts {
  /** Another one for the same service. */
  readonly tune: () => Promise<TunerLease>;
  /** Begins to use it; called for the first one too. */
  readonly use: (lease: TunerLease) => void;
}

export class LastingLease {
  readonly #parts: LastingLeaseParts;
  #lease: TunerLease | undefined;
  #tuning: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #stopped = false;

  /** Takes the lease over and uses it. */
  constructor(lease: TunerLease, parts: LastingLeaseParts) {
    this.#parts = parts;
    this.#take(lease);
  }

  /** Undefined while there is none. */
  get current(): TunerLease | undefined {
    return this.#lease;
  }

  /** The tuner gives nothing more, whatever the reason. */
  lost(): void {
    this.#lease?.release();
    this.#lease = undefined;
    this.#tryTuning();
  }

  /** Looks for no other any more; what is held is held until `release`. */
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
