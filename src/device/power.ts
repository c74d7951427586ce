/** Standby, shutdown, reboot and restart. */
import { fail, ReceiverError } from '../base/errors.ts';
import { Listeners } from '../base/listeners.ts';
import type { DeviceState } from './state.ts';

export type PowerChange = 'toggle-standby' | 'standby' | 'wake' | 'deep-standby' | 'reboot' | 'restart';

/** The actions available; requests for others are refused. */
export interface PowerOptions {
  /** Shuts the machine down. @throws ReceiverError `command-failed` */
  readonly shutDown?: (() => Promise<void>) | undefined;
  /** Why the machine has to stay on for now; undefined if nothing needs it. */
  readonly neededFor?: (() => Promise<string | undefined>) | undefined;
  readonly reboot?: (() => Promise<void>) | undefined;
  /** Called with errors of a scheduled shutdown. */
  readonly onError?: (error: unknown) => void;
  /** Stops this receiver and starts a new one with the configuration reread. Returns at once. */
  readonly restart?: (() => void) | undefined;
}

/** Milliseconds between checks whether the machine can be shut down. */
const shutdownCheckIntervalMs = 60_000;

/** Standby: no picture, but the receiver still records, streams and collects the guide. Persists across restarts. */
export class Power {
  readonly #state: DeviceState;
  readonly #options: PowerOptions;
  readonly #listeners = new Listeners<[standby: boolean]>();
  /** Calls `listener` after each change; returns a function that removes it. */
  readonly onChange = this.#listeners.add;
  /** Checks repeatedly whether the machine can be shut down. */
  #shutdownCheck: NodeJS.Timeout | undefined;

  constructor(state: DeviceState, options: PowerOptions = {}) {
    this.#state = state;
    this.#options = options;
  }

  get standby(): boolean {
    return this.#state.get().standby;
  }

  /** Whether a restart is possible. A restart requested over the network begins after the response was sent. */
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
        return this.#setStandby(true);
      case 'wake':
        return this.#setStandby(false);
      case 'toggle-standby':
        return this.#setStandby(!this.standby);
      case 'deep-standby':
        return this.#shutDown();
      case 'reboot':
        return allowed(reboot, change)();
      case 'restart':
        return allowed(restart, change)();
    }
  }

  /**
   * Shuts the machine down automatically, after a timer or by the sleep timer. While the machine is needed, the
   * receiver goes into standby and shuts it down later, unless a user wakes it first. If a shutdown is not allowed or
   * fails, the receiver stays in standby. Returns why the machine stays on; undefined if it shuts down.
   */
  async shutDownWhenIdle(): Promise<string | undefined> {
    try {
      const reason = this.#options.shutDown && (await this.#options.neededFor?.());
      if (reason === undefined) await this.#shutDown();
      else this.scheduleShutdown();
      return reason;
    } catch (error) {
      if (!(error instanceof ReceiverError)) throw error;
      this.#setStandby(true);
      this.cancelShutdown();
      return error.message;
    }
  }

  /** Goes into standby, and shuts the machine down once nothing needs it. */
  scheduleShutdown(): void {
    this.#setStandby(true);
    if (this.#options.shutDown === undefined) return;
    this.#state.set({ retiring: true });
    this.#shutdownCheck ??= setInterval(() => void this.#shutDownIfIdle(), shutdownCheckIntervalMs).unref();
  }

  /**
   * Whether the machine is to be shut down once nothing needs it, even if a previous run of the receiver decided so.
   */
  get isShutdownScheduled(): boolean {
    return this.#state.get().retiring;
  }

  /** Cancels a scheduled shutdown. */
  cancelShutdown(): void {
    this.stop();
    this.#state.set({ retiring: false });
  }

  /** Stops the checks; a scheduled shutdown continues after the next start. */
  stop(): void {
    clearInterval(this.#shutdownCheck);
    this.#shutdownCheck = undefined;
  }

  /** Shuts down with standby off, so that the receiver shows a picture when the machine is switched on again. */
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

  async #shutDownIfIdle(): Promise<void> {
    try {
      await this.shutDownWhenIdle();
    } catch (error) {
      this.#options.onError?.(error);
    }
  }

  #setStandby(standby: boolean): void {
    if (!standby) this.cancelShutdown();
    if (this.#state.set({ standby })) this.#listeners.call(standby);
  }
}

function allowed<Action>(action: Action | undefined, change: PowerChange): Action {
  if (action === undefined) throw fail('not-allowed', change);
  return action;
}
