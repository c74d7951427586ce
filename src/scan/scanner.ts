/**
 * Scans what the tuners carry and adds new services to the lists.
 *
 * A multiplex is complete once its PAT, all PMTs and its SDT have arrived. Captures often lack some of them for good,
 * so one that has been played once, or without news for a while, counts as it is. If it has no service information at
 * all, the services with guide data are used instead.
 */
import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { Listeners } from '../base/listeners.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { type DvbTriplet, tripletKey } from '../dvb/triplet.ts';
import type { BroadcastService, MultiplexInformation } from '../dvb/tuner.ts';
import type { PoolTuner, TunerPool } from '../dvb/tuner-pool.ts';
import type { Services } from '../services/services.ts';
import { ServiceScan } from './scan-merge.ts';

/** `new`: only multiplexes with no service in the list; `always`: all; `never`: none. */
export type ScanPolicy = 'new' | 'always' | 'never';

/**
 * Milliseconds without a change after which an incomplete multiplex counts as it is (a NIT comes every 10 s, TR 101 211
 * §4.4).
 */
const settlingTime = 10_000;
/** Milliseconds that an otherwise complete multiplex waits for its NIT before it is shown. */
const networkTime = 2500;
/** Milliseconds until any data at all must arrive. */
const acquisitionTime = 15_000;
/** Seconds between scans that find nothing; they double each time. */
const firstPause = 15;
const longestPause = 900;
/** Seconds after which the clock is read again, since it may be set meanwhile. */
const clockPace = 60;

/** What the scan of a tuner has brought. */
interface Look {
  readonly isListed: boolean;
  /** Resolves when what comes late is listed as well. Until then it holds the tuner. */
  readonly late?: Promise<void> | undefined;
}

export class ServiceScanner {
  readonly #pool: TunerPool;
  readonly #services: Services;
  readonly #scan: ServiceScan;
  readonly #log: Logger;
  readonly #stopped = new AbortController();
  readonly #filled = new Listeners<[]>();
  /**
   * Calls `listener` at each scan once what every tuner carries is in the lists; the names of services on other
   * multiplexes may follow.
   */
  readonly onFilled = this.#filled.add;
  #running: Promise<unknown> | undefined;
  /** Set while scans that find nothing are repeated. */
  #trying: Promise<void> | undefined;

  constructor(parts: {
    readonly pool: TunerPool;
    readonly services: Services;
    readonly log: Logger;
  }) {
    this.#pool = parts.pool;
    this.#services = parts.services;
    this.#scan = new ServiceScan(parts.services);
    this.#log = parts.log;
    // Each tuner's scan listens.
    setMaxListeners(0, this.#stopped.signal);
  }

  /**
   * Scans every tuner. Resolves when the lists are written. Logs failures: a receiver still serves without reception.
   */
  async run(policy: ScanPolicy): Promise<void> {
    if (policy !== 'never') await this.#scanAll(this.#sources, policy);
  }

  get #sources(): readonly PoolTuner[] {
    return this.#pool.tuners.filter(({ frontEnd }) => frontEnd === undefined);
  }

  async #scanAll(sources: readonly PoolTuner[], policy: ScanPolicy): Promise<readonly PoolTuner[]> {
    const scan = this.#lookAll(sources, policy);
    this.#running = scan;
    return scan;
  }

  /** Begins in turns: to switch one on takes milliseconds. Resolves with the tuners that have brought nothing. */
  async #lookAll(sources: readonly PoolTuner[], policy: ScanPolicy): Promise<readonly PoolTuner[]> {
    const slice = new TimeSlice();
    const looks: Promise<Look>[] = [];
    for (const one of sources) {
      if (looks.length > 0 && slice.isOver) await slice.next();
      if (!this.#stopped.signal.aborted) looks.push(this.#look(one, policy));
    }
    const seen = await Promise.all(looks);
    this.#filled.call();
    await Promise.all(seen.map(({ late }) => late));
    return sources.filter((_, n) => !seen[n]?.isListed);
  }

  /**
   * Like `run`, but repeats the scan of tuners that bring nothing: the aerial may not be connected yet, or the source
   * not running. No tuner is held between scans. Resolves once all have brought something, when the list has services
   * although none has, or when stopped.
   */
  async runUntilFound(policy: ScanPolicy, clock: Clock): Promise<void> {
    if (policy === 'never') return;
    this.#trying = this.#tryUntilFound(policy, clock);
    await this.#trying;
  }

  async #tryUntilFound(policy: ScanPolicy, clock: Clock): Promise<void> {
    const { signal } = this.#stopped;
    const all = this.#sources;
    let left = all;
    const isOver = () => signal.aborted || left.length === 0 || (left.length === all.length && this.#services.size > 0);
    for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
      left = await this.#scanAll(left, policy);
      if (isOver()) return;
      await passed(clock, pause, signal);
      if (isOver()) return;
    }
  }

  /**
   * Stops the scans in progress and writes nothing more: a multiplex half in the lists would count as known, and never
   * be scanned again.
   */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
    await this.#trying;
  }

  async #look(one: PoolTuner, policy: ScanPolicy): Promise<Look> {
    const lease = one.lease({ purpose: 'scan', user: 'service scan' });
    const growing = this.#growing(one, policy);
    const end = () => {
      growing.end();
      lease.release();
    };
    let late: Promise<void> | undefined;
    const failed = (error: unknown) =>
      this.#log.error(error, `${one.name}: the service scan failed; the next start repeats it`);
    try {
      const multiplex = await settled(one, this.#stopped.signal);
      const isKnown = growing.known();
      if (this.#stopped.signal.aborted || isKnown) return { isListed: isKnown };
      const whole = withGuideServices(multiplex);
      if (whole.services.length === 0) {
        this.#log.warn(
          { tuner: one.name },
          'no services were found; check its source or signal: receiverd scan --tuner',
        );
        return { isListed: false };
      }
      const others = othersOf(whole);
      await this.#services.editAndSave(() => this.#scan.merge(whole, { settled: true, others }));
      const { length: services } = whole.services;
      this.#log.info({ tuner: one.name, services, others: others.length }, 'services scanned');
      const isWhole = hasSource(multiplex) && multiplex.otherServices.length === 0;
      if (!isWhole) late = this.#complete(one).catch(failed).finally(end);
    } catch (error) {
      failed(error);
    } finally {
      if (late === undefined) end();
    }
    return { isListed: true, late };
  }

  /** Merges certain data as soon as it arrives, unless the policy leaves this multiplex alone. */
  #growing({ tuner }: PoolTuner, policy: ScanPolicy): { known(): boolean; end(): void } {
    let known: boolean | undefined;
    const look = () => {
      const multiplex = tuner.multiplex();
      if (multiplex.services.length === 0) return;
      known ??= policy === 'new' && this.#known(multiplex);
      // Once its NIT has come, it may turn out to be another one with the same identifiers.
      if (known && this.#scan.isFeed(multiplex)) known = false;
      if (!known) this.#scan.merge(multiplex);
    };
    tuner.on('multiplex', look);
    look();
    return { known: () => known === true, end: () => tuner.off('multiplex', look) };
  }

  /**
   * Waits for late tables: a NIT, which says where the services are from and thus is part of their references, and the
   * names of services on other multiplexes.
   */
  async #complete(one: PoolTuner): Promise<void> {
    const judge = (now: MultiplexInformation) =>
      now.exhausted || (hasSource(now) && now.otherServices.length === 0) ? 'done' : settlingTime;
    const multiplex = await picture(one, settlingTime, judge, this.#stopped.signal);
    if (this.#stopped.signal.aborted) return;
    await this.#services.editAndSave(() => this.#scan.merge(multiplex, { settled: true, others: othersOf(multiplex) }));
  }

  #known({ services }: MultiplexInformation): boolean {
    return services.some((service) => this.#services.findByTriplet(service) !== undefined);
  }
}

/** Resolves after the given seconds of the clock, when it is set back beyond their start, or when the signal aborts. */
async function passed(clock: Clock, seconds: number, signal: AbortSignal): Promise<void> {
  const begin = clock.now();
  for (;;) {
    const now = clock.now();
    const left = begin + seconds - now;
    if (signal.aborted || left <= 0 || now < begin) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(left, clockPace) * 1000);
      timer.unref();
      signal.addEventListener('abort', done);
    });
  }
}

/** The multiplex with the services of its guide data if it lists none itself. */
function withGuideServices(multiplex: MultiplexInformation): MultiplexInformation {
  if (multiplex.services.length > 0) return multiplex;
  return { ...multiplex, services: multiplex.guideServices.map(guideOnly), complete: true };
}

/** Services of other multiplexes with guide data: those with a name, or all if no SDT names any. */
function othersOf({ services, otherServices, guideServices }: MultiplexInformation): readonly BroadcastService[] {
  if ([...services, ...otherServices].some((service) => service.described)) return otherServices;
  const listed = new Set(services.map(tripletKey));
  return guideServices.filter((service) => !listed.has(tripletKey(service))).map(guideOnly);
}

/** A service of which only guide data is known. */
function guideOnly({ originalNetworkId, transportStreamId, serviceId }: DvbTriplet): BroadcastService {
  return {
    originalNetworkId,
    transportStreamId,
    serviceId,
    shortName: '',
    described: false,
    hasPresentFollowing: true,
    hasSchedule: true,
    defaultAuthority: '',
    name: '',
    provider: '',
    type: 1,
    scrambled: false,
    runningStatus: 0,
    pmtPid: 0,
    pcrPid: 0x1fff,
    caSystems: [],
    streams: [],
    channelNumber: null,
    simulcastNumber: null,
    visible: true,
    subServices: [],
  };
}

/** True once a NIT has given the source of this multiplex. */
export function hasSource({ transportStreams, transportStreamId, originalNetworkId }: MultiplexInformation): boolean {
  return transportStreams.some((stream) => {
    const isThis = stream.transportStreamId === transportStreamId && stream.originalNetworkId === originalNetworkId;
    return isThis && stream.namespace !== null;
  });
}

/**
 * Resolves with the multiplex when it is complete, with or shortly after its NIT, when its source has nothing more, or
 * when it has not changed for a while.
 */
export async function settled(one: PoolTuner, stopped?: AbortSignal): Promise<MultiplexInformation> {
  const judge = (now: MultiplexInformation) => {
    if (now.exhausted) return 'done';
    if (!now.complete) return settlingTime;
    return hasSource(now) ? 'done' : networkTime;
  };
  return picture(one, acquisitionTime, judge, stopped);
}

/**
 * Watches the state of a multiplex. For each state, `judge` returns `done` or the milliseconds to wait for the next.
 * Resolves with the last state, also when the tuner ends, the time is up or the receiver stops.
 */
export async function picture(
  { tuner }: PoolTuner,
  milliseconds: number,
  judge: (now: MultiplexInformation) => 'done' | number,
  stopped?: AbortSignal,
): Promise<MultiplexInformation> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(limit);
      tuner.off('multiplex', look);
      tuner.off('ended', done);
      stopped?.removeEventListener('abort', done);
      resolve(tuner.multiplex());
    };
    let limit = setTimeout(done, milliseconds);
    let before = '';
    const look = () => {
      // A new generation may differ only in irrelevant data, as often as every second: a TOT whose time of change
      // moves.
      const { generation: _, ...content } = tuner.multiplex();
      const seen = JSON.stringify(content);
      if (seen === before) return;
      before = seen;
      const verdict = judge(tuner.multiplex());
      clearTimeout(limit);
      if (verdict === 'done') done();
      else limit = setTimeout(done, verdict);
    };
    tuner.on('multiplex', look);
    tuner.on('ended', done);
    stopped?.addEventListener('abort', done);
    if (stopped?.aborted) done();
    else if (tuner.multiplex().generation > 0) look();
  });
}
