/** Removes ended events from the guide, while the time is known. */
import type { Clock } from '../base/clock.ts';
import type { Guide } from './guide.ts';

/** Seconds between removals, and from new events to a removal (a schedule holds the whole day). */
const pace = 60;
const delay = 3;

export class GuideExpiry {
  readonly #guide: Guide;
  readonly #clock: Clock;
  #regularly: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;

  constructor(guide: Guide, clock: Clock) {
    this.#guide = guide;
    this.#clock = clock;
  }

  start(): void {
    this.#regularly = setInterval(() => void this.#expire(), pace * 1000).unref();
  }

  stop(): void {
    clearInterval(this.#regularly);
    clearTimeout(this.#soon);
  }

  /** There are new events. */
  soon(): void {
    this.#soon ??= setTimeout(() => void this.#expire(), delay * 1000).unref();
  }

  async #expire(): Promise<void> {
    this.#soon = undefined;
    if (this.#clock.synchronised) await this.#guide.expire(this.#clock.now());
    // The broadcast may have added events meanwhile.
    this.#guide.notifyChange();
  }
}
