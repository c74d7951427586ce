import { fail, ReceiverError } from '../base/errors.ts';
import { Listeners } from '../base/listeners.ts';
import type { DeviceState } from './state.ts';

export type PowerChange = 'toggle-standby' | 'standby' | 'wake' | 'deep-standby' | 'reboot' | 'restart';

/** Actions beyond the receiver itself; those that are absent are refused. */
export interface PowerOptions {
  /** Shuts the machine down, or reboots it; rejects if that fails. */
  readonly shutDown?: (() => Promise<void>) | undefined;
  /** Why the machine has to stay on for now; undefined if nothing needs it. */
  readonly neededFor?: (() => Promise<string | undefined>) | undefined;
  readonly reboot?: (() => Promise<void>) | undefined;
  /** Called with errors that no caller waits for. */
  readonly onError?: (error: unknown) => void;
  /** Stops this receiver and starts a new one with the configuration reread. Returns at once. */
  readonly restart?: (() => void) | undefined;
}

/** Milliseconds between checks whether the machine is still needed. */
const retirePace = 60_000;

/** Standby: no picture, but the receiver still records, streams and collects the guide. Persists across restarts. */
export class Power {
  readonly #state: DeviceState;
  readonly #options: PowerOptions;
  readonly #listeners = new Listeners<[standby: boolean]>();
  /** Calls `listener` after each change; returns a function that removes it. */
  readonly onChange = this.#listeners.add;
  /** Checks repeatedly whether the machine can be shut down. */
  #retiring: NodeJS.Timeout | undefined;

  constructor(state: DeviceState, options: PowerOptions = {}) {
    this.#state = state;
    this.#options = options;
  }

  get standby(): boolean {
    return this.#state.get().standby;
  }

  /** True if a restart is possible. One requested over the network starts after the response was sent. */
  get canRestart(): boolean {
    return this.#options.restart !== undefined;
  }

  /**
   * @throws ReceiverError `not-allowed` for a shutdown, reboot or restart that the configuration does not allow,
   *   `command-failed` if the command fails
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
   * Shuts the machine down without a user's request: after a timer, or by the sleep timer. Falls back to standby if
   * that is not allowed or fails. While the machine is needed it also goes into standby, and shuts down once it is not,
   * unless somebody wakes it first. Returns why it stays on; undefined if it shuts down.
   */
  async shutDownWhenIdle(): Promise<string | undefined> {
    try {
      const reason = this.#options.shutDown && (await this.#options.neededFor?.());
      if (reason === undefined) await this.#shutDown();
      else this.scheduleShutdown();
      return reason;
    } catch (error) {
      if (!(error instanceof ReceiverError)) throw error;
      this.#enter(true);
      this.cancelShutdown();
      return error.message;
    }
  }

  /** Goes into standby, and shuts down once nothing needs the machine: it was switched on for a timer. */
  scheduleShutdown(): void {
    this.#enter(true);
    if (this.#options.shutDown === undefined) return;
    this.#state.set({ retiring: true });
    this.#retiring ??= setInterval(() => void this.#tryToRetire(), retirePace).unref();
  }

  /** True if it is to shut down once nothing needs it, even if that was set before this start of the receiver. */
  get isShutdownScheduled(): boolean {
    return this.#state.get().retiring;
  }

  /** Cancels the automatic shutdown. */
  cancelShutdown(): void {
    this.stop();
    this.#state.set({ retiring: false });
  }

  /** Stops the checks. */
  stop(): void {
    clearInterval(this.#retiring);
    this.#retiring = undefined;
  }

  /** Clears standby first: whoever switches the machine on again wants to see something. */
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
      await this.shutDownWhenIdle();
    } catch (error) {
      this.#options.onError?.(error);
    }
  }

  #enter(standby: boolean): void {
    if (!standby) this.cancelShutdown();
    if (this.#state.set({ standby })) this.#listeners.call(standby);
  }
}

function allowed<Action>(action: Action | undefined, change: PowerChange): Action {
  if (action === undefined) throw fail('not-allowed', change);
  return action;
}
