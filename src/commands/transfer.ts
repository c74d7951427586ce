/** Progress of a file that is read or written, on the status line. */
import { StatusLine } from './terminal.ts';

export class Transfer {
  readonly #name: string;
  readonly #size: number | undefined;
  readonly #status: StatusLine;
  #bytes = 0;
  #note = '';
  #isComplete = false;

  /** @param size in bytes, undefined if it is not known */
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

  /** Passes the bytes on and counts them. */
  async *count(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const piece of source) {
      this.#bytes += piece.length;
      this.#show();
      yield piece;
    }
  }

  /** Every byte has arrived where it belongs; what remains is work on them. */
  complete(): void {
    this.#isComplete = true;
    this.phase(`${this.position} sent, waiting for the receiver`);
  }

  /** Shows a further text behind the position. */
  note(text: string): void {
    this.#note = `, ${text}`;
    this.#show();
  }

  /** Shows what happens once the bytes are through. */
  phase(text: string): void {
    this.#status.show(() => `${this.#name}: ${text}`, { force: true });
  }

  /** Takes the status line away. */
  end(): void {
    this.#status.clear();
  }

  #show(): void {
    this.#status.show(() => `${this.#name}: ${this.position}${this.#note}`);
  }
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);
