import { fail, ReceiverError } from '../errors.ts';
import { Listeners } from '../listeners.ts';
import type { DeviceState } from './state.ts';

export type PowerChange = 'toggle-standby' | 'standby' | 'wake' | 'deep-standby' | 'reboot' | 'restart';

/** What lies beyond the receiver itself; without one of them it is refused. */
export interface PowerOptions {
  /** Switches the machine off, or starts it anew; rejects when the machine says no. */
  readonly shutDown?: (() => Promise<void>) | undefined;
  /** Why the machine has to stay on for now; undefined when nothing would be missed without it. */
  readonly neededFor?: (() => Promise<string | undefined>) | undefined;
  readonly reboot?: (() => Promise<void>) | undefined;
  /** Is told what goes wrong when nobody waits for it. */
  readonly onError?: (error: unknown) => void;
  /** Ends this receiver and starts one anew, with the configuration read again. Returns at once. */
  readonly restart?: (() => void) | undefined;
}

/** Milliseconds between two looks whether the machine is still needed. */
const retirePace = 60_000;

/** Standby of the receiver: no picture, but it goes on recording, streaming and gathering the guide. Kept over a restart. */
export class Power {
  readonly #state: DeviceState;
  readonly #options: PowerOptions;
  readonly #listeners = new Listeners<[standby: boolean]>();
  /** Looks again whether the machine can be shut down. */
  #retiring: NodeJS.Timeout | undefined;

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
    const { reboot, restart } = this.#options;
    switch (change) {
      case 'standby':
        return this.#enter(true);
      case 'wake':
        return this.#enter(false);
      case 'toggle-standby':
        return this.#enter(!this.standby);
      case 'deep-standby':
        return this.#shutDown();
      case 'reboot':
        return allowed(reboot, change)();
      case 'restart':
        return allowed(restart, change)();
    }
  }

  /**
   * Shuts the machine down by itself: after a timer, or when somebody has gone to sleep. Where that is not allowed or does not work,
   * standby has to do. So it has while the machine is needed; then it goes down as soon as it is not, if nobody has woken it
   * meanwhile. Gives why it stays on; undefined when it goes down.
   */
  async retire(): Promise<string | undefined> {
    try {
      const reason = this.#options.shutDown && (await this.#options.neededFor?.());
      if (reason === undefined) await this.#shutDown();
      else this.retireLater();
      return reason;
    } catch (error) {
      if (!(error instanceof ReceiverError)) throw error;
      this.#enter(true);
      this.stay();
      return error.message;
    }
  }

  /** Standby, and off as soon as nothing needs the machine: it has been switched on for a timer. */
  retireLater(): void {
    this.#enter(true);
    if (this.#options.shutDown === undefined) return;
    this.#state.set({ retiring: true });
    this.#retiring ??= setInterval(() => void this.#tryToRetire(), retirePace).unref();
  }

  /** Whether it was to go down as soon as nothing needs it, perhaps before this start of the receiver. */
  get isRetiring(): boolean {
    return this.#state.get().retiring;
  }

  /** Takes back that the machine goes down by itself. */
  stay(): void {
    this.stop();
    this.#state.set({ retiring: false });
  }

  /** Does nothing by itself any more. */
  stop(): void {
    clearInterval(this.#retiring);
    this.#retiring = undefined;
  }

  /** Calls `listener` after each change; returns what takes it off again. */
  onChange(listener: (standby: boolean) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Who switches the machine on again wants to see something. */
  async #shutDown(): Promise<void> {
    const shutDown = allowed(this.#options.shutDown, 'deep-standby');
    const { standby, retiring } = this.#state.get();
    this.#state.set({ standby: false, retiring: false });
    try {
      await shutDown();
    } catch (error) {
      this.#state.set({ standby, retiring });
      throw error;
    }
  }

  async #tryToRetire(): Promise<void> {
    try {
      await this.retire();
    } catch (error) {
      this.#options.onError?.(error);
    }
  }

  #enter(standby: boolean): void {
    if (!standby) this.stay();
    if (this.#state.set({ standby })) this.#listeners.call(standby);
  }
}

function allowed<Action>(action: Action | undefined, change: PowerChange): Action {
  if (action === undefined) throw fail('not-allowed', change);
  return action;
}
