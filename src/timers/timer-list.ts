/**
 * The timers: what is there, what may be added to it, and how it is kept. What somebody changes is on the disk before it is
 * answered; what the receiver itself notes follows in the background.
 */
import type { Clock, UnixSeconds } from '../clock.ts';
import { errors, fail, ReceiverError } from '../errors.ts';
import { Listeners } from '../listeners.ts';
import type { ServiceReference } from '../services/reference.ts';
import { Turn } from '../turn.ts';
import { conflictsWith, fits, type Want } from './conflicts.ts';
import { nextOccurrence, occurrencesWithin, type Span, type Zone } from './repeat.ts';
import { isActive, isForgotten, logCodes, logged, newTimer, type Timer, type TimerOrder } from './timer.ts';
import type { TimersFile } from './timers-file.ts';

/** What receives a service. */
export interface Reception {
  /** Whatever is the same for services of one multiplex. */
  readonly multiplex: string;
  /** Numbers of the tuners that can receive it. */
  readonly tuners: readonly number[];
}

export interface TimerListParts {
  readonly file: Pick<TimersFile, 'write'>;
  readonly clock: Clock;
  readonly zone: Zone;
  /** Undefined for a service that needs no tuner. */
  readonly reception: (reference: ServiceReference) => Reception | undefined;
  readonly log: { error(error: unknown): void };
}

/** The tuners cannot do what a timer wants beside the others. */
export class TimerConflict extends ReceiverError {
  /** The timer that gets no tuner, and then those that run at the same time, each with its time. */
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

export const maximumTimers = 5000;

/** What became of an order: a timer, which was there already when it was not `added`; or why there is none. */
export type Addition = { readonly timer: Timer; readonly added: boolean } | { readonly refused: ReceiverError };

const day = 86_400;
/** Milliseconds after which what could not be written is tried again. */
const writingPace = 10_000;
/** Seconds that a repeated timer is looked ahead for others in its way; and around a time of it. */
const conflictHorizon = 35 * day;
const conflictSurroundings = day / 2;

export class TimerList {
  readonly #parts: TimerListParts;
  readonly #listeners = new Listeners<[]>();
  #timers: readonly Timer[];
  #generation = 0;
  #nextId: number;
  /** One edit after the other: each is judged by what the one before has left. */
  #edits: Promise<unknown> = Promise.resolve();
  /** One writing after the other, with what it leads to here: what an edit has put on the disk is not taken away again before it is here. */
  #writes: Promise<unknown> = Promise.resolve();
  /** What is in the file. */
  #stored: readonly Timer[];
  #writing: Promise<void> | undefined;
  /** Tries again. */
  #later: NodeJS.Timeout | undefined;

  /** @param timers those of the file */
  constructor(parts: TimerListParts, timers: readonly Timer[]) {
    this.#parts = parts;
    this.#timers = timers;
    this.#stored = timers;
    this.#nextId = timers.reduce((highest, { id }) => Math.max(highest, id), 0) + 1;
  }

  /** Waiting, running and ended ones, in the order in which they were made. */
  get all(): readonly Timer[] {
    return this.#timers;
  }

  /** Rises with every change; of this run of the receiver. */
  get generation(): number {
    return this.#generation;
  }

  find(id: number): Timer | undefined {
    return this.#timers.find((timer) => timer.id === id);
  }

  /** Calls `listener` after every change; returns what takes it off again. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Adds a timer. One that lies wholly inside another of the same service is there already: that one is given then, and `added` is
   * false. @throws TimerConflict; ReceiverError `too-many-timers`, `file-unwritable`
   */
  add(order: TimerOrder): Promise<{ readonly timer: Timer; readonly added: boolean }> {
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
   * Adds timers one after another, and writes the list once: which is next may depend on what became of the one before. A conflict does
   * not name the timers in the way. When the list cannot be written none is added. @throws ReceiverError `file-unwritable`
   */
  addAll(fill: (add: (order: TimerOrder) => Promise<Addition>) => Promise<void>): Promise<void> {
    return this.#edit(async () => {
      const added = await this.tryAll(fill);
      if (added.length === 0) return;
      this.#nextId += added.length;
      await this.#commit((all) => [...all, ...added]);
    });
  }

  /** The timers that `addAll` would add. */
  async tryAll(fill: (add: (order: TimerOrder) => Promise<Addition>) => Promise<void>): Promise<readonly Timer[]> {
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

  /** What would become of an order beside those that are going to be added. @throws TimerConflict; ReceiverError `too-many-timers` */
  async #tried(
    order: TimerOrder,
    added: readonly Timer[],
    { briefly }: { readonly briefly: boolean },
  ): Promise<{ readonly timer: Timer; readonly added: boolean }> {
    if (this.#timers.length + added.length >= maximumTimers) throw fail('too-many-timers', maximumTimers);
    const timer = this.#due(newTimer(this.#nextId + added.length, order));
    const same = order.allowDuplicate ? undefined : this.#covering(timer, added);
    if (same) return { timer: same, added: false };
    await this.#checkConflicts(timer, added, briefly);
    return { timer, added: true };
  }

  /**
   * Puts another order in the place of a timer's; it keeps its identity and its log. Of one that runs only another end has an effect
   * at once. Undefined when there is none. @throws TimerConflict; ReceiverError `file-unwritable`
   */
  change(id: number, order: TimerOrder): Promise<Timer | undefined> {
    return this.#edit(async () => {
      const old = this.find(id);
      if (!old) return undefined;
      const changed = (timer: Timer) => this.#ordered(timer, order);
      await this.#checkConflicts(changed(old));
      await this.#commit((all) => all.map((timer) => (timer.id === id ? changed(timer) : timer)));
      return this.find(id);
    });
  }

  /** Takes a timer out; one that runs ends then. Undefined when there is none. @throws ReceiverError `file-unwritable` */
  remove(id: number): Promise<Timer | undefined> {
    return this.#edit(async () => {
      const timer = this.find(id);
      if (timer) await this.#commit((all) => all.filter((one) => one.id !== id));
      return timer;
    });
  }

  /**
   * Switches a timer off or on again. Undefined when there is none. @throws TimerConflict; ReceiverError `timer-runs`,
   * `timer-exists`, `file-unwritable`
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
        if (this.#covering(changed(old))) throw fail('timer-exists', old.name);
        await this.#checkConflicts(changed(old));
      }
      await this.#commit((all) => all.map((timer) => (timer.id === id ? changed(timer) : timer)));
      return this.find(id);
    });
  }

  /** Takes out the timers that have ended, all of them or those that did so before a time. @throws ReceiverError `file-unwritable` */
  cleanup(before: UnixSeconds = Number.POSITIVE_INFINITY): Promise<void> {
    return this.removeAll((timer) => isForgotten(timer, before));
  }

  /** Takes out the timers that `isUnwanted` names. @throws ReceiverError `file-unwritable` */
  removeAll(isUnwanted: (timer: Timer) => boolean): Promise<void> {
    return this.#edit(async () => {
      if (this.#timers.some(isUnwanted)) await this.#commit((all) => all.filter((timer) => !isUnwanted(timer)));
    });
  }

  /** Writes the list. @throws ReceiverError `file-unwritable` */
  async save(): Promise<void> {
    await this.#writing;
    await this.#edit(() => this.#commit((all) => all, false));
  }

  /** Notes what has become of a timer; the file follows in the background. Nothing happens when it is gone. */
  update(id: number, change: (timer: Timer) => Timer): Timer | undefined {
    const old = this.find(id);
    if (!old) return undefined;
    const timer = change(old);
    if (timer === old) return old;
    this.#set(this.#timers.map((one) => (one === old ? timer : one)));
    this.#writing ??= this.#write();
    return timer;
  }

  /** Resolves when everything that was noted until now is on the disk, or could not be written there. Edits are not waited for. */
  async noted(): Promise<void> {
    await this.#writing;
  }

  /** Resolves when everything that was noted or edited is on the disk, or could not be written there. */
  async flush(): Promise<void> {
    await this.#writing;
    await this.#edits;
    if (this.#stored !== this.#timers) await this.#write();
    clearTimeout(this.#later);
  }

  /** Who gets no tuner if this timer is there beside the others, and `besides`: undefined when all get one. `briefly`: it alone is named. */
  async conflictsOf(
    timer: Timer,
    besides: readonly Timer[] = [],
    briefly = false,
  ): Promise<readonly TimerTime[] | undefined> {
    const { clock, zone, reception } = this.#parts;
    if (timer.justPlay || !isActive(timer)) return undefined;
    const own = reception(timer.reference);
    if (own === undefined) return undefined;
    const horizon = { begin: Math.max(clock.now(), timer.firstBegin), end: 0 };
    horizon.end = horizon.begin + conflictHorizon;
    const times = timer.repeated === 0 ? [timer] : occurrencesWithin(timer, zone, horizon);
    const last = times.at(-1);
    if (last === undefined) return undefined;
    const from = Math.min(timer.begin, times[0]?.begin ?? last.begin) - conflictSurroundings;
    const until = last.end + conflictSurroundings;
    const others = [...this.#timers, ...besides].flatMap((other) => {
      if (other.id === timer.id || other.justPlay || !isActive(other)) return [];
      if (other.begin >= until || (other.repeated === 0 && other.end <= from)) return [];
      const theirs = reception(other.reference);
      return theirs === undefined ? [] : [{ timer: other, ...theirs }];
    });
    const turn = new Turn();
    for (const { begin, end } of times) {
      if (turn.isOver) await turn.next();
      const around = { begin: begin - conflictSurroundings, end: end + conflictSurroundings };
      const wants = others.flatMap((other) =>
        occurrencesWithin(other.timer, zone, around).map((span) => ({ ...other, ...span })),
      );
      const want = { begin, end, ...own };
      if (briefly && !(await fits(want, wants))) return [{ timer, begin, end }];
      const found = briefly ? undefined : await conflictsWith<Want & TimerTime>(want, wants);
      if (found !== undefined) return [{ timer, begin, end }, ...found];
    }
    return undefined;
  }

  async #checkConflicts(timer: Timer, besides: readonly Timer[] = [], briefly = false): Promise<void> {
    if (!timer.conflictDetection) return;
    const conflicts = await this.conflictsOf(timer, besides, briefly);
    if (conflicts) throw new TimerConflict(conflicts);
  }

  /** The timer at its next time; ended when that lies behind. */
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

  #ordered(timer: Timer, order: TimerOrder): Timer {
    const now = this.#parts.clock.now();
    // One that has begun early runs although its begin lies ahead.
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

  /** A timer that does all that this one would do. */
  #covering(timer: Timer, besides: readonly Timer[] = []): Timer | undefined {
    const { zone } = this.#parts;
    const covers = (other: Timer) => {
      if (other.id === timer.id || other.state === 'ended' || (other.disabled && !timer.disabled)) return false;
      if (other.justPlay !== timer.justPlay || !other.reference.equals(timer.reference)) return false;
      if ((other.repeated & timer.repeated) !== timer.repeated) return false;
      return occurrencesWithin(other, zone, { begin: timer.begin, end: Math.max(timer.end, timer.begin + 1) }).some(
        (time) => time.begin <= timer.begin && timer.end <= time.end,
      );
    };
    return timer.state === 'ended' ? undefined : (this.#timers.find(covers) ?? besides.find(covers));
  }

  /** One edit at a time. */
  #edit<Result>(edit: () => Promise<Result>): Promise<Result> {
    const edited = this.#edits.then(edit);
    this.#edits = edited.catch(() => undefined);
    return edited;
  }

  /** One writing at a time. */
  #alone(write: () => Promise<void>): Promise<void> {
    const written = this.#writes.then(write);
    this.#writes = written.catch(() => undefined);
    return written;
  }

  /** Changes the list on the disk and then here: when that fails, nothing is different. */
  #commit(change: (all: readonly Timer[]) => readonly Timer[], tell = true): Promise<void> {
    return this.#alone(async () => {
      const before = this.#timers;
      const written = change(before);
      await this.#parts.file.write(written);
      if (this.#timers === before) {
        this.#stored = written;
        if (tell) this.#set(written);
        else this.#timers = written;
        return;
      }
      // Something was noted meanwhile.
      this.#stored = written;
      this.#set(change(this.#timers));
      this.#writing ??= this.#write();
    });
  }

  #set(timers: readonly Timer[]): void {
    this.#timers = timers;
    this.#generation++;
    this.#listeners.call();
  }

  async #write(): Promise<void> {
    clearTimeout(this.#later);
    // What the same turn of the event loop changes besides goes into the same file.
    await Promise.resolve();
    while (this.#stored !== this.#timers) {
      try {
        await this.#alone(async () => {
          const timers = this.#timers;
          await this.#parts.file.write(timers);
          this.#stored = timers;
        });
      } catch (error) {
        this.#parts.log.error(error);
        this.#later = setTimeout(() => {
          this.#writing ??= this.#write();
        }, writingPace).unref();
        break;
      }
    }
    this.#writing = undefined;
  }
}

const isSameTime = (a: TimerOrder, b: TimerOrder) =>
  a.begin === b.begin && a.end === b.end && a.repeated === b.repeated;
