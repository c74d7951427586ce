/**
 * The list of timers: its contents, the rules for additions, and its storage. A change by a client is on the disk
 * before the response is sent; the receiver's own updates are written in the background.
 */
import type { Clock, UnixSeconds } from '../base/clock.ts';
import { errors, fail, ReceiverError } from '../base/errors.ts';
import { Listeners } from '../base/listeners.ts';
import { serialQueue } from '../base/serial-queue.ts';
import { TimeSlice } from '../base/time-slice.ts';
import type { ServiceReference } from '../services/reference.ts';
import { type Clash, canServe, findConflicts, type Reception, selectServable, type TunerDemand } from './conflicts.ts';
import { nextOccurrence, occurrencesWithin, type Span, type Zone } from './repeat.ts';
import {
  editText,
  hasEndedBefore,
  isActive,
  logCodes,
  newTimer,
  type Timer,
  type TimerSpec,
  withLogEntry,
} from './timer.ts';
import type { TimersFile } from './timers-file.ts';

export interface TimerListParts {
  readonly file: Pick<TimersFile, 'write'>;
  readonly clock: Clock;
  readonly zone: Zone;
  /** How a service can be received; undefined if it needs no tuner. */
  readonly reception: (reference: ServiceReference) => Reception | undefined;
  /** Default: no two tuners exclude each other. */
  readonly clash?: Clash;
  /** Names a service in messages. Default: its reference. */
  readonly describe?: (reference: ServiceReference) => string;
  readonly log: { error(error: unknown, message?: string): void };
}

/** Shared by conflict checks of many timers: without it, 300 daily timers took a minute and blocked the event loop. */
interface CheckContext {
  readonly slice: TimeSlice;
  readonly times: OccurrenceCache;
  /** How the service of each timer can be received; asked for once. */
  readonly reception: (reference: ServiceReference) => Reception | undefined;
}

/** Caches the times of timers within a period. Times outside it are computed with each call. */
class OccurrenceCache {
  readonly #zone: Zone;
  readonly #period: Span;
  readonly #cached = new Map<Timer, readonly Span[]>();

  constructor(zone: Zone, period: Span) {
    this.#zone = zone;
    this.#period = period;
  }

  within(timer: Timer, wanted: Span): readonly Span[] {
    const period = this.#period;
    if (wanted.begin < period.begin || wanted.end > period.end) return occurrencesWithin(timer, this.#zone, wanted);
    let cached = this.#cached.get(timer);
    if (cached === undefined) {
      cached = occurrencesWithin(timer, this.#zone, period);
      this.#cached.set(timer, cached);
    }
    return cached.filter(({ begin, end }) => end > wanted.begin && begin < wanted.end);
  }
}

/** Thrown if there are not enough tuners for a timer beside the others. */
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
  /** Whether it gets one of them; timers that begin earlier take precedence. */
  readonly isServed: boolean;
}

export const maxTimers = 5000;
/** Number of removals that can be undone. */
const maxUndoableRemovals = 20;

/** The result of adding a timer: the timer, which existed already unless `added`, or the reason why it was refused. */
export type Addition = { readonly timer: Timer; readonly added: boolean } | { readonly refused: ReceiverError };

const day = 86_400;
/** Milliseconds before a failed write is retried. */
const writeRetryDelayMs = 10_000;
/** Seconds ahead for which the times of a repeating timer are checked for conflicts. */
const conflictHorizonSeconds = 35 * day;
/** Seconds before and after a time within which other timers are considered. */
const conflictMarginSeconds = day / 2;

export class TimerList {
  readonly #parts: TimerListParts;
  readonly #listeners = new Listeners<[]>();
  /** Calls `listener` after every change. Returns a function that removes it. */
  readonly onChange = this.#listeners.add;
  readonly #additions = new Listeners<[added: readonly Timer[]]>();
  /** Calls `listener` with timers that were added. */
  readonly onAdded = this.#additions.add;
  readonly #refusals = new Listeners<[conflict: TimerConflict]>();
  /** Calls `listener` when a timer was not added because of a conflict. */
  readonly onRefused = this.#refusals.add;
  #timers: readonly Timer[];
  /** The timers of each `remove`, the latest first. */
  #removed: readonly (readonly Timer[])[] = [];
  #generation = 0;
  #nextId: number;
  /** Serialises edits: each one is checked against the result of the one before. */
  readonly #serialEdit = serialQueue();
  /**
   * Serialises writes together with their effect in memory. Otherwise a write could drop an edit that is on the disk
   * but not yet in `#timers`.
   */
  readonly #serialWrite = serialQueue();
  /** The content of the file. */
  #stored: readonly Timer[];
  #writing: Promise<void> | undefined;
  /** The scheduled retry of a failed write. */
  #writeRetry: NodeJS.Timeout | undefined;

  /** @param timers the content of the file */
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
   * Adds a timer. If the list already has a timer of the same service for the same time, or for the same event with
   * wider margins, that timer is returned and `added` is false.
   * @throws TimerConflict; ReceiverError `not-receivable`, `too-many-timers`, `file-unwritable`
   */
  add(spec: TimerSpec): Promise<{ readonly timer: Timer; readonly added: boolean }> {
    return this.#serialEdit(async () => {
      const addition = await this.#tryAdd(spec, [], { briefly: false }).catch((error) => {
        if (error instanceof TimerConflict) this.#refusals.call(error);
        throw error;
      });
      if (addition.added) {
        this.#nextId++;
        await this.#commit((all) => [...all, addition.timer]);
        this.#additions.call([addition.timer]);
      }
      return addition;
    });
  }

  /**
   * Adds several timers and writes the list once. `fill` adds them one after another, so that a timer may depend on the
   * result of the previous one. A conflict does not name the other timers. If the list cannot be written, none is
   * added.
   * @throws ReceiverError `file-unwritable`
   */
  addAll(fill: (add: (spec: TimerSpec) => Promise<Addition>) => Promise<void>): Promise<void> {
    return this.#serialEdit(async () => {
      const added = await this.tryAll((add) =>
        fill(async (spec) => {
          const addition = await add(spec);
          if ('refused' in addition && addition.refused instanceof TimerConflict) this.#refusals.call(addition.refused);
          return addition;
        }),
      );
      if (added.length === 0) return;
      this.#nextId += added.length;
      await this.#commit((all) => [...all, ...added]);
      this.#additions.call(added);
    });
  }

  /** Returns the timers that `addAll` would add, without adding them. */
  async tryAll(fill: (add: (spec: TimerSpec) => Promise<Addition>) => Promise<void>): Promise<readonly Timer[]> {
    const added: Timer[] = [];
    await fill(async (spec) => {
      try {
        const addition = await this.#tryAdd(spec, added, { briefly: true });
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
   * The timer of a spec if it can be added, beside the list and `added`, or the timer that already covers it.
   * @throws TimerConflict; ReceiverError `not-receivable`, `too-many-timers`
   */
  async #tryAdd(
    spec: TimerSpec,
    added: readonly Timer[],
    { briefly }: { readonly briefly: boolean },
  ): Promise<{ readonly timer: Timer; readonly added: boolean }> {
    if (this.#timers.length + added.length >= maxTimers) throw fail('too-many-timers', maxTimers);
    const timer = this.#scheduled(newTimer(this.#nextId + added.length, spec));
    const same = spec.allowDuplicate ? undefined : this.#findCovering(timer, added);
    if (same) return { timer: same, added: false };
    await this.#checkConflicts(timer, added, briefly);
    return { timer, added: true };
  }

  /**
   * Changes the given fields of a timer. Enabling or disabling it does the same to its relays. For a running timer, only
   * a new end takes effect at once. Returns undefined if there is no such timer.
   * @throws TimerConflict; ReceiverError `not-receivable`, `file-unwritable`
   */
  change(id: number, changes: Partial<TimerSpec>): Promise<Timer | undefined> {
    return this.#serialEdit(async () => {
      const old = this.find(id);
      return old && this.#commitChange(old, (timer) => this.#withChanges(timer, changes));
    });
  }

  /**
   * Removes a timer, stopping it if it is running, and its relays if it has not ended. Returns undefined if there is no
   * such timer.
   * @throws ReceiverError `file-unwritable`
   */
  remove(id: number): Promise<Timer | undefined> {
    return this.#serialEdit(async () => {
      const timer = this.find(id);
      if (!timer) return undefined;
      const isUnwanted = (one: Timer) => one.id === id || isRelayOf(one, timer);
      const removed = this.#timers.filter(isUnwanted);
      await this.#commit((all) => all.filter((one) => !isUnwanted(one)));
      this.#removed = [removed, ...this.#removed].slice(0, maxUndoableRemovals);
      return timer;
    });
  }

  /**
   * Undoes one of the latest `maxUndoableRemovals` removals: restores the timer and those removed with it. A timer whose
   * time is not over resumes. Returns undefined if there is no such removal.
   * @throws ReceiverError `too-many-timers`, `file-unwritable`
   */
  restore(id: number): Promise<Timer | undefined> {
    return this.#serialEdit(async () => {
      const removed = this.#removed.find((group) => group.some((timer) => timer.id === id));
      if (!removed) return undefined;
      if (this.#timers.length + removed.length > maxTimers) throw fail('too-many-timers', maxTimers);
      const timers = removed.map((one) =>
        one.state === 'ended' ? one : this.#scheduled({ ...one, state: 'waiting' }),
      );
      await this.#commit((all) => [...all, ...timers]);
      this.#removed = this.#removed.filter((group) => group !== removed);
      return this.find(id);
    });
  }

  /**
   * Disables a timer or enables it again, with its relays. Returns undefined if there is no such timer.
   * @throws TimerConflict; ReceiverError `not-receivable`, `timer-runs`, `timer-exists`, `file-unwritable`
   */
  toggle(id: number): Promise<Timer | undefined> {
    return this.#serialEdit(async () => {
      const old = this.find(id);
      if (!old) return undefined;
      if (old.state === 'running' && !old.disabled) throw fail('timer-runs', old.name);
      const changed = (timer: Timer) => this.#withDisabled(timer, !old.disabled);
      if (old.disabled && this.#findCovering(changed(old))) throw fail('timer-exists', old.name);
      return this.#commitChange(old, changed);
    });
  }

  #withDisabled(timer: Timer, disabled: boolean): Timer {
    const stopped = timer.state === 'running' && { state: 'waiting' as const, fileName: '' };
    const switched = disabled
      ? { ...timer, disabled, ...stopped }
      : this.#scheduled({ ...timer, disabled, state: 'waiting' });
    return { ...switched, backoff: 0, nextTry: undefined };
  }

  /** Changes a timer. Enabling or disabling it does the same to its relays, except those that would have no tuner. */
  async #commitChange(old: Timer, change: (timer: Timer) => Timer): Promise<Timer | undefined> {
    const changed = change(old);
    const { disabled } = changed;
    await this.#checkConflicts(changed);
    const switched = new Set<number>();
    if (disabled !== old.disabled)
      for (const one of this.#timers)
        if (isRelayOf(one, old) && !(await this.conflictsOf(this.#withDisabled(one, disabled), [changed], true)))
          switched.add(one.id);
    const updated = (one: Timer) => (switched.has(one.id) ? this.#withDisabled(one, disabled) : one);
    await this.#commit((all) => all.map((one) => (one.id === old.id ? change(one) : updated(one))));
    return this.find(old.id);
  }

  /** Removes ended timers: all of them, or those that ended before a time. @throws ReceiverError `file-unwritable` */
  cleanup(before: UnixSeconds = Number.POSITIVE_INFINITY): Promise<void> {
    return this.removeAll((timer) => hasEndedBefore(timer, before));
  }

  /** Removes the timers for which `isUnwanted` returns true. @throws ReceiverError `file-unwritable` */
  removeAll(isUnwanted: (timer: Timer) => boolean): Promise<void> {
    return this.#serialEdit(async () => {
      if (this.#timers.some(isUnwanted)) await this.#commit((all) => all.filter((timer) => !isUnwanted(timer)));
    });
  }

  /** Writes the list, even if it is unchanged. @throws ReceiverError `file-unwritable` */
  async save(): Promise<void> {
    await this.#writing;
    await this.#serialEdit(() => this.#commit((all) => all));
  }

  /** Updates a timer; the file is written in the background. Does nothing if the timer no longer exists. */
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
  async updatesWritten(): Promise<void> {
    await this.#writing;
  }

  /** Resolves once all updates and edits are on the disk or have failed to be written. */
  async flush(): Promise<void> {
    await this.#writing;
    await this.#serialEdit(() => undefined);
    if (this.#stored !== this.#timers) await this.#write();
    clearTimeout(this.#writeRetry);
  }

  /**
   * The time at which this timer conflicts with others in the list or in `besides`, followed by the competing timers'
   * times. Undefined if there is no conflict. `briefly`: without the competing timers, which is much faster. `context`:
   * shared by the checks of several timers.
   */
  async conflictsOf(
    timer: Timer,
    besides: readonly Timer[] = [],
    briefly = false,
    { slice, times: cache, reception } = this.#newContext(),
  ): Promise<readonly TimerTime[] | undefined> {
    const { clock, zone, clash } = this.#parts;
    if (timer.justPlay || !isActive(timer)) return undefined;
    const own = reception(timer.reference);
    if (own === undefined) return undefined;
    const horizon = { begin: Math.max(clock.now(), timer.firstBegin), end: 0 };
    horizon.end = horizon.begin + conflictHorizonSeconds;
    const times = timer.repeated === 0 ? [timer] : occurrencesWithin(timer, zone, horizon);
    const last = times.at(-1);
    if (last === undefined) return undefined;
    if (slice.isOver) await slice.next();
    const from = Math.min(timer.begin, times[0]?.begin ?? last.begin) - conflictMarginSeconds;
    const until = last.end + conflictMarginSeconds;
    const others = [...this.#timers, ...besides].flatMap((other) => {
      if (other.id === timer.id || other.justPlay || !isActive(other)) return [];
      if (other.begin >= until || (other.repeated === 0 && other.end <= from)) return [];
      const theirs = reception(other.reference);
      return theirs === undefined ? [] : [{ timer: other, ...theirs }];
    });
    // Services of the same multiplex share a tuner.
    const rivals = others.filter(({ multiplex }) => multiplex !== own.multiplex);
    if (rivals.length === 0 && own.tuners.length > 0) return undefined;
    for (const { begin, end } of times) {
      if (slice.isOver) await slice.next();
      const around = { begin: begin - conflictMarginSeconds, end: end + conflictMarginSeconds };
      const isAlone = rivals.every((other) => cache.within(other.timer, around).length === 0);
      if (isAlone && own.tuners.length > 0) continue;
      const demands = others.flatMap((other) =>
        cache.within(other.timer, around).map((span) => ({ ...other, ...span })),
      );
      const demand = { begin, end, ...own };
      if (briefly && !(await canServe(demand, demands, clash))) return [{ timer, begin, end }];
      const found = briefly ? undefined : await findConflicts<TunerDemand & TimerTime>(demand, demands, clash);
      if (found !== undefined) return [{ timer, begin, end }, ...found];
    }
    return undefined;
  }

  /** The timers that get no tuner at one or more of their times. */
  async unserved(timers: readonly Timer[]): Promise<ReadonlySet<Timer>> {
    const context = this.#newContext();
    const found = new Set<Timer>();
    for (const timer of timers) if (await this.conflictsOf(timer, [], true, context)) found.add(timer);
    return found;
  }

  #newContext(): CheckContext {
    const { clock, zone, reception } = this.#parts;
    const now = clock.now();
    const known = new Map<ServiceReference, Reception | undefined>();
    return {
      reception(reference) {
        if (!known.has(reference)) known.set(reference, reception(reference));
        return known.get(reference);
      },
      slice: new TimeSlice(),
      times: new OccurrenceCache(zone, { begin: now - day, end: now + 2 * conflictHorizonSeconds }),
    };
  }

  /** The times at which there are too few tuners, ordered by begin, each with the timers that compete for them. */
  async conflicts(): Promise<readonly (readonly Contender[])[]> {
    const groups = new Set<Map<string, TimerTime>>();
    const context = this.#newContext();
    for (const timer of this.#timers) {
      const found = (await this.conflictsOf(timer, [], false, context)) ?? [];
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
    const demands = times.flatMap(({ timer, begin, end }) => {
      const received = reception(timer.reference);
      return received ? [{ timer, begin, end, ...received }] : [];
    });
    const served = new Set(await selectServable(demands, clash));
    return demands.map((demand) => ({ ...demand, isServed: served.has(demand) })).sort((a, b) => a.begin - b.begin);
  }

  async #checkConflicts(timer: Timer, besides: readonly Timer[] = [], briefly = false): Promise<void> {
    if (!timer.conflictDetection) return;
    const { reception, describe = (reference) => reference.format() } = this.#parts;
    if (!timer.justPlay && isActive(timer) && reception(timer.reference)?.tuners.length === 0)
      throw fail('not-receivable', describe(timer.reference));
    const conflicts = await this.conflictsOf(timer, besides, briefly);
    if (conflicts) throw new TimerConflict(conflicts);
  }

  /** The timer at its next time; ended if it has none. */
  #scheduled(timer: Timer): Timer {
    const { clock, zone } = this.#parts;
    const now = clock.now();
    if (timer.repeated === 0) {
      const isOver = clock.synchronised && timer.end <= now;
      return isOver && !timer.disabled ? { ...timer, state: 'ended' } : timer;
    }
    const next = nextOccurrence(timer, zone, clock.synchronised ? now : timer.begin - 1, { first: timer.firstBegin });
    return { ...timer, ...(next?.begin !== timer.begin && { fileName: '' }), ...next };
  }

  #withChanges(timer: Timer, changes: Partial<TimerSpec>): Timer {
    const now = this.#parts.clock.now();
    const spec = { ...timer, ...changes };
    // A timer that started early with its event is running although its start is in the future.
    const mayRun = spec.begin <= now || spec.begin === timer.begin;
    const keepsRunning = timer.state === 'running' && !spec.disabled && mayRun;
    const next: Timer = {
      ...spec,
      firstBegin: spec.begin,
      ...(!isSameTime(timer, spec) && { localSpan: undefined }),
      // A client that does not know of margins may have changed them with the length.
      margins: changes.margins ?? (spec.end - spec.begin === timer.end - timer.begin ? timer.margins : undefined),
      state: keepsRunning ? 'running' : 'waiting',
      ...(!keepsRunning && { failed: false, fileName: '', backoff: 0, nextTry: undefined }),
    };
    return withLogEntry(keepsRunning ? next : this.#scheduled(next), now, logCodes.changed, editText);
  }

  /** A timer that makes this one superfluous: for the same time, or for the same event with wider margins. */
  #findCovering(timer: Timer, besides: readonly Timer[] = []): Timer | undefined {
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
    return this.#serialWrite(async () => {
      const before = this.#timers;
      const written = change(before);
      await this.#parts.file.write(written);
      this.#stored = written;
      // A timer may have been updated during the write.
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
    clearTimeout(this.#writeRetry);
    // Other changes in the same turn of the event loop go into the same write.
    await Promise.resolve();
    while (this.#stored !== this.#timers) {
      try {
        await this.#serialWrite(async () => {
          const timers = this.#timers;
          await this.#parts.file.write(timers);
          this.#stored = timers;
        });
      } catch (error) {
        const why = (error as Error).message;
        this.#parts.log.error(`the timer list cannot be saved, retrying in ${writeRetryDelayMs / 1000} s: ${why}`);
        this.#writeRetry = setTimeout(() => {
          this.#writing ??= this.#write();
        }, writeRetryDelayMs).unref();
        break;
      }
    }
    this.#writing = undefined;
  }
}

/** Whether `one` is a later relay of the other timer's programme. False once the other timer has ended. */
const isRelayOf = (one: Timer, { id, relayOf = id, begin, state }: Timer) =>
  state !== 'ended' && one.relayOf === relayOf && one.begin > begin;
const isSameSpan = (a: Span, b: Span) => a.begin === b.begin && a.end === b.end;
const isWithin = (inner: Span, outer: Span) => outer.begin <= inner.begin && inner.end <= outer.end;
const isSameEvent = (a: TimerSpec, b: TimerSpec) =>
  a.eventId !== undefined && a.eventId === b.eventId && a.event?.start === b.event?.start;
const isSameTime = (a: TimerSpec, b: TimerSpec) => isSameSpan(a, b) && a.repeated === b.repeated;
