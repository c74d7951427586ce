/**
 * Holds a tuner until it is stopped. If the tuner fails or is revoked for a more important user, another one is sought
 * until one is available. If the signal stays away, a tuner that receives the service replaces it.
 */
import type { TunerLease } from './tuner-pool.ts';

/** Milliseconds between attempts to get a tuner. */
const retryDelayMs = 2000;
/** Milliseconds without a signal before another tuner is tried. The current one keeps trying meanwhile. */
const noSignalTimeoutMs = 10_000;

interface LastingLeaseParts {
  /** Leases a tuner for the service. */
  readonly tune: () => Promise<TunerLease>;
  /** Starts using a tuner, including the first one. */
  readonly use: (lease: TunerLease) => void;
  /** Switches without a gap to a tuner that receives the same multiplex. False if that fails; nothing changes then. */
  readonly join: (lease: TunerLease) => Promise<boolean>;
}

export class LastingLease {
  readonly #parts: LastingLeaseParts;
  #lease: TunerLease | undefined;
  #tuning: Promise<void> | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #noSignalTimer: NodeJS.Timeout | undefined;
  #stopped = false;
  #trouble = '';
  #losses = 0;
  #stopWatching = () => {};

  /** Takes ownership of the lease and uses it. */
  constructor(lease: TunerLease, parts: LastingLeaseParts) {
    this.#parts = parts;
    this.#useLease(lease);
  }

  /** The lease in use; undefined while there is none. */
  get current(): TunerLease | undefined {
    return this.#lease;
  }

  /** Number of times that a tuner was lost. */
  get losses(): number {
    return this.#losses;
  }

  /** Why there is no tuner, as text for users; empty while there is one. */
  get trouble(): string {
    return this.#trouble;
  }

  /** Call when the tuner no longer delivers data: releases it and looks for another. */
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
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#noSignalTimer);
    await this.#tuning;
  }

  release(): void {
    clearTimeout(this.#noSignalTimer);
    this.#noSignalTimer = undefined;
    this.#stopWatching();
    this.#lease?.release();
    this.#lease = undefined;
  }

  #useLease(lease: TunerLease): void {
    this.#holdLease(lease);
    this.#parts.use(lease);
  }

  #holdLease(lease: TunerLease): void {
    this.#lease = lease;
    this.#trouble = '';
    lease.onLost((reason) => {
      if (this.#lease === lease) this.lost(reason);
    });
    this.#stopWatching = lease.tuner.onReception(() => this.#watchSignal());
    lease.handOver = (next) => this.#handOver(lease, next);
  }

  async #handOver(from: TunerLease, next: TunerLease): Promise<boolean> {
    if (this.#stopped || this.#lease !== from) return false;
    const joining = this.#parts.join(next);
    this.#tuning = Promise.all([this.#tuning, joining]).then(() => undefined);
    const hasJoined = await joining;
    // If the previous tuner was lost meanwhile, the search for another has already begun.
    if (!hasJoined || this.#lease !== from) return false;
    this.release();
    this.#holdLease(next);
    if (next.lost !== undefined) this.lost();
    return true;
  }

  #tryTuning(): void {
    if (this.#stopped) return;
    this.#tuning = this.#parts
      .tune()
      .then((lease) => {
        if (this.#stopped) lease.release();
        else this.#useLease(lease);
      })
      .catch((error: Error) => {
        this.#trouble = error.message;
        if (!this.#stopped) this.#retryTimer = setTimeout(() => this.#tryTuning(), retryDelayMs).unref();
      });
  }

  #watchSignal(): void {
    if (this.#lease?.tuner.reception().state === 'locked') {
      clearTimeout(this.#noSignalTimer);
      this.#noSignalTimer = undefined;
    } else if (this.#lease?.pooled.frontEnd) {
      this.#noSignalTimer ??= setTimeout(() => this.#replaceTuner(), noSignalTimeoutMs).unref();
    }
  }

  /** Switches to another tuner if one receives the service. */
  #replaceTuner(): void {
    this.#noSignalTimer = undefined;
    const before = this.#lease;
    if (this.#stopped || before === undefined) return;
    before.pooled.recordFailure();
    this.#tuning = this.#parts
      .tune()
      .then((lease) => {
        if (this.#stopped || this.#lease !== before || lease.pooled === before.pooled) {
          lease.release();
          return;
        }
        this.#losses++;
        this.release();
        this.#useLease(lease);
      })
      .catch(() => this.#watchSignal());
  }
}
