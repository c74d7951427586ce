/**
 * Executes the timers by the receiver's clock: gets a tuner 20 seconds ahead, records or shows, and ends (ends.ts). It
 * checks the clock when a timer is due and at intervals in between, because the clock may be set and a Node timer only
 * counts elapsed time.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { UnixSeconds } from '../base/clock.ts';
import { ReceiverError } from '../base/errors.ts';
import type { Recorder } from '../recordings/recorder.ts';
import type { RecordingSpec } from '../recordings/recording-order.ts';
import type { ServiceReference } from '../services/reference.ts';
import { deadline, TimerEnds, type TimerEndsParts } from './ends.ts';
import { MovedEvents } from './moved-events.ts';
import { nextOccurrence } from './repeat.ts';
import { RunningTimers, type TimedRecording, type TunerHold } from './running-timers.ts';
import { isActive, isForgotten, isSameOccasion, logCodes, logged, preparationTime, type Timer } from './timer.ts';
import { eventFor, statusOf, type TimerGuide, timerEvent } from './timer-event.ts';

export interface TimerSchedulerParts extends TimerEndsParts {
  readonly guide: TimerGuide & { onChange(listener: () => void): () => void };
  readonly nameOf: (reference: ServiceReference) => string;
  readonly recorder: Pick<Recorder, 'remains'> & {
    /** One that is missing here has ended, for whatever reason. */
    readonly active: Iterable<TimedRecording>;
    start(order: RecordingSpec): Promise<TimedRecording>;
  };
  /** Gets a tuner for a service and holds it; undefined if none is needed. Rejects with a ReceiverError. */
  readonly tune: (reference: ServiceReference, user: string) => Promise<TunerHold | undefined>;
  readonly zap: (reference: ServiceReference) => Promise<void>;
  /** The folder of a recording whose timer names this one, or none. `note` receives the reason if it is another one. */
  readonly folder: (named: string | undefined, note: (text: string) => void) => Promise<string>;
  /** Days that ended timers stay in the list. */
  readonly keepDays: () => number;
  /** Called once the clock knows the time. */
  readonly timeKnown: () => void;
  readonly log: { info(text: string): void; warn(text: string): void; error(error: unknown, message?: string): void };
}

/** Maximum seconds between two checks of the clock while a timer is waiting. */
const pace = 15;
/** The same while nothing is waiting: for ended timers that are due for removal. */
const idlePace = 3600;
/** Seconds before a failed attempt is repeated, doubled each time. */
const firstBackoff = 5;
const longestBackoff = 100;
/** Seconds that the clock has to go back to count as corrected. */
const clockCorrection = 600;
/** Seconds before the begin from which the running status may start a timer. */
const earliestStart = 900;
/** Milliseconds that the start of a recording may wait for its file name to be stored. */
const longestNoting = 2000;
const day = 86_400;

/** Changes of the clock by up to this many seconds are ignored. */
const clockTolerance = 2;
/** Milliseconds that nothing may have told the time before timers say that they wait for it. */
const untold = pace * 1000;
const waitsForTime = 'waits: the time is not known';

export class TimerScheduler {
  readonly #parts: TimerSchedulerParts;
  /** Actions in progress, by timer id. */
  readonly #busy = new Map<number, Promise<void>>();
  readonly #running: RunningTimers;
  readonly #ends: TimerEnds;
  /** Set while ended timers are being removed from the list. */
  #forgetting: Promise<void> | undefined;
  readonly #moves: MovedEvents;
  readonly #stopListening: readonly (() => void)[];
  #wake: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #started = false;
  /** In `performance.now()` milliseconds: no check of its own accord before this. */
  #notBefore = 0;
  #lastLook = Number.NEGATIVE_INFINITY;
  /** The same by `performance.now()`. */
  #lookedAt = performance.now();
  #knowsTime = false;
  /** Since when it does not, by `performance.now()`. */
  readonly #unknownSince = performance.now();
  /** Seconds by which the clock was ahead of the machine's monotonic clock when it was last set. */
  #clockAhead = Number.NEGATIVE_INFINITY;

  constructor(parts: TimerSchedulerParts) {
    this.#parts = parts;
    this.#running = new RunningTimers(this.#complain);
    this.#ends = new TimerEnds(parts, this.#running, {
      busy: this.#busy,
      run: (timer, action) => this.#do(timer, action),
    });
    this.#moves = new MovedEvents(parts);
    this.#stopListening = [
      parts.list.onChange(() => this.#lookSoon()),
      parts.guide.onChange(() => {
        this.#moves.guideChanged();
        this.#arm();
      }),
    ];
  }

  /** Starts; timers that should be running are started at once. */
  start(): void {
    this.#started = true;
    void this.look();
  }

  /**
   * Starts no more timers and releases the tuners. Running recordings are stopped but stay in the list as running, so
   * they continue after the next start.
   */
  async stop(): Promise<void> {
    this.#started = false;
    clearTimeout(this.#wake);
    for (const end of this.#stopListening) end();
    await this.#looking;
    await this.idle();
    await Promise.all([this.#running.close(), this.#forgetting]);
  }

  /** Ends the timer of a recording as if its time were over; a repeated one waits for its next time. */
  end(path: string): Promise<void> {
    return this.#ends.endByPath(path);
  }

  /** Adds an entry about a recording to the log of its timer. */
  note(path: string, text: string): void {
    const { list, clock } = this.#parts;
    for (const [id, recording] of this.#running.recordings) {
      if (recording.path === path) list.update(id, (one) => logged(one, clock.now(), logCodes.recorder, text));
    }
  }

  /** Resolves once all actions in progress are done: tuning, starting, ending. */
  async idle(): Promise<void> {
    while (this.#busy.size > 0) await Promise.all(this.#busy.values());
  }

  /** The clock was set, perhaps to what it was: a timer may be due earlier or later. */
  clockSet(): void {
    const ahead = this.#parts.clock.now() - performance.now() / 1000;
    if (Math.abs(ahead - this.#clockAhead) > clockTolerance) void this.look();
    this.#clockAhead = ahead;
  }

  /** Checks the clock and does what is due. */
  look(): Promise<void> {
    if (this.#looking) {
      this.#lookAgain = true;
      return this.#looking;
    }
    this.#looking = this.#lookNow()
      .catch(this.#complain)
      .then(() => {
        this.#looking = undefined;
        if (!this.#lookAgain) return this.#arm();
        this.#lookAgain = false;
        return this.look();
      });
    return this.#looking;
  }

  /** Runs a check as soon as the current one is done. */
  #lookSoon(): void {
    if (this.#looking) this.#lookAgain = true;
    else this.#arm(0);
  }

  readonly #complain = (error: unknown) => this.#parts.log.error(error, 'a step of the timers failed');

  async #lookNow(): Promise<void> {
    const { clock, list } = this.#parts;
    this.#lookedAt = performance.now();
    // A clock that does not know the time yet counts from a different origin.
    if (!clock.synchronised) return this.#sayWaiting();
    const now = clock.now();
    if (!this.#knowsTime) {
      this.#knowsTime = true;
      if (list.all.some(isWaitingForTime)) this.#parts.log.info('the time is known: the timers go on');
      this.#parts.timeKnown();
    }
    if (now < this.#lastLook - clockCorrection) this.#clockWentBack(now);
    this.#lastLook = now;
    // A timer that outlasts its planned end is not moved by what the guide says about it.
    await this.#moves.follow(now, (timer) => this.#running.plannedEnds.has(timer.id));
    this.#ends.endUnwanted();
    const all = list.all;
    for (const one of all) {
      // It may have been changed meanwhile.
      const timer = list.all === all ? one : list.find(one.id);
      if (timer && !this.#busy.has(timer.id)) await this.#step(timer, now);
    }
    this.#forget(now - this.#parts.keepDays() * day);
  }

  /** Tells in the log of the timers, which clients show, that they cannot start yet. */
  #sayWaiting(): void {
    const { clock, list, log } = this.#parts;
    if (performance.now() - this.#unknownSince < untold) return;
    const silent = list.all.filter((timer) => isActive(timer) && !isWaitingForTime(timer));
    if (silent.length === 0) return;
    log.warn('the timers wait: neither the machine nor the broadcast has told the time');
    for (const { id } of silent) {
      list.update(id, (one) => logged(one, clock.now(), logCodes.state, waitsForTime));
    }
  }

  /** Removes timers that ended before a time, in the background: the disk may be slow. */
  #forget(before: UnixSeconds): void {
    const { list } = this.#parts;
    if (this.#forgetting || !list.all.some((timer) => isForgotten(timer, before))) return;
    this.#forgetting = list
      .cleanup(before)
      .catch(this.#complain)
      .finally(() => {
        this.#forgetting = undefined;
      });
  }

  /** Reschedules timers that were missed, or broken off, because the clock was wrong. */
  #clockWentBack(now: UnixSeconds): void {
    const { list, zone, log } = this.#parts;
    log.warn('the clock went back: timers are scheduled anew');
    for (const timer of list.all) {
      if (timer.disabled) continue;
      const again = { state: 'waiting', failed: false, backoff: 0, nextTry: undefined } as const;
      if (timer.state === 'waiting') list.update(timer.id, (one) => ({ ...one, ...again, failed: one.failed }));
      // What ended earlier was ended by somebody, or with its event.
      const isOverBy = (end: UnixSeconds) => (timer.log.at(-1)?.time ?? 0) >= end;
      if (timer.repeated === 0) {
        const isTooEarly = timer.state === 'ended' && timer.end > now && (timer.failed || isOverBy(timer.end));
        if (isTooEarly) list.update(timer.id, (one) => ({ ...one, ...again }));
      } else if (timer.state === 'waiting') {
        const first = timer.firstBegin;
        const present = nextOccurrence(timer, zone, now, { first });
        const skipRunning = present !== undefined && !isOverBy(present.end);
        const next = nextOccurrence(timer, zone, now, { first, skipRunning });
        if (next && next.begin < timer.begin) list.update(timer.id, (one) => ({ ...one, ...next }));
      }
    }
  }

  async #step(timer: Timer, now: UnixSeconds): Promise<void> {
    if (!isActive(timer)) return;
    const { begin, state, nextTry = begin - preparationTime } = timer;
    if (state === 'running') {
      const recording = this.#running.recordings.get(timer.id);
      if (await this.#ends.endRunning(timer, now)) return;
      if (!timer.justPlay && !this.#isRecording(recording)) this.#resume(timer, now);
      return;
    }
    if (this.#ends.endMissed(timer, now)) return;
    const isEarly =
      begin - now <= earliestStart && now < begin && (await statusOf(this.#parts, timer, now)) === 'running';
    if (state === 'prepared' && now < begin - preparationTime && !isEarly) return this.#unprepare(timer.id);
    if (now < (isEarly ? (timer.nextTry ?? now) : Math.max(nextTry, begin - preparationTime))) return;
    if (state === 'waiting') this.#do(timer, () => this.#prepare(timer.id));
    else if (now >= begin || isEarly) {
      if (isEarly) this.#running.early.add(timer.id);
      this.#do(timer, () => this.#activate(timer.id));
    }
  }

  /** Runs a longer action; nothing else happens to the timer meanwhile. */
  #do({ id }: Timer, what: () => Promise<void>): void {
    const done = what()
      .then(
        () => 0,
        (error: unknown) => {
          this.#complain(error);
          // After an unexpected error there is no rapid retry.
          this.#notBefore = performance.now() + firstBackoff * 1000;
          return firstBackoff;
        },
      )
      .then((soonest) => {
        this.#busy.delete(id);
        this.#arm(soonest);
      });
    this.#busy.set(id, done);
  }

  #isRecording(recording: TimedRecording | undefined): boolean {
    return recording !== undefined && [...this.#parts.recorder.active].includes(recording);
  }

  async #prepare(id: number): Promise<void> {
    const { list, tune, clock } = this.#parts;
    await this.#rename(id);
    const timer = list.find(id);
    if (!timer) return;
    if (!timer.justPlay) {
      try {
        const hold = await tune(timer.reference, timer.name);
        if (hold) this.#running.hold(id, hold);
      } catch (error) {
        this.#tryLater(timer, logCodes.notPrepared, error);
        return;
      }
    }
    const now = clock.now();
    list.update(id, (one) => {
      // It may have been changed meanwhile; then it is checked again.
      if (one.state !== 'waiting' || !isSameOccasion(one, timer)) return one;
      return {
        ...logged(one, now, logCodes.prepared, 'prepare ok, waiting for begin'),
        state: 'prepared',
        nextTry: undefined,
      };
    });
  }

  /** A timer that was moved to a later time releases its tuner until then. */
  #unprepare(id: number): void {
    this.#running.letGo(id);
    this.#parts.list.update(id, (one) => ({ ...one, state: 'waiting', backoff: 0, nextTry: undefined }));
  }

  async #activate(id: number): Promise<void> {
    const { list, clock, log, zap } = this.#parts;
    const timer = list.find(id);
    if (timer?.state !== 'prepared') return;
    if (timer.justPlay) {
      await this.#wakeFor(timer);
      try {
        await zap(timer.reference);
      } catch (error) {
        this.#tryLater(timer, logCodes.failed, error);
        return;
      }
      list.update(id, (one) => ({
        ...logged(one, clock.now(), logCodes.zapped, 'zapping'),
        state: 'running',
        failed: false,
      }));
      return;
    }
    if (!(await this.#record(timer))) return;
    if (!timer.alwaysZap) return;
    await zap(timer.reference).catch((error: unknown) => {
      log.warn(`timer '${timer.name}' records, but its service is not shown: ${(error as Error).message}`);
    });
  }

  /** Starts the recording of a timer. Returns false if it failed or is no longer wanted. */
  async #record(timer: Timer): Promise<boolean> {
    const { list, clock, recorder, folder, log, nameOf } = this.#parts;
    const { id, reference, name, description, tags, eventId } = timer;
    let recording: TimedRecording;
    const note = (text: string) => {
      log.warn(`timer '${name}': ${text}`);
      list.update(id, (one) => logged(one, clock.now(), logCodes.recorder, text));
    };
    try {
      recording = await recorder.start({
        reference,
        serviceName: nameOf(reference),
        title: name,
        description,
        tags,
        folder: await folder(timer.folder, note),
        begin: clock.now(),
        ...(timer.fileName !== '' && { continues: timer.fileName }),
        named: (fileName) => this.#noteFile(id, fileName),
        ...(eventId !== undefined && { eventId }),
      });
    } catch (error) {
      this.#tryLater(timer, logCodes.failed, error);
      return false;
    } finally {
      this.#running.letGo(id);
    }
    this.#running.recordings.set(id, recording);
    const fileName = recording.path.replace(/\.ts$/, '');
    const started = list.update(id, (one) => {
      // It may have been changed meanwhile; then the next check stops this recording.
      if (one.state !== 'prepared' || one.disabled) return one;
      return {
        ...logged(one, clock.now(), logCodes.state, 'start recording'),
        state: 'running',
        failed: false,
        fileName,
        backoff: 0,
        nextTry: undefined,
      };
    });
    if (started?.state !== 'running') return false;
    log.info(`timer '${name}': recording to ${recording.path}`);
    return true;
  }

  /** Stores the path a timer is about to record to: a file found there after a power cut belongs to it. */
  async #noteFile(id: number, fileName: string): Promise<void> {
    const { list } = this.#parts;
    list.update(id, (one) => (one.state === 'prepared' ? { ...one, fileName } : one));
    // A recording starts without the stored path rather than late.
    await Promise.race([list.noted(), wait(longestNoting, undefined, { ref: false })]);
  }

  /** A recording that ended by itself continues in another file, after a delay if that fails. */
  #resume(timer: Timer, now: UnixSeconds): void {
    this.#running.recordings.delete(timer.id);
    const { list } = this.#parts;
    const waiting = list.update(timer.id, (one) => ({
      ...logged(one, now, logCodes.recorder, 'the recording ended early'),
      state: 'waiting',
    }));
    if (waiting) this.#do(waiting, () => this.#prepare(timer.id));
  }

  #tryLater(was: Timer, code: number, error: unknown): void {
    const { list, clock, log } = this.#parts;
    this.#running.letGo(was.id);
    if (!(error instanceof ReceiverError)) log.error(error, `timer '${was.name}'`);
    const now = clock.now();
    const timer = list.update(was.id, (one) => {
      if ((one.state !== 'waiting' && one.state !== 'prepared') || !isSameOccasion(one, was)) return one;
      const backoff = one.backoff === 0 ? firstBackoff : Math.min(longestBackoff, 2 * one.backoff);
      const entry = logged(one, now, code, (error as Error).message);
      return { ...entry, state: 'waiting', backoff, nextTry: now + backoff };
    });
    if (!timer || !isSameOccasion(timer, was)) return;
    log.warn(`timer '${timer.name}': ${(error as Error).message}; next try in ${timer.backoff} s`);
  }

  /** Gives a repeated timer the title and text of this time's event. */
  async #rename(id: number): Promise<void> {
    const { list, guide, guideKey } = this.#parts;
    const timer = list.find(id);
    const service = timer && guideKey(timer.reference);
    if (!timer || !service || timer.repeated === 0 || !timer.renameRepeat) return;
    const event = await eventFor(guide, service, timer);
    if (!event) return;
    const { title, shortText, id: eventId } = event;
    list.update(id, (one) => ({
      ...one,
      name: title || one.name,
      description: shortText,
      eventId,
      event: timerEvent(event),
    }));
  }

  async #wakeFor({ id, zapWakeup }: Timer): Promise<void> {
    const { power } = this.#parts;
    if (!power.standby || (zapWakeup !== 'always' && zapWakeup !== 'from_standby')) return;
    await power.change('wake');
    this.#running.woken.add(id);
  }

  /** Schedules the next check in time for the next due timer, at the latest after `atMost` seconds. */
  #arm(atMost = idlePace): void {
    if (!this.#started) return;
    clearTimeout(this.#wake);
    const { list, clock } = this.#parts;
    const now = clock.now();
    // The guide may change every second: that must not put off the next check.
    const untilPace = pace - (performance.now() - this.#lookedAt) / 1000;
    let seconds = atMost;
    for (const timer of list.all) {
      if (!isActive(timer) || this.#busy.has(timer.id)) continue;
      seconds = Math.min(seconds, untilPace, dueAt(timer) - now);
    }
    if (list.all.some(isActive)) seconds = Math.min(seconds, this.#moves.dueAt - now);
    // The broadcast will set the time, which triggers a check.
    if (!clock.synchronised) seconds = untilPace;
    const soonest = this.#notBefore - performance.now();
    this.#wake = setTimeout(() => void this.look(), Math.max(0, seconds * 1000, soonest));
    this.#wake.unref();
  }
}

const isWaitingForTime = (timer: Timer) => isActive(timer) && timer.log.at(-1)?.text === waitsForTime;

/** When the next action for a timer is due. */
function dueAt(timer: Timer): UnixSeconds {
  const { state, begin, end, nextTry = begin - preparationTime } = timer;
  if (state === 'running') return end;
  return state === 'prepared' ? begin : Math.min(nextTry, deadline(timer));
}
