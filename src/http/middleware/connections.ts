/**
 * Limits the number of connections of all ports together. Each connection is an open file, and a process may open only a
 * limited number of files. Without this limit, clients that only connect could use up the files that recordings and service
 * lists need. One client gets at most three quarters of the connections, unless it is a trusted proxy.
 */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Peers } from '../../access/peers.ts';
import { ClientSlots } from '../../base/client-slots.ts';
import { plainAddress } from '../../base/network-addresses.ts';

/** A connection takes about 5 KB. */
const maxConnectionsForMemory = 10_000;
/** Open files that every system allows a process. */
const defaultMaxFiles = 1024;

/**
 * The maximum number of connections: a third of the files that this process may open, because a connection may have a file
 * open as well. Node has already raised the soft limit to the hard one. `limits`: path of the file with the limits.
 */
export function maxConnections(limits = '/proc/self/limits'): number {
  let files = defaultMaxFiles;
  try {
    const [, soft = ''] = /^Max open files +(\S+)/m.exec(readFileSync(limits, 'utf8')) ?? [];
    files = soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft) || defaultMaxFiles;
  } catch {
    // Not Linux.
  }
  return Math.min(maxConnectionsForMemory, Math.floor(files / 3));
}

export class Connections {
  readonly #slots: ClientSlots;
  readonly #peers: Pick<Peers, 'clientAt' | 'trust'>;
  readonly #log: Pick<Logger, 'warn'>;
  /** The connections that wait for another request, the longest waiting first. */
  readonly #idle = new Set<Socket>();
  readonly #clients = new WeakMap<Socket, string>();
  #hasWarned = false;

  constructor(maxCount: number, peers: Pick<Peers, 'clientAt' | 'trust'>, log: Pick<Logger, 'warn'>) {
    this.#slots = new ClientSlots(maxCount);
    this.#peers = peers;
    this.#log = log;
  }

  /** Counts and limits the connections of a server from now on. */
  limit(server: Server): void {
    const track = (socket: Socket) => {
      this.#clients.set(socket, this.#peers.clientAt(plainAddress(socket.remoteAddress)));
      socket.once('close', () => this.#idle.delete(socket));
    };
    // With TLS, requests have a socket of their own above the TCP socket.
    server.on('connection', track).on('secureConnection', track);
    server.on('connection', (socket: Socket) => this.#add(socket));
    server.on('request', ({ socket }, response) => {
      this.#idle.delete(socket);
      // When a connection closes, Node closes only the response being sent. Those to pipelined requests would never end.
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
      const reason = refusal === 'own' ? ` of ${client}, which has too many` : `: ${this.#slots.count} are open`;
      if (!this.#hasWarned) this.#log.warn(`refusing connections${reason}`);
      this.#hasWarned = true;
      return;
    }
    socket.once('close', this.#slots.take(client));
  }

  /** Why the connection is refused; undefined if it is not. The limit per client does not apply to trusted proxies. */
  #refusal(socket: Socket, client: string): ReturnType<ClientSlots['refusal']> {
    const refusal = this.#slots.refusal(client);
    const isProxy = refusal === 'own' && this.#peers.trust(plainAddress(socket.remoteAddress), 0);
    return isProxy ? undefined : refusal;
  }

  /**
   * Closes the longest idle connection, of this client or, if undefined, of any. Returns false if there is none. The client
   * reconnects when it has another request.
   */
  #closeIdle(client: string | undefined): boolean {
    for (const socket of this.#idle) {
      if (client !== undefined && this.#clients.get(socket) !== client) continue;
      this.#idle.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  }
}
