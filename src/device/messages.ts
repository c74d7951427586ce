/**
 * Messages to viewers, shown by the video output, the web page and each client that follows the events, until a user
 * answers or closes them or they time out. The answer to a question can be queried afterwards.
 */
import type { Clock, UnixSeconds } from '../base/clock.ts';
import { Listeners } from '../base/listeners.ts';

export const messageKinds = ['question', 'information', 'warning', 'error'] as const;
export type MessageKind = (typeof messageKinds)[number];

export type Answer = 'yes' | 'no';

/** State of a message; `closed`: closed without an answer, or timed out. */
export type MessageState = 'open' | 'closed' | Answer;

export interface Message {
  /** Increases with each message of this run of the receiver. */
  readonly id: number;
  readonly kind: MessageKind;
  readonly text: string;
  /** Seconds for which it is shown; undefined: until a user closes it. */
  readonly timeout: number | undefined;
  /** When it was shown. */
  readonly since: UnixSeconds;
  readonly state: MessageState;
}

/** Open messages; a further one closes the oldest. */
const maxOpenMessages = 16;
/** Characters of a text; a longer one is cut. */
const maxTextLength = 2000;
/** Seconds of a timeout. Longer ones are practically infinite, and a Node timer is limited to 24 days. */
const maxTimeoutSeconds = 86_400;

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
    const seconds = timeout !== undefined && timeout > 0 ? Math.min(timeout, maxTimeoutSeconds) : undefined;
    if (kind === 'question') {
      this.#question = id;
      this.#answer = undefined;
    }
    const [oldest] = this.#open.keys();
    if (oldest !== undefined && this.#open.size >= maxOpenMessages) this.close(oldest);
    const message: Message = {
      id,
      kind,
      text: text.slice(0, maxTextLength),
      timeout: seconds,
      since: this.#clock.now(),
      state: 'open',
    };
    const timer = seconds === undefined ? undefined : setTimeout(() => this.close(id), seconds * 1000).unref();
    this.#open.set(id, { message, timer });
    this.#listeners.call(message);
    return message;
  }

  /** Closes a message; the answer counts only if it is a question. Returns false if the message is not open. */
  close(id: number, answer?: Answer): boolean {
    const found = this.#open.get(id);
    if (found === undefined) return false;
    this.#open.delete(id);
    clearTimeout(found.timer);
    const counted = found.message.kind === 'question' ? answer : undefined;
    if (counted !== undefined && id === this.#question) this.#answer = counted;
    this.#listeners.call({ ...found.message, state: counted ?? 'closed' });
    return true;
  }

  /** Stops all timeouts. */
  stop(): void {
    for (const { timer } of this.#open.values()) clearTimeout(timer);
  }
}
