/**
 * Tells systemd how the receiver is, as sd_notify(3) describes: that it serves, that it stops, and, where the unit has
 * WatchdogSec, that its event loop turns. The packages that do so on npm need libsystemd or start a process for each
 * message; the addon sends the datagram.
 */
import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';
import type { Logger } from 'pino';
import { native } from '../base/native.ts';

/** The longest time of a timer in milliseconds. */
const longest = 2 ** 31 - 1;
/** Milliseconds between attempts to send while the socket is full, and the number of attempts. */
const pace = 100;
const mostAttempts = 100;

export class ServiceManager {
  readonly #socket: string;
  readonly #log: Pick<Logger, 'warn'>;

  /**
   * The manager that these variables name; undefined without one. Removes them: programs that are started from here have
   * nothing to tell. Its watchdog is fed from now on.
   */
  static of(environment: NodeJS.ProcessEnv, log: Pick<Logger, 'warn'>): ServiceManager | undefined {
    const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: limit, WATCHDOG_PID: pid } = environment;
    for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete environment[name];
    if (socket === undefined || socket === '') return undefined;
    const manager = new ServiceManager(socket, log);
    const isMeant = pid === undefined || pid === String(process.pid);
    if (isMeant && /^[1-9]\d*$/.test(limit ?? '')) manager.#feedWatchdog(Number(limit) / 1000);
    return manager;
  }

  private constructor(socket: string, log: Pick<Logger, 'warn'>) {
    this.#socket = socket;
    this.#log = log;
  }

  /** The receiver serves. `status` is shown by `systemctl status`. */
  ready(status: string): void {
    this.#tell(`READY=1\nSTATUS=${status}`);
  }

  status(status: string): void {
    this.#tell(`STATUS=${status}`);
  }

  stopping(): void {
    this.#tell('STOPPING=1\nSTATUS=Stopping');
  }

  /** Twice within the limit in milliseconds, by the thread that serves: if it hangs, systemd restarts the receiver. */
  #feedWatchdog(limit: number): void {
    const feed = () => void native.notify(this.#socket, 'WATCHDOG=1');
    feed();
    setInterval(feed, Math.min(limit / 2, longest)).unref();
  }

  #tell(message: string, attempts = mostAttempts): void {
    const error = native.notify(this.#socket, message);
    if (error === 0) return;
    if (error === constants.errno.EAGAIN && attempts > 1) {
      setTimeout(() => this.#tell(message, attempts - 1), pace).unref();
      return;
    }
    const [, reason] = getSystemErrorMap().get(-error) ?? ['', `error ${error}`];
    const [what] = message.split('\n', 1);
    this.#log.warn(`systemd cannot be told '${what}' (NOTIFY_SOCKET=${this.#socket}): ${reason}`);
  }
}
