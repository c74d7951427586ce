/**
 * The sleep timer: after some minutes by the receiver's clock it puts the receiver into standby, or shuts the machine
 * down. Persists across restarts.
 */
import type { Clock } from '../base/clock.ts';
import { Listeners } from '../base/listeners.ts';
import type { Power } from './power.ts';
import type { DeviceState } from './state.ts';

export type SleepAction = 'standby' | 'shutdown';

/** Maximum in minutes. */
export const longestSleep = 999;

/** Seconds between checks of the clock while it runs: the clock may be set, but a Node timer only counts. */
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
  /** Calls `listener` when it was set, was disabled or has acted; returns a function that removes it. */
  readonly onChange = this.#listeners.add;
  #look: NodeJS.Timeout | undefined;
  /** True while the current setting is from before this start, and may have expired since. */
  #isOld = true;

  /** Restores the timer of the last session; does nothing before `start()`. */
  constructor({ clock, power, state }: SleepTimerParts) {
    this.#clock = clock;
    this.#power = power;
    this.#state = state;
    // A user who goes to bed earlier no longer needs it, and must not be surprised by it when awake again.
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

  /** Minutes left while it runs, rounded up; else its last setting. */
  get minutes(): number {
    const { enabled, minutes } = this.#state.get().sleepTimer;
    return enabled ? Math.ceil(this.#left() / 60) : minutes;
  }

  /** Starts watching the clock. A timer that expired while the receiver was off is dropped: its evening has passed. */
  start(): void {
    if (!this.#forgetOld()) this.#watch();
  }

  /** Disables a timer that had expired before the time was first known. True if it did. */
  #forgetOld(): boolean {
    if (!this.#isOld || !this.#clock.synchronised) return false;
    this.#isOld = false;
    if (!this.enabled || this.#left() > 0) return false;
    this.disable();
    return true;
  }

  /** Starts or replaces the timer. `minutes` is clamped to 0 to `longestSleep`; with 0 it acts at once. */
  enable(minutes: number, action: SleepAction): void {
    const length = Math.min(longestSleep, Math.max(0, Math.round(minutes)));
    const end = this.#clock.now() + length * 60;
    this.#isOld = false;
    this.#change({ enabled: true, minutes: length, action, end });
  }

  disable(): void {
    this.#change({ enabled: false });
  }

  /** Stops watching the clock; the setting stays. */
  stop(): void {
    clearTimeout(this.#look);
    this.#look = undefined;
  }

  /** Seconds until it acts. */
  #left(): number {
    const { end, minutes } = this.#state.get().sleepTimer;
    return Math.min(end - this.#clock.now(), minutes * 60);
  }

  /** Corrects the end after the clock was set back, which would prolong the timer beyond its setting. */
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
    // A broadcast clock that has not received the time yet counts from another origin.
    if (this.#clock.synchronised) this.#keepLength();
    if (!this.#clock.synchronised || this.#left() > 0) return this.#watch();
    const { action } = this;
    this.disable();
    if (action === 'shutdown') await this.#power.shutDownWhenIdle();
    else await this.#power.change('standby');
  }
}
