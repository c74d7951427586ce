/**
 * What ends a timer, and what happens then:
 *
 *   its end time                 a timer that follows its event is extended while the event continues
 *   the end of its event         by the running status, if the timer ends with its event
 *   its deadline                 it could not start in time: missed, or interrupted if part of it was recorded
 *   a user who ends it           as at its end time
 *   removal, disabling, moving   its recording stops and its tuner is released
 *
 * Afterwards a single timer has ended, a repeated one waits for its next time, and the receiver performs the timer's
 * `afterEvent`. A timer that started because the clock was wrong returns to waiting instead.
 */
import type { Clock, UnixSeconds } from '../base/clock.ts';
import type { Power } from '../device/power.ts';
import type { Recorder } from '../recordings/recorder.ts';
import { localSpanAt, nextOccurrence, type Zone } from './repeat.ts';
import type { RunningTimers } from './running-timers.ts';
import { isSameOccasion, logCodes, preparationSeconds, type Timer, withLogEntry } from './timer.ts';
import { statusOf, type TimerGuideParts } from './timer-event.ts';
import type { TimerList } from './timer-list.ts';

export interface TimerEndsParts extends TimerGuideParts {
  readonly list: TimerList;
  readonly clock: Clock;
  readonly zone: Zone;
  readonly recorder: Pick<Recorder, 'lastWrittenAt'>;
  readonly power: Pick<Power, 'standby' | 'change' | 'shutDownWhenIdle' | 'cancelShutdown'>;
  readonly log: { info(text: string): void; error(error: unknown, message?: string): void };
}

/** Asynchronous actions of timers, at most one at a time for each timer. */
export interface TimerActions {
  /** Actions in progress, by timer id. */
  readonly inProgress: ReadonlyMap<number, Promise<void>>;
  /** Runs an action; the timer is not checked until it is done. */
  run(timer: Timer, action: () => Promise<void>): void;
  /** Called when a timer has ended that could not start in time. */
  missed(timer: Timer, problem: string): void;
}

/** Seconds by which a timer is extended at a time while its event continues, and in total at most. */
const extensionSeconds = 60;
const maxExtensionSeconds = 3 * 3600;
/** Seconds after its start within which a timer may still show its service, even if it is shorter. */
const zapToleranceSeconds = 60;
/** A recording that was last written to at most this many seconds before its end is complete. */
const endToleranceSeconds = 3;

/** The time after which a timer can no longer start. A timer that shows a service gets at least a minute. */
export function deadline({ begin, end, justPlay }: Timer): UnixSeconds {
  return Math.max(end, begin + (justPlay ? zapToleranceSeconds : 1));
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

  /**
   * Ends or extends a running timer, or returns it to waiting, if that is due. Returns false if it continues as it is.
   */
  async endRunning(timer: Timer, now: UnixSeconds): Promise<boolean> {
    if (now < timer.begin - preparationSeconds && !this.#running.early.has(timer.id)) {
      this.#returnToWaiting(timer);
      return true;
    }
    const isDue = now >= timer.end;
    if (isDue && (await this.#extend(timer, now))) return true;
    const isOver = isDue || (timer.endsWithEvent && (await statusOf(this.#parts, timer, now)) === 'over');
    if (isOver) this.#finish(timer, now);
    return isOver;
  }

  /** Ends a timer that can no longer start. Returns false if it still can. */
  endMissed(timer: Timer, now: UnixSeconds): boolean {
    if (now < deadline(timer)) return false;
    this.#endUnstarted(timer, now);
    return true;
  }

  /** Ends the timer that is recording to this file, as at its end time; a repeating timer waits for its next time. */
  async endTimerOf(path: string): Promise<void> {
    const { list, clock } = this.#parts;
    for (const [id, recording] of this.#running.recordings) {
      const timer = list.find(id);
      if (recording.path !== path || !timer || this.#actions.inProgress.has(id)) continue;
      this.#finish(timer, clock.now(), { evenIfChanged: true });
      await this.#actions.inProgress.get(id);
    }
  }

  /** Stops recordings and releases tuners whose timer was removed, disabled or moved. */
  endUnwanted(): void {
    const { list } = this.#parts;
    for (const id of this.#running.recordings.keys()) {
      const timer = list.find(id);
      if (this.#actions.inProgress.has(id) || (timer && timer.state === 'running' && !timer.disabled)) continue;
      this.#running.early.delete(id);
      this.#running.dropRecording(id);
    }
    for (const id of this.#running.tunerHolders) {
      const timer = list.find(id);
      if (!this.#actions.inProgress.has(id) && (timer?.state !== 'prepared' || timer.disabled))
        this.#running.releaseTuner(id);
    }
  }

  /** Extends a timer that follows its event while the event continues. Returns false if it does not. */
  async #extend(timer: Timer, now: UnixSeconds): Promise<boolean> {
    const { list, zone } = this.#parts;
    const { plannedEnds } = this.#running;
    const planned = plannedEnds.get(timer.id) ?? timer.end;
    if (now >= planned + maxExtensionSeconds || (await statusOf(this.#parts, timer, now)) !== 'running') return false;
    plannedEnds.set(timer.id, planned);
    list.update(timer.id, (one) => ({
      ...withLogEntry(one, now, logCodes.ended, 'the event continues: extended'),
      ...(one.repeated !== 0 && { localSpan: one.localSpan ?? localSpanAt({ begin: one.begin, end: planned }, zone) }),
      end: now + extensionSeconds,
    }));
    return true;
  }

  /** `evenIfChanged`: ends the timer even if it is changed while its recording stops. */
  #finish(timer: Timer, now: UnixSeconds, { evenIfChanged = false } = {}): void {
    this.#actions.run(timer, async () => {
      await this.#running.stopRecording(timer.id);
      const ended = (evenIfChanged && this.#parts.list.find(timer.id)) || timer;
      if (this.#complete(ended, now, false, timer.justPlay ? 'over' : 'stop recording')) await this.#afterwards(timer);
    });
  }

  #endUnstarted(timer: Timer, now: UnixSeconds): void {
    const { log, recorder } = this.#parts;
    const { name, fileName, backoff, end } = timer;
    this.#actions.run(timer, async () => {
      const written = fileName === '' ? undefined : await recorder.lastWrittenAt(fileName);
      // The recording was complete; only the list had not been updated.
      if (written !== undefined && written > end - endToleranceSeconds) {
        this.#complete(timer, now, false, 'stop recording');
        return;
      }
      const why = backoff > 0 ? 'it could not be started' : 'its time has passed';
      const text = written === undefined ? `missed: ${why}` : `interrupted: ${why} before it could continue`;
      if (!this.#complete(timer, now, true, text)) return;
      log.error(`timer '${name}' was ${text}`);
      this.#actions.missed(timer, text);
    });
  }

  /** Stops a timer that started because the clock was wrong; it waits for its start again. */
  #returnToWaiting(timer: Timer): void {
    this.#actions.run(timer, async () => {
      await this.#running.stopRecording(timer.id);
      const { clock, list, zone } = this.#parts;
      const now = clock.now();
      list.update(timer.id, (one) => ({
        ...withLogEntry(one, now, logCodes.changed, 'the clock went back'),
        state: 'waiting',
        fileName: '',
        ...(one.repeated !== 0 && nextOccurrence(one, zone, now, { first: one.firstBegin })),
      }));
    });
  }

  /**
   * Ends the timer, or makes it wait for its next time. Returns false, and does nothing, if the timer was changed
   * meanwhile: the next check decides again.
   */
  #complete(ended: Timer, now: UnixSeconds, failed: boolean, text: string): boolean {
    const { list, zone } = this.#parts;
    const { early, plannedEnds } = this.#running;
    const { id } = ended;
    const current = list.find(id);
    if (current && !isSameOccasion(current, ended)) return false;
    this.#running.releaseTuner(id);
    const planned = plannedEnds.get(id);
    plannedEnds.delete(id);
    early.delete(id);
    list.update(id, (one) => {
      const timer = withLogEntry(one, now, failed ? logCodes.failed : logCodes.ended, text);
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
    if (afterEvent === 'nothing') power.cancelShutdown();
    if (afterEvent === 'deepstandby') {
      const reason = await power.shutDownWhenIdle();
      if (reason !== undefined) log.info(`after timer '${name}' the machine stays on: ${reason}`);
      return;
    }
    // A timer that only shows an event lasts one second, and the viewer is still watching afterwards.
    const isMoment = justPlay && end - begin < zapToleranceSeconds;
    const wanted = afterEvent === 'standby' || (afterEvent === 'auto' && woken && !isMoment);
    if (wanted && !power.standby) await power.change('standby');
  }
}
