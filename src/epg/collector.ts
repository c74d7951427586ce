/**
 * Collects the guide with idle tuners, at the start and then whenever data is old. Front ends visit one transponder
 * after another (guide-plan.ts); a source of a single multiplex is switched on. A visit ends when all tables that the
 * multiplex announces have arrived, or when another user needs the tuner. Data received for viewers and recordings
 * fills the guide as well, and counts as collected.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { ReceiverError } from '../base/errors.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { frequencyText, type Transponder } from '../dvb/transponder.ts';
import type { PoolTuner, TunerLease, TunerPool } from '../dvb/tuner-pool.ts';
import { GuidePlan, isComplete } from './guide-plan.ts';

export interface CollectorOptions {
  /** Seconds after which data is collected again. */
  readonly maxAgeSeconds: number;
  /** Milliseconds without new data after which a visit ends. Default: 30 s, in which a schedule is repeated. */
  readonly quietMs?: number;
  /** Milliseconds after which a visit ends in any case. Default: 5 min, for the slowest carousels. */
  readonly maxVisitMs?: number;
}

interface CollectorParts {
  readonly pool: TunerPool;
  readonly clock: Clock;
  readonly log: Logger;
  /** The transponders of listed services. */
  readonly transponders: () => readonly Transponder[];
}

/** Milliseconds between two checks for transponders that are due, and for the progress of a visit. */
const roundIntervalMs = 60_000;
const visitCheckIntervalMs = 1000;
/** Milliseconds for which everything announced must have arrived before a visit ends: another service may follow. */
const settleMs = 5000;

export class GuideCollector {
  readonly #parts: CollectorParts;
  readonly #options: Required<CollectorOptions>;
  readonly #plan: GuidePlan;
  /** When a source was last visited, by `performance.now()`. */
  readonly #sources = new Map<PoolTuner, number>();
  /** Captures that carry a time, or have been reported because they carry none. */
  readonly #judged = new WeakSet<PoolTuner>();
  #stopped = new AbortController();
  /** When a visit last ended with data, by `performance.now()`. */
  #collectedAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;

  constructor(parts: CollectorParts, options: CollectorOptions) {
    this.#parts = parts;
    this.#options = { quietMs: 30_000, maxVisitMs: 300_000, ...options };
    this.#plan = new GuidePlan(options.maxAgeSeconds);
  }

  /** Starts collecting; continues until `stop()`. */
  start(): void {
    if (this.#timer) return;
    this.#stopped = new AbortController();
    // Each visit adds a listener.
    setMaxListeners(0, this.#stopped.signal);
    const begin = () => {
      this.#round ??= this.#collect().finally(() => {
        this.#round = undefined;
      });
    };
    this.#timer = setInterval(begin, roundIntervalMs);
    this.#timer.unref();
    begin();
  }

  /** Seconds since data was last collected; undefined before the first time. */
  get age(): number | undefined {
    return this.#collectedAt === undefined ? undefined : (performance.now() - this.#collectedAt) / 1000;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stopped.abort();
    await this.#round;
  }

  async #collect(): Promise<void> {
    const { pool, clock, transponders, log } = this.#parts;
    for (const { tuner } of pool.tuners)
      if (tuner.running) this.#plan.recordProgress(tuner.guideProgress(), clock.now());
    const sources = pool.tuners
      .filter(({ frontEnd }) => frontEnd === undefined)
      .filter((source) => this.#isDue(source));
    const frontEnds = pool.tuners.filter(({ frontEnd }) => frontEnd !== undefined);
    const due = frontEnds.length > 0 ? [...this.#plan.due(transponders(), clock.now())] : [];
    // The front ends work in parallel; each takes the next transponder.
    const failed = (error: unknown) => log.error(error, 'guide collection failed; retrying in a minute');
    const visits = frontEnds.map(() => this.#visitAll(due).catch(failed));
    // Switching on a source takes milliseconds.
    const slice = new TimeSlice();
    for (const source of sources) {
      if (slice.isOver) await slice.next();
      if (!this.#stopped.signal.aborted) visits.push(this.#visitSource(source).catch(failed));
    }
    await Promise.all(visits);
  }

  #isDue(source: PoolTuner): boolean {
    const last = this.#sources.get(source);
    return last === undefined || performance.now() - last >= this.#options.maxAgeSeconds * 1000;
  }

  async #visitSource(source: PoolTuner): Promise<void> {
    this.#sources.set(source, performance.now());
    await this.#visit(source.lease({ purpose: 'guide', user: 'guide collection' }));
  }

  /** Visits transponders one after another until none is left, or no tuner is free. */
  async #visitAll(due: Transponder[]): Promise<void> {
    const { pool, clock, log } = this.#parts;
    for (let next = due.shift(); next !== undefined && !this.#stopped.signal.aborted; next = due.shift()) {
      // Another visit may have collected its data.
      if (this.#plan.due([next], clock.now()).length === 0) continue;
      try {
        const lease = await pool.tuneTo(next, 'guide', 'guide collection');
        const hasAll = await this.#visit(lease);
        if (hasAll || lease.lost === undefined) this.#plan.recordVisit(next, clock.now());
      } catch (error) {
        if (!(error instanceof ReceiverError)) throw error;
        if (error.code === 'tuners-busy') return;
        log.debug(`guide collection: ${error.message}`);
        this.#plan.recordVisit(next, clock.now());
      }
    }
  }

  /** Waits until everything announced has arrived, and returns true; returns false if the visit ends earlier. */
  async #visit(lease: TunerLease): Promise<boolean> {
    const { clock, log } = this.#parts;
    const { quietMs, maxVisitMs } = this.#options;
    const { tuner, pooled } = lease;
    const left = new AbortController();
    const leave = () => left.abort();
    const stopWatching = tuner.onEnded(leave);
    if (pooled.tuner.spec.kind !== 'file') this.#judged.add(pooled);
    const stopListening = tuner.onTime(() => void this.#judged.add(pooled));
    lease.onLost(leave);
    this.#stopped.signal.addEventListener('abort', leave);
    const begin = performance.now();
    let [before, changed, wasExhausted] = ['', begin, false];
    try {
      for (;;) {
        const now = performance.now();
        const progress = tuner.guideProgress();
        const text = JSON.stringify(progress);
        // Until the time is known, it is unknown which events have ended.
        if (text !== before || !clock.synchronised) [before, changed] = [text, now];
        // A time in the last packets is reported a moment after them.
        if (!this.#judged.has(pooled) && (wasExhausted || now - begin >= quietMs)) {
          this.#judged.add(pooled);
          log.warn(
            `${pooled.source} carries no time (TDT, TOT or STT): by the clock of this machine, events of an old capture are over, and its guide stays empty`,
          );
        }
        wasExhausted = tuner.multiplex().exhausted;
        const whole = isComplete(progress) && now - changed >= settleMs;
        if (left.signal.aborted || whole || now - changed >= quietMs || now - begin >= maxVisitMs) {
          this.#plan.recordProgress(progress, clock.now());
          if (progress.length > 0) this.#collectedAt = now;
          const seconds = Math.round((changed - begin) / 1000);
          const transponder = pooled.tuned && frequencyText(pooled.tuned.parameters);
          log.info({ tuner: pooled.name, transponder, streams: progress.length, whole, seconds }, 'guide collected');
          return whole;
        }
        await pause(visitCheckIntervalMs, undefined, { signal: left.signal, ref: false }).catch(() => undefined);
      }
    } finally {
      stopWatching();
      stopListening();
      this.#stopped.signal.removeEventListener('abort', leave);
      lease.release();
    }
  }
}
