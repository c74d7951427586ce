/**
 * The receiver's clock, which all code uses for the time instead of `Date.now()`.
 *
 * With real reception it is the system clock. With a capture it can follow the TDT/TOT of the stream (EN 300 468
 * §5.2.5, §5.2.6), so that a capture from years ago shows its own present and following events.
 */

/** Seconds since 1970-01-01 00:00 UTC. */
export type UnixSeconds = number;

export interface Clock {
  /** The current time in whole Unix seconds. */
  now(): UnixSeconds;
  /** False while a broadcast clock has seen no TDT yet; until then, `now()` returns the system time. */
  readonly synchronised: boolean;
}

export const systemClock: Clock = {
  now: () => Math.floor(Date.now() / 1000),
  synchronised: true,
};

/** Follows the broadcast time: each TDT/TOT sets it, and the machine's monotonic clock advances it in between. */
export class BroadcastClock implements Clock {
  #base: UnixSeconds | undefined;
  #setAt = 0;
  readonly #monotonic: () => number;

  /** @param monotonic returns milliseconds since any fixed point */
  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic;
  }

  get synchronised(): boolean {
    return this.#base !== undefined;
  }

  /** Sets the time to that of a TDT or TOT that has just arrived. */
  set(time: UnixSeconds): void {
    this.#base = time;
    this.#setAt = this.#monotonic();
  }

  now(): UnixSeconds {
    if (this.#base === undefined) return systemClock.now();
    return this.#base + Math.floor((this.#monotonic() - this.#setAt) / 1000);
  }
}
