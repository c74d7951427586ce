/**
 * mpv's JSON IPC (mpv manual, "JSON IPC"): one JSON object a line in each direction. The reply to a command has its
 * number; a message without a number is an event.
 *
 * The clients on npm (mpv, node-mpv) connect by a socket file, through which other programs could drive mpv, and wait for
 * replies without a limit; the former also breaks when a reply arrives in two pieces.
 */
import type { Duplex } from 'node:stream';
import { Listeners } from '../../base/listeners.ts';

/** A word or a value in a command. */
export type CommandPart = string | number | boolean | null;

/** An event from mpv: `end-file`, `property-change`, ... with its details. */
export interface MpvEvent {
  readonly event: string;
  readonly [detail: string]: unknown;
}

/** Milliseconds after which an unanswered command counts as a hang. */
const patience = 10_000;
/** Bound of a line in characters; the list of a file's tracks is the longest. */
const longestLine = 1 << 20;

interface Pending {
  resolve(data: unknown): void;
  reject(error: Error): void;
  readonly limit: NodeJS.Timeout;
}

export class MpvConnection {
  readonly #socket: Duplex;
  readonly #pending = new Map<number, Pending>();
  readonly #events = new Listeners<[MpvEvent]>();
  /** Calls `listener` with every event. */
  readonly onEvent = this.#events.add;
  #last = 0;
  #text = '';

  constructor(socket: Duplex) {
    this.#socket = socket;
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => this.#take(text));
    socket.on('error', () => undefined);
    socket.once('close', () => this.#fail('mpv has exited'));
  }

  /**
   * Resolves with mpv's reply. @throws Error with mpv's own error text (`property unavailable`), or if it has exited or
   * does not reply
   */
  command(...parts: readonly CommandPart[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#last++;
      const number = this.#last;
      const limit = setTimeout(() => {
        this.#pending.delete(number);
        reject(new Error(`mpv does not reply to ${parts[0]}`));
      }, patience);
      limit.unref();
      this.#pending.set(number, { resolve, reject, limit });
      if (this.#socket.destroyed) this.#fail('mpv has exited');
      else this.#socket.write(`${JSON.stringify({ command: parts, request_id: number })}\n`);
    });
  }

  /** Closes the connection, which ends mpv. */
  close(): void {
    this.#socket.destroy();
  }

  #take(text: string): void {
    const lines = (this.#text + text).split('\n');
    this.#text = lines.pop() as string;
    if (this.#text.length > longestLine) this.close();
    for (const line of lines) this.#read(line);
  }

  #read(line: string): void {
    const message = parsed(line);
    if (message === undefined) return;
    if (typeof message.event === 'string') {
      // After those who wait for a reply that arrived with it: it may be about what they asked for.
      queueMicrotask(() => this.#events.call(message as MpvEvent));
      return;
    }
    const pending = this.#pending.get(Number(message.request_id));
    if (pending === undefined) return;
    this.#pending.delete(Number(message.request_id));
    clearTimeout(pending.limit);
    if (message.error === 'success') pending.resolve(message.data);
    else pending.reject(new Error(String(message.error)));
  }

  #fail(why: string): void {
    for (const { reject, limit } of this.#pending.values()) {
      clearTimeout(limit);
      reject(new Error(why));
    }
    this.#pending.clear();
  }
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
