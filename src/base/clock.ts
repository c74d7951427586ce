/**
 * The receiver's clock, which all code uses for the time instead of `Date.now()`.
 *
 * With real reception it is the system clock, or the TDT/TOT of the broadcast (EN 300 468 §5.2.5, §5.2.6) until that
 * has been set: many boxes have no battery and start in 1970. With a capture it can follow the TDT/TOT of the stream,
 * so that a capture from years ago shows its own present and following events.
 */

/** Seconds since 1970-01-01 00:00 UTC. */
export type UnixSeconds = number;

export interface Clock {
  /** The current time in whole Unix seconds. */
  now(): UnixSeconds;
  /**
   * False until the time is known, from the system clock or the broadcast. Until then, `now()` returns the system time.
   */
  readonly synchronised: boolean;
}

/** A system clock that shows an earlier time has not been set. */
export const earliestTime = Date.UTC(2024, 0, 1) / 1000;

export const systemClock: Clock = {
  now: () => Math.floor(Date.now() / 1000),
  synchronised: true,
};

/**
 * The system time if it has been set; otherwise the last known time (system or broadcast), advanced by the monotonic
 * clock.
 */
export class MachineClock implements Clock {
  readonly #system: () => UnixSeconds;
  readonly #lastKnown: BroadcastClock;

  /**
   * @param system returns the system time
   * @param monotonic returns milliseconds since any fixed point
   */
  constructor(system: () => UnixSeconds = systemClock.now, monotonic?: () => number) {
    this.#system = system;
    this.#lastKnown = new BroadcastClock(monotonic);
  }

  get synchronised(): boolean {
    return this.now() >= earliestTime;
  }

  /** Takes the time of a TDT or TOT that has just arrived. It is used while the system clock has not been set. */
  set(time: UnixSeconds): void {
    if (time >= earliestTime) this.#lastKnown.set(time);
  }

  now(): UnixSeconds {
    const time = this.#system();
    if (time >= earliestTime) this.#lastKnown.set(time);
    return this.#lastKnown.synchronised ? this.#lastKnown.now() : time;
  }
}

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
