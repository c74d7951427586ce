/** One tuner of the pool, with its users. */
import { fail } from '../base/errors.ts';
import { Listeners } from '../base/listeners.ts';
import type { Reception } from '../base/native.ts';
import { type AerialOf, DeviceFrontEnd, type FrontEnd } from './front-end.ts';
import { isSameTransponder, type Transponder } from './transponder.ts';
import type { DvbTriplet } from './triplet.ts';
import { formatTunerSpec, type MultiplexInformation, type Tuner, type TunerEnd } from './tuner.ts';
import { type Choosable, type Purpose, purposes } from './tuner-choice.ts';

export interface TunerUse {
  readonly purpose: Purpose;
  /** The user, as text for messages: a client's address, a timer's name. */
  readonly user: string;
  /** The service in use, if it is a single one. */
  readonly service?: DvbTriplet;
}

/** Whether a tuner is in use and receives. `reason` says why it does not, or why its last attempt failed. */
export interface TunerCondition {
  readonly state: 'idle' | Reception['state'];
  readonly reason: string;
  /** Seconds in this state; undefined if it never ran. */
  readonly ageSeconds: number | undefined;
}

/** Milliseconds from the lock to the first PMT; half of that to the PAT. TR 101 290 repeats both every 500 ms. */
const acquisitionTimeoutMs = 10_000;
/**
 * Milliseconds that a tuner is avoided after its first failure. Each further failure doubles them, up to the maximum.
 */
const initialAvoidanceMs = 5000;
const maxAvoidanceMs = 300_000;
/** Milliseconds before a user whose hand-over failed is moved again. */
const handOverRetryDelayMs = 300_000;

/** The number of a tuner that belongs to one network stream. */
export const noNumber = -1;

export class PoolTuner implements Choosable {
  /** From 0, in the order of the configuration; `noNumber` for a tuner outside it. */
  readonly number: number;
  readonly tuner: Tuner;
  /** Undefined for a source of one multiplex: a file, the demo. */
  readonly frontEnd: FrontEnd | undefined;
  readonly #linger: number;
  readonly #leases = new Set<TunerLease>();
  #transponder: Transponder | undefined;
  /** The transponder of the last tuning order, from which the state of dish and switches follows. */
  #previous: Transponder | undefined;
  #offTimer: NodeJS.Timeout | undefined;
  /** The stop in progress: streams opened before it is done would end with it. */
  #stopping: Promise<void> | undefined;
  readonly #used = new Listeners<[]>();
  /** Calls `listener` after a lease was added or released, and after the tuner was switched off. */
  readonly onUse = this.#used.add;
  #failures = 0;
  #avoidedUntil = 0;
  #isMoving = false;
  #trouble = '';
  /** When it last failed, by `performance.now()`. */
  #failedAt = 0;

  /** `frontEnd`: for a tuner in the network. The front end of a local device is created here. */
  constructor(
    number: number,
    tuner: Tuner,
    { linger, aerialOf }: { linger: number; aerialOf: AerialOf },
    frontEnd?: FrontEnd,
  ) {
    this.number = number;
    this.tuner = tuner;
    this.frontEnd = tuner.spec.kind === 'dvb' ? new DeviceFrontEnd(tuner.spec, aerialOf) : frontEnd;
    this.#linger = linger;
    tuner.onReception(() => {
      if (tuner.reception().state === 'locked') this.#failures = this.#avoidedUntil = 0;
    });
    tuner.onEnded((end) => this.#ended(end));
  }

  /** Its front end, if it is a device of this machine. */
  get device(): DeviceFrontEnd | undefined {
    return this.frontEnd instanceof DeviceFrontEnd ? this.frontEnd : undefined;
  }

  /** True for a tuner of a SAT>IP server or an HDHomeRun. */
  get isInNetwork(): boolean {
    return this.tuner.spec.kind === 'satip' || this.tuner.spec.kind === 'hdhomerun';
  }

  /** Tuner A, Tuner B, ... as Enigma2 counts them; without a number, the source. */
  get name(): string {
    if (this.number === noNumber) return this.source;
    return `Tuner ${String.fromCharCode(65 + this.number)}`;
  }

  /** Its source as in the configuration: `demo`, `file:PATH`. */
  get source(): string {
    return formatTunerSpec(this.tuner.spec);
  }

  /** Users, the most important first; users with the same purpose in the order of their arrival. */
  get users(): readonly TunerUse[] {
    const uses = [...this.#leases].filter(({ yields }) => !yields).map(({ use }) => use);
    return uses.sort((a, b) => purposes.indexOf(a.purpose) - purposes.indexOf(b.purpose));
  }

  /** Users who cannot move to another tuner without a gap: all of them while a hand-over is in progress. */
  get immovableUsers(): readonly TunerUse[] {
    if (this.#isMoving) return this.users;
    const movable = new Set(this.#movable.map(({ use }) => use));
    return this.users.filter((use) => !movable.has(use));
  }

  get #movable(): readonly TunerLease[] {
    return [...this.#leases].filter(
      (lease) => lease.handOver !== undefined && lease.immovableUntil <= performance.now(),
    );
  }

  /** The transponder of a running front end. */
  get tuned(): Transponder | undefined {
    return this.tuner.running ? this.#transponder : undefined;
  }

  get condition(): TunerCondition {
    if (this.tuner.running) return this.tuner.reception();
    const trouble = this.#isFoundAgain ? '' : this.#trouble;
    return { state: 'idle', reason: trouble || (this.frontEnd?.trouble ?? ''), ageSeconds: undefined };
  }

  get avoided(): boolean {
    return performance.now() < this.#avoidedUntil && !this.#isFoundAgain;
  }

  /** Whether its server has answered a search since the tuner failed. */
  get #isFoundAgain(): boolean {
    return (this.frontEnd?.foundAt ?? 0) > this.#failedAt;
  }

  get ability(): number {
    return this.frontEnd?.ability ?? 0;
  }

  canReceive({ parameters }: Transponder): boolean {
    return this.frontEnd?.canReceive(parameters) === true;
  }

  clashes(own: Transponder, other: PoolTuner, its: Transponder): boolean {
    if (this === other) return !isSameTransponder(own, its);
    if (this.frontEnd === undefined || other.frontEnd === undefined) return false;
    return this.frontEnd.clashes(own.parameters, other.frontEnd, its.parameters);
  }

  /**
   * Leases the tuner; starts it if it was off. A front end is tuned to the transponder unless it already is. Revoke the
   * leases of other users before.
   */
  lease(use: TunerUse, transponder?: Transponder): TunerLease {
    clearTimeout(this.#offTimer);
    const lease = new TunerLease(this, use, () => this.#release(lease));
    this.#leases.add(lease);
    if (this.frontEnd === undefined) this.#start();
    else if (transponder && !this.#receives(transponder)) this.#tune(this.frontEnd, transponder);
    this.#used.call();
    return lease;
  }

  /**
   * True if the tuner needs no new order for this transponder: it is tuned to it, and not being stopped. An only user
   * who arrives while the tuner waits to retry a lost signal does start it, so that it retries at once.
   */
  #receives(transponder: Transponder): boolean {
    if (this.#stopping !== undefined || !isSameTransponder(this.tuned, transponder)) return false;
    return this.#leases.size > 1 || this.tuner.reception().state !== 'lost';
  }

  /** Revokes all leases, with the reason as text for users. */
  revokeLeases(reason: string): void {
    for (const lease of [...this.#leases]) {
      this.#leases.delete(lease);
      lease.revoke(reason);
    }
    this.#used.call();
  }

  /**
   * Moves the movable users to `other` without a gap. A user whose hand-over fails stays, and is left alone for a
   * while.
   */
  async handOver(other: PoolTuner): Promise<void> {
    this.#isMoving = true;
    try {
      await this.#handOver(other);
    } finally {
      this.#isMoving = false;
    }
  }

  async #handOver(other: PoolTuner): Promise<void> {
    const transponder = this.tuned;
    const leases = this.#movable;
    const next = leases.map(({ use }) => other.lease(use, transponder));
    // Users without a single service need only the multiplex.
    const isThere = ({ services, transportStreamId }: MultiplexInformation) =>
      leases.every(({ use: { service } }) =>
        service === undefined
          ? transportStreamId !== null
          : services.some(({ serviceId, streams }) => serviceId === service.serviceId && streams.length > 0),
      );
    const ready = other.until(isThere).then(
      () => true,
      () => {
        other.recordFailure();
        return false;
      },
    );
    const lost = next.map((one) => new Promise<boolean>((resolve) => one.onLost(() => resolve(false))));
    const isReady = await Promise.race([ready, ...lost]);
    await Promise.all(
      next.map(async (one, n) => {
        const before = leases[n];
        if (isReady && one.lost === undefined && (await before?.handOver?.(one).catch(() => false))) return;
        if (before) before.immovableUntil = performance.now() + handOverRetryDelayMs;
        one.release();
      }),
    );
  }

  /** Revokes all leases and stops, in favour of another tuner that shares the cable or the adapter. */
  async revokeAndStop(reason: string): Promise<void> {
    clearTimeout(this.#offTimer);
    this.revokeLeases(reason);
    await this.#stop();
  }

  /**
   * Resolves as soon as `seen` holds for the multiplex. `table` names the awaited table, for the error message.
   * @throws ReceiverError `no-signal` without a signal or when the source ends, `table-missing` when it does not arrive
   */
  async until(
    seen: (multiplex: MultiplexInformation) => unknown,
    { table = 'PMT', timeoutMs = acquisitionTimeoutMs } = {},
  ): Promise<void> {
    await this.#wait((tuner) => seen(tuner.multiplex()), table, timeoutMs);
  }

  /** Resolves as soon as the signal is locked. @throws ReceiverError `no-signal` */
  async untilLocked(): Promise<void> {
    await this.#wait((tuner) => tuner.reception().state === 'locked', '', acquisitionTimeoutMs);
  }

  /** Resolves when streams can be opened: after a stop in progress, if the tuner is to start again. */
  async untilStarted(): Promise<void> {
    await this.#stopping;
  }

  async #wait(holds: (tuner: Tuner) => unknown, table: string, timeoutMs: number): Promise<void> {
    await this.#stopping;
    const { tuner } = this;
    if (holds(tuner)) return;
    await new Promise<void>((resolve, reject) => {
      let timeouts: readonly NodeJS.Timeout[] | undefined;
      const done = (error?: Error) => {
        timeouts?.forEach(clearTimeout);
        for (const remove of listeners) remove();
        if (error) reject(error);
        else resolve();
      };
      const refuse = (why: string) => done(fail('no-signal', `${this.source}${why === '' ? '' : ` (${why})`}`));
      const over = (end: TunerEnd) => refuse(end.reason === 'failed' ? end.message : '');
      const miss = (what: string) => done(fail('table-missing', this.source, what));
      const missPat = () => {
        if (!tuner.multiplex().hasPat) miss('PAT, the list of its services');
      };
      const check = () => {
        if (holds(tuner)) return done();
        const { state, reason, ageSeconds } = tuner.reception();
        if (state === 'lost') refuse(reason);
        if (state !== 'locked') return;
        const patTimeoutMs = timeoutMs / 2 - ageSeconds * 1000;
        timeouts ??= [setTimeout(missPat, patTimeoutMs), setTimeout(() => miss(table), timeoutMs)];
      };
      const listeners = [tuner.onMultiplex(check), tuner.onReception(check), tuner.onEnded(over)];
      check();
    });
  }

  /** Records a failure: other tuners are preferred for a while. */
  recordFailure(): void {
    const avoidanceMs = Math.min(initialAvoidanceMs * 2 ** this.#failures, maxAvoidanceMs);
    this.#failures++;
    this.#failedAt = performance.now();
    this.#avoidedUntil = performance.now() + avoidanceMs;
  }

  /** Switches the tuner off for good, used or not. */
  async close(): Promise<void> {
    clearTimeout(this.#offTimer);
    this.#leases.clear();
    await this.#stop();
  }

  #start(): void {
    this.#trouble = '';
    this.tuner.start();
  }

  #tune(frontEnd: FrontEnd, transponder: Transponder): void {
    this.#transponder = transponder;
    this.#trouble = '';
    this.tuner.start(frontEnd.orderFor(transponder.parameters, this.#previous?.parameters));
    this.#previous = transponder;
  }

  #ended(end: TunerEnd): void {
    if (end.reason !== 'failed') return;
    this.#trouble = end.message;
    if (this.frontEnd === undefined) return;
    this.recordFailure();
    this.revokeLeases(`${this.name} has failed: ${end.message}`);
  }

  #stop(): Promise<void> {
    // Called although a stop may be in progress: it cancels a start that was to follow that stop.
    const stopped = this.tuner.stop();
    this.#stopping ??= stopped.then(() => {
      this.#stopping = undefined;
      this.#used.call();
    });
    return this.#stopping;
  }

  #release(lease: TunerLease): void {
    if (!this.#leases.delete(lease)) return;
    this.#used.call();
    if (this.#leases.size > 0) return;
    this.#offTimer = setTimeout(() => void this.#stop(), this.#linger);
    this.#offTimer.unref();
  }
}

/** Permits the use of a running tuner, until `release()` or until the tuner goes to a more important user. */
export class TunerLease {
  readonly pooled: PoolTuner;
  readonly use: TunerUse;
  /** service_id of the service in use, as the tuner receives it; 0 if the lease is not for a single service. */
  serviceId: number;
  readonly #release: () => void;
  /** True while its user looks for another tuner: the lease then does not count as a use. */
  yields = false;
  /** Set by a user who can move to another lease without a gap; resolves to whether it has moved. */
  handOver: ((next: TunerLease) => Promise<boolean>) | undefined;
  /** After a failed hand-over, the time (`performance.now()`) before which the user is not moved again. */
  immovableUntil = 0;
  readonly #listeners = new Listeners<[reason: string]>();
  #lost: string | undefined;

  constructor(pooled: PoolTuner, use: TunerUse, release: () => void) {
    this.pooled = pooled;
    this.use = use;
    this.serviceId = use.service?.serviceId ?? 0;
    this.#release = release;
  }

  get tuner(): Tuner {
    return this.pooled.tuner;
  }

  /** Why the lease was revoked, as text for users; undefined while it is valid. */
  get lost(): string | undefined {
    return this.#lost;
  }

  /** Calls `listener` when the lease is revoked. Its streams end as well. */
  onLost(listener: (reason: string) => void): void {
    this.#listeners.add(listener);
  }

  /** Called by `PoolTuner`. */
  revoke(reason: string): void {
    this.#lost = reason;
    this.#listeners.call(reason);
  }

  /** Gives the tuner back. Further calls do nothing. */
  release(): void {
    this.#release();
  }
}
