/**
 * Notifies systemd of the receiver's state, as sd_notify(3) describes: that it is ready, that it stops and, if the unit
 * has WatchdogSec, that its event loop runs. The npm packages for this need libsystemd or start a process for each
 * message; here the addon sends the datagram.
 */
import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';
import type { Logger } from 'pino';
import { native } from '../base/native.ts';

/** The maximum delay of a Node timer. */
const maxDelayMs = 2 ** 31 - 1;
/** Between attempts to send while the socket is full. */
const retryDelayMs = 100;
const maxAttempts = 100;

export class ServiceManager {
  readonly #socket: string;
  readonly #log: Pick<Logger, 'warn'>;

  /**
   * The service manager that the environment names; undefined if there is none. Starts to feed its watchdog. Removes
   * its variables, so that programs started from here do not notify it.
   */
  static of(environment: NodeJS.ProcessEnv, log: Pick<Logger, 'warn'>): ServiceManager | undefined {
    const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: limit, WATCHDOG_PID: pid } = environment;
    for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete environment[name];
    if (socket === undefined || socket === '') return undefined;
    const manager = new ServiceManager(socket, log);
    const isOurs = pid === undefined || pid === String(process.pid);
    if (isOurs && /^[1-9]\d*$/.test(limit ?? '')) manager.#feedWatchdog(Number(limit) / 1000);
    return manager;
  }

  private constructor(socket: string, log: Pick<Logger, 'warn'>) {
    this.#socket = socket;
    this.#log = log;
  }

  /** Reports that the receiver serves. `systemctl status` shows `status`. */
  ready(status: string): void {
    this.#notify(`READY=1\nSTATUS=${status}`);
  }

  status(status: string): void {
    this.#notify(`STATUS=${status}`);
  }

  stopping(): void {
    this.#notify('STOPPING=1\nSTATUS=Stopping');
  }

  /**
   * Notifies the watchdog twice within `limitMs`, from the thread that serves: if that hangs, systemd restarts the
   * receiver.
   */
  #feedWatchdog(limitMs: number): void {
    const feed = () => void native.notify(this.#socket, 'WATCHDOG=1');
    feed();
    setInterval(feed, Math.min(limitMs / 2, maxDelayMs)).unref();
  }

  #notify(message: string, attempts = maxAttempts): void {
    const error = native.notify(this.#socket, message);
    if (error === 0) return;
    if (error === constants.errno.EAGAIN && attempts > 1) {
      setTimeout(() => this.#notify(message, attempts - 1), retryDelayMs).unref();
      return;
    }
    const [, reason] = getSystemErrorMap().get(-error) ?? ['', `error ${error}`];
    const [what] = message.split('\n', 1);
    this.#log.warn(`cannot notify systemd of '${what}' (NOTIFY_SOCKET=${this.#socket}): ${reason}`);
  }
}
