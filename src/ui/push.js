/** What happens to the receiver, as it happens: its event stream. The browser comes back by itself when the connection breaks. */
import { address } from './receiver.js';

export class News {
  #types;
  #heard;
  #source;

  /**
   * Calls `heard` with the type of each event of these types, with `open` when the stream begins (anything may have happened before)
   * and with `lost` when it breaks.
   */
  constructor(types, heard) {
    this.#types = types;
    this.#heard = heard;
  }

  /** True while events come. */
  get isLive() {
    return this.#source?.readyState === EventSource.OPEN;
  }

  /** Begins, unless it has. A stream that was refused is tried anew. */
  open() {
    if (this.#source && this.#source.readyState !== EventSource.CLOSED) return;
    const source = new EventSource(address('/api/events', { types: this.#types.join() }));
    this.#source = source;
    for (const type of [...this.#types, 'reset', 'open']) source.addEventListener(type, () => this.#heard(type));
    source.addEventListener('error', () => this.#heard('lost'));
  }

  close() {
    this.#source?.close();
    this.#source = undefined;
  }
}
