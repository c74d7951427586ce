/**
 * Messages to whoever sits before the receiver: shown by a video output, by the web page and by every client that follows the
 * events, until somebody answers or closes them or their time is up. A question has an answer, which can be asked for afterwards.
 */
import type { Clock, UnixSeconds } from '../clock.ts';
import { Listeners } from '../listeners.ts';

export const messageKinds = ['question', 'information', 'warning', 'error'] as const;
export type MessageKind = (typeof messageKinds)[number];

export type Answer = 'yes' | 'no';

/** What became of a message; `closed` is one that was read, or whose time is up. */
export type MessageState = 'open' | 'closed' | Answer;

export interface Message {
  /** Rises with each message of this run of the receiver. */
  readonly id: number;
  readonly kind: MessageKind;
  readonly text: string;
  /** Seconds it is shown; undefined: until somebody closes it. */
  readonly timeout: number | undefined;
  /** When it came. */
  readonly since: UnixSeconds;
  readonly state: MessageState;
}

/** Messages that are open at a time; the oldest gives way to a new one. */
const mostOpen = 16;
/** Characters of one; a longer text is cut off. */
const longestText = 2000;
/** Seconds: a day is as good as for ever, and a timer of Node takes no more than 24 days. */
const longestTimeout = 86_400;

export class Messages {
  readonly #clock: Clock;
  readonly #listeners = new Listeners<[Message]>();
  readonly #open = new Map<number, { readonly message: Message; readonly timer: NodeJS.Timeout | undefined }>();
  #lastId = 0;
  /** The last question's id, and what was said to it. */
  #question = 0;
  #answer: Answer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Those that are shown now, the oldest first. */
  get open(): readonly Message[] {
    return Array.from(this.#open.values(), ({ message }) => message);
  }

  /** The answer to the last question; undefined while there is none. */
  get answer(): Answer | undefined {
    return this.#answer;
  }

  /** Shows one. A question takes the answer to the one before away. `timeout` in seconds; undefined or 0 and below: none. */
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

  /** Takes one away, with an answer if it is a question; of others it is only read then. False when it is not open. */
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

  /** Calls `listener` with each message when it is shown and when it ends; returns what takes it off again. */
  onMessage(listener: (message: Message) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** No time is up any more. */
  stop(): void {
    for (const { timer } of this.#open.values()) clearTimeout(timer);
  }
}
