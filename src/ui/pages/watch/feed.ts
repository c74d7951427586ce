/** Passes an open stream to mpegts.js. */
import type Mpegts from 'mpegts.js';
import type { StreamChoice } from './transport-stream.ts';

/** Interval of checks of the buffer. */
export const pollIntervalMs = 200;
/** Bytes passed to the player between two checks of the buffer: a second of HD, half a minute of the smallest picture. */
const maxBytesBetweenChecks = 1 << 20;
/** So much of what was passed need not be buffered: the remuxer keeps the latest samples. */
const toleranceSeconds = 2;
/** Checks without a change, after which nothing more will be buffered. */
const maxWaits = 60;

export interface Feed {
  /** The bytes read so far. */
  readonly pieces: readonly Uint8Array[];
  readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly choice: StreamChoice;
  readonly isLive: boolean;
  readonly hasEnough: () => boolean;
  /** Seconds from the beginning of the stream to the end of what the video element has buffered. */
  readonly bufferedSeconds: () => number;
  readonly fail: (message: string) => void;
}

export const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The loader class for mpegts.js: passes on the open stream, from its beginning. */
export function loaderOf({ BaseLoader, LoaderStatus }: typeof Mpegts, feed: Feed) {
  return class extends BaseLoader {
    #isOpen = false;
    #sent = 0;
    /** Seconds by which the time stamps are ahead of what will be buffered. */
    #unbuffered = 0;

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
        if (!feed.isLive && this.#sent > checkedAt + maxBytesBetweenChecks) {
          checkedAt = this.#sent;
          await this.#settle();
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

    /** Waits until the video element has buffered what was passed, which takes it a while on a slow machine. */
    async #settle(): Promise<void> {
      const missing = () => feed.choice.seconds - feed.bufferedSeconds() - this.#unbuffered;
      for (let [before, waits] = [missing(), 0]; this.#isOpen && before > toleranceSeconds; ) {
        await sleep(pollIntervalMs / 4);
        const now = missing();
        waits = now < before ? 0 : waits + 1;
        before = now;
        // It buffers less than the time stamps say, for example because of damage.
        if (waits === maxWaits) this.#unbuffered += now;
        if (waits === maxWaits) return;
      }
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
