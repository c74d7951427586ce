import { Listeners } from '../base/listeners.ts';
import type { DeviceState } from './state.ts';

/** Percent by which one press of volume up or down changes the volume. */
const stepSize = 5;

/** The receiver's volume, 0..100, and mute. Muting keeps the volume. Persists across restarts. */
export class Volume {
  readonly #state: DeviceState;
  readonly #listeners = new Listeners<[]>();
  /** Calls `listener` after each change; returns a function that removes it. */
  readonly onChange = this.#listeners.add;

  constructor(state: DeviceState) {
    this.#state = state;
  }

  /** 0..100. */
  get level(): number {
    return this.#state.get().volume;
  }

  get muted(): boolean {
    return this.#state.get().muted;
  }

  /** Sets the volume, clamped to 0..100. */
  set(level: number): void {
    this.#change({ volume: Math.min(100, Math.max(0, Math.round(level))) });
  }

  /** Changes the volume like one press of volume up or down. */
  step(direction: 'up' | 'down'): void {
    this.set(this.level + (direction === 'up' ? stepSize : -stepSize));
  }

  toggleMute(): void {
    this.#change({ muted: !this.muted });
  }

  #change(change: { readonly volume: number } | { readonly muted: boolean }): void {
    if (this.#state.set(change)) this.#listeners.call();
  }
}
