/** Shows the progress of reading or writing a file in a status line. */
import { StatusLine } from './terminal.ts';

export class Transfer {
  readonly #name: string;
  readonly #size: number | undefined;
  readonly #status: StatusLine;
  #bytes = 0;
  #note = '';
  #isComplete = false;

  /** @param size in bytes, undefined if unknown */
  constructor(name: string, size: number | undefined, isShown = true) {
    this.#status = new StatusLine(isShown);
    this.#name = name;
    this.#size = size;
  }

  /** True after `complete()`. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** `12.3 of 40.1 MB (30 %)` */
  get position(): string {
    const done = megabytes(this.#bytes);
    if (this.#size === undefined || this.#size === 0) return `${done} MB`;
    return `${done} of ${megabytes(this.#size)} MB (${Math.floor((this.#bytes / this.#size) * 100)} %)`;
  }

  /** Yields the chunks of `source` and counts their bytes. */
  async *count(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of source) {
      this.#bytes += chunk.length;
      this.#show();
      yield chunk;
    }
  }

  /** Call when all bytes have been sent; the receiver may still be working on them. */
  complete(): void {
    this.#isComplete = true;
    this.phase(`${this.position} sent, waiting for the receiver`);
  }

  /** Appends a text to the position. */
  note(text: string): void {
    this.#note = `, ${text}`;
    this.#show();
  }

  /** Replaces the position with the name of the current step. */
  phase(text: string): void {
    this.#status.show(() => `${this.#name}: ${text}`, { force: true });
  }

  /** Removes the status line. */
  end(): void {
    this.#status.clear();
  }

  #show(): void {
    this.#status.show(() => `${this.#name}: ${this.position}${this.#note}`);
  }
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
