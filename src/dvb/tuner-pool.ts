/**
 * Hands out the tuners. All users of a multiplex share one tuner. A tuner runs while somebody holds a lease on it and a
 * little longer (`linger`), so that the next viewer need not wait for it; otherwise it costs nothing.
 *
 * `users` lists who uses a tuner and what for, for status pages.
 */
import { EventEmitter } from 'node:events';
import type { UnixSeconds } from '../clock.ts';
import { fail } from '../errors.ts';
import { type DvbTriplet, tripletText } from './triplet.ts';
import {
  type BroadcastService,
  formatTunerSpec,
  type MultiplexInformation,
  type Tuner,
  type TunerEnd,
} from './tuner.ts';

/** What a tuner is used for, the most important first. */
export type Purpose = (typeof purposes)[number];
const purposes = ['recording', 'live', 'timeshift', 'stream', 'scan', 'guide'] as const;

export interface TunerUse {
  readonly purpose: Purpose;
  /** The user, for people to read: a client's address, a timer's name. */
  readonly user: string;
  /** The service in use, if it is a single one. */
  readonly service?: DvbTriplet;
}

export interface TunerPoolEvents {
  multiplex: [tuner: PoolTuner];
  time: [time: UnixSeconds];
  /** EIT sections went to the guide; at most once a second for each tuner. */
  guide: [];
  ended: [tuner: PoolTuner, end: TunerEnd];
}

export interface TunerPoolOptions {
  /** Milliseconds a tuner stays on after its last user has left. */
  readonly linger: number;
  /** Names a service in messages. Default: its identifiers. */
  readonly describe?: (service: DvbTriplet) => string;
}

/**
 * Milliseconds until the first PAT and PMTs must arrive. TR 101 290 has them every 500 ms; a front end needs time to
 * lock.
 */
const acquisitionTime = 10_000;

export class TunerPool extends EventEmitter<TunerPoolEvents> {
  readonly tuners: readonly PoolTuner[];
  /** Names a service in messages. */
  readonly describe: (service: DvbTriplet) => string;

  constructor(tuners: readonly Tuner[], options: TunerPoolOptions) {
    super();
    this.describe = options.describe ?? tripletText;
    this.tuners = tuners.map((tuner, number) => new PoolTuner(number, tuner, options.linger));
    for (const one of this.tuners) {
      one.tuner.on('multiplex', () => this.emit('multiplex', one));
      one.tuner.on('time', (time) => this.emit('time', time));
      one.tuner.on('guide', () => this.emit('guide'));
      one.tuner.on('ended', (end) => this.emit('ended', one, end));
    }
  }

  /**
   * Leases a running tuner that carries the service, once the service's PMT has arrived.
   * @throws ReceiverError `not-receivable` if no tuner carries its multiplex, `service-not-found` if the multiplex no
   *   longer lists it, `no-signal` if nothing arrives in time.
   */
  async tune(service: DvbTriplet, purpose: Purpose, user: string): Promise<TunerLease> {
    for (const one of await this.#candidates(service)) {
      const lease = one.lease({ purpose, user, service });
      try {
        await one.until((multiplex) => find(multiplex, service)?.streams.length || absent(multiplex, service));
        if (find(one.tuner.multiplex(), service)) return lease;
      } catch (error) {
        lease.release();
        throw error;
      }
      lease.release();
    }
    throw fail('service-not-found', tripletText(service));
  }

  /** Returns the service as a tuner last received it, or undefined. */
  find(service: DvbTriplet): { readonly tuner: PoolTuner; readonly broadcast: BroadcastService } | undefined {
    for (const tuner of this.tuners) {
      const broadcast = find(tuner.tuner.multiplex(), service);
      if (broadcast) return { tuner, broadcast };
    }
    return undefined;
  }

  /**
   * Tells, without tuning, whether `tune` would attempt the service: a tuner carries its multiplex, or has not been
   * probed yet and might. A service on the multiplex of `playing`, which is assumed to be received already, can be
   * received with it.
   */
  canReceive(service: DvbTriplet, playing?: DvbTriplet): boolean {
    const multiplexes = this.tuners.map(({ tuner }) => tuner.multiplex());
    const carriers = multiplexes.filter((multiplex) => carries(multiplex, service));
    if (carriers.length > 0) return carriers.some((multiplex) => !absent(multiplex, service));
    return (
      multiplexes.some(({ transportStreamId }) => transportStreamId === null) ||
      (playing !== undefined && isSameMultiplex(playing, service))
    );
  }

  /**
   * Returns the numbers of the tuners that carry the multiplex of a service, used or not. If none is known to carry it,
   * those of the tuners not probed yet.
   */
  receivers(service: DvbTriplet): readonly number[] {
    const numbers = (of: (multiplex: MultiplexInformation) => boolean) =>
      this.tuners.filter(({ tuner }) => of(tuner.multiplex())).map(({ number }) => number);
    const carriers = numbers((multiplex) => carries(multiplex, service));
    return carriers.length > 0 ? carriers : numbers(({ transportStreamId }) => transportStreamId === null);
  }

  /** Stops every tuner, used or not. */
  async close(): Promise<void> {
    await Promise.all(this.tuners.map((one) => one.close()));
  }

  /** Returns the tuners with this multiplex, running ones first. If none is known, probes the tuners not probed yet. */
  async #candidates(service: DvbTriplet): Promise<PoolTuner[]> {
    const known = this.tuners.filter((one) => carries(one.tuner.multiplex(), service));
    if (known.length > 0) return known.sort((a, b) => Number(b.tuner.running) - Number(a.tuner.running));
    const unknown = this.tuners.filter((one) => one.tuner.multiplex().transportStreamId === null);
    const found: PoolTuner[] = [];
    const failures: unknown[] = [];
    await Promise.all(
      unknown.map(async (one) => {
        const lease = one.lease({ purpose: 'scan', user: 'service search' });
        try {
          await one.until((multiplex) => multiplex.transportStreamId !== null);
          if (carries(one.tuner.multiplex(), service)) found.push(one);
        } catch (error) {
          // Another tuner may have it.
          failures.push(error);
        } finally {
          lease.release();
        }
      }),
    );
    if (found.length > 0) return found;
    throw failures[0] ?? fail('not-receivable', this.describe(service));
  }
}

/** One tuner of the pool, with its users. */
export class PoolTuner {
  /** From 0: the order of the configuration. */
  readonly number: number;
  readonly tuner: Tuner;
  readonly #linger: number;
  readonly #leases = new Set<TunerLease>();
  #off: NodeJS.Timeout | undefined;
  /** The stop in progress: anything opened before it is done would end with it. */
  #stopping: Promise<void> | undefined;

  constructor(number: number, tuner: Tuner, linger: number) {
    this.number = number;
    this.tuner = tuner;
    this.#linger = linger;
  }

  /** Tuner A, Tuner B, ... as Enigma2 counts them. */
  get name(): string {
    return `Tuner ${String.fromCharCode(65 + this.number)}`;
  }

  /** Its source as in the configuration: `demo`, `file:PATH`. */
  get source(): string {
    return formatTunerSpec(this.tuner.spec);
  }

  /** Users by importance; for one purpose, the longest-running first. */
  get users(): readonly TunerUse[] {
    const uses = [...this.#leases].map((lease) => lease.use);
    return uses.sort((a, b) => purposes.indexOf(a.purpose) - purposes.indexOf(b.purpose));
  }

  /** Leases the tuner; starts it if it was off. */
  lease(use: TunerUse): TunerLease {
    clearTimeout(this.#off);
    const lease = new TunerLease(this, use, () => this.#release(lease));
    this.#leases.add(lease);
    this.tuner.start();
    return lease;
  }

  /**
   * Resolves as soon as `seen` holds for the multiplex. @throws ReceiverError `no-signal` after ten seconds, or if the
   * source ends.
   */
  async until(seen: (multiplex: MultiplexInformation) => unknown, milliseconds = acquisitionTime): Promise<void> {
    await this.#stopping;
    if (seen(this.tuner.multiplex())) return;
    await new Promise<void>((resolve, reject) => {
      const done = (error?: Error) => {
        clearTimeout(limit);
        this.tuner.off('multiplex', check);
        this.tuner.off('ended', over);
        if (error) reject(error);
        else resolve();
      };
      const check = () => {
        if (seen(this.tuner.multiplex())) done();
      };
      const over = (end: TunerEnd) =>
        done(fail('no-signal', `${this.source}${end.reason === 'failed' ? ` (${end.message})` : ''}`));
      const limit = setTimeout(() => done(fail('no-signal', this.source)), milliseconds);
      this.tuner.on('multiplex', check);
      this.tuner.on('ended', over);
    });
  }

  /** Switches the tuner off for good, used or not. */
  async close(): Promise<void> {
    clearTimeout(this.#off);
    this.#leases.clear();
    await this.#stop();
  }

  #stop(): Promise<void> {
    this.#stopping ??= this.tuner.stop().then(() => {
      this.#stopping = undefined;
    });
    return this.#stopping;
  }

  #release(lease: TunerLease): void {
    if (!this.#leases.delete(lease) || this.#leases.size > 0) return;
    this.#off = setTimeout(() => void this.#stop(), this.#linger);
    this.#off.unref();
  }
}

/** The right to use a running tuner, until `release()`. */
export class TunerLease {
  readonly pooled: PoolTuner;
  readonly use: TunerUse;
  readonly #release: () => void;

  constructor(pooled: PoolTuner, use: TunerUse, release: () => void) {
    this.pooled = pooled;
    this.use = use;
    this.#release = release;
  }

  get tuner(): Tuner {
    return this.pooled.tuner;
  }

  /** Returns the tuner; calling it again does nothing. */
  release(): void {
    this.#release();
  }
}

function find(multiplex: MultiplexInformation, service: DvbTriplet): BroadcastService | undefined {
  if (!carries(multiplex, service)) return undefined;
  return multiplex.services.find((one) => one.serviceId === service.serviceId && one.pmtPid !== 0);
}

/** True if the multiplex is fully known and the service is not on it. */
function absent(multiplex: MultiplexInformation, service: DvbTriplet): boolean {
  return multiplex.complete && !find(multiplex, service);
}

/** A capture without SDT and NIT has no original network id; the transport stream id alone has to do. */
function carries(multiplex: MultiplexInformation, service: DvbTriplet): boolean {
  if (multiplex.transportStreamId !== service.transportStreamId) return false;
  return (multiplex.originalNetworkId ?? 0) === service.originalNetworkId;
}

function isSameMultiplex(one: DvbTriplet, other: DvbTriplet): boolean {
  return one.transportStreamId === other.transportStreamId && one.originalNetworkId === other.originalNetworkId;
}
