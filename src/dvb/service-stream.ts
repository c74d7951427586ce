/**
 * One reader of one service. The reader pulls; data not yet pulled waits in a bounded native queue. When it is full,
 * the stream ends with `overflow`: a slow reader loses its own stream and nobody else's.
 */
import type {
  PidStream as NativePidStream,
  ServiceStream as NativeStream,
  Tuner as NativeTuner,
  StreamEnd,
} from '../base/native.ts';

export type { StreamEnd };

/** Packets of one service, pulled by one reader. Leaving the loop early closes the stream. */
export interface PacketStream extends AsyncIterable<Buffer> {
  /** Null while it is open. */
  readonly reason: StreamEnd | null;
  /** Ends the stream, including a pending read. Closing twice is harmless. */
  close(): void;
}

export class ServiceStream implements PacketStream {
  readonly #native: NativeStream;
  readonly #waiting: Set<ServiceStream>;
  #resolve: ((chunk: Buffer | null) => void) | undefined;

  /** Called by `Tuner.openStream`. `waiting` holds the streams to wake when data arrives. */
  constructor(native: NativeStream, waiting: Set<ServiceStream>) {
    this.#native = native;
    this.#waiting = waiting;
  }

  /**
   * Reads the next whole packets, in order. Null at the end, after whatever was queued before it (except at `overflow`
   * and `closed`). One call at a time. @throws Error if a read is still pending.
   */
  read(): Promise<Buffer | null> {
    if (this.#resolve) return Promise.reject(new Error('a read of this stream is still pending'));
    const chunk = this.#native.read();
    if (chunk !== undefined) return Promise.resolve(chunk);
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#waiting.add(this);
    });
  }

  /** Ends the stream and frees its queue. A pending read yields null. Closing twice is harmless. */
  close(): void {
    this.#native.close();
    this.wake();
  }

  /** Null while the stream is open. */
  get reason(): StreamEnd | null {
    return this.#native.reason();
  }

  /** Called by the tuner when data may have arrived. */
  wake(): void {
    if (!this.#resolve) return;
    const chunk = this.#native.read();
    if (chunk === undefined) return;
    const resolve = this.#resolve;
    this.#resolve = undefined;
    this.#waiting.delete(this);
    resolve(chunk);
  }

  /** Reads to the end; leaving the loop early closes the stream. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    try {
      for (let chunk = await this.read(); chunk !== null; chunk = await this.read()) yield chunk;
    } finally {
      this.close();
    }
  }
}

/** The PIDs that a reader wants, 0 to 8191. */
export type Pids = 'all' | readonly number[];

/** PIDs in the form that the addon takes; undefined means all. */
export const pidList = (pids: Pids): Uint16Array | undefined => (pids === 'all' ? undefined : Uint16Array.from(pids));

/** One reader of the packets of some PIDs. `change` replaces the PIDs while it runs. */
export class PidStream extends ServiceStream {
  readonly #tuner: NativeTuner;
  readonly #native: NativePidStream;

  /** Called by `Tuner.readPids`. */
  constructor(tuner: NativeTuner, native: NativePidStream, waiting: Set<ServiceStream>) {
    super(native, waiting);
    this.#tuner = tuner;
    this.#native = native;
  }

  change(pids: Pids): void {
    this.#native.change(this.#tuner, pidList(pids));
  }
}
