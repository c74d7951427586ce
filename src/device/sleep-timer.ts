/**
 * The sleep timer: after some minutes by the receiver's clock it puts the receiver into standby, or shuts the machine
 * down. Persists across restarts.
 */
import type { Clock } from '../base/clock.ts';
import { Listeners } from '../base/listeners.ts';
import type { Power } from './power.ts';
import type { DeviceState } from './state.ts';

export type SleepAction = 'standby' | 'shutdown';

/** Minutes to which the sleep timer can be set. */
export const maxSleepMinutes = 999;

/** Seconds between checks of the clock: the clock may be set, while a Node timer only counts elapsed time. */
const checkIntervalSeconds = 30;

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
  /** Calls `listener` when the timer was set, was disabled or has expired; returns a function that removes it. */
  readonly onChange = this.#listeners.add;
  #nextCheck: NodeJS.Timeout | undefined;
  /** Whether the current setting is from before this start and may have expired while the receiver was off. */
  #isRestored = true;

  /** Restores the timer of the last run; does nothing before `start()`. */
  constructor({ clock, power, state }: SleepTimerParts) {
    this.#clock = clock;
    this.#power = power;
    this.#state = state;
    // A user who has already put the receiver into standby must not be surprised by the timer after waking it.
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
    return enabled ? Math.ceil(this.#secondsLeft() / 60) : minutes;
  }

  /** Starts checking the clock. A timer that expired while the receiver was off is dropped, because it is outdated. */
  start(): void {
    if (!this.#dropExpired()) this.#scheduleCheck();
  }

  /** Disables a restored timer that expired before the time was first known. Returns whether it did. */
  #dropExpired(): boolean {
    if (!this.#isRestored || !this.#clock.synchronised) return false;
    this.#isRestored = false;
    if (!this.enabled || this.#secondsLeft() > 0) return false;
    this.disable();
    return true;
  }

  /** Starts or replaces the timer. `minutes` is clamped to 0 to `maxSleepMinutes`; with 0 it acts at once. */
  enable(minutes: number, action: SleepAction): void {
    const length = Math.min(maxSleepMinutes, Math.max(0, Math.round(minutes)));
    const end = this.#clock.now() + length * 60;
    this.#isRestored = false;
    this.#change({ enabled: true, minutes: length, action, end });
  }

  disable(): void {
    this.#change({ enabled: false });
  }

  /** Stops checking the clock; the setting stays. */
  stop(): void {
    clearTimeout(this.#nextCheck);
    this.#nextCheck = undefined;
  }

  /** Seconds until it expires. */
  #secondsLeft(): number {
    const { end, minutes } = this.#state.get().sleepTimer;
    return Math.min(end - this.#clock.now(), minutes * 60);
  }

  /** Moves the end after the clock was set back, which would otherwise prolong the timer. */
  #limitEnd(): void {
    const { sleepTimer } = this.#state.get();
    const latest = this.#clock.now() + sleepTimer.minutes * 60;
    if (sleepTimer.end > latest) this.#state.set({ sleepTimer: { ...sleepTimer, end: latest } });
  }

  #change(change: Partial<ReturnType<DeviceState['get']>['sleepTimer']>): void {
    const changed = this.#state.set({ sleepTimer: { ...this.#state.get().sleepTimer, ...change } });
    this.#scheduleCheck();
    if (changed) this.#listeners.call();
  }

  #scheduleCheck(): void {
    this.stop();
    if (!this.enabled) return;
    const wait = Math.min(checkIntervalSeconds, Math.max(0, this.#secondsLeft()));
    this.#nextCheck = setTimeout(() => void this.#check(), wait * 1000);
    this.#nextCheck.unref();
  }

  async #check(): Promise<void> {
    if (this.#dropExpired()) return;
    // Before it has received the time, a broadcast clock counts from another origin.
    if (this.#clock.synchronised) this.#limitEnd();
    if (!this.#clock.synchronised || this.#secondsLeft() > 0) return this.#scheduleCheck();
    const { action } = this;
    this.disable();
    if (action === 'shutdown') await this.#power.shutDownWhenIdle();
    else await this.#power.change('standby');
  }
}
