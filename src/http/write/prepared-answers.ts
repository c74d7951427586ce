/**
 * Responses that are sent more than once. A long list of services is unchanged until the lists change, and writing
 * thousands of services takes a hundred times as long as sending them. Lists of present events are the same for all
 * clients within one second. A response is kept from its second request on: most are requested once, and are not worth
 * it. Concurrent requests for the same response share one computation. The cache is bounded in bytes and evicts the
 * least recently used response. The bound includes the keys, because they come from the network.
 *
 * Not lru-cache: beyond eviction it would bring 20 kB of the bundle and none of the sharing.
 */

export interface PreparedAnswer {
  readonly contentType: string;
  readonly body: Buffer;
  readonly fileName?: string | undefined;
}

/** Bytes of the cache, and of one response. A larger response is built anew each time. */
const most = 8 << 20;
const largest = 6 << 20;
/** Maximum characters of a key. Requests with longer keys are hardly ever shared. */
const longestKey = 2048;
/** Overhead of a response in bytes, besides its key and its body. */
const bytesBeside = 1024;

interface Kept {
  readonly state: string;
  /** Undefined after the first request in this state. */
  readonly answer: Promise<PreparedAnswer> | undefined;
  /** Without the answer while that is being built. */
  bytes: number;
}

export class PreparedAnswers {
  /** The least recently used first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** Cached bytes, including keys. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The response for a key: undefined for the first request, then cached or built now. `state` is what it depends on
   * besides the request: while that is unchanged, so is the response. Failures are not cached.
   */
  of(key: string, state: string, make: () => Promise<PreparedAnswer>): Promise<PreparedAnswer> | undefined {
    if (key.length > longestKey) return undefined;
    const known = this.#kept.get(key);
    if (known !== undefined) this.#forget(key, known);
    const bytes = 2 * key.length + bytesBeside;
    if (known?.state !== state) return this.#keep(key, { state, answer: undefined, bytes });
    if (known.answer !== undefined) return this.#keep(key, known);
    const kept: Kept = { state, answer: make(), bytes };
    kept.answer?.then(
      ({ body }) => this.#count(key, kept, body.length),
      () => this.#forget(key, kept),
    );
    return this.#keep(key, kept);
  }

  #keep(key: string, kept: Kept): Kept['answer'] {
    this.#kept.set(key, kept);
    this.#bytes += kept.bytes;
    for (const [oldest, one] of this.#kept) {
      if (this.#bytes <= most) break;
      this.#forget(oldest, one);
    }
    return kept.answer;
  }

  /** The answer is complete. */
  #count(key: string, kept: Kept, bytes: number): void {
    if (this.#kept.get(key) !== kept) return;
    this.#forget(key, kept);
    if (bytes <= largest) this.#keep(key, { ...kept, bytes: kept.bytes + bytes });
  }

  #forget(key: string, kept: Kept): void {
    if (this.#kept.get(key) !== kept) return;
    this.#kept.delete(key);
    this.#bytes -= kept.bytes;
  }
}
