/** Sets the wake alarm for the next timer, and reports whether the machine may be switched off. */
import type { Clock, UnixSeconds } from '../base/clock.ts';
import type { Power } from '../device/power.ts';
import type { DeviceState } from '../device/state.ts';
import type { WakeAlarm } from '../device/wake-alarm.ts';
import { nextOccurrence, type Zone } from './repeat.ts';
import { isActive, type Timer } from './timer.ts';

export interface WakeUpParts {
  readonly timers: { readonly all: readonly Timer[] };
  readonly clock: Clock;
  readonly zone: Zone;
  readonly state: DeviceState;
  /** Undefined if the machine cannot switch itself on. */
  readonly alarm: WakeAlarm | undefined;
  /** Seconds that the machine may need to start up (`power.wakeLead`). */
  readonly leadSeconds: number;
  /** Seconds since the machine was switched on. */
  readonly uptime: () => number;
  /** Another reason to keep the machine on, such as a stream; undefined if there is none. */
  readonly otherUse: () => string | undefined;
  readonly log: { warn(text: string): void; error(error: unknown, message?: string): void };
}

/** The machine is not shut down if the next timer begins within this many seconds. */
const minOffSeconds = 900;
/** Minimum seconds until the alarm: an alarm that fires while the machine is still shutting down is lost. */
const minAlarmSeconds = 120;
/** Seconds by which the alarm may fire too early: some clocks only count minutes. */
const alarmToleranceSeconds = 60;
/** A receiver that starts later than this many seconds after power-on was restarted without the machine. */
const maxStartupSeconds = 600;
const noAlarm = { alarm: 0, begin: 0 };

export class WakeUp {
  readonly #parts: WakeUpParts;
  #isCauseReported = false;
  /** Whether an alarm might still be set, by this or an earlier run of the receiver. */
  #isAlarmSet: boolean;

  constructor(parts: WakeUpParts) {
    this.#parts = parts;
    this.#isAlarmSet = parts.state.get().wakeUp.begin !== 0;
  }

  /**
   * What switched the machine on: the alarm, if the machine started between the alarm and its timer. Returned by the
   * first call after the time is known; otherwise undefined.
   */
  takeCause(): 'alarm' | 'other' | undefined {
    const { clock, state, uptime } = this.#parts;
    if (this.#isCauseReported || !clock.synchronised) return undefined;
    this.#isCauseReported = true;
    const { alarm, begin } = state.get().wakeUp;
    state.set({ wakeUp: noAlarm });
    const switchedOn = clock.now() - uptime();
    return begin !== 0 && alarm - alarmToleranceSeconds <= switchedOn && switchedOn <= begin ? 'alarm' : 'other';
  }

  /**
   * Decides whether the machine is to be shut down; call it once the time is known. If the alarm has started the machine,
   * goes to standby and shuts down after the timer, because nobody is watching. If only the receiver was restarted, keeps
   * a shutdown that an earlier run has scheduled. Otherwise cancels it.
   */
  resumeShutdownPlan(power: Pick<Power, 'isShutdownScheduled' | 'scheduleShutdown' | 'cancelShutdown'>): void {
    const cause = this.takeCause();
    if (cause === undefined) return;
    if (cause === 'alarm' || (power.isShutdownScheduled && this.#parts.uptime() > maxStartupSeconds))
      power.scheduleShutdown();
    else power.cancelShutdown();
  }

  /** Why the machine must not be switched off now; undefined if it may be. */
  get busyWith(): string | undefined {
    const { clock, leadSeconds, timers, otherUse } = this.#parts;
    const soon = clock.now() + Math.max(minOffSeconds, leadSeconds + minAlarmSeconds);
    const timer = timers.all.find((one) => isActive(one) && (one.state !== 'waiting' || one.begin < soon));
    return timer ? `timer '${timer.name}' is running or starts soon` : otherUse();
  }

  /**
   * Sets the alarm for the next timer that needs one, or clears it if there is none. Returns the reason if no alarm can
   * be set and the timer would be missed.
   * @throws ReceiverError `file-unwritable`
   */
  async arm(): Promise<string | undefined> {
    const { alarm, clock, leadSeconds, state } = this.#parts;
    const now = clock.now();
    const next = this.#next(now);
    if (next === undefined) {
      if (!this.#isAlarmSet) return undefined;
      await alarm?.set(undefined);
      this.#isAlarmSet = false;
      state.set({ wakeUp: noAlarm });
      return undefined;
    }
    if (!alarm) return `timer '${next.name}': this machine has no wake alarm`;
    if (!clock.synchronised) return `timer '${next.name}': the time is not known yet`;
    const at = Math.max(next.begin - leadSeconds, now + minAlarmSeconds);
    await alarm.set(at - now);
    this.#isAlarmSet = true;
    state.set({ wakeUp: { alarm: at, begin: next.begin } });
    return undefined;
  }

  /** Like `arm`, but only logs problems, because the machine shuts down anyway. */
  async armOrLog(): Promise<void> {
    const { log } = this.#parts;
    try {
      const missed = await this.arm();
      if (missed !== undefined) log.warn(`a timer will be missed while the machine is off: ${missed}`);
    } catch (error) {
      log.error(error, 'the wake alarm for the next timer cannot be set (power.wakeAlarm): the machine will stay off');
    }
  }

  /** The next timer that records, or that shows a service and may switch the machine on for it. */
  #next(now: UnixSeconds): { readonly name: string; readonly begin: UnixSeconds } | undefined {
    const { timers, zone } = this.#parts;
    const needsAlarm = ({ justPlay, zapWakeup }: Timer) =>
      !justPlay || zapWakeup === 'always' || zapWakeup === 'from_deep_standby';
    const times = timers.all
      .filter((one) => isActive(one) && needsAlarm(one))
      .flatMap((one) => {
        const next = nextOccurrence(one, zone, now, { first: one.firstBegin, skipRunning: true });
        return next ? [{ name: one.name, begin: next.begin }] : [];
      });
    return times.sort((a, b) => a.begin - b.begin)[0];
  }
}
