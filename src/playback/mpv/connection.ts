/**
 * mpv's JSON IPC (mpv manual, "JSON IPC"): one JSON object per line in each direction. The reply to a command has the
 * number of the command; a message without a number is an event.
 *
 * The npm packages mpv and node-mpv connect through a socket file, which other programs could use to control mpv, and
 * wait for replies without a timeout. The former also fails if a reply arrives in two chunks.
 */
import type { Duplex } from 'node:stream';
import { Listeners } from '../../base/listeners.ts';

/** A word or value of a command. */
export type CommandPart = string | number | boolean | null;

/** An event from mpv: `end-file`, `property-change`, ... with its details. */
export interface MpvEvent {
  readonly event: string;
  readonly [detail: string]: unknown;
}

/** Milliseconds within which mpv must reply to a command. */
const replyTimeoutMs = 10_000;
/** Characters of a line. The longest are lists of tracks. */
const maxLineLength = 1 << 20;

interface Pending {
  resolve(data: unknown): void;
  reject(error: Error): void;
  readonly timeout: NodeJS.Timeout;
}

export class MpvConnection {
  readonly #socket: Duplex;
  readonly #pending = new Map<number, Pending>();
  readonly #events = new Listeners<[MpvEvent]>();
  /** Calls `listener` with every event. */
  readonly onEvent = this.#events.add;
  #lastNumber = 0;
  #text = '';

  constructor(socket: Duplex) {
    this.#socket = socket;
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => this.#receive(text));
    socket.on('error', () => undefined);
    socket.once('close', () => this.#fail('mpv has exited'));
  }

  /**
   * Resolves with mpv's reply. @throws Error with mpv's own error text (`property unavailable`), or if it has exited or
   * does not reply
   */
  command(...parts: readonly CommandPart[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#lastNumber++;
      const number = this.#lastNumber;
      const timeout = setTimeout(() => {
        this.#pending.delete(number);
        reject(new Error(`mpv does not reply to ${parts[0]}`));
      }, replyTimeoutMs);
      timeout.unref();
      this.#pending.set(number, { resolve, reject, timeout });
      if (this.#socket.destroyed) this.#fail('mpv has exited');
      else this.#socket.write(`${JSON.stringify({ command: parts, request_id: number })}\n`);
    });
  }

  /** Closes the connection, which ends mpv. */
  close(): void {
    this.#socket.destroy();
  }

  #receive(text: string): void {
    const lines = (this.#text + text).split('\n');
    this.#text = lines.pop() as string;
    if (this.#text.length > maxLineLength) this.close();
    for (const line of lines) this.#handle(line);
  }

  #handle(line: string): void {
    const message = parsed(line);
    if (message === undefined) return;
    if (typeof message.event === 'string') {
      // Reported after replies that arrived before it have been handled: it may concern one of those commands.
      queueMicrotask(() => this.#events.call(message as MpvEvent));
      return;
    }
    const pending = this.#pending.get(Number(message.request_id));
    if (pending === undefined) return;
    this.#pending.delete(Number(message.request_id));
    clearTimeout(pending.timeout);
    if (message.error === 'success') pending.resolve(message.data);
    else pending.reject(new Error(String(message.error)));
  }

  #fail(why: string): void {
    for (const { reject, timeout } of this.#pending.values()) {
      clearTimeout(timeout);
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
