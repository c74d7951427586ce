/**
 * Scans the multiplexes of file and demo tuners at start, and adds new services to the lists.
 *
 * A multiplex is complete once its PAT, all PMTs and its SDT have arrived. Captures often lack some of these tables, so
 * a multiplex also counts as final once its capture was played completely, or after some time without a change. If it
 * has no service information at all, the services with guide data are used instead.
 */
import { setMaxListeners } from 'node:events';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { Listeners } from '../base/listeners.ts';
import { ownCommand } from '../base/own-command.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { type DvbTriplet, tripletKey } from '../dvb/triplet.ts';
import type { BroadcastService, MultiplexInformation } from '../dvb/tuner.ts';
import type { PoolTuner, TunerPool } from '../dvb/tuner-pool.ts';
import type { Services } from '../services/services.ts';
import { ServiceScan } from './service-scan.ts';

/** `new`: only multiplexes with no service in the list; `always`: all; `never`: none. */
export type ScanPolicy = 'new' | 'always' | 'never';

/**
 * Milliseconds without a change before an incomplete multiplex counts as final (a NIT is sent every 10 s, TR 101 211
 * §4.4).
 */
const settleTimeMs = 10_000;
/** Milliseconds that an otherwise complete multiplex waits for its NIT. */
const nitTimeoutMs = 2500;
/** Milliseconds to the first data. */
const acquisitionTimeoutMs = 15_000;
/** Seconds between scans that find nothing; doubled each time, up to the maximum. */
const initialPauseSeconds = 15;
const maxPauseSeconds = 900;
/** Seconds after which the clock is read again while waiting, since it may have been set. */
const clockCheckIntervalSeconds = 60;

/** Result of the scan of a tuner. */
interface TunerScan {
  /** Its services are in the list. */
  readonly isListed: boolean;
  /** Resolves when data from late tables is listed as well; the tuner is held until then. */
  readonly late?: Promise<void> | undefined;
  /** The multiplex, if it was listed before and has therefore not been merged. */
  readonly known?: MultiplexInformation;
}

export class ServiceScanner {
  readonly #pool: TunerPool;
  readonly #services: Services;
  readonly #scan: ServiceScan;
  readonly #log: Logger;
  readonly #stopped = new AbortController();
  readonly #filled = new Listeners<[]>();
  /**
   * Calls `listener` at each scan once the services of all tuners are in the lists; the names of services on other
   * multiplexes may follow.
   */
  readonly onFilled = this.#filled.add;
  #running: Promise<unknown> | undefined;
  /** The repetition of scans that find nothing, while it runs. */
  #repeating: Promise<void> | undefined;

  constructor(parts: {
    readonly pool: TunerPool;
    readonly services: Services;
    readonly log: Logger;
  }) {
    this.#pool = parts.pool;
    this.#services = parts.services;
    this.#scan = new ServiceScan(parts.services);
    this.#log = parts.log;
    // Unlimited: the scan of each tuner adds a listener.
    setMaxListeners(0, this.#stopped.signal);
  }

  /**
   * Scans every source. Resolves when the lists are saved. Failures are only logged: the receiver works without
   * services.
   */
  async run(policy: ScanPolicy): Promise<void> {
    if (policy !== 'never') await this.#scanAll(this.#sources, policy);
  }

  get #sources(): readonly PoolTuner[] {
    return this.#pool.tuners.filter(({ frontEnd }) => frontEnd === undefined);
  }

  async #scanAll(sources: readonly PoolTuner[], policy: ScanPolicy): Promise<readonly PoolTuner[]> {
    const scan = this.#scanTuners(sources, policy);
    this.#running = scan;
    return scan;
  }

  /** Scans in parallel, starting in time slices. Resolves to the tuners without services. */
  async #scanTuners(sources: readonly PoolTuner[], policy: ScanPolicy): Promise<readonly PoolTuner[]> {
    const slice = new TimeSlice();
    const scans: Promise<TunerScan>[] = [];
    for (const tuner of sources) {
      // Switching a tuner on takes milliseconds.
      if (scans.length > 0 && slice.isOver) await slice.next();
      if (!this.#stopped.signal.aborted) scans.push(this.#scanTuner(tuner, policy));
    }
    const results = await Promise.all(scans);
    await this.#mergeFeeds(results.flatMap(({ known }) => known ?? []));
    this.#filled.call();
    await Promise.all(results.map(({ late }) => late));
    return sources.filter((_, n) => !results[n]?.isListed);
  }

  /** Merges those of the known multiplexes that turned out to be feeds when others had been received after them. */
  async #mergeFeeds(known: readonly MultiplexInformation[]): Promise<void> {
    const feeds = known.filter((multiplex) => this.#scan.isFeed(multiplex) && !this.#scan.isListed(multiplex));
    if (feeds.length === 0 || this.#stopped.signal.aborted) return;
    await this.#services.editAndSave(() => {
      for (const multiplex of feeds) this.#scan.merge(multiplex, { settled: true, others: othersOf(multiplex) });
    });
  }

  /**
   * Like `run`, but repeats the scan of tuners without services: the antenna may not be connected yet, or the source
   * not running. No tuner is held between scans. Resolves once all tuners have services, when the list has services
   * although no tuner has any, or when stopped.
   */
  async runUntilFound(policy: ScanPolicy, clock: Clock): Promise<void> {
    if (policy === 'never') return;
    this.#repeating = this.#repeatUntilFound(policy, clock);
    await this.#repeating;
  }

  async #repeatUntilFound(policy: ScanPolicy, clock: Clock): Promise<void> {
    const { signal } = this.#stopped;
    const all = this.#sources;
    let unfound = all;
    const isOver = () =>
      signal.aborted || unfound.length === 0 || (unfound.length === all.length && this.#services.size > 0);
    for (let pause = initialPauseSeconds; ; pause = Math.min(pause * 2, maxPauseSeconds)) {
      unfound = await this.#scanAll(unfound, policy);
      if (isOver()) return;
      await pauseByClock(clock, pause, signal);
      if (isOver()) return;
    }
  }

  /**
   * Stops the scans in progress and saves nothing more: a partly listed multiplex would count as known and never be
   * scanned again.
   */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
    await this.#repeating;
  }

  async #scanTuner(tuner: PoolTuner, policy: ScanPolicy): Promise<TunerScan> {
    const lease = tuner.lease({ purpose: 'scan', user: 'service scan' });
    const growing = this.#mergeGrowing(tuner, policy);
    const end = () => {
      growing.end();
      lease.release();
    };
    let late: Promise<void> | undefined;
    const failed = (error: unknown) =>
      this.#log.error(error, `${tuner.name}: the service scan failed; the next start repeats it`);
    try {
      const multiplex = await settledMultiplex(tuner, this.#stopped.signal);
      const isKnown = growing.known();
      if (this.#stopped.signal.aborted || isKnown) return { isListed: isKnown, known: multiplex };
      const whole = withGuideServices(multiplex);
      if (whole.services.length === 0) {
        this.#log.warn(
          { tuner: tuner.name },
          `no services were found; check its source or signal: ${ownCommand('scan --tuner SPEC')}`,
        );
        return { isListed: false };
      }
      const others = othersOf(whole);
      await this.#services.editAndSave(() => this.#scan.merge(whole, { settled: true, others }));
      const { length: services } = whole.services;
      this.#log.info({ tuner: tuner.name, services, others: others.length }, 'services scanned');
      const isWhole = hasSource(multiplex) && multiplex.otherServices.length === 0;
      if (!isWhole) late = this.#complete(tuner).catch(failed).finally(end);
    } catch (error) {
      failed(error);
    } finally {
      if (late === undefined) end();
    }
    return { isListed: true, late };
  }

  /** Merges reliable data as soon as it arrives, unless the policy excludes this multiplex. */
  #mergeGrowing({ tuner }: PoolTuner, policy: ScanPolicy): { known(): boolean; end(): void } {
    let known: boolean | undefined;
    const look = () => {
      const multiplex = tuner.multiplex();
      if (multiplex.services.length === 0) return;
      known ??= policy === 'new' && this.#known(multiplex);
      // The NIT may reveal that it is another multiplex with the same identifiers.
      if (known && this.#scan.isFeed(multiplex)) known = false;
      if (known) this.#scan.recordListed(multiplex);
      if (!known) this.#scan.merge(multiplex);
    };
    const end = tuner.onMultiplex(look);
    look();
    return { known: () => known === true, end };
  }

  /**
   * Waits for late tables: the NIT, which determines the namespace in the references, and the SDT with the names of
   * services on other multiplexes.
   */
  async #complete(tuner: PoolTuner): Promise<void> {
    const judge = (now: MultiplexInformation) =>
      now.exhausted || (hasSource(now) && now.otherServices.length === 0) ? 'done' : settleTimeMs;
    const multiplex = await watchMultiplex(tuner, settleTimeMs, judge, this.#stopped.signal);
    if (this.#stopped.signal.aborted) return;
    await this.#services.editAndSave(() => this.#scan.merge(multiplex, { settled: true, others: othersOf(multiplex) }));
  }

  #known({ services }: MultiplexInformation): boolean {
    return services.some((service) => this.#services.hasOwn(service));
  }
}

/**
 * Resolves after these seconds by the clock, when the clock is set back before their start, or when the signal aborts.
 */
async function pauseByClock(clock: Clock, seconds: number, signal: AbortSignal): Promise<void> {
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
      const timer = setTimeout(done, Math.min(left, clockCheckIntervalSeconds) * 1000);
      timer.unref();
      signal.addEventListener('abort', done);
    });
  }
}

/** Returns the multiplex, with the services of its guide data if its tables list none. */
function withGuideServices(multiplex: MultiplexInformation): MultiplexInformation {
  if (multiplex.services.length > 0) return multiplex;
  return { ...multiplex, services: multiplex.guideServices.map(guideOnly), complete: true };
}

/** Returns services of other multiplexes: those with a name, or all with guide data if no SDT names any. */
function othersOf({ services, otherServices, guideServices }: MultiplexInformation): readonly BroadcastService[] {
  if ([...services, ...otherServices].some((service) => service.described)) return otherServices;
  const listed = new Set(services.map(tripletKey));
  return guideServices.filter((service) => !listed.has(tripletKey(service))).map(guideOnly);
}

/** Returns a service that is known from guide data only. */
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
    minorNumber: null,
    sourceId: 0,
    simulcastNumber: null,
    visible: true,
    subServices: [],
  };
}

/** True once a NIT has the namespace of this multiplex. */
export function hasSource({ transportStreams, transportStreamId, originalNetworkId }: MultiplexInformation): boolean {
  return transportStreams.some((stream) => {
    const isThis = stream.transportStreamId === transportStreamId && stream.originalNetworkId === originalNetworkId;
    return isThis && stream.namespace !== null;
  });
}

/**
 * Resolves to the multiplex when it is complete (with its NIT, or some time later without), when its source has nothing
 * more, or when it has not changed for some time. `withOthers`: also waits some time for the SDT of other multiplexes, if the
 * NIT lists any.
 */
export async function settledMultiplex(
  tuner: PoolTuner,
  stopped?: AbortSignal,
  { withOthers = false }: { readonly withOthers?: boolean } = {},
): Promise<MultiplexInformation> {
  const judge = (now: MultiplexInformation) => {
    if (now.exhausted) return 'done';
    if (!now.complete) return settleTimeMs;
    const mayName = withOthers && now.transportStreams.length > 1 && now.otherServices.length === 0;
    return hasSource(now) && !mayName ? 'done' : nitTimeoutMs;
  };
  return watchMultiplex(tuner, acquisitionTimeoutMs, judge, stopped);
}

/**
 * Watches the state of a multiplex. For each state, `judge` returns `done` or the milliseconds to wait for the next
 * one; `timeoutMs` is the wait for the first. Resolves to the last state, also when the tuner ends or the receiver
 * stops.
 */
export async function watchMultiplex(
  { tuner }: PoolTuner,
  timeoutMs: number,
  judge: (now: MultiplexInformation) => 'done' | number,
  stopped?: AbortSignal,
): Promise<MultiplexInformation> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      for (const remove of listeners) remove();
      stopped?.removeEventListener('abort', done);
      resolve(tuner.multiplex());
    };
    let timer = setTimeout(done, timeoutMs);
    let before = '';
    const look = () => {
      // A new generation may differ only in irrelevant data, as often as every second: a TOT with a moving time of
      // change.
      const { generation: _, ...content } = tuner.multiplex();
      const seen = JSON.stringify(content);
      if (seen === before) return;
      before = seen;
      const verdict = judge(tuner.multiplex());
      clearTimeout(timer);
      if (verdict === 'done') done();
      else timer = setTimeout(done, verdict);
    };
    const listeners = [tuner.onMultiplex(look), tuner.onEnded(done)];
    stopped?.addEventListener('abort', done);
    if (stopped?.aborted) done();
    else if (tuner.multiplex().generation > 0) look();
  });
}
