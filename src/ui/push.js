/** The receiver's event stream. The browser reconnects by itself if the connection breaks. */
import { address } from './receiver.js';

export class News {
  #types;
  #heard;
  #source;

  /**
   * Calls `heard` with the type of each event of these types, with `open` when the stream starts (events may have been
   * missed before) and with `lost` when it breaks.
   */
  constructor(types, heard) {
    this.#types = types;
    this.#heard = heard;
  }

  /** True while connected. */
  get isLive() {
    return this.#source?.readyState === EventSource.OPEN;
  }

  /** Connects, unless connected. A refused stream is tried again. */
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
