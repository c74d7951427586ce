/**
 * The notices that one target has yet to get, in order. While its server is away, the first of them is sent again with
 * growing pauses. What is given up is logged.
 */
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Notice } from '../events/notice.ts';
import type { Target } from './forms.ts';

/** Notices that wait for a target. When there are more, the oldest is given up. */
export const maxPending = 100;
/** Pause after a failed attempt: at first, doubled with each failure, and at most. */
const firstPauseMs = 10_000;
const maxPauseMs = 3_600_000;
/** Older notices are given up. */
const maxAgeSeconds = 2 * 86_400;

export interface OutboxParts {
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** @throws ReceiverError */
  readonly send: (target: Target, notice: Notice) => Promise<void>;
  /** Called when the pending notices have changed. */
  readonly changed: () => void;
}

export class Outbox {
  readonly #parts: OutboxParts;
  #target: Target;
  readonly #pending: Notice[] = [];
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #isClosed = false;
  /** Why the last attempt failed; empty if it did not. */
  trouble = '';
  /** When the last notice was delivered, Unix seconds; 0: none since the start. */
  delivered = 0;

  constructor(parts: OutboxParts, target: Target, pending: readonly Notice[]) {
    this.#parts = parts;
    this.#target = target;
    this.#pending.push(...pending.slice(-maxPending));
    this.#sendSoon();
  }

  get pending(): readonly Notice[] {
    return this.#pending;
  }

  /** Sends to the same address with other keys, and at once: they may be what was missing. */
  set target(target: Target) {
    this.#target = target;
    clearTimeout(this.#retry);
    this.#sendSoon();
  }

  add(notice: Notice): void {
    this.#pending.push(notice);
    // The first may be on its way.
    if (this.#pending.length > maxPending) this.#giveUp(1, `more than ${maxPending} wait`);
    this.#parts.changed();
    if (this.#failures === 0) this.#sendSoon();
  }

  /** Gives up all notices, for a reason; without one, they stay for the next start. */
  async close(why?: string): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    while (why !== undefined && this.#pending.length > 0) this.#giveUp(0, why);
    await this.#sending;
  }

  #sendSoon(): void {
    this.#sending ??= this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    // The caller does not wait for the network.
    await Promise.resolve();
    let hasSent = true;
    while (hasSent && !this.#isClosed) {
      const [first] = this.#pending;
      if (first === undefined) break;
      if (this.#parts.clock.now() - first.time > maxAgeSeconds) this.#giveUp(0, 'it is too old');
      else hasSent = await this.#sendFirst(first);
      if (hasSent) this.#parts.changed();
    }
    this.#sending = undefined;
  }

  /** Returns false if it has to be sent again later. */
  async #sendFirst(first: Notice): Promise<boolean> {
    const { clock, log, send } = this.#parts;
    try {
      await send(this.#target, first);
      if (this.trouble !== '') log.info(`${this.#target.name}: notices are delivered again`);
      this.trouble = '';
      this.#failures = 0;
      this.delivered = clock.now();
      if (this.#pending[0] === first) this.#pending.shift();
      return true;
    } catch (error) {
      // The receiver has aborted it; it stays for the next start.
      if (this.#isClosed) return false;
      const { message } = error as Error;
      const pauseMs = Math.min(maxPauseMs, firstPauseMs * 2 ** this.#failures++);
      if (message !== this.trouble)
        log.warn(`${this.#target.name}: a notice is not delivered: ${message}; next try in ${pauseMs / 1000} s`);
      this.trouble = message;
      this.#retry = setTimeout(() => this.#sendSoon(), pauseMs).unref();
      return false;
    }
  }

  #giveUp(index: number, why: string): void {
    const [notice] = this.#pending.splice(index, 1);
    if (notice) this.#parts.log.error(`${this.#target.name}: a notice is given up: ${why} (${notice.message})`);
  }
}
