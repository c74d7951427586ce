/**
 * Long answers that stay as they are until a list changes: made once and sent again from memory, since a client asks for the same one
 * again and again, and to write thousands of services takes a hundred times as long as to send them. Who asks while one is being made
 * waits for it. The least recently used ones give way at a bound of bytes.
 */

export interface PreparedAnswer {
  readonly contentType: string;
  readonly body: Buffer;
  readonly fileName?: string | undefined;
}

/** Bytes kept in all, and of one answer: one that is larger is made anew each time. */
const mostBytes = 8 << 20;
const largest = 4 << 20;

interface Kept {
  readonly state: string;
  readonly answer: Promise<PreparedAnswer>;
  /** 0 while it is being made. */
  bytes: number;
}

export class PreparedAnswers {
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The answer for a key, as it was made in the same state, or made now. What fails is not kept. */
  of(key: string, state: string, make: () => Promise<PreparedAnswer>): Promise<PreparedAnswer> {
    const known = this.#kept.get(key);
    if (known !== undefined) this.#forget(key, known);
    const kept: Kept = known?.state === state ? known : { state, answer: make(), bytes: 0 };
    this.#kept.set(key, kept);
    this.#bytes += kept.bytes;
    if (kept !== known) {
      kept.answer.then(
        ({ body }) => this.#count(key, kept, body.length),
        () => this.#forget(key, kept),
      );
    }
    return kept.answer;
  }

  #count(key: string, kept: Kept, bytes: number): void {
    if (this.#kept.get(key) !== kept) return;
    if (bytes > largest) {
      this.#forget(key, kept);
      return;
    }
    kept.bytes = bytes;
    this.#bytes += bytes;
    for (const [oldest, one] of this.#kept) {
      if (this.#bytes <= mostBytes) return;
      this.#forget(oldest, one);
    }
  }

  #forget(key: string, kept: Kept): void {
    if (this.#kept.get(key) !== kept) return;
    this.#kept.delete(key);
    this.#bytes -= kept.bytes;
  }
}
