/**
 * Executes the timers by the receiver's clock: gets a tuner 20 seconds ahead, records or shows, ends, and puts the
 * receiver into the state that the timer wants afterwards. It checks the clock when a timer is due and at intervals in
 * between, because the clock may be set and a Node timer only counts elapsed time.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock, UnixSeconds } from '../clock.ts';
import type { Power } from '../device/power.ts';
import type { DvbTriplet } from '../dvb/triplet.ts';
import { ReceiverError } from '../errors.ts';
import type { ServiceReference } from '../services/reference.ts';
import { MovedEvents } from './moved-events.ts';
import type { RecorderPort, TimedRecording } from './recorder-port.ts';
import { nextOccurrence, shownAt, type Zone } from './repeat.ts';
import { isActive, isForgotten, logCodes, logged, preparationTime, type Timer } from './timer.ts';
import { eventFor, runningStatus, type TimerGuide, timerEvent } from './timer-event.ts';
import type { TimerList } from './timer-list.ts';

export interface TimerSchedulerParts {
  readonly list: TimerList;
  readonly clock: Clock;
  readonly zone: Zone;
  readonly guide: TimerGuide & { onChange(listener: () => void): () => void };
  /** The service under which the guide stores the events of a reference. */
  readonly guideKey: (reference: ServiceReference) => DvbTriplet | undefined;
  readonly nameOf: (reference: ServiceReference) => string;
  readonly recorder: RecorderPort;
  /** Gets a tuner for a service and holds it; undefined if none is needed. Rejects with a ReceiverError. */
  readonly tune: (reference: ServiceReference, user: string) => Promise<TunerHold | undefined>;
  readonly zap: (reference: ServiceReference) => Promise<void>;
  readonly power: Pick<Power, 'standby' | 'change' | 'retire' | 'stay'>;
  /** The folder of recordings whose timer names none. */
  readonly folder: () => string;
  /** Days that ended timers stay in the list. */
  readonly keepDays: () => number;
  readonly log: { info(text: string): void; warn(text: string): void; error(error: unknown): void };
}

export interface TunerHold {
  release(): void;
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
/** Seconds by which a timer is extended while its event continues, and the maximum in total. */
const extension = 60;
const longestExtension = 3 * 3600;
/** Seconds after its begin in which a timer may still show its service, however short it is. */
const zapTolerance = 60;
/** Seconds before the begin from which the running status may start a timer. */
const earliestStart = 900;
/** A recording last written this many seconds before its end is still complete. */
const endTolerance = 3;
/** Milliseconds that the start of a recording may wait for its file name to be stored. */
const longestNoting = 2000;
const day = 86_400;

export class TimerScheduler {
  readonly #parts: TimerSchedulerParts;
  readonly #recordings = new Map<number, TimedRecording>();
  readonly #holds = new Map<number, TunerHold>();
  /** Actions in progress, by timer id. */
  readonly #busy = new Map<number, Promise<void>>();
  /** Recordings that are stopping. */
  readonly #ending = new Set<Promise<void>>();
  /** Set while ended timers are being removed from the list. */
  #forgetting: Promise<void> | undefined;
  /** Timers that woke the receiver. */
  readonly #woken = new Set<number>();
  /** Timers that started early with their event. */
  readonly #early = new Set<number>();
  /** The original end of timers extended with their event. */
  readonly #ends = new Map<number, UnixSeconds>();
  readonly #moves: MovedEvents;
  readonly #stopListening: readonly (() => void)[];
  #wake: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #started = false;
  /** In `performance.now()` milliseconds: no check of its own accord before this. */
  #notBefore = 0;
  #lastLook = Number.NEGATIVE_INFINITY;

  constructor(parts: TimerSchedulerParts) {
    this.#parts = parts;
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
    for (const hold of this.#holds.values()) hold.release();
    this.#holds.clear();
    for (const recording of this.#recordings.values()) this.#end(recording);
    this.#recordings.clear();
    await Promise.all([...this.#ending, this.#forgetting]);
  }

  /** Ends the timer of a recording as if its time were over; a repeated one waits for its next time. */
  async end(path: string): Promise<void> {
    const { list, clock } = this.#parts;
    for (const [id, recording] of this.#recordings) {
      const timer = list.find(id);
      if (recording.path !== path || !timer || this.#busy.has(id)) continue;
      this.#finish(timer, clock.now(), { anyway: true });
      await this.#busy.get(id);
    }
  }

  /** Adds an entry about a recording to the log of its timer. */
  note(path: string, text: string): void {
    const { list, clock } = this.#parts;
    for (const [id, recording] of this.#recordings) {
      if (recording.path === path) list.update(id, (one) => logged(one, clock.now(), logCodes.recorder, text));
    }
  }

  /** Resolves once all actions in progress are done: tuning, starting, ending. */
  async idle(): Promise<void> {
    while (this.#busy.size > 0) await Promise.all(this.#busy.values());
  }

  /** Checks the clock and does what is due. Also to be called when the clock was set. */
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

  readonly #complain = (error: unknown) => this.#parts.log.error(error);

  async #lookNow(): Promise<void> {
    const { clock, list } = this.#parts;
    // A broadcast clock that does not know the time yet counts from a different origin.
    if (!clock.synchronised) return;
    const now = clock.now();
    if (now < this.#lastLook - clockCorrection) this.#clockWentBack(now);
    this.#lastLook = now;
    // A timer that outlasts its planned end is not moved by what the guide says about it.
    await this.#moves.follow(now, (timer) => this.#ends.has(timer.id));
    this.#endUnwanted();
    const all = list.all;
    for (const one of all) {
      // It may have been changed meanwhile.
      const timer = list.all === all ? one : list.find(one.id);
      if (timer && !this.#busy.has(timer.id)) await this.#step(timer, now);
    }
    this.#forget(now - this.#parts.keepDays() * day);
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

  /** Reschedules timers that were missed because the clock was wrong. */
  #clockWentBack(now: UnixSeconds): void {
    const { list, zone, log } = this.#parts;
    log.warn('the clock went back: rescheduling timers');
    for (const timer of list.all) {
      if (timer.disabled) continue;
      const again = { state: 'waiting', failed: false, backoff: 0, nextTry: undefined } as const;
      if (timer.state === 'waiting') list.update(timer.id, (one) => ({ ...one, ...again, failed: one.failed }));
      if (timer.repeated === 0) {
        const wasMissed = timer.state === 'ended' && timer.failed && timer.end > now;
        if (wasMissed) list.update(timer.id, (one) => ({ ...one, ...again }));
      } else if (timer.state === 'waiting') {
        const next = nextOccurrence(timer, zone, now, { first: timer.firstBegin, skipRunning: true });
        if (next && next.begin < timer.begin) list.update(timer.id, (one) => ({ ...one, ...next }));
      }
    }
  }

  async #step(timer: Timer, now: UnixSeconds): Promise<void> {
    if (!isActive(timer)) return;
    const { begin, end, state, nextTry = begin - preparationTime } = timer;
    if (state === 'running') {
      const recording = this.#recordings.get(timer.id);
      if (now < begin - preparationTime && !this.#early.has(timer.id)) return this.#takeBack(timer);
      if (now >= end) return this.#atEnd(timer, now);
      if (timer.endsWithEvent && (await this.#statusOf(timer, now)) === 'over') return this.#finish(timer, now);
      if (!timer.justPlay && !this.#isRecording(recording)) this.#resume(timer, now);
      return;
    }
    if (now >= deadline(timer)) return this.#miss(timer, now);
    const isEarly = begin - now <= earliestStart && now < begin && (await this.#statusOf(timer, now)) === 'running';
    if (state === 'prepared' && now < begin - preparationTime && !isEarly) return this.#unprepare(timer.id);
    if (now < (isEarly ? (timer.nextTry ?? now) : Math.max(nextTry, begin - preparationTime))) return;
    if (state === 'waiting') this.#do(timer, () => this.#prepare(timer.id));
    else if (now >= begin || isEarly) {
      if (isEarly) this.#early.add(timer.id);
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
        if (hold) this.#hold(id, hold);
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
    this.#letGo(id);
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
      log.warn(`timer '${timer.name}': ${(error as Error).message}`);
    });
  }

  /** Starts the recording of a timer. Returns false if it failed or is no longer wanted. */
  async #record(timer: Timer): Promise<boolean> {
    const { list, clock, recorder, folder, log, nameOf } = this.#parts;
    const { id, reference, name, description, tags, eventId } = timer;
    let recording: TimedRecording;
    try {
      recording = await recorder.start({
        reference,
        serviceName: nameOf(reference),
        title: name,
        description,
        tags,
        folder: timer.folder ?? folder(),
        begin: clock.now(),
        ...(timer.fileName !== '' && { continues: timer.fileName }),
        named: (fileName) => this.#noteFile(id, fileName),
        ...(eventId !== undefined && { eventId }),
      });
    } catch (error) {
      this.#tryLater(timer, logCodes.failed, error);
      return false;
    } finally {
      this.#letGo(id);
    }
    this.#recordings.set(id, recording);
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
    this.#recordings.delete(timer.id);
    const { list } = this.#parts;
    const waiting = list.update(timer.id, (one) => ({
      ...logged(one, now, logCodes.recorder, 'the recording ended early'),
      state: 'waiting',
    }));
    if (waiting) this.#do(waiting, () => this.#prepare(timer.id));
  }

  #tryLater(was: Timer, code: number, error: unknown): void {
    const { list, clock, log } = this.#parts;
    this.#letGo(was.id);
    if (!(error instanceof ReceiverError)) log.error(error);
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
    this.#woken.add(id);
  }

  /** Extends the timer while its event continues, if it follows the event; otherwise ends it. */
  async #atEnd(timer: Timer, now: UnixSeconds): Promise<void> {
    const { list, zone } = this.#parts;
    const planned = this.#ends.get(timer.id) ?? timer.end;
    const goesOn = now < planned + longestExtension && (await this.#statusOf(timer, now)) === 'running';
    if (!goesOn) return this.#finish(timer, now);
    this.#ends.set(timer.id, planned);
    list.update(timer.id, (one) => ({
      ...logged(one, now, logCodes.ended, 'the event continues: extended'),
      ...(one.repeated !== 0 && { shown: one.shown ?? shownAt({ begin: one.begin, end: planned }, zone) }),
      end: now + extension,
    }));
  }

  /** The running status of the timer's event, if the timer follows it. */
  async #statusOf(timer: Timer, now: UnixSeconds) {
    const { guide, guideKey } = this.#parts;
    if (!timer.followsRunningStatus || timer.eventId === undefined) return undefined;
    const service = guideKey(timer.reference);
    return service && runningStatus(guide, service, timer.eventId, now);
  }

  /** `anyway`: even if the timer is changed while its recording stops. */
  #finish(timer: Timer, now: UnixSeconds, { anyway = false } = {}): void {
    this.#do(timer, async () => {
      const recording = this.#recordings.get(timer.id);
      this.#recordings.delete(timer.id);
      await recording?.stop();
      const ended = (anyway && this.#parts.list.find(timer.id)) || timer;
      if (this.#over(ended, now, false, timer.justPlay ? 'over' : 'stop recording')) await this.#afterwards(timer);
    });
  }

  #miss(timer: Timer, now: UnixSeconds): void {
    const { log, recorder } = this.#parts;
    const { name, fileName, backoff, end } = timer;
    this.#do(timer, async () => {
      const written = fileName === '' ? undefined : await recorder.remains(fileName);
      // It had reached its end, but the list did not know that yet.
      if (written !== undefined && written > end - endTolerance) {
        this.#over(timer, now, false, 'stop recording');
        return;
      }
      const why = backoff > 0 ? 'it could not be started' : 'its time has passed';
      const text = written === undefined ? `missed: ${why}` : `broken off: ${why} before it could continue`;
      if (this.#over(timer, now, true, text)) log.error(`timer '${name}' was ${text}`);
    });
  }

  /**
   * Ends the timer, or makes it wait for its next time. Returns false if it was changed meanwhile; then it is checked
   * again.
   */
  #over(was: Timer, now: UnixSeconds, failed: boolean, text: string): boolean {
    const { list, zone } = this.#parts;
    const { id } = was;
    const is = list.find(id);
    if (is && !isSameOccasion(is, was)) return false;
    this.#letGo(id);
    const planned = this.#ends.get(id);
    this.#ends.delete(id);
    this.#early.delete(id);
    list.update(id, (one) => {
      const timer = logged(one, now, failed ? logCodes.failed : logCodes.ended, text);
      const done = { ...timer, failed, backoff: 0, nextTry: undefined };
      const after = Math.max(now, one.end);
      const next =
        one.repeated === 0
          ? undefined
          : nextOccurrence({ ...one, end: planned ?? one.end }, zone, after, { first: one.firstBegin });
      return next === undefined ? { ...done, state: 'ended' } : { ...done, state: 'waiting', fileName: '', ...next };
    });
    return true;
  }

  async #afterwards({ id, afterEvent, name, justPlay, begin, end }: Timer): Promise<void> {
    const { power, log } = this.#parts;
    const woken = this.#woken.delete(id);
    if (afterEvent === 'nothing') power.stay();
    if (afterEvent === 'deepstandby') {
      const reason = await power.retire();
      if (reason !== undefined) log.info(`after timer '${name}' the machine stays on: ${reason}`);
      return;
    }
    // A viewer wants to see more than the one second that such a timer lasts for an event.
    const isMoment = justPlay && end - begin < zapTolerance;
    const wanted = afterEvent === 'standby' || (afterEvent === 'auto' && woken && !isMoment);
    if (wanted && !power.standby) await power.change('standby');
  }

  /** A timer that a wrong clock started goes back to waiting. */
  async #takeBack(timer: Timer): Promise<void> {
    this.#do(timer, async () => {
      const recording = this.#recordings.get(timer.id);
      this.#recordings.delete(timer.id);
      await recording?.stop();
      const { clock, list, zone } = this.#parts;
      const now = clock.now();
      list.update(timer.id, (one) => ({
        ...logged(one, now, logCodes.changed, 'the clock went back'),
        state: 'waiting',
        fileName: '',
        ...(one.repeated !== 0 && nextOccurrence(one, zone, now, { first: one.firstBegin })),
      }));
    });
  }

  /** Stops a recording without waiting for its disk. */
  #end(recording: TimedRecording): void {
    const ended = recording
      .stop()
      .catch(this.#complain)
      .finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  /** Stops recordings and holds whose timer was removed, disabled or moved. */
  #endUnwanted(): void {
    const { list } = this.#parts;
    for (const [id, recording] of this.#recordings) {
      const timer = list.find(id);
      if (this.#busy.has(id) || (timer && timer.state === 'running' && !timer.disabled)) continue;
      this.#recordings.delete(id);
      this.#early.delete(id);
      this.#end(recording);
    }
    for (const id of this.#holds.keys()) {
      const timer = list.find(id);
      if (!this.#busy.has(id) && (timer?.state !== 'prepared' || timer.disabled)) this.#letGo(id);
    }
  }

  #hold(id: number, hold: TunerHold): void {
    this.#letGo(id);
    this.#holds.set(id, hold);
  }

  #letGo(id: number): void {
    this.#holds.get(id)?.release();
    this.#holds.delete(id);
  }

  /** Schedules the next check in time for the next due timer, at the latest after `atMost` seconds. */
  #arm(atMost = idlePace): void {
    if (!this.#started) return;
    clearTimeout(this.#wake);
    const { list, clock } = this.#parts;
    const now = clock.now();
    let seconds = atMost;
    for (const timer of list.all) {
      if (!isActive(timer) || this.#busy.has(timer.id)) continue;
      seconds = Math.min(seconds, pace, dueAt(timer) - now);
    }
    if (list.all.some(isActive)) seconds = Math.min(seconds, this.#moves.dueAt - now);
    // The broadcast will set the time, which triggers a check.
    if (!clock.synchronised) seconds = pace;
    const soonest = this.#notBefore - performance.now();
    this.#wake = setTimeout(() => void this.look(), Math.max(0, seconds * 1000, soonest));
    this.#wake.unref();
  }
}

/** Whether both are for the same time of the same service: no change has made work in progress pointless. */
function isSameOccasion(a: Timer, b: Timer): boolean {
  return a.begin === b.begin && a.end === b.end && a.disabled === b.disabled && a.reference.equals(b.reference);
}

/** When it is too late to start. A timer that shows a service and has no length still gets some time. */
function deadline({ begin, end, justPlay }: Timer): UnixSeconds {
  return Math.max(end, begin + (justPlay ? zapTolerance : 1));
}

/** When the next action for a timer is due. */
function dueAt(timer: Timer): UnixSeconds {
  const { state, begin, end, nextTry = begin - preparationTime } = timer;
  if (state === 'running') return end;
  return state === 'prepared' ? begin : Math.min(nextTry, deadline(timer));
}
