/**
 * What ends a timer, and what happens then:
 *
 *   its end                      one that follows its event is extended while the event continues
 *   the end of its event         by the running status, if it ends with its event
 *   its deadline                 it could not start in time: missed, or broken off if part of it was recorded
 *   someone who ends it          as if its time were over
 *   removed, disabled, moved     its recording and its tuner are given up
 *
 * A timer that is over has ended or, if it is repeated, waits for its next time; then the receiver gets into the state
 * that the timer wants afterwards. A timer that a wrong clock started has no end, it goes back to waiting.
 */
import type { Clock, UnixSeconds } from '../base/clock.ts';
import type { Power } from '../device/power.ts';
import type { Recorder } from '../recordings/recorder.ts';
import { nextOccurrence, shownAt, type Zone } from './repeat.ts';
import type { RunningTimers } from './running-timers.ts';
import { isSameOccasion, logCodes, logged, preparationTime, type Timer } from './timer.ts';
import { statusOf, type TimerGuideParts } from './timer-event.ts';
import type { TimerList } from './timer-list.ts';

export interface TimerEndsParts extends TimerGuideParts {
  readonly list: TimerList;
  readonly clock: Clock;
  readonly zone: Zone;
  readonly recorder: Pick<Recorder, 'remains'>;
  readonly power: Pick<Power, 'standby' | 'change' | 'retire' | 'stay'>;
  readonly log: { info(text: string): void; error(error: unknown, message?: string): void };
}

/** Longer actions of timers. */
export interface TimerActions {
  /** Those in progress, by timer id. */
  readonly busy: ReadonlyMap<number, Promise<void>>;
  /** Runs one; nothing else happens to the timer meanwhile. */
  run(timer: Timer, action: () => Promise<void>): void;
}

/** Seconds by which a timer is extended while its event continues, and the maximum in total. */
const extension = 60;
const longestExtension = 3 * 3600;
/** Seconds after its begin in which a timer may still show its service, however short it is. */
const zapTolerance = 60;
/** A recording last written this many seconds before its end is still complete. */
const endTolerance = 3;

/** When it is too late to start. A timer that shows a service and has no length still gets some time. */
export function deadline({ begin, end, justPlay }: Timer): UnixSeconds {
  return Math.max(end, begin + (justPlay ? zapTolerance : 1));
}

export class TimerEnds {
  readonly #parts: TimerEndsParts;
  readonly #running: RunningTimers;
  readonly #actions: TimerActions;

  constructor(parts: TimerEndsParts, running: RunningTimers, actions: TimerActions) {
    this.#parts = parts;
    this.#running = running;
    this.#actions = actions;
  }

  /** Ends, extends or takes back a running timer if that is due. Returns false if it just goes on. */
  async endRunning(timer: Timer, now: UnixSeconds): Promise<boolean> {
    if (now < timer.begin - preparationTime && !this.#running.early.has(timer.id)) {
      this.#takeBack(timer);
      return true;
    }
    const isDue = now >= timer.end;
    if (isDue && (await this.#extend(timer, now))) return true;
    const isOver = isDue || (timer.endsWithEvent && (await statusOf(this.#parts, timer, now)) === 'over');
    if (isOver) this.#finish(timer, now);
    return isOver;
  }

  /** Ends a timer that can no longer start. Returns false if it can. */
  endMissed(timer: Timer, now: UnixSeconds): boolean {
    if (now < deadline(timer)) return false;
    this.#miss(timer, now);
    return true;
  }

  /** Ends the timer of a recording as if its time were over; a repeated one waits for its next time. */
  async endByPath(path: string): Promise<void> {
    const { list, clock } = this.#parts;
    for (const [id, recording] of this.#running.recordings) {
      const timer = list.find(id);
      if (recording.path !== path || !timer || this.#actions.busy.has(id)) continue;
      this.#finish(timer, clock.now(), { anyway: true });
      await this.#actions.busy.get(id);
    }
  }

  /** Stops recordings and holds whose timer was removed, disabled or moved. */
  endUnwanted(): void {
    const { list } = this.#parts;
    for (const id of this.#running.recordings.keys()) {
      const timer = list.find(id);
      if (this.#actions.busy.has(id) || (timer && timer.state === 'running' && !timer.disabled)) continue;
      this.#running.early.delete(id);
      this.#running.dropRecording(id);
    }
    for (const id of this.#running.holders) {
      const timer = list.find(id);
      if (!this.#actions.busy.has(id) && (timer?.state !== 'prepared' || timer.disabled)) this.#running.letGo(id);
    }
  }

  /** Extends a timer that follows its event while the event continues. Returns false if it does not. */
  async #extend(timer: Timer, now: UnixSeconds): Promise<boolean> {
    const { list, zone } = this.#parts;
    const { plannedEnds } = this.#running;
    const planned = plannedEnds.get(timer.id) ?? timer.end;
    if (now >= planned + longestExtension || (await statusOf(this.#parts, timer, now)) !== 'running') return false;
    plannedEnds.set(timer.id, planned);
    list.update(timer.id, (one) => ({
      ...logged(one, now, logCodes.ended, 'the event continues: extended'),
      ...(one.repeated !== 0 && { shown: one.shown ?? shownAt({ begin: one.begin, end: planned }, zone) }),
      end: now + extension,
    }));
    return true;
  }

  /** `anyway`: even if the timer is changed while its recording stops. */
  #finish(timer: Timer, now: UnixSeconds, { anyway = false } = {}): void {
    this.#actions.run(timer, async () => {
      await this.#running.stopRecording(timer.id);
      const ended = (anyway && this.#parts.list.find(timer.id)) || timer;
      if (this.#over(ended, now, false, timer.justPlay ? 'over' : 'stop recording')) await this.#afterwards(timer);
    });
  }

  #miss(timer: Timer, now: UnixSeconds): void {
    const { log, recorder } = this.#parts;
    const { name, fileName, backoff, end } = timer;
    this.#actions.run(timer, async () => {
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

  /** A timer that a wrong clock started goes back to waiting. */
  #takeBack(timer: Timer): void {
    this.#actions.run(timer, async () => {
      await this.#running.stopRecording(timer.id);
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

  /**
   * Ends the timer, or makes it wait for its next time. Returns false if it was changed meanwhile; then it is checked
   * again.
   */
  #over(was: Timer, now: UnixSeconds, failed: boolean, text: string): boolean {
    const { list, zone } = this.#parts;
    const { early, plannedEnds } = this.#running;
    const { id } = was;
    const is = list.find(id);
    if (is && !isSameOccasion(is, was)) return false;
    this.#running.letGo(id);
    const planned = plannedEnds.get(id);
    plannedEnds.delete(id);
    early.delete(id);
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
    const woken = this.#running.woken.delete(id);
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
}
