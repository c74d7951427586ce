/** Removes ended events from the guide, while the time is known. */
import type { Clock } from '../base/clock.ts';
import type { Guide } from './guide.ts';

/** Seconds between removals. */
const expiryIntervalSeconds = 60;
/** Seconds from new events to a removal: a schedule also holds the ended events of its day. */
const expiryDelaySeconds = 3;

export class GuideExpiry {
  readonly #guide: Guide;
  readonly #clock: Clock;
  #interval: NodeJS.Timeout | undefined;
  #delayed: NodeJS.Timeout | undefined;

  constructor(guide: Guide, clock: Clock) {
    this.#guide = guide;
    this.#clock = clock;
  }

  start(): void {
    this.#interval = setInterval(() => void this.#expire(), expiryIntervalSeconds * 1000).unref();
  }

  stop(): void {
    clearInterval(this.#interval);
    clearTimeout(this.#delayed);
  }

  /** Removes ended events soon, because new events have arrived. */
  expireSoon(): void {
    this.#delayed ??= setTimeout(() => void this.#expire(), expiryDelaySeconds * 1000).unref();
  }

  async #expire(): Promise<void> {
    this.#delayed = undefined;
    if (this.#clock.synchronised) await this.#guide.expire(this.#clock.now());
    // The broadcast may have added events meanwhile.
    this.#guide.notifyChange();
  }
}
