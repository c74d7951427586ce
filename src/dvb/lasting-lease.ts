/**
 * Keeps a tuner for as long as it is wanted. If it fails, or goes to somebody more important, another one is looked for
 * until there is one. If it has had no signal for a while, one that has is used instead.
 */
import type { TunerLease } from './tuner-pool.ts';

/** Milliseconds between attempts to get a tuner. */
const retryAfter = 2000;
/** Milliseconds without a signal after which another tuner is tried; the tuner itself goes on trying meanwhile. */
const moveAfter = 10_000;

interface LastingLeaseParts {
  /** Gets a tuner for the same service. */
  readonly tune: () => Promise<TunerLease>;
  /** Starts using the tuner; called for the first one too. */
  readonly use: (lease: TunerLease) => void;
  /** Goes over to a tuner that receives the same, without a gap; false if that cannot be, which changes nothing. */
  readonly join: (lease: TunerLease) => Promise<boolean>;
}

export class LastingLease {
  readonly #parts: LastingLeaseParts;
  #lease: TunerLease | undefined;
  #tuning: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #move: NodeJS.Timeout | undefined;
  #stopped = false;
  #trouble = '';
  #losses = 0;
  readonly #follow = () => this.#followSignal();

  /** Takes ownership of the lease and uses it. */
  constructor(lease: TunerLease, parts: LastingLeaseParts) {
    this.#parts = parts;
    this.#take(lease);
  }

  /** Undefined while there is none. */
  get current(): TunerLease | undefined {
    return this.#lease;
  }

  /** How often a tuner was lost. */
  get losses(): number {
    return this.#losses;
  }

  /** Why there is no tuner, for people; empty while there is one. */
  get trouble(): string {
    return this.#trouble;
  }

  /** Reports that the tuner delivers nothing more. */
  lost(reason = 'no tuner'): void {
    if (this.#lease === undefined) return;
    this.#trouble = this.#lease.lost ?? reason;
    this.#losses++;
    this.release();
    this.#tryTuning();
  }

  /** Stops looking for another tuner. The current one is held until `release`. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#lease) this.#lease.handOver = undefined;
    clearTimeout(this.#retry);
    clearTimeout(this.#move);
    await this.#tuning;
  }

  release(): void {
    clearTimeout(this.#move);
    this.#move = undefined;
    this.#lease?.tuner.off('reception', this.#follow);
    this.#lease?.release();
    this.#lease = undefined;
  }

  #take(lease: TunerLease): void {
    this.#hold(lease);
    this.#parts.use(lease);
  }

  #hold(lease: TunerLease): void {
    this.#lease = lease;
    this.#trouble = '';
    lease.onLost((reason) => {
      if (this.#lease === lease) this.lost(reason);
    });
    lease.tuner.on('reception', this.#follow);
    lease.handOver = (next) => this.#handOver(lease, next);
  }

  async #handOver(from: TunerLease, next: TunerLease): Promise<boolean> {
    if (this.#stopped || this.#lease !== from) return false;
    const joining = this.#parts.join(next);
    this.#tuning = Promise.all([this.#tuning, joining]).then(() => undefined);
    const isOver = await joining;
    // If the tuner before was lost meanwhile, another one is looked for already.
    if (!isOver || this.#lease !== from) return false;
    this.release();
    this.#hold(next);
    if (next.lost !== undefined) this.lost();
    return true;
  }

  #tryTuning(): void {
    if (this.#stopped) return;
    this.#tuning = this.#parts
      .tune()
      .then((lease) => {
        if (this.#stopped) lease.release();
        else this.#take(lease);
      })
      .catch((error: Error) => {
        this.#trouble = error.message;
        if (!this.#stopped) this.#retry = setTimeout(() => this.#tryTuning(), retryAfter).unref();
      });
  }

  #followSignal(): void {
    if (this.#lease?.tuner.reception().state === 'locked') {
      clearTimeout(this.#move);
      this.#move = undefined;
    } else if (this.#lease?.pooled.frontEnd) {
      this.#move ??= setTimeout(() => this.#moveOn(), moveAfter).unref();
    }
  }

  /** Takes another tuner if one receives the service. */
  #moveOn(): void {
    this.#move = undefined;
    const before = this.#lease;
    if (this.#stopped || before === undefined) return;
    before.pooled.failed();
    this.#tuning = this.#parts
      .tune()
      .then((lease) => {
        if (this.#stopped || this.#lease !== before || lease.pooled === before.pooled) {
          lease.release();
          return;
        }
        this.#losses++;
        this.release();
        this.#take(lease);
      })
      .catch(() => this.#followSignal());
  }
}
