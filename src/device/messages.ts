/**
 * Messages to viewers: shown by a video output, by the web page and by every client that follows the events, until
 * somebody answers or closes them or they time out. The answer to a question can be queried afterwards.
 */
import type { Clock, UnixSeconds } from '../base/clock.ts';
import { Listeners } from '../base/listeners.ts';

export const messageKinds = ['question', 'information', 'warning', 'error'] as const;
export type MessageKind = (typeof messageKinds)[number];

export type Answer = 'yes' | 'no';

/** State of a message; `closed`: it was read, or timed out. */
export type MessageState = 'open' | 'closed' | Answer;

export interface Message {
  /** Increases with each message of this run of the receiver. */
  readonly id: number;
  readonly kind: MessageKind;
  readonly text: string;
  /** Seconds it is shown; undefined: until somebody closes it. */
  readonly timeout: number | undefined;
  /** When it was shown. */
  readonly since: UnixSeconds;
  readonly state: MessageState;
}

/** Bound of the open messages; a new one replaces the oldest. */
const mostOpen = 16;
/** Bound of a text in characters; a longer one is cut. */
const longestText = 2000;
/** Seconds: a day is as good as forever, and a Node timer takes at most 24 days. */
const longestTimeout = 86_400;

export class Messages {
  readonly #clock: Clock;
  readonly #listeners = new Listeners<[Message]>();
  /** Calls `listener` with each message when it is shown and when it ends; returns a function that removes it. */
  readonly onMessage = this.#listeners.add;
  readonly #open = new Map<number, { readonly message: Message; readonly timer: NodeJS.Timeout | undefined }>();
  #lastId = 0;
  /** The last question's id, and its answer. */
  #question = 0;
  #answer: Answer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The open messages, the oldest first. */
  get open(): readonly Message[] {
    return Array.from(this.#open.values(), ({ message }) => message);
  }

  /** The answer to the last question; undefined while there is none. */
  get answer(): Answer | undefined {
    return this.#answer;
  }

  /** Shows a message. A question discards the last answer. `timeout` in seconds; undefined or <= 0: none. */
  show(kind: MessageKind, text: string, timeout?: number): Message {
    const id = ++this.#lastId;
    const seconds = timeout !== undefined && timeout > 0 ? Math.min(timeout, longestTimeout) : undefined;
    if (kind === 'question') {
      this.#question = id;
      this.#answer = undefined;
    }
    const [oldest] = this.#open.keys();
    if (oldest !== undefined && this.#open.size >= mostOpen) this.close(oldest);
    const message: Message = {
      id,
      kind,
      text: text.slice(0, longestText),
      timeout: seconds,
      since: this.#clock.now(),
      state: 'open',
    };
    const timer = seconds === undefined ? undefined : setTimeout(() => this.close(id), seconds * 1000).unref();
    this.#open.set(id, { message, timer });
    this.#listeners.call(message);
    return message;
  }

  /** Closes a message, with an answer if it is a question; otherwise the answer is ignored. False if it is not open. */
  close(id: number, answer?: Answer): boolean {
    const found = this.#open.get(id);
    if (found === undefined) return false;
    this.#open.delete(id);
    clearTimeout(found.timer);
    const said = found.message.kind === 'question' ? answer : undefined;
    if (said !== undefined && id === this.#question) this.#answer = said;
    this.#listeners.call({ ...found.message, state: said ?? 'closed' });
    return true;
  }

  /** Stops all timeouts. */
  stop(): void {
    for (const { timer } of this.#open.values()) clearTimeout(timer);
  }
}
