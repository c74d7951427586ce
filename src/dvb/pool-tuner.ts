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
  /** The user, for people to read: a client's address, a timer's name. */
  readonly user: string;
  /** The service in use, if it is a single one. */
  readonly service?: DvbTriplet;
}

/** Whether a tuner is in use and receives. `reason`: why it does not, or did not the last time. */
export interface TunerCondition {
  readonly state: 'idle' | Reception['state'];
  readonly reason: string;
  /** Seconds in this state; undefined if it never ran. */
  readonly age: number | undefined;
}

/** Milliseconds from the lock to the first PMTs, and half of them to the PAT. TR 101 290 has both every 500 ms. */
const acquisitionTime = 10_000;
/** Milliseconds that a tuner is avoided after a failure; they double with each further one. */
const firstAvoided = 5000;
const longestAvoided = 300_000;
/** Milliseconds that a user is left in peace who could not go over to another tuner. */
const boundTime = 300_000;

/** Of a tuner that belongs to one network stream. */
export const noNumber = -1;

export class PoolTuner implements Choosable {
  /** From 0: the order of the configuration; `noNumber` for one that is not in it. */
  readonly number: number;
  readonly tuner: Tuner;
  /** Undefined for a source of one multiplex: a file, the demo. */
  readonly frontEnd: FrontEnd | undefined;
  readonly #linger: number;
  readonly #leases = new Set<TunerLease>();
  #transponder: Transponder | undefined;
  /** What the dish was moved for last. */
  #previous: Transponder | undefined;
  #off: NodeJS.Timeout | undefined;
  /** The stop in progress: anything opened before it is done would end with it. */
  #stopping: Promise<void> | undefined;
  readonly #used = new Listeners<[]>();
  /** Calls `listener` when somebody has begun or ceased to use the tuner, and when it was switched off. */
  readonly onUse = this.#used.add;
  #failures = 0;
  #avoidedUntil = 0;
  #isMoving = false;
  #trouble = '';

  /** `frontEnd`: in the network; one of this machine is found by the tuner. */
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
    tuner.on('reception', () => {
      if (tuner.reception().state === 'locked') this.#failures = this.#avoidedUntil = 0;
    });
    tuner.on('ended', (end) => this.#ended(end));
  }

  /** Its front end, if that is one of this machine. */
  get device(): DeviceFrontEnd | undefined {
    return this.frontEnd instanceof DeviceFrontEnd ? this.frontEnd : undefined;
  }

  /** It belongs to a server. */
  get isInNetwork(): boolean {
    return this.tuner.spec.kind === 'satip';
  }

  /** Tuner A, Tuner B, ... as Enigma2 counts them; else what it receives. */
  get name(): string {
    if (this.number === noNumber) return this.source;
    return `Tuner ${String.fromCharCode(65 + this.number)}`;
  }

  /** Its source as in the configuration: `demo`, `file:PATH`. */
  get source(): string {
    return formatTunerSpec(this.tuner.spec);
  }

  /** Users by importance; for one purpose, the longest-running first. */
  get users(): readonly TunerUse[] {
    const uses = [...this.#leases].filter(({ yields }) => !yields).map(({ use }) => use);
    return uses.sort((a, b) => purposes.indexOf(a.purpose) - purposes.indexOf(b.purpose));
  }

  /** Those who cannot go over to another tuner without a gap: nobody can while some do. */
  get boundUsers(): readonly TunerUse[] {
    if (this.#isMoving) return this.users;
    const movable = new Set(this.#movable.map(({ use }) => use));
    return this.users.filter((use) => !movable.has(use));
  }

  get #movable(): readonly TunerLease[] {
    return [...this.#leases].filter((one) => one.handOver !== undefined && one.boundUntil <= performance.now());
  }

  /** Of a front end that runs. */
  get tuned(): Transponder | undefined {
    return this.tuner.running ? this.#transponder : undefined;
  }

  get condition(): TunerCondition {
    if (this.tuner.running) return this.tuner.reception();
    return { state: 'idle', reason: this.#trouble || (this.frontEnd?.trouble ?? ''), age: undefined };
  }

  get avoided(): boolean {
    return performance.now() < this.#avoidedUntil;
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
   * Leases the tuner; starts it if it was off. A front end is tuned to the transponder unless it is already; its other
   * users have been told before.
   */
  lease(use: TunerUse, transponder?: Transponder): TunerLease {
    clearTimeout(this.#off);
    const lease = new TunerLease(this, use, () => this.#release(lease));
    this.#leases.add(lease);
    if (this.frontEnd === undefined) this.#start();
    else if (transponder && !this.#receives(transponder)) this.#tune(this.frontEnd, transponder);
    this.#used.call();
    return lease;
  }

  /**
   * It is tuned to this, and goes on by itself: it is not being stopped, which it would stay, and who comes while it
   * waits for its next attempt, and alone, has it try at once.
   */
  #receives(transponder: Transponder): boolean {
    if (this.#stopping !== undefined || !isSameTransponder(this.tuned, transponder)) return false;
    return this.#leases.size > 1 || this.tuner.reception().state !== 'lost';
  }

  /** Tells all users that they lose it, and why. */
  take(reason: string): void {
    for (const lease of [...this.#leases]) {
      this.#leases.delete(lease);
      lease.lose(reason);
    }
    this.#used.call();
  }

  /** Has those users who can go over to another tuner without a gap do so. Who cannot after all stays, for a while. */
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
    // A user of no single service is content with the multiplex.
    const isThere = ({ services, transportStreamId }: MultiplexInformation) =>
      leases.every(({ use: { service } }) =>
        service === undefined
          ? transportStreamId !== null
          : services.some(({ serviceId, streams }) => serviceId === service.serviceId && streams.length > 0),
      );
    const ready = other.until(isThere).then(
      () => true,
      () => {
        other.failed();
        return false;
      },
    );
    const lost = next.map((one) => new Promise<boolean>((resolve) => one.onLost(() => resolve(false))));
    const isReady = await Promise.race([ready, ...lost]);
    await Promise.all(
      next.map(async (one, n) => {
        const before = leases[n];
        if (isReady && one.lost === undefined && (await before?.handOver?.(one).catch(() => false))) return;
        if (before) before.boundUntil = performance.now() + boundTime;
        one.release();
      }),
    );
  }

  /** Stops it, for another tuner that shares something with it. */
  async give(reason: string): Promise<void> {
    clearTimeout(this.#off);
    this.take(reason);
    await this.#stop();
  }

  /**
   * Resolves as soon as `seen` holds for the multiplex; `table` names what it waits for besides the PAT.
   * @throws ReceiverError `no-signal` if there is none or the source ends, `table-missing` if there is, and no table
   */
  async until(
    seen: (multiplex: MultiplexInformation) => unknown,
    { table = 'PMT', milliseconds = acquisitionTime } = {},
  ): Promise<void> {
    await this.#wait((tuner) => seen(tuner.multiplex()), table, milliseconds);
  }

  /** Resolves as soon as the signal is locked. @throws ReceiverError `no-signal` */
  async untilLocked(): Promise<void> {
    await this.#wait((tuner) => tuner.reception().state === 'locked', '', acquisitionTime);
  }

  /** Resolves when streams can be opened: a tuner that is being stopped starts again first. */
  async untilStarted(): Promise<void> {
    await this.#stopping;
  }

  async #wait(holds: (tuner: Tuner) => unknown, table: string, milliseconds: number): Promise<void> {
    await this.#stopping;
    const { tuner } = this;
    if (holds(tuner)) return;
    await new Promise<void>((resolve, reject) => {
      let limits: readonly NodeJS.Timeout[] | undefined;
      const done = (error?: Error) => {
        limits?.forEach(clearTimeout);
        tuner.off('multiplex', check).off('reception', check).off('ended', over);
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
        const { state, reason, age } = tuner.reception();
        if (state === 'lost') refuse(reason);
        if (state !== 'locked') return;
        const patTime = milliseconds / 2 - age * 1000;
        limits ??= [setTimeout(missPat, patTime), setTimeout(() => miss(table), milliseconds)];
      };
      tuner.on('multiplex', check).on('reception', check).on('ended', over);
      check();
    });
  }

  /** It did not deliver what it should: others are preferred for a while. */
  failed(): void {
    const time = Math.min(firstAvoided * 2 ** this.#failures, longestAvoided);
    this.#failures++;
    this.#avoidedUntil = performance.now() + time;
  }

  /** Switches the tuner off for good, used or not. */
  async close(): Promise<void> {
    clearTimeout(this.#off);
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
    this.tuner.start(frontEnd.order(transponder.parameters, this.#previous?.parameters));
    this.#previous = transponder;
  }

  #ended(end: TunerEnd): void {
    if (end.reason !== 'failed') return;
    this.#trouble = end.message;
    if (this.frontEnd === undefined) return;
    this.failed();
    this.take(`${this.name} has failed: ${end.message}`);
  }

  #stop(): Promise<void> {
    // Said again to one that was to start once it has stopped.
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
    this.#off = setTimeout(() => void this.#stop(), this.#linger);
    this.#off.unref();
  }
}

/** The right to use a running tuner, until `release()`, or until somebody more important gets the tuner. */
export class TunerLease {
  readonly pooled: PoolTuner;
  readonly use: TunerUse;
  /** Of the service in use, in what the tuner receives; 0 if it is not a single one. */
  serviceId: number;
  readonly #release: () => void;
  /** It does not count while its user looks for another tuner. */
  yields = false;
  /** Set by a user who can go over to another lease without a gap; resolves with whether it has. */
  handOver: ((next: TunerLease) => Promise<boolean>) | undefined;
  /** By `performance.now()`: it could not go over, and is left in peace until then. */
  boundUntil = 0;
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

  /** Why the tuner was taken away, for people; undefined while it was not. */
  get lost(): string | undefined {
    return this.#lost;
  }

  /** Calls `listener` when the tuner is taken away. Its streams end as well. */
  onLost(listener: (reason: string) => void): void {
    this.#listeners.add(listener);
  }

  /** Called by the tuner. */
  lose(reason: string): void {
    this.#lost = reason;
    this.#listeners.call(reason);
  }

  /** Returns the tuner; calling it again does nothing. */
  release(): void {
    this.#release();
  }
}
