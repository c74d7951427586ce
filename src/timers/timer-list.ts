/**
 * The list of timers: its contents, the rules for additions, and its storage. A change by a client is on the disk
 * before the response; the receiver's own updates are written in the background.
 */
import type { Clock, UnixSeconds } from '../base/clock.ts';
import { errors, fail, ReceiverError } from '../base/errors.ts';
import { Listeners } from '../base/listeners.ts';
import { serialQueue } from '../base/serial-queue.ts';
import { TimeSlice } from '../base/time-slice.ts';
import type { ServiceReference } from '../services/reference.ts';
import { type Clash, conflictsWith, fits, fitting, type Reception, type Want } from './conflicts.ts';
import { nextOccurrence, occurrencesWithin, type Span, type Zone } from './repeat.ts';
import { isActive, isForgotten, logCodes, logged, newTimer, type Timer, type TimerSpec } from './timer.ts';
import type { TimersFile } from './timers-file.ts';

export interface TimerListParts {
  readonly file: Pick<TimersFile, 'write'>;
  readonly clock: Clock;
  readonly zone: Zone;
  /** Undefined for a service that needs no tuner. */
  readonly reception: (reference: ServiceReference) => Reception | undefined;
  readonly clash?: Clash;
  /** Names a service in messages. Default: its reference. */
  readonly describe?: (reference: ServiceReference) => string;
  readonly log: { error(error: unknown, message?: string): void };
}

/** What questions about many timers share: without it, 300 daily timers took a minute, and yielded rarely. */
interface Survey {
  readonly slice: TimeSlice;
  readonly times: KnownTimes;
}

/** The times of timers within a period, which are computed once; others each time. */
class KnownTimes {
  readonly #zone: Zone;
  readonly #period: Span;
  readonly #known = new Map<Timer, readonly Span[]>();

  constructor(zone: Zone, period: Span) {
    this.#zone = zone;
    this.#period = period;
  }

  within(timer: Timer, wanted: Span): readonly Span[] {
    const period = this.#period;
    if (wanted.begin < period.begin || wanted.end > period.end) return occurrencesWithin(timer, this.#zone, wanted);
    let known = this.#known.get(timer);
    if (known === undefined) {
      known = occurrencesWithin(timer, this.#zone, period);
      this.#known.set(timer, known);
    }
    return known.filter(({ begin, end }) => end > wanted.begin && begin < wanted.end);
  }
}

/** There are not enough tuners for a timer beside the others. */
export class TimerConflict extends ReceiverError {
  /** The timer that gets no tuner, followed by those that run at the same time, each with its time. */
  readonly conflicts: readonly TimerTime[];

  constructor(conflicts: readonly TimerTime[]) {
    super('timer-conflict', errors['timer-conflict'].text(conflicts.map(({ timer }) => timer.name).join(' / ')));
    this.conflicts = conflicts;
  }
}

/** A timer at one of its times. */
export interface TimerTime extends Span {
  readonly timer: Timer;
}

/** A timer that competes for a tuner, at one of its times. */
export interface Contender extends TimerTime {
  /** Numbers of the tuners that can receive its service. */
  readonly tuners: readonly number[];
  /** It gets one of them; the earlier ones do. */
  readonly isServed: boolean;
}

export const maximumTimers = 5000;
/** How many removals can be taken back. */
const keptRemovals = 20;

/** The outcome of an order: a timer, which existed already unless `added`, or the reason why there is none. */
export type Addition = { readonly timer: Timer; readonly added: boolean } | { readonly refused: ReceiverError };

const day = 86_400;
/** Milliseconds before a failed write is retried. */
const writingPace = 10_000;
/** Seconds that a repeated timer is checked ahead for conflicts; and around each of its times. */
const conflictHorizon = 35 * day;
const conflictSurroundings = day / 2;

export class TimerList {
  readonly #parts: TimerListParts;
  readonly #listeners = new Listeners<[]>();
  /** Calls `listener` after every change. Returns a function that removes it. */
  readonly onChange = this.#listeners.add;
  #timers: readonly Timer[];
  /** The timers removed one by one, the last one first. */
  #removed: readonly Timer[] = [];
  #generation = 0;
  #nextId: number;
  /** Serialises edits: each one is checked against the result of the one before. */
  readonly #edit = serialQueue();
  /**
   * Serialises writes including their effect here, so that no write can drop an edit that is on the disk but not yet in
   * the list.
   */
  readonly #alone = serialQueue();
  /** The content of the file. */
  #stored: readonly Timer[];
  #writing: Promise<void> | undefined;
  /** The scheduled retry. */
  #later: NodeJS.Timeout | undefined;

  /** @param timers the timers of the file */
  constructor(parts: TimerListParts, timers: readonly Timer[]) {
    this.#parts = parts;
    this.#timers = timers;
    this.#stored = timers;
    this.#nextId = timers.reduce((highest, { id }) => Math.max(highest, id), 0) + 1;
  }

  /** Waiting, running and ended timers, in order of creation. */
  get all(): readonly Timer[] {
    return this.#timers;
  }

  /** Increases with every change; valid for this run of the receiver. */
  get generation(): number {
    return this.#generation;
  }

  find(id: number): Timer | undefined {
    return this.#timers.find((timer) => timer.id === id);
  }

  /**
   * Adds a timer. If another timer of the same service is for the same time, or contains it and is for the same event, that
   * one is returned and `added` is false.
   * @throws TimerConflict; ReceiverError `not-receivable`, `too-many-timers`, `file-unwritable`
   */
  add(order: TimerSpec): Promise<{ readonly timer: Timer; readonly added: boolean }> {
    return this.#edit(async () => {
      const addition = await this.#tried(order, [], { briefly: false });
      if (addition.added) {
        this.#nextId++;
        await this.#commit((all) => [...all, addition.timer]);
      }
      return addition;
    });
  }

  /**
   * Adds timers one after another and writes the list once: an order may depend on the outcome of the previous one. A
   * conflict does not name the other timers. If the list cannot be written, none is added.
   * @throws ReceiverError `file-unwritable`
   */
  addAll(fill: (add: (order: TimerSpec) => Promise<Addition>) => Promise<void>): Promise<void> {
    return this.#edit(async () => {
      const added = await this.tryAll(fill);
      if (added.length === 0) return;
      this.#nextId += added.length;
      await this.#commit((all) => [...all, ...added]);
    });
  }

  /** The timers that `addAll` would add. */
  async tryAll(fill: (add: (order: TimerSpec) => Promise<Addition>) => Promise<void>): Promise<readonly Timer[]> {
    const added: Timer[] = [];
    await fill(async (order) => {
      try {
        const addition = await this.#tried(order, added, { briefly: true });
        if (addition.added) added.push(addition.timer);
        return addition;
      } catch (error) {
        if (error instanceof ReceiverError) return { refused: error };
        throw error;
      }
    });
    return added;
  }

  /**
   * The outcome of an order beside those about to be added.
   * @throws TimerConflict; ReceiverError `not-receivable`, `too-many-timers`
   */
  async #tried(
    order: TimerSpec,
    added: readonly Timer[],
    { briefly }: { readonly briefly: boolean },
  ): Promise<{ readonly timer: Timer; readonly added: boolean }> {
    if (this.#timers.length + added.length >= maximumTimers) throw fail('too-many-timers', maximumTimers);
    const timer = this.#due(newTimer(this.#nextId + added.length, order));
    const same = order.allowDuplicate ? undefined : this.#repeatedBy(timer, added);
    if (same) return { timer: same, added: false };
    await this.#checkConflicts(timer, added, briefly);
    return { timer, added: true };
  }

  /**
   * Replaces the order of a timer; its identity and log stay. For a running timer, only a new end takes effect at once.
   * Returns undefined if there is no such timer.
   * @throws TimerConflict; ReceiverError `not-receivable`, `file-unwritable`
   */
  change(id: number, order: TimerSpec): Promise<Timer | undefined> {
    return this.#edit(async () => {
      const old = this.find(id);
      if (!old) return undefined;
      const changed = (timer: Timer) => this.#ordered(timer, order);
      await this.#checkConflicts(changed(old));
      await this.#commit((all) => all.map((timer) => (timer.id === id ? changed(timer) : timer)));
      return this.find(id);
    });
  }

  /**
   * Removes a timer and stops it if it is running. Returns undefined if there is none.
   * @throws ReceiverError `file-unwritable`
   */
  remove(id: number): Promise<Timer | undefined> {
    return this.#edit(async () => {
      const timer = this.find(id);
      if (!timer) return undefined;
      await this.#commit((all) => all.filter((one) => one.id !== id));
      this.#removed = [timer, ...this.#removed].slice(0, keptRemovals);
      return timer;
    });
  }

  /**
   * Takes a removal back, as long as it is one of the last: the timer is as it was, and goes on if its time is not over.
   * Returns undefined if there is none.
   * @throws ReceiverError `too-many-timers`, `file-unwritable`
   */
  restore(id: number): Promise<Timer | undefined> {
    return this.#edit(async () => {
      const removed = this.#removed.find((timer) => timer.id === id);
      if (!removed) return undefined;
      if (this.#timers.length >= maximumTimers) throw fail('too-many-timers', maximumTimers);
      const timer = removed.state === 'ended' ? removed : this.#due({ ...removed, state: 'waiting' });
      await this.#commit((all) => [...all, timer]);
      this.#removed = this.#removed.filter((one) => one !== removed);
      return timer;
    });
  }

  /**
   * Disables a timer or enables it again. Returns undefined if there is none.
   * @throws TimerConflict; ReceiverError `not-receivable`, `timer-runs`, `timer-exists`, `file-unwritable`
   */
  toggle(id: number): Promise<Timer | undefined> {
    return this.#edit(async () => {
      const old = this.find(id);
      if (!old) return undefined;
      if (old.state === 'running' && !old.disabled) throw fail('timer-runs', old.name);
      const changed = (timer: Timer): Timer => {
        const { disabled } = timer;
        const on = disabled ? this.#due({ ...timer, disabled: false, state: 'waiting' }) : { ...timer, disabled: true };
        return { ...on, backoff: 0, nextTry: undefined };
      };
      if (old.disabled) {
        if (this.#repeatedBy(changed(old))) throw fail('timer-exists', old.name);
        await this.#checkConflicts(changed(old));
      }
      await this.#commit((all) => all.map((timer) => (timer.id === id ? changed(timer) : timer)));
      return this.find(id);
    });
  }

  /** Removes ended timers: all of them, or those that ended before a time. @throws ReceiverError `file-unwritable` */
  cleanup(before: UnixSeconds = Number.POSITIVE_INFINITY): Promise<void> {
    return this.removeAll((timer) => isForgotten(timer, before));
  }

  /** Removes the timers for which `isUnwanted` returns true. @throws ReceiverError `file-unwritable` */
  removeAll(isUnwanted: (timer: Timer) => boolean): Promise<void> {
    return this.#edit(async () => {
      if (this.#timers.some(isUnwanted)) await this.#commit((all) => all.filter((timer) => !isUnwanted(timer)));
    });
  }

  /** Writes the list. @throws ReceiverError `file-unwritable` */
  async save(): Promise<void> {
    await this.#writing;
    await this.#edit(() => this.#commit((all) => all));
  }

  /** Updates a timer; the file follows in the background. Does nothing if the timer no longer exists. */
  update(id: number, change: (timer: Timer) => Timer): Timer | undefined {
    const old = this.find(id);
    if (!old) return undefined;
    const timer = change(old);
    if (timer === old) return old;
    this.#set(this.#timers.map((one) => (one === old ? timer : one)));
    this.#writing ??= this.#write();
    return timer;
  }

  /** Resolves once all updates so far are on the disk or have failed to be written. Does not wait for edits. */
  async noted(): Promise<void> {
    await this.#writing;
  }

  /** Resolves once all updates and edits are on the disk or have failed to be written. */
  async flush(): Promise<void> {
    await this.#writing;
    await this.#edit(() => undefined);
    if (this.#stored !== this.#timers) await this.#write();
    clearTimeout(this.#later);
  }

  /**
   * Who gets no tuner if this timer is added beside the others and `besides`; undefined if all get one. `briefly`: name
   * only this timer. `survey`: of all timers that are asked for together.
   */
  async conflictsOf(
    timer: Timer,
    besides: readonly Timer[] = [],
    briefly = false,
    { slice, times: known } = this.#survey(),
  ): Promise<readonly TimerTime[] | undefined> {
    const { clock, zone, reception, clash } = this.#parts;
    if (timer.justPlay || !isActive(timer)) return undefined;
    const own = reception(timer.reference);
    if (own === undefined) return undefined;
    const horizon = { begin: Math.max(clock.now(), timer.firstBegin), end: 0 };
    horizon.end = horizon.begin + conflictHorizon;
    const times = timer.repeated === 0 ? [timer] : occurrencesWithin(timer, zone, horizon);
    const last = times.at(-1);
    if (last === undefined) return undefined;
    if (slice.isOver) await slice.next();
    const from = Math.min(timer.begin, times[0]?.begin ?? last.begin) - conflictSurroundings;
    const until = last.end + conflictSurroundings;
    const others = [...this.#timers, ...besides].flatMap((other) => {
      if (other.id === timer.id || other.justPlay || !isActive(other)) return [];
      if (other.begin >= until || (other.repeated === 0 && other.end <= from)) return [];
      const theirs = reception(other.reference);
      return theirs === undefined ? [] : [{ timer: other, ...theirs }];
    });
    // Whatever comes from one multiplex needs one tuner.
    const rivals = others.filter(({ multiplex }) => multiplex !== own.multiplex);
    if (rivals.length === 0 && own.tuners.length > 0) return undefined;
    for (const { begin, end } of times) {
      if (slice.isOver) await slice.next();
      const around = { begin: begin - conflictSurroundings, end: end + conflictSurroundings };
      const isAlone = rivals.every((other) => known.within(other.timer, around).length === 0);
      if (isAlone && own.tuners.length > 0) continue;
      const wants = others.flatMap((other) => known.within(other.timer, around).map((span) => ({ ...other, ...span })));
      const want = { begin, end, ...own };
      if (briefly && !(await fits(want, wants, clash))) return [{ timer, begin, end }];
      const found = briefly ? undefined : await conflictsWith<Want & TimerTime>(want, wants, clash);
      if (found !== undefined) return [{ timer, begin, end }, ...found];
    }
    return undefined;
  }

  /** Those of the timers that get no tuner at one of their times. */
  async unserved(timers: readonly Timer[]): Promise<ReadonlySet<Timer>> {
    const survey = this.#survey();
    const found = new Set<Timer>();
    for (const timer of timers) if (await this.conflictsOf(timer, [], true, survey)) found.add(timer);
    return found;
  }

  #survey(): Survey {
    const { clock, zone } = this.#parts;
    const now = clock.now();
    return {
      slice: new TimeSlice(),
      times: new KnownTimes(zone, { begin: now - day, end: now + 2 * conflictHorizon }),
    };
  }

  /** The times at which there are not enough tuners, each with the timers that compete for them, by begin. */
  async conflicts(): Promise<readonly (readonly Contender[])[]> {
    const groups = new Set<Map<string, TimerTime>>();
    const survey = this.#survey();
    for (const timer of this.#timers) {
      const found = (await this.conflictsOf(timer, [], false, survey)) ?? [];
      if (found.length === 0) continue;
      const group = new Map(found.map((one) => [`${one.timer.id} ${one.begin}`, one]));
      for (const other of groups) {
        if (![...group.keys()].some((key) => other.has(key))) continue;
        for (const [key, one] of other) group.set(key, one);
        groups.delete(other);
      }
      groups.add(group);
    }
    const all = await Promise.all([...groups].map((group) => this.#contenders([...group.values()])));
    return all.sort(([a], [b]) => (a?.begin ?? 0) - (b?.begin ?? 0));
  }

  async #contenders(times: readonly TimerTime[]): Promise<readonly Contender[]> {
    const { reception, clash } = this.#parts;
    const wants = times.flatMap(({ timer, begin, end }) => {
      const received = reception(timer.reference);
      return received ? [{ timer, begin, end, ...received }] : [];
    });
    const served = new Set(await fitting(wants, clash));
    return wants.map((want) => ({ ...want, isServed: served.has(want) })).sort((a, b) => a.begin - b.begin);
  }

  async #checkConflicts(timer: Timer, besides: readonly Timer[] = [], briefly = false): Promise<void> {
    if (!timer.conflictDetection) return;
    const { reception, describe = (reference) => reference.format() } = this.#parts;
    if (!timer.justPlay && isActive(timer) && reception(timer.reference)?.tuners.length === 0)
      throw fail('not-receivable', describe(timer.reference));
    const conflicts = await this.conflictsOf(timer, besides, briefly);
    if (conflicts) throw new TimerConflict(conflicts);
  }

  /** The timer at its next time, or ended if that is in the past. */
  #due(timer: Timer): Timer {
    const { clock, zone } = this.#parts;
    const now = clock.now();
    if (timer.repeated === 0) {
      const over = clock.synchronised && timer.end <= now;
      return over && !timer.disabled ? { ...timer, state: 'ended' } : timer;
    }
    const next = nextOccurrence(timer, zone, clock.synchronised ? now : timer.begin - 1, { first: timer.firstBegin });
    return { ...timer, ...(next?.begin !== timer.begin && { fileName: '' }), ...next };
  }

  #ordered(timer: Timer, order: TimerSpec): Timer {
    const now = this.#parts.clock.now();
    // A timer that started early is running although its begin lies ahead.
    const mayRun = order.begin <= now || order.begin === timer.begin;
    const runsOn = timer.state === 'running' && !order.disabled && mayRun;
    const next: Timer = {
      ...timer,
      ...order,
      firstBegin: order.begin,
      ...(!isSameTime(timer, order) && { shown: undefined }),
      state: runsOn ? 'running' : 'waiting',
      ...(!runsOn && { failed: false, fileName: '', backoff: 0, nextTry: undefined }),
    };
    return logged(runsOn ? next : this.#due(next), now, logCodes.changed, 'record time changed');
  }

  /** A timer that this one would repeat: for the same time, or for the same event with wider margins. */
  #repeatedBy(timer: Timer, besides: readonly Timer[] = []): Timer | undefined {
    const { zone } = this.#parts;
    const covers = (other: Timer) => {
      if (other.id === timer.id || other.state === 'ended' || (other.disabled && !timer.disabled)) return false;
      if (other.justPlay !== timer.justPlay || !other.reference.equals(timer.reference)) return false;
      if ((other.repeated & timer.repeated) !== timer.repeated) return false;
      return occurrencesWithin(other, zone, { begin: timer.begin, end: Math.max(timer.end, timer.begin + 1) }).some(
        (time) => isSameSpan(time, timer) || (isWithin(timer, time) && isSameEvent(timer, other)),
      );
    };
    return timer.state === 'ended' ? undefined : (this.#timers.find(covers) ?? besides.find(covers));
  }

  /** Changes the list on the disk and then in memory: if writing fails, nothing changes. */
  #commit(change: (all: readonly Timer[]) => readonly Timer[]): Promise<void> {
    return this.#alone(async () => {
      const before = this.#timers;
      const written = change(before);
      await this.#parts.file.write(written);
      this.#stored = written;
      // A timer may have been updated meanwhile.
      const next = this.#timers === before ? written : change(this.#timers);
      if (next !== this.#timers) this.#set(next);
      if (next !== written) this.#writing ??= this.#write();
    });
  }

  #set(timers: readonly Timer[]): void {
    this.#timers = timers;
    this.#generation++;
    this.#listeners.call();
  }

  async #write(): Promise<void> {
    clearTimeout(this.#later);
    // Other changes in the same turn of the event loop go into the same write.
    await Promise.resolve();
    while (this.#stored !== this.#timers) {
      try {
        await this.#alone(async () => {
          const timers = this.#timers;
          await this.#parts.file.write(timers);
          this.#stored = timers;
        });
      } catch (error) {
        const why = (error as Error).message;
        this.#parts.log.error(`the timers are not saved, the next try is in ${writingPace / 1000} s: ${why}`);
        this.#later = setTimeout(() => {
          this.#writing ??= this.#write();
        }, writingPace).unref();
        break;
      }
    }
    this.#writing = undefined;
  }
}

const isSameSpan = (a: Span, b: Span) => a.begin === b.begin && a.end === b.end;
const isWithin = (inner: Span, outer: Span) => outer.begin <= inner.begin && inner.end <= outer.end;
const isSameEvent = (a: TimerSpec, b: TimerSpec) =>
  a.eventId !== undefined && a.eventId === b.eventId && a.event?.start === b.event?.start;
const isSameTime = (a: TimerSpec, b: TimerSpec) => isSameSpan(a, b) && a.repeated === b.repeated;
