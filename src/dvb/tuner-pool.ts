/**
 * Leases the tuners to their users. All users of a multiplex share one tuner. A tuner runs while it is leased and for
 * `linger` milliseconds afterwards, so that the next viewer need not wait for it.
 *
 * A tuner is either a source of one multiplex (a file, the demo), which is known after the first run, or a front end,
 * which is tuned to a transponder of the service list. tuner-choice.ts decides who gets a front end if there are too
 * few.
 */
import type { UnixSeconds } from '../base/clock.ts';
import { fail } from '../base/errors.ts';
import { Listeners } from '../base/listeners.ts';
import type { AerialOf, FrontEnd, FrontEndInformation } from './front-end.ts';
import { noNumber, PoolTuner, TunerLease, type TunerUse } from './pool-tuner.ts';
import { frequencyText, isSameTransponder, type Transponder } from './transponder.ts';
import { type DvbTriplet, type PlacedService, tripletText } from './triplet.ts';
import type { BroadcastService, MultiplexInformation, Tuner, TunerEnd } from './tuner.ts';
import { chooseHandOver, chooseTuner, type Purpose } from './tuner-choice.ts';

export { PoolTuner, type TunerCondition, TunerLease, type TunerUse } from './pool-tuner.ts';
export type { Purpose } from './tuner-choice.ts';

export interface TunerPoolOptions {
  /** Milliseconds a tuner stays on after its last user has left. */
  readonly linger: number;
  /** Names a service in messages. Default: its identifiers. */
  readonly describe?: (service: DvbTriplet) => string;
  /** Returns the listed transponders that may carry a service. Default: none. */
  readonly transpondersOf?: (service: PlacedService) => readonly Transponder[];
  /**
   * Returns whether a multiplex with the identifiers of a service is the one where the service is listed; `unknown`
   * before its NIT. Default: `here`.
   */
  readonly placeOf?: (service: PlacedService, multiplex: MultiplexInformation) => 'here' | 'elsewhere' | 'unknown';
  /** Returns how a satellite socket is connected. Default: no socket is. */
  readonly aerialOf?: AerialOf;
  /** Used once no tuner of the pool is free. Default: none. */
  readonly others?: OtherReceivers;
}

/** Other receivers, which receive services for us: one stream for each. */
export interface OtherReceivers {
  /** Returns numbers of their tuners that may receive a service: other numbers than those of the pool. */
  receivers(service: DvbTriplet): readonly number[];
  /** Returns the service as one of them sends it now, or undefined. */
  receiving(service: DvbTriplet): FoundService | undefined;
  /** Returns a lease of a tuner that receives the service, why there is none, or undefined if none has the service. */
  tune(use: ServiceUse, options: TuneOptions): Promise<TunerLease | OthersRefusal | undefined>;
}

export interface OthersRefusal {
  readonly code: 'tuners-busy' | 'not-receivable';
  /** Text for users. */
  readonly why: string;
}

export interface TuneOptions {
  /** A lease that the user will give up for the new one: it does not count as a use. */
  readonly instead?: TunerLease | undefined;
  /** Only for tuners of this receiver: for another receiver, which could otherwise lend us what it gets from us. */
  readonly isForReceiver?: boolean;
}

export interface TuneToOptions extends TuneOptions {
  /** Wait for the signal, and try another front end without one. Default true. */
  readonly locked?: boolean;
  /** Which front ends may be used. Default all. */
  readonly among?: (tuner: PoolTuner) => boolean;
}

export interface FoundService {
  readonly tuner: PoolTuner;
  readonly broadcast: BroadcastService;
}

export class TunerPool {
  readonly #tuners: PoolTuner[] = [];
  /** Names a service in messages. */
  readonly describe: (service: DvbTriplet) => string;
  readonly #transpondersOf: (service: PlacedService) => readonly Transponder[];
  readonly #placeOf: NonNullable<TunerPoolOptions['placeOf']>;
  readonly #others: OtherReceivers | undefined;
  readonly #tunerOptions: { readonly linger: number; readonly aerialOf: AerialOf };
  #closed = false;
  /** The hand-overs in progress. */
  #handOvers: Promise<void> | undefined;

  readonly #times = new Listeners<[time: UnixSeconds, tuner: PoolTuner]>();
  readonly #guideUpdates = new Listeners<[]>();
  readonly #receptionChanges = new Listeners<[tuner: PoolTuner]>();
  readonly #uses = new Listeners<[tuner: PoolTuner]>();
  readonly #ends = new Listeners<[tuner: PoolTuner, end: TunerEnd]>();

  /** Notifies of the time in the broadcast. */
  readonly onTime = this.#times.add;
  /** Notifies, at most once a second for each tuner, that EIT sections went to the guide. */
  readonly onGuide = this.#guideUpdates.add;
  /** Notifies when the signal was found or lost. */
  readonly onReception = this.#receptionChanges.add;
  /** Notifies when a lease was added or released, or the tuner was switched off. */
  readonly onUse = this.#uses.add;
  readonly onEnded = this.#ends.add;

  constructor(tuners: readonly Tuner[], options: TunerPoolOptions) {
    this.describe = options.describe ?? tripletText;
    this.#transpondersOf = options.transpondersOf ?? (() => []);
    this.#placeOf = options.placeOf ?? (() => 'here');
    this.#others = options.others;
    this.#tunerOptions = { linger: options.linger, aerialOf: options.aerialOf ?? (() => undefined) };
    for (const tuner of tuners) this.add(tuner);
  }

  /** In the order of the configuration; those plugged in later follow. */
  get tuners(): readonly PoolTuner[] {
    return this.#tuners;
  }

  /** `frontEnd`: for a tuner in the network. */
  add(tuner: Tuner, frontEnd?: FrontEnd): void {
    const one = new PoolTuner(this.#tuners.length, tuner, this.#tunerOptions, frontEnd);
    this.#tuners.push(one);
    one.onUse(() => this.#uses.call(one));
    tuner.onTime((time) => this.#times.call(time, one));
    tuner.onGuide(() => this.#guideUpdates.call());
    tuner.onReception(() => this.#receptionChanges.call(one));
    tuner.onEnded((end) => this.#ends.call(one, end));
  }

  /** True if the pool has a tuner for this front end. */
  has({ adapter, frontend }: Pick<FrontEndInformation, 'adapter' | 'frontend'>): boolean {
    return this.tuners.some(({ device: one }) => one?.adapter === adapter && one.frontend === frontend);
  }

  /** Takes the front ends that the machine has now. Called at start, and after a device was plugged in or out. */
  updateFrontEnds(frontEnds: readonly FrontEndInformation[]): void {
    for (const { device } of this.tuners) device?.update(frontEnds);
  }

  /**
   * Leases a running tuner that carries the service, once the service's PMT has arrived.
   * @throws ReceiverError `not-receivable` if no tuner can receive its multiplex, `tuners-busy` if all that can have
   *   more important users, `service-not-found` if the multiplex no longer lists it, `no-signal` without a signal,
   *   `table-missing` if its PAT or PMT does not arrive in time.
   */
  async tune(
    service: PlacedService,
    purpose: Purpose,
    user: string,
    { instead, isForReceiver = false }: TuneOptions = {},
  ): Promise<TunerLease> {
    const use = { purpose, user, service };
    const elsewhere = new OtherReceiversRequest(isForReceiver ? undefined : this.#others, use, { instead });
    const seen = (multiplex: MultiplexInformation) =>
      find(multiplex, service)?.streams.length || isAbsent(multiplex, service);
    const lease = await this.#first(this.#serviceLeases(use, instead, elsewhere), async ({ pooled }) => {
      if (pooled.number === noNumber) return;
      await pooled.until(seen, { table: `PMT of ${this.describe(service)}` });
      if (!find(pooled.tuner.multiplex(), service)) throw fail('service-not-found', tripletText(service));
    });
    return lease ?? this.#refuse(this.#transpondersOf(service), this.describe(service), undefined, elsewhere.refusal);
  }

  /**
   * Leases a front end that is tuned to a transponder, listed or not, once the signal is locked.
   * @throws ReceiverError `not-receivable`, `tuners-busy`, `no-signal` as in `tune`
   */
  async tuneTo(
    transponder: Transponder,
    purpose: Purpose,
    user: string,
    { locked = true, ...options }: TuneToOptions = {},
  ): Promise<TunerLease> {
    const leases = this.#frontEndLeases({ purpose, user }, [transponder], options);
    const lease = await this.#first(leases, ({ pooled }) => (locked ? pooled.untilLocked() : pooled.untilStarted()));
    const what = `the transponder ${frequencyText(transponder.parameters)}`;
    return lease ?? this.#refuse([transponder], what, options.among);
  }

  /** Returns the first lease that becomes ready; undefined without any lease. @throws the last failure if none does */
  async #first(
    leases: AsyncGenerator<TunerLease>,
    ready: (lease: TunerLease) => Promise<void>,
  ): Promise<TunerLease | undefined> {
    let failure: unknown;
    for await (const lease of leases) {
      const { pooled, use } = lease;
      try {
        await ready(lease);
        if (lease.lost === undefined) return lease;
        failure = fail('tuners-busy', use.user, lease.lost);
      } catch (error) {
        const isLost = lease.lost !== undefined;
        // A scan expects frequencies without a signal: that is no failure of the tuner.
        if (!isLost && pooled.frontEnd && use.purpose !== 'scan') pooled.recordFailure();
        failure = isLost ? fail('tuners-busy', use.user, lease.lost ?? '') : error;
      }
      lease.release();
    }
    if (failure !== undefined) throw failure;
    return undefined;
  }

  /** Yields leases of suitable tuners one after the other, for as long as the caller asks for another. */
  async *#serviceLeases(
    use: ServiceUse,
    instead: TunerLease | undefined,
    elsewhere: OtherReceiversRequest,
  ): AsyncGenerator<TunerLease> {
    if (this.#closed) throw fail('not-allowed', 'tuning during shutdown');
    let failure: unknown;
    const sources = await this.#sourcesWith(use.service).catch((error: unknown) => {
      failure = error;
      return [];
    });
    for (const one of sources) yield one.lease(use);
    yield* this.#frontEndLeases(use, this.#transpondersOf(use.service), { instead, elsewhere });
    if (failure !== undefined && elsewhere.refusal === undefined) throw failure;
  }

  async *#frontEndLeases(
    use: TunerUse,
    transponders: readonly Transponder[],
    options: Pick<TuneToOptions, 'instead' | 'among'> & { readonly elsewhere?: OtherReceiversRequest },
  ): AsyncGenerator<TunerLease> {
    const { instead, among = () => true } = options;
    const untried = new Set(this.#frontEnds.filter(among));
    const movable = new Set(untried);
    let { elsewhere } = options;
    const given = (tuner: PoolTuner, { user, purpose } = use) => `${tuner.name} was given to '${user}' (${purpose})`;
    for (;;) {
      if (this.#closed) throw fail('not-allowed', 'tuning during shutdown');
      const { choice, isTaken } = withoutLease(instead, () => {
        const choice = chooseTuner([...untried], transponders, use.purpose);
        return { choice, isTaken: choice?.stopped.some(({ users }) => users.length > 0) };
      });
      if (choice === undefined) {
        const isFree = (tuner: PoolTuner) => untried.has(tuner) && movable.has(tuner);
        const move = withoutLease(instead, () => chooseHandOver(this.#frontEnds, transponders, use.purpose, isFree));
        // A hand-over in progress for another user may free a suitable tuner as well.
        if (move === undefined && this.#handOvers === undefined) {
          if (elsewhere !== undefined) yield* elsewhere.leases();
          return;
        }
        if (move !== undefined) {
          movable.delete(move.from);
          if (!isSameTransponder(move.to.tuned, move.from.tuned))
            move.to.revokeLeases(given(move.to, move.from.users[0]));
          this.#handOvers = Promise.all([this.#handOvers, move.from.handOver(move.to)]).then(() => undefined);
        }
        const handOvers = this.#handOvers;
        await handOvers;
        if (this.#handOvers === handOvers) this.#handOvers = undefined;
        continue;
      }
      const { tuner, transponder, stopped } = choice;
      if (elsewhere !== undefined && isTaken) {
        // Nobody loses a tuner while another receiver has a free one. Afterwards, choose again.
        yield* elsewhere.leases();
        elsewhere = undefined;
        continue;
      }
      const reason = given(tuner);
      const others = stopped.filter((other) => other !== tuner);
      if (others.length > 0) {
        await Promise.all(others.map((other) => other.revokeAndStop(reason)));
        // Choose again: other users may have tuned meanwhile.
        continue;
      }
      if (stopped.length > 0) tuner.revokeLeases(reason);
      untried.delete(tuner);
      yield tuner.lease(use, transponder);
    }
  }

  /**
   * Returns the sources with this multiplex, running ones first. If none is known, probes those not probed yet.
   * @throws ReceiverError `no-signal`, `table-missing` if none of the probed ones can be identified
   */
  async #sourcesWith(service: PlacedService): Promise<readonly PoolTuner[]> {
    const sources = this.#sources;
    const known = sources.filter((source) => this.#carries(source.tuner.multiplex(), service));
    if (known.length > 0) return known.sort((a, b) => Number(b.tuner.running) - Number(a.tuner.running));
    const unknown = sources.filter((one) => this.#mayCarry(one.tuner.multiplex(), service));
    const found: PoolTuner[] = [];
    const failures: unknown[] = [];
    await Promise.all(
      unknown.map(async (one) => {
        const lease = one.lease({ purpose: 'scan', user: 'service search' });
        try {
          await one.until((multiplex) => !this.#mayCarry(multiplex, service), {
            table: 'SDT or NIT, the name of its network',
          });
          if (this.#carries(one.tuner.multiplex(), service)) found.push(one);
        } catch (error) {
          // Another source may carry the multiplex.
          failures.push(error);
        } finally {
          lease.release();
        }
      }),
    );
    if (found.length === 0 && failures.length > 0 && sources.length === this.tuners.length) throw failures[0];
    return found;
  }

  /** Throws the reason why no tuner could be leased. */
  #refuse(
    transponders: readonly Transponder[],
    what: string,
    among: TuneToOptions['among'] = () => true,
    refusal?: OthersRefusal,
  ): never {
    const able = this.#ableTuners(transponders).filter(among);
    if (able.length === 0) throw fail(refusal?.code ?? 'not-receivable', what, refusal?.why ?? '');
    // An able tuner without users shares its cable, dish or adapter with a tuner in use.
    const holders = able.map(({ name, users: [first] }) =>
      first
        ? `${name} is used for '${first.user}' (${first.purpose})`
        : `${name} cannot tune there while the others are in use`,
    );
    throw fail('tuners-busy', what, [...holders, ...(refusal ? [refusal.why] : [])].join(', '));
  }

  /** Returns the service as a tuner last received it, or undefined. */
  find(service: PlacedService): FoundService | undefined {
    return this.#findOn(this.tuners, service) ?? this.#others?.receiving(service);
  }

  /** Returns the service as a tuner receives it now, or undefined. */
  receiving(service: PlacedService): FoundService | undefined {
    const isLocked = ({ tuner }: PoolTuner) => tuner.running && tuner.reception().state === 'locked';
    return this.#findOn(this.tuners.filter(isLocked), service) ?? this.#others?.receiving(service);
  }

  #findOn(tuners: readonly PoolTuner[], service: PlacedService): FoundService | undefined {
    for (const tuner of tuners) {
      const multiplex = tuner.tuner.multiplex();
      const broadcast = this.#carries(multiplex, service) ? find(multiplex, service) : undefined;
      if (broadcast) return { tuner, broadcast };
    }
    return undefined;
  }

  /**
   * Returns, without tuning, whether `tune` would attempt the service: a tuner carries its multiplex, or has not been
   * probed yet and might, or a front end is available. A service on the multiplex of `playing`, which is assumed to be
   * received already, can be received with it.
   */
  canReceive(service: PlacedService, playing?: PlacedService): boolean {
    const multiplexes = this.#sources.map(({ tuner }) => tuner.multiplex());
    const carriers = multiplexes.filter((multiplex) => this.#carries(multiplex, service));
    if (carriers.length > 0) return carriers.some((multiplex) => !isAbsent(multiplex, service));
    if (multiplexes.some((multiplex) => this.#mayCarry(multiplex, service))) return true;
    if (playing !== undefined && this.#isSameMultiplex(playing, service)) return true;
    if (this.#othersOf(service).length > 0) return true;
    const wanted = [this.#frontEnds, this.#transpondersOf(service), 'live'] as const;
    return (chooseTuner(...wanted) ?? chooseHandOver(...wanted)) !== undefined;
  }

  /**
   * Returns the numbers of the tuners that can receive a service, in use or not: front ends that reach its transponder,
   * and sources of its multiplex, or, if none is known to be one, those not probed yet.
   */
  receivers(service: PlacedService): readonly number[] {
    const carriers = this.#sources.filter(({ tuner }) => this.#carries(tuner.multiplex(), service));
    const able = [...carriers, ...this.#ableTuners(this.#transpondersOf(service))];
    const unknown = this.#sources.filter(({ tuner }) => this.#mayCarry(tuner.multiplex(), service));
    const others = this.#othersOf(service);
    return [...(able.length + others.length > 0 ? able : unknown).map(({ number }) => number), ...others];
  }

  #othersOf(service: PlacedService): readonly number[] {
    return this.#others?.receivers(service) ?? [];
  }

  /** Namespace of the transponder of a service; undefined if the service list has no transponder for it. */
  namespaceOf(service: PlacedService): number | undefined {
    return this.#transpondersOf(service)[0]?.namespace;
  }

  /** True if `tuner` cannot receive `one` while `otherTuner` receives `other`. */
  clashes(one: PlacedService, tuner: number, other: PlacedService, otherTuner: number): boolean {
    const [mine, its] = [this.tuners[tuner], this.tuners[otherTuner]];
    if (this.#isSameMultiplex(one, other)) return false;
    if (tuner !== otherTuner && (mine === undefined || its === undefined)) return false;
    if (mine === undefined || its === undefined || mine === its) return true;
    const [ours] = this.#transpondersOf(one).filter((transponder) => mine.canReceive(transponder));
    const [theirs] = this.#transpondersOf(other).filter((transponder) => its.canReceive(transponder));
    return ours !== undefined && theirs !== undefined && mine.clashes(ours, its, theirs);
  }

  /** Stops every tuner, used or not. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.tuners.map((one) => one.close()));
  }

  #carries(multiplex: MultiplexInformation, service: PlacedService): boolean {
    return carries(multiplex, service) && this.#placeOf(service, multiplex) === 'here';
  }

  #isSameMultiplex(one: PlacedService, other: PlacedService): boolean {
    if (!isSameMultiplex(one, other)) return false;
    const [its, others] = [this.#transpondersOf(one), this.#transpondersOf(other)];
    return its.length === 0 || its.some((transponder) => others.includes(transponder));
  }

  #mayCarry(multiplex: MultiplexInformation, service: PlacedService): boolean {
    if (carries(multiplex, service)) return this.#placeOf(service, multiplex) === 'unknown';
    return mayCarry(multiplex, service);
  }

  get #sources(): readonly PoolTuner[] {
    return this.tuners.filter(({ frontEnd }) => frontEnd === undefined);
  }

  get #frontEnds(): readonly PoolTuner[] {
    return this.tuners.filter(({ frontEnd }) => frontEnd !== undefined);
  }

  #ableTuners(transponders: readonly Transponder[]): readonly PoolTuner[] {
    return this.tuners.filter((tuner) => transponders.some((transponder) => tuner.canReceive(transponder)));
  }
}

/** Asks the other receivers for a service, once. */
class OtherReceiversRequest {
  readonly #others: OtherReceivers | undefined;
  readonly #use: ServiceUse;
  readonly #options: TuneOptions;
  /** Why they did not receive it; undefined if none has it. */
  refusal: OthersRefusal | undefined;

  constructor(others: OtherReceivers | undefined, use: ServiceUse, options: TuneOptions) {
    this.#others = others;
    this.#options = options;
    this.#use = use;
  }

  async *leases(): AsyncGenerator<TunerLease> {
    const answer = await this.#others?.tune(this.#use, this.#options);
    if (answer instanceof TunerLease) yield answer;
    else this.refusal = answer;
  }
}

export interface ServiceUse extends TunerUse {
  readonly service: PlacedService;
}

/** Calls `choose` with the lease not counting as a use. */
function withoutLease<Result>(lease: TunerLease | undefined, choose: () => Result): Result {
  if (lease === undefined) return choose();
  lease.yields = true;
  try {
    return choose();
  } finally {
    lease.yields = false;
  }
}

function find(multiplex: MultiplexInformation, service: DvbTriplet): BroadcastService | undefined {
  if (!carries(multiplex, service)) return undefined;
  return multiplex.services.find((one) => one.serviceId === service.serviceId && one.pmtPid !== 0);
}

/** True if the multiplex is fully known and the service is not on it, or its PAT does not list it. */
function isAbsent(multiplex: MultiplexInformation, service: DvbTriplet): boolean {
  if (multiplex.complete) return !find(multiplex, service);
  return multiplex.transportStreamId === service.transportStreamId && isUnlisted(multiplex, service);
}

function isUnlisted({ hasPat, services }: MultiplexInformation, { serviceId }: DvbTriplet): boolean {
  return hasPat && !services.some((service) => service.serviceId === serviceId && service.pmtPid !== 0);
}

/** True if it is not known yet: original_network_id comes with SDT or NIT, some seconds after the PAT. */
function mayCarry(multiplex: MultiplexInformation, service: DvbTriplet): boolean {
  const { transportStreamId, originalNetworkId } = multiplex;
  if (transportStreamId === null) return true;
  const isUndecided = originalNetworkId === null && service.originalNetworkId !== 0;
  return isUndecided && transportStreamId === service.transportStreamId && !isUnlisted(multiplex, service);
}

/**
 * A capture without SDT and NIT has no original network id: only its transport stream id is compared, with network 0.
 */
function carries(multiplex: MultiplexInformation, service: DvbTriplet): boolean {
  if (multiplex.transportStreamId !== service.transportStreamId) return false;
  return (multiplex.originalNetworkId ?? 0) === service.originalNetworkId;
}

function isSameMultiplex(one: DvbTriplet, other: DvbTriplet): boolean {
  return one.transportStreamId === other.transportStreamId && one.originalNetworkId === other.originalNetworkId;
}
