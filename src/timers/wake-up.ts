/** Switches the machine on for the next timer, and reports while it has to stay on. */
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
  /** Maximum seconds that the machine needs to get ready. */
  readonly lead: number;
  /** Seconds since the machine was switched on. */
  readonly uptime: () => number;
  /** Any other use of the machine; undefined if there is none. */
  readonly otherUse: () => string | undefined;
  readonly log: { warn(text: string): void; error(error: unknown, message?: string): void };
}

/** The machine is not shut down with less than this many seconds to the next timer. */
const shutdownDistance = 900;
/** Minimum seconds until the alarm: one that fires while the machine is still shutting down is lost. */
const shortestSleep = 120;
/** Seconds that the alarm may fire too early: some clocks only count minutes. */
const alarmTolerance = 60;
/** Seconds after power-on by which a machine has started up. */
const longestStart = 600;
const noAlarm = { alarm: 0, begin: 0 };

export class WakeUp {
  readonly #parts: WakeUpParts;
  #hasTold = false;
  /** Whether an alarm may be set, by this run of the receiver or an earlier one. */
  #isSet: boolean;

  constructor(parts: WakeUpParts) {
    this.#parts = parts;
    this.#isSet = parts.state.get().wakeUp.begin !== 0;
  }

  /**
   * What switched the machine on. It was the alarm if the machine started between the alarm and its timer; then nobody
   * is waiting for a picture. Reported once, as soon as the time is known; otherwise undefined.
   */
  takeCause(): 'alarm' | 'other' | undefined {
    const { clock, state, uptime } = this.#parts;
    if (this.#hasTold || !clock.synchronised) return undefined;
    this.#hasTold = true;
    const { alarm, begin } = state.get().wakeUp;
    state.set({ wakeUp: noAlarm });
    const switchedOn = clock.now() - uptime();
    return begin !== 0 && alarm - alarmTolerance <= switchedOn && switchedOn <= begin ? 'alarm' : 'other';
  }

  /** Puts a machine that was switched on for a timer into standby, as soon as the time is known. */
  settle(power: Pick<Power, 'isRetiring' | 'retireLater' | 'stay'>): void {
    const cause = this.takeCause();
    if (cause === undefined) return;
    if (cause === 'alarm' || (power.isRetiring && this.#parts.uptime() > longestStart)) power.retireLater();
    else power.stay();
  }

  /** Why the machine must not be switched off now; undefined if nothing would be missed. */
  get busyWith(): string | undefined {
    const { clock, lead, timers, otherUse } = this.#parts;
    const soon = clock.now() + Math.max(shutdownDistance, lead + shortestSleep);
    const timer = timers.all.find((one) => isActive(one) && (one.state !== 'waiting' || one.begin < soon));
    return timer ? `timer '${timer.name}' is running or starts soon` : otherUse();
  }

  /**
   * Sets the alarm for the next timer that needs one, or clears it if there is none. Returns why that timer will be
   * missed; undefined if it will not.
   * @throws ReceiverError `file-unwritable`
   */
  async arm(): Promise<string | undefined> {
    const { alarm, clock, lead, state } = this.#parts;
    const now = clock.now();
    const next = this.#next(now);
    if (next === undefined) {
      if (!this.#isSet) return undefined;
      await alarm?.set(undefined);
      this.#isSet = false;
      state.set({ wakeUp: noAlarm });
      return undefined;
    }
    if (!alarm) return `timer '${next.name}': this machine has no wake-up alarm`;
    if (!clock.synchronised) return `timer '${next.name}': the time is not known yet`;
    const at = Math.max(next.begin - lead, now + shortestSleep);
    await alarm.set(at - now);
    this.#isSet = true;
    state.set({ wakeUp: { alarm: at, begin: next.begin } });
    return undefined;
  }

  /** Like `arm`, for a machine that shuts down in any case. */
  async armAnyway(): Promise<void> {
    const { log } = this.#parts;
    try {
      const missed = await this.arm();
      if (missed !== undefined) log.warn(`will be missed while the machine is off: ${missed}`);
    } catch (error) {
      log.error(error, 'the alarm for the next timer is not set (power.wakeAlarm): the machine stays off');
    }
  }

  /** The next timer that records, or that shows a service and may switch the machine on for it. */
  #next(now: UnixSeconds): { readonly name: string; readonly begin: UnixSeconds } | undefined {
    const { timers, zone } = this.#parts;
    const isWorthIt = ({ justPlay, zapWakeup }: Timer) =>
      !justPlay || zapWakeup === 'always' || zapWakeup === 'from_deep_standby';
    const times = timers.all
      .filter((one) => isActive(one) && isWorthIt(one))
      .flatMap((one) => {
        const next = nextOccurrence(one, zone, now, { first: one.firstBegin, skipRunning: true });
        return next ? [{ name: one.name, begin: next.begin }] : [];
      });
    return times.sort((a, b) => a.begin - b.begin)[0];
  }
}
