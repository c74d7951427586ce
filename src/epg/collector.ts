/**
 * Collects the guide with tuners that nobody uses: at the start, and then whenever data is old. Front ends go from
 * transponder to transponder (guide-plan.ts); a source of one multiplex is switched on. A visit ends as soon as
 * everything that the multiplex has announced has arrived, or somebody else needs the tuner. What viewers and
 * recordings receive fills the guide anyway, and counts.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { ReceiverError } from '../base/errors.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { frequencyText, type Transponder } from '../dvb/transponder.ts';
import type { PoolTuner, TunerLease, TunerPool } from '../dvb/tuner-pool.ts';
import { GuidePlan, isWhole } from './guide-plan.ts';

export interface CollectorOptions {
  /** Seconds after which data is old. */
  readonly every: number;
  /** Milliseconds without anything new after which a visit ends. Default: the repetition of a schedule, 30 s. */
  readonly quiet?: number;
  /** Milliseconds after which a visit ends regardless. Default: the slowest carousels, 5 min. */
  readonly limit?: number;
}

interface CollectorParts {
  readonly pool: TunerPool;
  readonly clock: Clock;
  readonly log: Logger;
  /** The transponders whose services are of interest. */
  readonly transponders: () => readonly Transponder[];
}

/** Milliseconds between two looks at what is due, and at the progress of a visit. */
const roundPace = 60_000;
const visitPace = 1000;
/** Milliseconds that what has arrived is everything, before it counts as such: another service may follow. */
const settling = 5000;

export class GuideCollector {
  readonly #parts: CollectorParts;
  readonly #options: Required<CollectorOptions>;
  readonly #plan: GuidePlan;
  /** When a source was last visited. */
  readonly #sources = new Map<PoolTuner, number>();
  #stopped = new AbortController();
  /** When a visit last ended with something, by `performance.now()`. */
  #collected: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;

  constructor(parts: CollectorParts, options: CollectorOptions) {
    this.#parts = parts;
    this.#options = { quiet: 30_000, limit: 300_000, ...options };
    this.#plan = new GuidePlan(options.every);
  }

  /** Starts collecting now, and goes on until `stop()`. */
  start(): void {
    if (this.#timer) return;
    this.#stopped = new AbortController();
    // Each visit listens.
    setMaxListeners(0, this.#stopped.signal);
    const begin = () => {
      this.#round ??= this.#collect().finally(() => {
        this.#round = undefined;
      });
    };
    this.#timer = setInterval(begin, roundPace);
    this.#timer.unref();
    begin();
  }

  /** Seconds since the last collection; undefined before the first. */
  get age(): number | undefined {
    return this.#collected === undefined ? undefined : (performance.now() - this.#collected) / 1000;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stopped.abort();
    await this.#round;
  }

  async #collect(): Promise<void> {
    const { pool, clock, transponders, log } = this.#parts;
    for (const { tuner } of pool.tuners) if (tuner.running) this.#plan.note(tuner.guideProgress(), clock.now());
    const sources = pool.tuners.filter(({ frontEnd }) => frontEnd === undefined).filter((one) => this.#isDue(one));
    const frontEnds = pool.tuners.filter(({ frontEnd }) => frontEnd !== undefined);
    const due = frontEnds.length > 0 ? [...this.#plan.due(transponders(), clock.now())] : [];
    // As many at once as there are front ends; each takes the next.
    const failed = (error: unknown) => log.error(error, 'guide collection failed; retrying in a minute');
    const visits = frontEnds.map(() => this.#visitAll(due).catch(failed));
    // To switch one on takes milliseconds.
    const slice = new TimeSlice();
    for (const one of sources) {
      if (slice.isOver) await slice.next();
      if (!this.#stopped.signal.aborted) visits.push(this.#visitSource(one).catch(failed));
    }
    await Promise.all(visits);
  }

  #isDue(source: PoolTuner): boolean {
    const last = this.#sources.get(source);
    return last === undefined || performance.now() - last >= this.#options.every * 1000;
  }

  async #visitSource(source: PoolTuner): Promise<void> {
    this.#sources.set(source, performance.now());
    await this.#visit(source.lease({ purpose: 'guide', user: 'guide collection' }));
  }

  /** Visits one after the other until none is left, or no tuner is free. */
  async #visitAll(due: Transponder[]): Promise<void> {
    const { pool, clock, log } = this.#parts;
    for (let next = due.shift(); next !== undefined && !this.#stopped.signal.aborted; next = due.shift()) {
      // Another visit may have brought it.
      if (this.#plan.due([next], clock.now()).length === 0) continue;
      try {
        const lease = await pool.tuneTo(next, 'guide', 'guide collection');
        const isWhole = await this.#visit(lease);
        if (isWhole || lease.lost === undefined) this.#plan.visited(next, clock.now());
      } catch (error) {
        if (!(error instanceof ReceiverError)) throw error;
        if (error.code === 'tuners-busy') return;
        log.debug(`guide collection: ${error.message}`);
        this.#plan.visited(next, clock.now());
      }
    }
  }

  /** Stays until everything has arrived, and returns true, or until there is a reason to leave. */
  async #visit(lease: TunerLease): Promise<boolean> {
    const { clock, log } = this.#parts;
    const { quiet, limit } = this.#options;
    const { tuner, pooled } = lease;
    const left = new AbortController();
    const leave = () => left.abort();
    tuner.once('ended', leave);
    lease.onLost(leave);
    this.#stopped.signal.addEventListener('abort', leave);
    const begin = performance.now();
    let [before, changed] = ['', begin];
    try {
      for (;;) {
        const now = performance.now();
        const progress = tuner.guideProgress();
        const text = JSON.stringify(progress);
        // Until the clock is right, what has ended is not known.
        if (text !== before || !clock.synchronised) [before, changed] = [text, now];
        const whole = isWhole(progress) && now - changed >= settling;
        if (left.signal.aborted || whole || now - changed >= quiet || now - begin >= limit) {
          this.#plan.note(progress, clock.now());
          if (progress.length > 0) this.#collected = now;
          const seconds = Math.round((changed - begin) / 1000);
          const transponder = pooled.tuned && frequencyText(pooled.tuned.parameters);
          log.info({ tuner: pooled.name, transponder, streams: progress.length, whole, seconds }, 'guide collected');
          return whole;
        }
        await pause(visitPace, undefined, { signal: left.signal, ref: false }).catch(() => undefined);
      }
    } finally {
      tuner.off('ended', leave);
      this.#stopped.signal.removeEventListener('abort', leave);
      lease.release();
    }
  }
}
