/**
 * The cache of responses. A long list of services stays the same until the service lists change, and writing thousands of
 * services takes a hundred times as long as sending them. Lists of present events are the same for all clients within one
 * second. A response is cached from its second request on, because most are requested only once. Concurrent requests for the
 * same response share one computation. The cache is bounded in bytes and evicts the least recently used response. The bound
 * includes the keys, because they come from the network.
 *
 * lru-cache would add 20 kB to the bundle, and does not share computations.
 */

export interface CachedResponse {
  readonly contentType: string;
  readonly body: Buffer;
  readonly fileName?: string | undefined;
}

/** Maximum bytes of the whole cache. */
const maxCacheBytes = 8 << 20;
/** Maximum bytes of a cached response. A larger response is built again for each request. */
const maxResponseBytes = 6 << 20;
/** Maximum characters of a key. Requests with longer keys are hardly ever shared. */
const maxKeyLength = 2048;
/** Estimated bytes that an entry takes in addition to its key and its body. */
const overheadBytes = 1024;

interface Entry {
  readonly state: string;
  /** Undefined after the first request in this state. */
  readonly response: Promise<CachedResponse> | undefined;
  /** Bytes of the key, the overhead and, once it is complete, the body. */
  bytes: number;
}

export class ResponseCache {
  /** The least recently used first. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  /** Cached bytes, including keys. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The response for a key: undefined at the first request in this state, afterwards from the cache or from `make`. `state`
   * is what the response depends on besides the request: the cached response is valid while it is unchanged. Failures are
   * not cached.
   */
  get(key: string, state: string, make: () => Promise<CachedResponse>): Promise<CachedResponse> | undefined {
    if (key.length > maxKeyLength) return undefined;
    const known = this.#entries.get(key);
    if (known !== undefined) this.#remove(key, known);
    const bytes = 2 * key.length + overheadBytes;
    if (known?.state !== state) return this.#add(key, { state, response: undefined, bytes });
    if (known.response !== undefined) return this.#add(key, known);
    const entry: Entry = { state, response: make(), bytes };
    entry.response?.then(
      ({ body }) => this.#addBody(key, entry, body.length),
      () => this.#remove(key, entry),
    );
    return this.#add(key, entry);
  }

  /** Adds an entry and evicts the least recently used ones above the bound. Returns the entry's response. */
  #add(key: string, entry: Entry): Entry['response'] {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
    for (const [oldestKey, oldest] of this.#entries) {
      if (this.#bytes <= maxCacheBytes) break;
      this.#remove(oldestKey, oldest);
    }
    return entry.response;
  }

  /** Counts the bytes of a body that is now complete. Removes the entry if the body is too large. */
  #addBody(key: string, entry: Entry, bytes: number): void {
    if (this.#entries.get(key) !== entry) return;
    this.#remove(key, entry);
    if (bytes <= maxResponseBytes) this.#add(key, { ...entry, bytes: entry.bytes + bytes });
  }

  #remove(key: string, entry: Entry): void {
    if (this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
