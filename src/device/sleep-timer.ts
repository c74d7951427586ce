/**
 * The sleep timer: after some minutes by the receiver's clock it puts the receiver into standby, or shuts the machine down. Kept
 * over a restart.
 */
import type { Clock } from '../clock.ts';
import { Listeners } from '../listeners.ts';
import type { Power } from './power.ts';
import type { DeviceState } from './state.ts';

export type SleepAction = 'standby' | 'shutdown';

/** The longest time, in minutes. */
export const longestSleep = 999;

/** Seconds between two looks at the clock while it runs: the clock may be set, and a timer of Node only counts. */
const pace = 30;

export interface SleepTimerParts {
  readonly clock: Clock;
  readonly power: Power;
  readonly state: DeviceState;
}

export class SleepTimer {
  readonly #clock: Clock;
  readonly #power: Power;
  readonly #state: DeviceState;
  readonly #listeners = new Listeners<[]>();
  #look: NodeJS.Timeout | undefined;
  /** What is set was set before this start, and may have run out since. */
  #isOld = true;

  /** Goes on where the last session has ended; nothing happens before `start()`. */
  constructor({ clock, power, state }: SleepTimerParts) {
    this.#clock = clock;
    this.#power = power;
    this.#state = state;
    // Who goes to bed earlier has no use for it any more, and must not be surprised when awake again.
    power.onChange((standby) => {
      if (standby && this.action === 'standby') this.disable();
    });
  }

  get enabled(): boolean {
    return this.#state.get().sleepTimer.enabled;
  }

  get action(): SleepAction {
    return this.#state.get().sleepTimer.action;
  }

  /** Minutes that are left while it runs, begun ones counted; else those it was set to last. */
  get minutes(): number {
    const { enabled, minutes } = this.#state.get().sleepTimer;
    return enabled ? Math.ceil(this.#left() / 60) : minutes;
  }

  /** Begins to watch the clock. One that has run out while the receiver was off is over: its evening has passed. */
  start(): void {
    if (!this.#forgetOld()) this.#watch();
  }

  /** True for one that had run out before the time was known for the first time: it is switched off. */
  #forgetOld(): boolean {
    if (!this.#isOld || !this.#clock.synchronised) return false;
    this.#isOld = false;
    if (!this.enabled || this.#left() > 0) return false;
    this.disable();
    return true;
  }

  /** Runs from now on, in place of what ran before. `minutes` is taken into 0 to `longestSleep`; with 0 it acts at once. */
  enable(minutes: number, action: SleepAction): void {
    const length = Math.min(longestSleep, Math.max(0, Math.round(minutes)));
    const end = this.#clock.now() + length * 60;
    this.#isOld = false;
    this.#change({ enabled: true, minutes: length, action, end });
  }

  disable(): void {
    this.#change({ enabled: false });
  }

  /** Calls `listener` when it was set, was switched off or has acted; returns what takes it off again. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Watches the clock no longer; what is set stays set. */
  stop(): void {
    clearTimeout(this.#look);
    this.#look = undefined;
  }

  /** Seconds until it acts. */
  #left(): number {
    const { end, minutes } = this.#state.get().sleepTimer;
    return Math.min(end - this.#clock.now(), minutes * 60);
  }

  /** A clock that was set back would make it longer than anybody has asked for. */
  #keepLength(): void {
    const { sleepTimer } = this.#state.get();
    const latest = this.#clock.now() + sleepTimer.minutes * 60;
    if (sleepTimer.end > latest) this.#state.set({ sleepTimer: { ...sleepTimer, end: latest } });
  }

  #change(change: Partial<ReturnType<DeviceState['get']>['sleepTimer']>): void {
    const changed = this.#state.set({ sleepTimer: { ...this.#state.get().sleepTimer, ...change } });
    this.#watch();
    if (changed) this.#listeners.call();
  }

  #watch(): void {
    this.stop();
    if (!this.enabled) return;
    const wait = Math.min(pace, Math.max(0, this.#left()));
    this.#look = setTimeout(() => void this.#check(), wait * 1000);
    this.#look.unref();
  }

  async #check(): Promise<void> {
    if (this.#forgetOld()) return;
    // A broadcast clock that has not heard the time yet counts from another point.
    if (this.#clock.synchronised) this.#keepLength();
    if (!this.#clock.synchronised || this.#left() > 0) return this.#watch();
    const { action } = this;
    this.disable();
    if (action === 'shutdown') await this.#power.retire();
    else await this.#power.change('standby');
  }
}
