/**
 * Responses that are sent more than once. A long list of services is unchanged until the lists change, and writing
 * thousands of services takes a hundred times as long as sending them. Lists of present events are the same for all
 * clients within one second and are cached from the second request on. Concurrent requests for the same response share
 * one computation. The cache is bounded in bytes and evicts the least recently used response. The bound includes the
 * keys, because they come from the network and are unlimited.
 */

export interface PreparedAnswer {
  readonly contentType: string;
  readonly body: Buffer;
  readonly fileName?: string | undefined;
}

/** What a response depends on besides the request: while it is unchanged, so is the response. */
export interface AnswerState {
  readonly text: string;
  /** The state changes soon: responses for it are dropped as soon as there is a newer state. */
  readonly momentary?: boolean;
}

type LastingState = AnswerState & { readonly momentary?: false };

interface Bounds {
  /** Maximum bytes of the cache, and of one response. A larger response is built anew each time. */
  readonly most: number;
  readonly largest: number;
}

const lasting: Bounds = { most: 8 << 20, largest: 6 << 20 };
const momentary: Bounds = { most: 1 << 20, largest: 256 << 10 };
/** Maximum characters of a key. Requests with longer keys are hardly ever shared. */
const longestKey = 2048;
/** Overhead of a response in bytes, besides its key and its body. */
const bytesBeside = 1024;
/** Maximum number of keys remembered per moment. */
const mostAsked = 1024;

interface Kept {
  readonly state: string;
  readonly answer: Promise<PreparedAnswer>;
  /** 0 while it is being built. */
  bytes: number;
}

export class PreparedAnswers {
  readonly #lasting = new KeptAnswers(lasting);
  #momentary = new KeptAnswers(momentary);
  #moment = '';
  /** The keys requested in this moment. */
  #asked = new Set<string>();

  /** Cached bytes, including keys. */
  get bytes(): number {
    return this.#lasting.bytes + this.#momentary.bytes;
  }

  /**
   * The response for a key, cached for the same state or built now. Undefined for the first request in a momentary
   * state: most responses are requested only once and are not worth caching. Failures are not cached.
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
