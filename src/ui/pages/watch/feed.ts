/** Passes an open stream to mpegts.js. */
import type Mpegts from 'mpegts.js';
import type { StreamChoice } from './transport-stream.ts';

/** Interval of checks of the buffer. */
export const pollIntervalMs = 200;
/** Bytes passed to the player between two checks of the buffer: a second of HD, half a minute of the smallest picture. */
const maxBytesBetweenChecks = 1 << 20;

export interface Feed {
  /** The bytes read so far. */
  readonly pieces: readonly Uint8Array[];
  readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly choice: StreamChoice;
  readonly isLive: boolean;
  readonly hasEnough: () => boolean;
  readonly fail: (message: string) => void;
}

export const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The loader class for mpegts.js: passes on the open stream, from its beginning. */
export function loaderOf({ BaseLoader, LoaderStatus }: typeof Mpegts, feed: Feed) {
  return class extends BaseLoader {
    #isOpen = false;
    #sent = 0;

    constructor() {
      super('receiver');
      this._needStash = false;
    }

    override open(): void {
      this.#isOpen = true;
      this._status = LoaderStatus.kBuffering;
      void this.#run().catch((error: Error) => {
        if (this.#isOpen) feed.fail(error.message);
      });
    }

    override abort(): void {
      this.#isOpen = false;
      this._status = LoaderStatus.kComplete;
      void feed.reader.cancel().catch(() => undefined);
    }

    override destroy(): void {
      this.abort();
      super.destroy();
    }

    async #run(): Promise<void> {
      for (const piece of feed.pieces) this.#pass(piece);
      for (let checkedAt = 0; this.#isOpen; ) {
        if (feed.hasEnough()) {
          await sleep(pollIntervalMs);
          continue;
        }
        // The video element reports passed bytes as buffered only a little later.
        if (!feed.isLive && this.#sent > checkedAt + maxBytesBetweenChecks) {
          checkedAt = this.#sent;
          await sleep(pollIntervalMs / 2);
          continue;
        }
        const { done, value } = await feed.reader.read();
        if (!this.#isOpen) return;
        if (done) break;
        this.#pass(value);
      }
      if (!this.#isOpen) return;
      this._status = LoaderStatus.kComplete;
      this.onComplete(0, this.#sent - 1);
    }

    #pass(piece: Uint8Array): void {
      const passed = feed.choice.pass(piece);
      if (passed.length === 0) return;
      const from = this.#sent;
      this.#sent += passed.length;
      const { buffer, byteOffset, byteLength } = passed;
      this.onDataArrival(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer, from, this.#sent);
    }
  };
}
