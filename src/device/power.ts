import { fail } from '../errors.ts';
import { Listeners } from '../listeners.ts';
import type { DeviceState } from './state.ts';

export type PowerChange = 'toggle-standby' | 'standby' | 'wake' | 'deep-standby' | 'reboot' | 'restart';

/** Standby of the receiver: no picture, but it goes on recording, streaming and gathering the guide. Kept over a restart. */
export class Power {
  readonly #state: DeviceState;
  readonly #listeners = new Listeners<[standby: boolean]>();

  constructor(state: DeviceState) {
    this.#state = state;
  }

  get standby(): boolean {
    return this.#state.get().standby;
  }

  /** @throws ReceiverError `not-allowed` for what would end the machine or the program: a PC does not shut down on request. */
  async change(change: PowerChange): Promise<void> {
    switch (change) {
      case 'standby':
        return this.#enter(true);
      case 'wake':
        return this.#enter(false);
      case 'toggle-standby':
        return this.#enter(!this.standby);
      default:
        throw fail('not-allowed', change);
    }
  }

  /** Calls `listener` after each change; returns what takes it off again. */
  onChange(listener: (standby: boolean) => void): () => void {
    return this.#listeners.add(listener);
  }

  #enter(standby: boolean): void {
    if (this.#state.set({ standby })) this.#listeners.call(standby);
  }
}
