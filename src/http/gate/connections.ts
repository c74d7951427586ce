/**
 * A bound for the connections of all ports together. Each is an open file, of which a process may have so many; without
 * the bound, clients that only connect could take those that recordings and the lists need.
 */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';

/** They take some 5 KB each. */
const mostForMemory = 10_000;
/** What every system allows a process. */
const fewestFiles = 1024;

/**
 * A third of the files that this process may open, since a connection may have one open too. Node has raised the limit as
 * far as it may.
 */
export function mostConnections(limits = '/proc/self/limits'): number {
  let files = fewestFiles;
  try {
    const [, soft = ''] = /^Max open files +(\S+)/m.exec(readFileSync(limits, 'utf8')) ?? [];
    files = soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft) || fewestFiles;
  } catch {
    // Not Linux.
  }
  return Math.min(mostForMemory, Math.floor(files / 3));
}

export class Connections {
  readonly #most: number;
  readonly #log: Pick<Logger, 'warn'>;
  /** Those that wait for another request, the longest waiting first. */
  readonly #idle = new Set<Socket>();
  #open = 0;
  #warned = false;

  constructor(most: number, log: Pick<Logger, 'warn'>) {
    this.#most = most;
    this.#log = log;
  }

  /** Counts the connections of a server from now on. */
  bound(server: Server): void {
    const forget = (socket: Socket) => void socket.once('close', () => this.#idle.delete(socket));
    server.on('connection', (socket: Socket) => this.#add(socket));
    // With TLS, requests have a socket of their own.
    server.on('connection', forget).on('secureConnection', forget);
    server.on('request', ({ socket }, response) => {
      this.#idle.delete(socket);
      response.once('close', () => {
        if (!socket.destroyed) this.#idle.add(socket);
      });
    });
  }

  #add(socket: Socket): void {
    if (this.#open >= this.#most && !this.#closeIdle()) {
      socket.destroy();
      if (!this.#warned) this.#log.warn(`refusing connections: ${this.#most} are open`);
      this.#warned = true;
      return;
    }
    this.#open++;
    socket.once('close', () => this.#open--);
  }

  /** Its client connects again when it has another request. False if none is idle. */
  #closeIdle(): boolean {
    const [longest] = this.#idle;
    if (longest === undefined) return false;
    this.#idle.delete(longest);
    longest.destroy();
    return true;
  }
}
