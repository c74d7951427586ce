/**
 * Answers that are sent more than once. A long list of services stays as it is until the lists change, and to write thousands of
 * services takes a hundred times as long as to send them; what runs now is the same for all who ask within one second, and kept from
 * the second of them on. Who asks while an answer is being made waits for it. The least recently used ones give way at a bound of
 * bytes, which counts what they were asked by, too: that comes from the network, and there is no end of it.
 */

export interface PreparedAnswer {
  readonly contentType: string;
  readonly body: Buffer;
  readonly fileName?: string | undefined;
}

/** What an answer depends on beside the request: as long as it is the same, so is the answer. */
export interface AnswerState {
  readonly text: string;
  /** Another one soon: what was made in it is forgotten as soon as there is a newer one. */
  readonly momentary?: boolean;
}

type LastingState = AnswerState & { readonly momentary?: false };

interface Bounds {
  /** Bytes kept in all, and of one answer: one that is larger is made anew each time. */
  readonly most: number;
  readonly largest: number;
}

const lasting: Bounds = { most: 8 << 20, largest: 6 << 20 };
const momentary: Bounds = { most: 1 << 20, largest: 256 << 10 };
/** Characters of a key; whoever asks with more is not asking for the same as others. */
const longestKey = 2048;
/** Bytes that an answer takes beside its key and its body. */
const bytesBeside = 1024;
/** Keys of a moment that are remembered. */
const mostAsked = 1024;

interface Kept {
  readonly state: string;
  readonly answer: Promise<PreparedAnswer>;
  /** 0 while it is being made. */
  bytes: number;
}

export class PreparedAnswers {
  readonly #lasting = new KeptAnswers(lasting);
  #momentary = new KeptAnswers(momentary);
  #moment = '';
  /** What was asked for in this moment. */
  #asked = new Set<string>();

  /** Bytes that are kept, keys and all. */
  get bytes(): number {
    return this.#lasting.bytes + this.#momentary.bytes;
  }

  /**
   * The answer for a key, as it was made in the same state, or made now. Undefined for the first who asks in a moment: most answers are
   * asked for once, and are not worth being kept. What fails is not kept.
   */
  of(key: string, state: LastingState, make: () => Promise<PreparedAnswer>): Promise<PreparedAnswer>;
  of(key: string, state: AnswerState, make: () => Promise<PreparedAnswer>): Promise<PreparedAnswer> | undefined;
  of(key: string, state: AnswerState, make: () => Promise<PreparedAnswer>): Promise<PreparedAnswer> | undefined {
    if (!state.momentary) return key.length > longestKey ? make() : this.#lasting.of(key, state.text, make);
    if (key.length > longestKey) return undefined;
    if (state.text !== this.#moment) {
      this.#moment = state.text;
      this.#momentary = new KeptAnswers(momentary);
      this.#asked = new Set();
    }
    if (!this.#asked.has(key)) {
      if (this.#asked.size < mostAsked) this.#asked.add(key);
      return undefined;
    }
    return this.#momentary.of(key, state.text, make);
  }
}

class KeptAnswers {
  readonly #bounds: Bounds;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  get bytes(): number {
    return this.#bytes;
  }

  of(key: string, state: string, make: () => Promise<PreparedAnswer>): Promise<PreparedAnswer> {
    const known = this.#kept.get(key);
    if (known !== undefined) this.#forget(key, known);
    const kept: Kept = known?.state === state ? known : { state, answer: make(), bytes: 0 };
    this.#kept.set(key, kept);
    this.#bytes += kept.bytes;
    if (kept !== known) {
      kept.answer.then(
        ({ body }) => this.#count(key, kept, body.length + 2 * key.length + bytesBeside),
        () => this.#forget(key, kept),
      );
    }
    return kept.answer;
  }

  #count(key: string, kept: Kept, bytes: number): void {
    if (this.#kept.get(key) !== kept) return;
    if (bytes > this.#bounds.largest) {
      this.#forget(key, kept);
      return;
    }
    kept.bytes = bytes;
    this.#bytes += bytes;
    for (const [oldest, one] of this.#kept) {
      if (this.#bytes <= this.#bounds.most) return;
      this.#forget(oldest, one);
    }
  }

  #forget(key: string, kept: Kept): void {
    if (this.#kept.get(key) !== kept) return;
    this.#kept.delete(key);
    this.#bytes -= kept.bytes;
  }
}
