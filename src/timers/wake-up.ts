/** Switches the machine on for the next timer, and says while it has to stay on. */
import type { Clock, UnixSeconds } from '../clock.ts';
import type { DeviceState } from '../device/state.ts';
import type { WakeAlarm } from '../device/wake-alarm.ts';
import { nextOccurrence, type Zone } from './repeat.ts';
import { isActive, type Timer } from './timer.ts';

export interface WakeUpParts {
  readonly timers: { readonly all: readonly Timer[] };
  readonly clock: Clock;
  readonly zone: Zone;
  readonly state: DeviceState;
  /** Undefined where the machine cannot be switched on by itself. */
  readonly alarm: WakeAlarm | undefined;
  /** Seconds that the machine needs to be ready, at most. */
  readonly lead: number;
  /** Seconds since the machine was switched on. */
  readonly uptime: () => number;
  /** What else the machine is needed for; undefined when for nothing. */
  readonly otherUse: () => string | undefined;
  readonly log: { warn(text: string): void; error(error: unknown): void };
}

/** With less than these seconds until the next timer the machine is not shut down. */
const shutdownDistance = 900;
/** Seconds after which the alarm comes at the earliest: one that comes while the machine still shuts down is lost. */
const shortestSleep = 120;
/** Seconds by which the alarm may come too early: some clocks know minutes only. */
const alarmTolerance = 60;
const noAlarm = { alarm: 0, begin: 0 };

export class WakeUp {
  readonly #parts: WakeUpParts;
  #hasTold = false;
  /** An alarm may be set, by this run of the receiver or one before. */
  #isSet: boolean;

  constructor(parts: WakeUpParts) {
    this.#parts = parts;
    this.#isSet = parts.state.get().wakeUp.begin !== 0;
  }

  /**
   * What has switched the machine on: the alarm, when that was between its time and the timer that it was for; nobody has asked for a
   * picture then. Told once, as soon as the time is known; undefined otherwise.
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

  /** Why the machine may not be switched off at this moment; undefined when nothing would be missed. */
  get busyWith(): string | undefined {
    const { clock, lead, timers, otherUse } = this.#parts;
    const soon = clock.now() + Math.max(shutdownDistance, lead + shortestSleep);
    const timer = timers.all.find((one) => isActive(one) && (one.state !== 'waiting' || one.begin < soon));
    return timer ? `timer '${timer.name}' runs or begins soon` : otherUse();
  }

  /**
   * Sets the alarm for the next timer that is worth it, or takes it back when there is none.
   * Gives why that timer will be missed; undefined when none will be.
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
    if (!alarm) return `timer '${next.name}': this machine has no alarm that switches it on`;
    if (!clock.synchronised) return `timer '${next.name}': the time is not known yet`;
    const at = Math.max(next.begin - lead, now + shortestSleep);
    await alarm.set(at - now);
    this.#isSet = true;
    state.set({ wakeUp: { alarm: at, begin: next.begin } });
    return undefined;
  }

  /** The same for a machine that goes down whatever becomes of that. */
  async armAnyway(): Promise<void> {
    const { log } = this.#parts;
    try {
      const missed = await this.arm();
      if (missed !== undefined) log.warn(`missed while the machine is off: ${missed}`);
    } catch (error) {
      log.error(error);
    }
  }

  /** The next of those that record, and of those that show something and are to switch the machine on for it. */
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
