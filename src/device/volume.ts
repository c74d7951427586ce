import type { DeviceState } from './state.ts';

/** One press of volume up or down, in percent. */
const step = 5;

/** The receiver's volume, 0..100, and mute. Muting keeps the volume. Kept over a restart. */
export class Volume {
  readonly #state: DeviceState;

  constructor(state: DeviceState) {
    this.#state = state;
  }

  get current(): number {
    return this.#state.get().volume;
  }

  get muted(): boolean {
    return this.#state.get().muted;
  }

  /** Sets the volume, clamped to 0..100. */
  set(volume: number): void {
    this.#state.set({ volume: Math.min(100, Math.max(0, Math.round(volume))) });
  }

  up(): void {
    this.set(this.current + step);
  }

  down(): void {
    this.set(this.current - step);
  }

  toggleMute(): void {
    this.#state.set({ muted: !this.muted });
  }
}
