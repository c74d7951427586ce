/**
 * A bound for the connections of all ports together. Each is an open file, of which a process may have so many; without
 * the bound, clients that only connect could take those that recordings and the lists need. One client gets three quarters
 * of them, unless it is a proxy of ours.
 */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Peers } from '../../access/peers.ts';
import { ClientSlots } from '../../base/client-slots.ts';
import { plainAddress } from '../../base/network-addresses.ts';

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
  readonly #places: ClientSlots;
  readonly #peers: Pick<Peers, 'clientAt' | 'trust'>;
  readonly #log: Pick<Logger, 'warn'>;
  /** Those that wait for another request, the longest waiting first. */
  readonly #idle = new Set<Socket>();
  readonly #clients = new WeakMap<Socket, string>();
  #warned = false;

  constructor(most: number, peers: Pick<Peers, 'clientAt' | 'trust'>, log: Pick<Logger, 'warn'>) {
    this.#places = new ClientSlots(most);
    this.#peers = peers;
    this.#log = log;
  }

  /** Counts the connections of a server from now on. */
  bound(server: Server): void {
    const forget = (socket: Socket) => {
      this.#clients.set(socket, this.#peers.clientAt(plainAddress(socket.remoteAddress)));
      socket.once('close', () => this.#idle.delete(socket));
    };
    // With TLS, requests have a socket of their own.
    server.on('connection', forget).on('secureConnection', forget);
    server.on('connection', (socket: Socket) => this.#add(socket));
    server.on('request', ({ socket }, response) => {
      this.#idle.delete(socket);
      // Of pipelined requests Node closes only the response that is being sent; the others would never end.
      const end = () => {
        if (!response.closed) response.emit('close');
      };
      socket.once('close', end);
      response.once('close', () => {
        socket.off('close', end);
        if (!socket.destroyed) this.#idle.add(socket);
      });
    });
  }

  #add(socket: Socket): void {
    const client = this.#clients.get(socket) ?? '';
    const refusal = this.#refusal(socket, client);
    if (refusal !== undefined && !this.#closeIdle(refusal === 'own' ? client : undefined)) {
      socket.destroy();
      const why = refusal === 'own' ? ` of ${client}, which has too many` : `: ${this.#places.count} are open`;
      if (!this.#warned) this.#log.warn(`refusing connections${why}`);
      this.#warned = true;
      return;
    }
    socket.once('close', this.#places.take(client));
  }

  /** All clients of a proxy come from its address. */
  #refusal(socket: Socket, client: string): ReturnType<ClientSlots['refusal']> {
    const refusal = this.#places.refusal(client);
    const isProxy = refusal === 'own' && this.#peers.trust(plainAddress(socket.remoteAddress), 0);
    return isProxy ? undefined : refusal;
  }

  /** The client, or any if none is given, connects again when it has another request. False if none is idle. */
  #closeIdle(client: string | undefined): boolean {
    for (const longest of this.#idle) {
      if (client !== undefined && this.#clients.get(longest) !== client) continue;
      this.#idle.delete(longest);
      longest.destroy();
      return true;
    }
    return false;
  }
}
