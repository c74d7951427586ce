/**
 * The receiver's clock: everything that asks for the time asks this, never `Date.now()`.
 *
 * With real reception the clock is the system's. With a capture it can follow the TDT/TOT of the stream
 * (EN 300 468 §5.2.5, §5.2.6), so that a recording from years ago shows its own now and next.
 */

/** Seconds since 1970-01-01 00:00 UTC. */
export type UnixSeconds = number;

export interface Clock {
  /** Now, in whole Unix seconds. */
  now(): UnixSeconds;
  /** False while the time is not known yet: a broadcast clock before the first TDT. `now()` is the system's time then. */
  readonly synchronised: boolean;
}

export const systemClock: Clock = {
  now: () => Math.floor(Date.now() / 1000),
  synchronised: true,
};

/** Follows the time of the broadcast: set by each TDT/TOT, runs on by the machine's monotonic clock in between. */
export class BroadcastClock implements Clock {
  #base: UnixSeconds | undefined;
  #setAt = 0;
  readonly #monotonic: () => number;

  /** `monotonic` gives milliseconds from any fixed point. */
  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic;
  }

  get synchronised(): boolean {
    return this.#base !== undefined;
  }

  /** Takes the time of a TDT or TOT that has just arrived. */
  set(time: UnixSeconds): void {
    this.#base = time;
    this.#setAt = this.#monotonic();
  }

  now(): UnixSeconds {
    if (this.#base === undefined) return systemClock.now();
    return this.#base + Math.floor((this.#monotonic() - this.#setAt) / 1000);
  }
}
