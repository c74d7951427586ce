import { fail } from '../errors.ts';
import { Listeners } from '../listeners.ts';
import type { DeviceState } from './state.ts';

export type PowerChange = 'toggle-standby' | 'standby' | 'wake' | 'deep-standby' | 'reboot' | 'restart';

/** What lies beyond the receiver itself; without one of them it is refused. */
export interface PowerOptions {
  /** Switches the machine off, or starts it anew; rejects when the machine says no. */
  readonly shutDown?: (() => Promise<void>) | undefined;
  readonly reboot?: (() => Promise<void>) | undefined;
  /** Ends this receiver and starts one anew, with the configuration read again. Returns at once. */
  readonly restart?: (() => void) | undefined;
}

/** Standby of the receiver: no picture, but it goes on recording, streaming and gathering the guide. Kept over a restart. */
export class Power {
  readonly #state: DeviceState;
  readonly #options: PowerOptions;
  readonly #listeners = new Listeners<[standby: boolean]>();

  constructor(state: DeviceState, options: PowerOptions = {}) {
    this.#state = state;
    this.#options = options;
  }

  get standby(): boolean {
    return this.#state.get().standby;
  }

  /** Whether a restart is possible: one that is asked for over the network begins when that has been answered. */
  get canRestart(): boolean {
    return this.#options.restart !== undefined;
  }

  /**
   * @throws ReceiverError `not-allowed` for what would end the machine where the configuration does not allow it, `command-failed`
   * when the machine says no
   */
  async change(change: PowerChange): Promise<void> {
    const { shutDown, reboot, restart } = this.#options;
    switch (change) {
      case 'standby':
        return this.#enter(true);
      case 'wake':
        return this.#enter(false);
      case 'toggle-standby':
        return this.#enter(!this.standby);
      case 'deep-standby':
        return allowed(shutDown, change)();
      case 'reboot':
        return allowed(reboot, change)();
      case 'restart':
        return allowed(restart, change)();
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

function allowed<Action>(action: Action | undefined, change: PowerChange): Action {
  if (action === undefined) throw fail('not-allowed', change);
  return action;
}
