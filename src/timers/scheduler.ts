/**
 * Executes the timers by the receiver's clock: gets a tuner 20 seconds ahead, records or shows the service, and ends
 * the timer (ends.ts). It checks the clock when a timer is due and at intervals in between, because the clock may be
 * set while a Node timer only counts elapsed time.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { UnixSeconds } from '../base/clock.ts';
import { ReceiverError } from '../base/errors.ts';
import { Listeners } from '../base/listeners.ts';
import type { RecordingSpec } from '../recordings/files/recording-spec.ts';
import type { Recorder } from '../recordings/recorder.ts';
import type { ServiceReference } from '../services/reference.ts';
import { deadline, TimerEnds, type TimerEndsParts } from './ends.ts';
import { MovedEvents, type MovedEventsParts } from './moved-events.ts';
import { nextOccurrence } from './repeat.ts';
import { type HeldTuner, RunningTimers, type TimedRecording } from './running-timers.ts';
import {
  hasEndedBefore,
  isActive,
  isSameOccasion,
  logCodes,
  preparationSeconds,
  type Timer,
  withLogEntry,
} from './timer.ts';
import { eventFor, statusOf, timerEvent } from './timer-event.ts';

export interface TimerSchedulerParts extends TimerEndsParts {
  readonly guide: MovedEventsParts['guide'] & { onChange(listener: () => void): () => void };
  readonly referenceOf: MovedEventsParts['referenceOf'];
  readonly nameOf: (reference: ServiceReference) => string;
  readonly recorder: Pick<Recorder, 'lastWrittenAt'> & {
    /** The recordings that are running; any other recording has ended. */
    readonly active: Iterable<TimedRecording>;
    start(spec: RecordingSpec): Promise<TimedRecording>;
  };
  /** Gets a tuner for a service and holds it; undefined if none is needed. @throws ReceiverError */
  readonly tune: (reference: ServiceReference, user: string) => Promise<HeldTuner | undefined>;
  readonly zap: (reference: ServiceReference) => Promise<void>;
  /**
   * The folder to record to for a timer that names this folder, or none. `note` receives the reason if it is another.
   */
  readonly folder: (requested: string | undefined, note: (text: string) => void) => Promise<string>;
  /** Days for which ended timers stay in the list. */
  readonly keepDays: () => number;
  /** Called once, when the clock first knows the time. */
  readonly timeKnown: () => void;
  readonly log: { info(text: string): void; warn(text: string): void; error(error: unknown, message?: string): void };
}

/** Seconds between two checks of the clock while a timer is waiting. */
const checkIntervalSeconds = 15;
/** Seconds between two checks while no timer is waiting: ended timers may be due for removal. */
const idleIntervalSeconds = 3600;
/** Seconds before a failed attempt is repeated: at first, doubled with each failure, and at most. */
const firstBackoffSeconds = 5;
const maxBackoffSeconds = 100;
/** The clock counts as corrected if it is set back by more than this many seconds. */
const minCorrectionSeconds = 600;
/** Seconds before its start within which the running status may start a timer. */
const maxEarlySeconds = 900;
/** Milliseconds for which the start of a recording waits until the timer list with its file name is stored. */
const fileNameTimeoutMs = 2000;
const day = 86_400;

/** Changes of the clock by up to this many seconds are ignored. */
const clockToleranceSeconds = 2;
/** Milliseconds without knowing the time after which timers report that they wait for it. */
const waitingReportDelayMs = checkIntervalSeconds * 1000;
const waitingForTimeText = 'waits: the time is not known';

export class TimerScheduler {
  readonly #parts: TimerSchedulerParts;
  /** Actions in progress, by timer id. */
  readonly #actions = new Map<number, Promise<void>>();
  readonly #running: RunningTimers;
  readonly #ends: TimerEnds;
  readonly #failures = new Listeners<[timer: Timer, problem: string, isRetried: boolean]>();
  /** Calls `listener` when an attempt to start a timer has failed, and when it is missed or interrupted. */
  readonly onFailure = this.#failures.add;
  /** Set while ended timers are being removed from the list. */
  #cleaning: Promise<void> | undefined;
  readonly #moves: MovedEvents;
  readonly #stopListening: readonly (() => void)[];
  #nextCheck: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;
  #checkAgain = false;
  #started = false;
  /** No scheduled check before this, by `performance.now()`. */
  #notBeforeMs = 0;
  #lastCheck = Number.NEGATIVE_INFINITY;
  /** The time of the last check by `performance.now()`. */
  #lastCheckMs = performance.now();
  #knowsTime = false;
  /** When the scheduler was created, by `performance.now()`. */
  readonly #createdMs = performance.now();
  /** Seconds by which the clock was ahead of `performance.now()` when it was last set. */
  #clockAhead = Number.NEGATIVE_INFINITY;

  constructor(parts: TimerSchedulerParts) {
    this.#parts = parts;
    this.#running = new RunningTimers(this.#logError);
    this.#ends = new TimerEnds(parts, this.#running, {
      inProgress: this.#actions,
      run: (timer, action) => this.#runAction(timer, action),
      missed: (timer, problem) => this.#failures.call(timer, problem, false),
    });
    this.#moves = new MovedEvents(parts);
    this.#stopListening = [
      parts.list.onChange(() => this.#checkSoon()),
      parts.guide.onChange(() => {
        this.#moves.guideChanged();
        this.#scheduleCheck();
      }),
    ];
  }

  /** Starts executing timers; those that should be running start at once. */
  start(): void {
    this.#started = true;
    void this.check();
  }

  /**
   * Starts no more timers and releases the tuners. Running recordings are stopped but stay in the list as running, so
   * they continue after the next start.
   */
  async stop(): Promise<void> {
    this.#started = false;
    clearTimeout(this.#nextCheck);
    for (const end of this.#stopListening) end();
    await this.#checking;
    await this.idle();
    await Promise.all([this.#running.close(), this.#cleaning]);
  }

  /** Ends the timer that is recording to this file, as at its end time; a repeating timer waits for its next time. */
  endTimerOf(path: string): Promise<void> {
    return this.#ends.endTimerOf(path);
  }

  /** Adds an entry to the log of the timer that is recording to this file. */
  addLogEntry(path: string, text: string): void {
    const { list, clock } = this.#parts;
    for (const [id, recording] of this.#running.recordings) {
      if (recording.path === path)
        list.update(id, (stored) => withLogEntry(stored, clock.now(), logCodes.recorder, text));
    }
  }

  /** Resolves once all actions in progress are done: tuning, starting, ending. */
  async idle(): Promise<void> {
    while (this.#actions.size > 0) await Promise.all(this.#actions.values());
  }

  /** To be called when the clock was set, even if to the same time: timers may be due earlier or later. */
  clockSet(): void {
    const ahead = this.#parts.clock.now() - performance.now() / 1000;
    if (Math.abs(ahead - this.#clockAhead) > clockToleranceSeconds) void this.check();
    this.#clockAhead = ahead;
  }

  /** Checks the clock and starts the actions that are due. */
  check(): Promise<void> {
    if (this.#checking) {
      this.#checkAgain = true;
      return this.#checking;
    }
    this.#checking = this.#checkNow()
      .catch(this.#logError)
      .then(() => {
        this.#checking = undefined;
        if (!this.#checkAgain) return this.#scheduleCheck();
        this.#checkAgain = false;
        return this.check();
      });
    return this.#checking;
  }

  /** Runs a check as soon as the current one is done. */
  #checkSoon(): void {
    if (this.#checking) this.#checkAgain = true;
    else this.#scheduleCheck(0);
  }

  readonly #logError = (error: unknown) => this.#parts.log.error(error, 'executing the timers failed');

  async #checkNow(): Promise<void> {
    const { clock, list } = this.#parts;
    this.#lastCheckMs = performance.now();
    // A clock that does not know the time yet counts from a different origin.
    if (!clock.synchronised) return this.#reportWaiting();
    const now = clock.now();
    if (!this.#knowsTime) {
      this.#knowsTime = true;
      if (list.all.some(isWaitingForTime)) this.#parts.log.info('the time is known: the timers resume');
      this.#parts.timeKnown();
    }
    if (now < this.#lastCheck - minCorrectionSeconds) this.#clockWentBack(now);
    this.#lastCheck = now;
    // A timer that was extended beyond its planned end no longer follows the guide.
    await this.#moves.moveTimers(now, (timer) => this.#running.plannedEnds.has(timer.id));
    this.#ends.endUnwanted();
    const all = list.all;
    for (const listed of all) {
      // The timer may have been changed during the actions for the others.
      const timer = list.all === all ? listed : list.find(listed.id);
      if (timer && !this.#actions.has(timer.id)) await this.#advance(timer, now);
    }
    this.#removeOld(now - this.#parts.keepDays() * day);
  }

  /** Adds an entry to the timers' own logs, which clients show, that they cannot start yet. */
  #reportWaiting(): void {
    const { clock, list, log } = this.#parts;
    if (performance.now() - this.#createdMs < waitingReportDelayMs) return;
    const unreported = list.all.filter((timer) => isActive(timer) && !isWaitingForTime(timer));
    if (unreported.length === 0) return;
    log.warn('the timers wait: the time is not known, neither from the machine nor from the broadcast');
    for (const { id } of unreported) {
      list.update(id, (stored) => withLogEntry(stored, clock.now(), logCodes.state, waitingForTimeText));
    }
  }

  /** Removes timers that ended before a time, in the background: the disk may be slow. */
  #removeOld(before: UnixSeconds): void {
    const { list } = this.#parts;
    if (this.#cleaning || !list.all.some((timer) => hasEndedBefore(timer, before))) return;
    this.#cleaning = list
      .cleanup(before)
      .catch(this.#logError)
      .finally(() => {
        this.#cleaning = undefined;
      });
  }

  /** Reschedules timers that were missed or ended too early because the clock was ahead. */
  #clockWentBack(now: UnixSeconds): void {
    const { list, zone, log } = this.#parts;
    log.warn('the clock was set back: rescheduling the timers');
    for (const timer of list.all) {
      if (timer.disabled) continue;
      const again = { state: 'waiting', failed: false, backoff: 0, nextTry: undefined } as const;
      if (timer.state === 'waiting')
        list.update(timer.id, (stored) => ({ ...stored, ...again, failed: stored.failed }));
      // A timer that ended before its end time was ended by a user, or with its event.
      const isOverBy = (end: UnixSeconds) => (timer.log.at(-1)?.time ?? 0) >= end;
      if (timer.repeated === 0) {
        const isTooEarly = timer.state === 'ended' && timer.end > now && (timer.failed || isOverBy(timer.end));
        if (isTooEarly) list.update(timer.id, (stored) => ({ ...stored, ...again }));
      } else if (timer.state === 'waiting') {
        const first = timer.firstBegin;
        const current = nextOccurrence(timer, zone, now, { first });
        const skipRunning = current !== undefined && !isOverBy(current.end);
        const next = nextOccurrence(timer, zone, now, { first, skipRunning });
        if (next && next.begin < timer.begin) list.update(timer.id, (stored) => ({ ...stored, ...next }));
      }
    }
  }

  async #advance(timer: Timer, now: UnixSeconds): Promise<void> {
    if (!isActive(timer)) return;
    const { begin, state, nextTry = begin - preparationSeconds } = timer;
    if (state === 'running') {
      const recording = this.#running.recordings.get(timer.id);
      if (await this.#ends.endRunning(timer, now)) return;
      if (!timer.justPlay && !this.#isRecording(recording)) this.#resume(timer, now);
      return;
    }
    if (this.#ends.endMissed(timer, now)) return;
    const isEarly =
      begin - now <= maxEarlySeconds && now < begin && (await statusOf(this.#parts, timer, now)) === 'running';
    if (state === 'prepared' && now < begin - preparationSeconds && !isEarly) return this.#releaseUntilDue(timer.id);
    if (now < (isEarly ? (timer.nextTry ?? now) : Math.max(nextTry, begin - preparationSeconds))) return;
    if (state === 'waiting') this.#runAction(timer, () => this.#prepare(timer.id));
    else if (now >= begin || isEarly) {
      if (isEarly) this.#running.early.add(timer.id);
      this.#runAction(timer, () => this.#activate(timer.id));
    }
  }

  /** Runs an action; the timer is not checked until it is done. */
  #runAction({ id }: Timer, action: () => Promise<void>): void {
    const done = action()
      .then(
        () => 0,
        (error: unknown) => {
          this.#logError(error);
          // An unexpected error must not be repeated in rapid succession.
          this.#notBeforeMs = performance.now() + firstBackoffSeconds * 1000;
          return firstBackoffSeconds;
        },
      )
      .then((delaySeconds) => {
        this.#actions.delete(id);
        this.#scheduleCheck(delaySeconds);
      });
    this.#actions.set(id, done);
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
        const tuner = await tune(timer.reference, timer.name);
        if (tuner) this.#running.holdTuner(id, tuner);
      } catch (error) {
        this.#retryLater(timer, logCodes.notPrepared, error);
        return;
      }
    }
    const now = clock.now();
    list.update(id, (stored) => {
      // A timer that was changed meanwhile is checked again.
      if (stored.state !== 'waiting' || !isSameOccasion(stored, timer)) return stored;
      return {
        ...withLogEntry(stored, now, logCodes.prepared, 'prepare ok, waiting for begin'),
        state: 'prepared',
        nextTry: undefined,
      };
    });
  }

  /** Releases the tuner of a timer that was moved to a later time. */
  #releaseUntilDue(id: number): void {
    this.#running.releaseTuner(id);
    this.#parts.list.update(id, (stored) => ({ ...stored, state: 'waiting', backoff: 0, nextTry: undefined }));
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
        this.#retryLater(timer, logCodes.failed, error);
        return;
      }
      list.update(id, (stored) => ({
        ...withLogEntry(stored, clock.now(), logCodes.zapped, 'zapping'),
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
    const { id, begin, end, reference, name, description, tags, eventId } = timer;
    let recording: TimedRecording;
    const note = (text: string) => {
      log.warn(`timer '${name}': ${text}`);
      list.update(id, (stored) => withLogEntry(stored, clock.now(), logCodes.recorder, text));
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
        timer: { id, begin, end },
        ...(timer.fileName !== '' && { continues: timer.fileName }),
        onNamed: (fileName) => this.#storeFileName(id, fileName),
        ...(eventId !== undefined && { eventId }),
      });
    } catch (error) {
      this.#retryLater(timer, logCodes.failed, error);
      return false;
    } finally {
      this.#running.releaseTuner(id);
    }
    this.#running.recordings.set(id, recording);
    const fileName = recording.path.replace(/\.ts$/, '');
    const started = list.update(id, (stored) => {
      // If the timer was changed meanwhile, the next check stops this recording.
      if (stored.state !== 'prepared' || stored.disabled) return stored;
      return {
        ...withLogEntry(stored, clock.now(), logCodes.state, 'start recording'),
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

  /** Stores the path a timer is about to record to, so that a file found there after a power cut can be attributed. */
  async #storeFileName(id: number, fileName: string): Promise<void> {
    const { list } = this.#parts;
    list.update(id, (stored) => (stored.state === 'prepared' ? { ...stored, fileName } : stored));
    // A recording that starts late is worse than one whose path is not stored.
    await Promise.race([list.updatesWritten(), wait(fileNameTimeoutMs, undefined, { ref: false })]);
  }

  /** Continues a recording that ended early in another file, after a delay if that fails. */
  #resume(timer: Timer, now: UnixSeconds): void {
    this.#running.recordings.delete(timer.id);
    const { list } = this.#parts;
    const waiting = list.update(timer.id, (stored) => ({
      ...withLogEntry(stored, now, logCodes.recorder, 'the recording ended early'),
      state: 'waiting',
    }));
    if (waiting) this.#runAction(waiting, () => this.#prepare(timer.id));
  }

  #retryLater(timer: Timer, code: number, error: unknown): void {
    const { list, clock, log } = this.#parts;
    this.#running.releaseTuner(timer.id);
    if (!(error instanceof ReceiverError)) log.error(error, `timer '${timer.name}'`);
    const now = clock.now();
    const waiting = list.update(timer.id, (stored) => {
      if ((stored.state !== 'waiting' && stored.state !== 'prepared') || !isSameOccasion(stored, timer)) return stored;
      const backoff = stored.backoff === 0 ? firstBackoffSeconds : Math.min(maxBackoffSeconds, 2 * stored.backoff);
      const entry = withLogEntry(stored, now, code, (error as Error).message);
      return { ...entry, state: 'waiting', backoff, nextTry: now + backoff };
    });
    if (!waiting || !isSameOccasion(waiting, timer)) return;
    log.warn(`timer '${waiting.name}': ${(error as Error).message}; next try in ${waiting.backoff} s`);
    this.#failures.call(waiting, (error as Error).message, true);
  }

  /** Gives a repeating timer the title and text of the event that it is about to record. */
  async #rename(id: number): Promise<void> {
    const { list, guide, guideKey } = this.#parts;
    const timer = list.find(id);
    const service = timer && guideKey(timer.reference);
    if (!timer || !service || timer.repeated === 0 || !timer.renameRepeat) return;
    const event = await eventFor(guide, service, timer);
    if (!event) return;
    const { title, shortText, id: eventId } = event;
    list.update(id, (stored) => ({
      ...stored,
      name: title || stored.name,
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

  /** Schedules the next check for the time at which a timer is due, or in `maxSeconds` if that is earlier. */
  #scheduleCheck(maxSeconds = idleIntervalSeconds): void {
    if (!this.#started) return;
    clearTimeout(this.#nextCheck);
    const { list, clock } = this.#parts;
    const now = clock.now();
    // Frequent changes of the guide must not postpone the next check.
    const untilInterval = checkIntervalSeconds - (performance.now() - this.#lastCheckMs) / 1000;
    let seconds = maxSeconds;
    for (const timer of list.all) {
      if (!isActive(timer) || this.#actions.has(timer.id)) continue;
      seconds = Math.min(seconds, untilInterval, dueAt(timer) - now);
    }
    if (list.all.some(isActive)) seconds = Math.min(seconds, this.#moves.dueAt - now);
    // Before that, the broadcast may set the time, which triggers a check.
    if (!clock.synchronised) seconds = untilInterval;
    const minDelayMs = this.#notBeforeMs - performance.now();
    this.#nextCheck = setTimeout(() => void this.check(), Math.max(0, seconds * 1000, minDelayMs));
    this.#nextCheck.unref();
  }
}

const isWaitingForTime = (timer: Timer) => isActive(timer) && timer.log.at(-1)?.text === waitingForTimeText;

/** When the next action of a timer is due. */
function dueAt(timer: Timer): UnixSeconds {
  const { state, begin, end, nextTry = begin - preparationSeconds } = timer;
  if (state === 'running') return end;
  return state === 'prepared' ? begin : Math.min(nextTry, deadline(timer));
}
