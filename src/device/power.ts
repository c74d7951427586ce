import type { DeviceState } from './state.ts';

/** Standby of the receiver: no picture, but it goes on recording, streaming and gathering the guide. Kept over a restart. */
export class Power {
  readonly #state: DeviceState;
  readonly #listeners = new Set<(standby: boolean) => void>();

  constructor(state: DeviceState) {
    this.#state = state;
  }

  get standby(): boolean {
    return this.#state.get().standby;
  }

  enterStandby(): void {
    this.#change(true);
  }

  wakeUp(): void {
    this.#change(false);
  }

  /** Calls `listener` after each change; returns what takes it off again. */
  onChange(listener: (standby: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #change(standby: boolean): void {
    if (standby === this.standby) return;
    this.#state.set({ standby });
    for (const listener of this.#listeners) listener(standby);
  }
}
