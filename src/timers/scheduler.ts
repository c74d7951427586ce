/**
 * Does what the timers say, by the receiver's clock: gets a tuner 20 seconds before, records or shows, ends, and goes where the
 * timer wants to be after that. It looks at the clock when something is due and now and then in between, because the clock may be set
 * and a timer of Node only counts.
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
  /** Under which service the guide keeps the events of a reference. */
  readonly guideKey: (reference: ServiceReference) => DvbTriplet | undefined;
  readonly nameOf: (reference: ServiceReference) => string;
  readonly recorder: RecorderPort;
  /** Gets a tuner for a service and holds it; undefined where none is needed. Rejects with a ReceiverError. */
  readonly tune: (reference: ServiceReference, user: string) => Promise<TunerHold | undefined>;
  readonly zap: (reference: ServiceReference) => Promise<void>;
  readonly power: Pick<Power, 'standby' | 'change' | 'retire' | 'stay'>;
  /** Where a recording goes whose timer names no folder. */
  readonly folder: () => string;
  /** Days for which timers that have ended stay in the list. */
  readonly keepDays: () => number;
  readonly log: { info(text: string): void; warn(text: string): void; error(error: unknown): void };
}

export interface TunerHold {
  release(): void;
}

/** Seconds between two looks at the clock when a timer waits, however far away it is. */
const pace = 15;
/** The longest one while nothing waits: for those that have ended and are to be forgotten. */
const idlePace = 3600;
/** Seconds until a try that failed is made again: each time twice as many. */
const firstBackoff = 5;
const longestBackoff = 100;
/** Seconds that the clock has to go back by to count as put right. */
const clockCorrection = 600;
/** Seconds by which a timer lasts longer while its event goes on, and at most. */
const extension = 60;
const longestExtension = 3 * 3600;
/** Seconds after its begin in which a timer may still show its service, however short it is. */
const zapTolerance = 60;
/** Seconds before the begin from which on the running status may start a timer. */
const earliestStart = 900;
/** Seconds before its end in which a recording may have been written to last and be whole nevertheless. */
const endTolerance = 3;
/** Milliseconds that the beginning of a recording may wait until it is noted. */
const longestNoting = 2000;
const day = 86_400;

export class TimerScheduler {
  readonly #parts: TimerSchedulerParts;
  readonly #recordings = new Map<number, TimedRecording>();
  readonly #holds = new Map<number, TunerHold>();
  /** Timers that something is being done about, by their id. */
  readonly #busy = new Map<number, Promise<void>>();
  /** Recordings that are ending. */
  readonly #ending = new Set<Promise<void>>();
  /** While timers that have ended are taken out of the list. */
  #forgetting: Promise<void> | undefined;
  /** Timers for which the receiver was woken. */
  readonly #woken = new Set<number>();
  /** Timers that began early, as their event did. */
  readonly #early = new Set<number>();
  /** Where the end of a timer was before its event went on. */
  readonly #ends = new Map<number, UnixSeconds>();
  readonly #moves: MovedEvents;
  readonly #stopListening: readonly (() => void)[];
  #wake: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #started = false;
  /** Milliseconds of `performance.now()`: no look by itself before. */
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

  /** Begins; what should be running is started at once. */
  start(): void {
    this.#started = true;
    void this.look();
  }

  /**
   * Starts nothing any more and gives the tuners back. What is being recorded is ended, and stays in the list as running: with the next
   * start it goes on.
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

  /** Ends the timer that a recording is made for, as if its time were over; a repeated one waits for the next. */
  async end(path: string): Promise<void> {
    const { list, clock } = this.#parts;
    for (const [id, recording] of this.#recordings) {
      const timer = list.find(id);
      if (recording.path !== path || !timer || this.#busy.has(id)) continue;
      this.#finish(timer, clock.now(), { anyway: true });
      await this.#busy.get(id);
    }
  }

  /** Notes in the log of its timer what has happened to a recording. */
  note(path: string, text: string): void {
    const { list, clock } = this.#parts;
    for (const [id, recording] of this.#recordings) {
      if (recording.path === path) list.update(id, (one) => logged(one, clock.now(), logCodes.recorder, text));
    }
  }

  /** Resolves when everything that was begun is done: tuning, starting, ending. */
  async idle(): Promise<void> {
    while (this.#busy.size > 0) await Promise.all(this.#busy.values());
  }

  /** Looks at the clock and does what is due. To be called when the clock was set, too. */
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

  /** As soon as what is going on here is done. */
  #lookSoon(): void {
    if (this.#looking) this.#lookAgain = true;
    else this.#arm(0);
  }

  readonly #complain = (error: unknown) => this.#parts.log.error(error);

  async #lookNow(): Promise<void> {
    const { clock, list } = this.#parts;
    // A broadcast clock that has not heard the time yet counts from another point.
    if (!clock.synchronised) return;
    const now = clock.now();
    if (now < this.#lastLook - clockCorrection) this.#clockWentBack(now);
    this.#lastLook = now;
    // Whose event goes on is not moved by what the guide says of its end.
    await this.#moves.follow(now, (timer) => this.#ends.has(timer.id));
    this.#endUnwanted();
    const all = list.all;
    for (const one of all) {
      // Meanwhile it may have been changed.
      const timer = list.all === all ? one : list.find(one.id);
      if (timer && !this.#busy.has(timer.id)) await this.#step(timer, now);
    }
    this.#forget(now - this.#parts.keepDays() * day);
  }

  /** Takes out what ended before a time, in the background: the disk may take its time. */
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

  /** What was missed by a clock that was wrong comes again. */
  #clockWentBack(now: UnixSeconds): void {
    const { list, zone, log } = this.#parts;
    log.warn('the clock went back: timers are looked at anew');
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

  /** Something that takes its time; nothing else happens to the timer meanwhile. */
  #do({ id }: Timer, what: () => Promise<void>): void {
    const done = what()
      .then(
        () => 0,
        (error: unknown) => {
          this.#complain(error);
          // What goes wrong in a way that nobody knows is not tried again and again.
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
      // It may have been changed meanwhile: then it is looked at anew.
      if (one.state !== 'waiting' || !isSameOccasion(one, timer)) return one;
      return {
        ...logged(one, now, logCodes.prepared, 'prepare ok, waiting for begin'),
        state: 'prepared',
        nextTry: undefined,
      };
    });
  }

  /** One that was moved away gives its tuner back until it comes. */
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

  /** Starts the recording of a timer; false when it could not be had, or is not wanted any more. */
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
      // It may have been changed meanwhile: then the next look ends this recording.
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

  /** Notes where a timer is going to record: whatever is found there after a power cut is its own. */
  async #noteFile(id: number, fileName: string): Promise<void> {
    const { list } = this.#parts;
    list.update(id, (one) => (one.state === 'prepared' ? { ...one, fileName } : one));
    // A recording begins without it rather than late.
    await Promise.race([list.noted(), wait(longestNoting, undefined, { ref: false })]);
  }

  /** A recording that has ended by itself goes on in another file, after a while if that fails. */
  #resume(timer: Timer, now: UnixSeconds): void {
    this.#recordings.delete(timer.id);
    const { list } = this.#parts;
    const waiting = list.update(timer.id, (one) => ({
      ...logged(one, now, logCodes.recorder, 'the recording has ended before its time'),
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

  /** The title and text of a repeated timer are those of what runs this time. */
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

  /** Lasts longer while the event goes on, if it follows that; else it is over. */
  async #atEnd(timer: Timer, now: UnixSeconds): Promise<void> {
    const { list, zone } = this.#parts;
    const planned = this.#ends.get(timer.id) ?? timer.end;
    const goesOn = now < planned + longestExtension && (await this.#statusOf(timer, now)) === 'running';
    if (!goesOn) return this.#finish(timer, now);
    this.#ends.set(timer.id, planned);
    list.update(timer.id, (one) => ({
      ...logged(one, now, logCodes.ended, 'the event goes on: extended'),
      ...(one.repeated !== 0 && { shown: one.shown ?? shownAt({ begin: one.begin, end: planned }, zone) }),
      end: now + extension,
    }));
  }

  /** What the running status says of its event, for a timer that goes by it. */
  async #statusOf(timer: Timer, now: UnixSeconds) {
    const { guide, guideKey } = this.#parts;
    if (!timer.followsRunningStatus || timer.eventId === undefined) return undefined;
    const service = guideKey(timer.reference);
    return service && runningStatus(guide, service, timer.eventId, now);
  }

  /** `anyway`: also when somebody changes the timer while its recording ends. */
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
      // It had come to its end, and only the list did not know it yet.
      if (written !== undefined && written > end - endTolerance) {
        this.#over(timer, now, false, 'stop recording');
        return;
      }
      const why = backoff > 0 ? 'it could not be started' : 'its time has passed';
      const text = written === undefined ? `missed: ${why}` : `broken off: ${why} before it went on`;
      if (this.#over(timer, now, true, text)) log.error(`timer '${name}' was ${text}`);
    });
  }

  /** The timer has ended, or waits for its next time. False for one that was changed meanwhile: it is looked at anew. */
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
    // Who is shown something wants to see more of it than the moment that a timer for an event has.
    const isMoment = justPlay && end - begin < zapTolerance;
    const wanted = afterEvent === 'standby' || (afterEvent === 'auto' && woken && !isMoment);
    if (wanted && !power.standby) await power.change('standby');
  }

  /** A timer that a wrong clock has started waits again. */
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

  /** Ends a recording, without waiting for its disk. */
  #end(recording: TimedRecording): void {
    const ended = recording
      .stop()
      .catch(this.#complain)
      .finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  /** Ends what belongs to no timer any more: taken out of the list, switched off, moved. */
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

  /** Looks again in time for whatever comes next; at the latest after `atMost` seconds. */
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
    // The broadcast will tell the time, and that makes it look.
    if (!clock.synchronised) seconds = pace;
    const soonest = this.#notBefore - performance.now();
    this.#wake = setTimeout(() => void this.look(), Math.max(0, seconds * 1000, soonest));
    this.#wake.unref();
  }
}

/** For the same time of the same service still: nobody has changed it in a way that makes what was begun for it pointless. */
function isSameOccasion(a: Timer, b: Timer): boolean {
  return a.begin === b.begin && a.end === b.end && a.disabled === b.disabled && a.reference.equals(b.reference);
}

/** When it is too late to begin: to show something that has no length there is some time nevertheless. */
function deadline({ begin, end, justPlay }: Timer): UnixSeconds {
  return Math.max(end, begin + (justPlay ? zapTolerance : 1));
}

/** When something is to be done about a timer. */
function dueAt(timer: Timer): UnixSeconds {
  const { state, begin, end, nextTry = begin - preparationTime } = timer;
  if (state === 'running') return end;
  return state === 'prepared' ? begin : Math.min(nextTry, deadline(timer));
}
