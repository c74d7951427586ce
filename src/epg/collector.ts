/**
 * Collects the guide: at start and then at intervals, switches each tuner on until its carousels have brought nothing
 * new for a while. A multiplex tuned by viewers or recordings fills the guide anyway, so a busy tuner costs nothing
 * more.
 */
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { PoolTuner, TunerPool } from '../dvb/tuner-pool.ts';
import type { Guide } from './guide.ts';

export interface CollectorOptions {
  /** Seconds between the starts of two rounds. */
  readonly every: number;
  /**
   * Milliseconds without new data after which a multiplex counts as collected. Default: the repetition rate of a
   * schedule, 30 s.
   */
  readonly quiet?: number;
  /** Milliseconds after which a round leaves a multiplex regardless. Default: the slowest carousels, 5 min. */
  readonly limit?: number;
}

/** Milliseconds between checks of the progress. */
const pace = 1000;

export class GuideCollector {
  readonly #pool: TunerPool;
  readonly #guide: Guide;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #options: Required<CollectorOptions>;
  #timer: NodeJS.Timeout | undefined;
  #stopped = new AbortController();
  #round: Promise<void> | undefined;

  constructor(
    parts: { readonly pool: TunerPool; readonly guide: Guide; readonly clock: Clock; readonly log: Logger },
    options: CollectorOptions,
  ) {
    this.#pool = parts.pool;
    this.#guide = parts.guide;
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.#options = { quiet: 30_000, limit: 300_000, ...options };
  }

  /** Starts a round now and repeats it until `stop()`. */
  start(): void {
    if (this.#timer) return;
    this.#stopped = new AbortController();
    const begin = () => {
      this.#round ??= this.#collect().finally(() => {
        this.#round = undefined;
      });
    };
    this.#timer = setInterval(begin, this.#options.every * 1000);
    this.#timer.unref();
    begin();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stopped.abort();
    await this.#round;
  }

  async #collect(): Promise<void> {
    const sources = this.#pool.tuners.filter(({ frontEnd }) => frontEnd === undefined);
    await Promise.all(sources.map((one) => this.#gather(one)));
  }

  async #gather(one: PoolTuner): Promise<void> {
    const lease = one.lease({ purpose: 'guide', user: 'guide collection' });
    const over = new Promise<void>((resolve) => one.tuner.once('ended', () => resolve()));
    try {
      let before = await this.#received();
      let quiet = 0;
      for (let waited = 0; waited < this.#options.limit && quiet < this.#options.quiet; waited += pace) {
        if (!(await this.#wait(over))) break;
        const now = await this.#received();
        quiet = now === before && this.#clock.synchronised ? quiet + pace : 0;
        before = now;
      }
      const { events, services } = await this.#guide.statistics();
      this.#log.info({ tuner: one.name, events, services }, 'guide collected');
    } catch (error) {
      this.#log.error(error, 'guide collection failed');
    } finally {
      lease.release();
    }
  }

  /** Returns the number of sections that changed the guide. */
  async #received(): Promise<number> {
    return (await this.#guide.statistics()).sections.applied;
  }

  /** Waits one step. Resolves to false if the receiver stops or the tuner's input has ended. */
  async #wait(over: Promise<void>): Promise<boolean> {
    const { signal } = this.#stopped;
    if (signal.aborted) return false;
    return new Promise((resolve) => {
      const timer = setTimeout(() => done(true), pace);
      const done = (goOn: boolean) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
        resolve(goOn);
      };
      const stop = () => done(false);
      signal.addEventListener('abort', stop);
      void over.then(stop);
    });
  }
}
