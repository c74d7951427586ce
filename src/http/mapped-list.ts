/**
 * A list that builds its items while it is written, a few at a time. Thousands of records built in advance would live
 * long enough for the garbage collector to move every one of them, which blocks everything else.
 */
import { setImmediate } from 'node:timers/promises';
import { type ByteSource, type ItemForm, type ListFrame, WrittenList } from './written-list.ts';

/** Number of items built and written without a pause: a few hundred microseconds. */
const atOnce = 32;

export class MappedList<S, T> extends WrittenList<T> {
  readonly #items: readonly S[];
  readonly #map: (item: S) => T;

  constructor(items: readonly S[], map: (item: S) => T) {
    super();
    this.#items = items;
    this.#map = map;
  }

  open(form: ItemForm, frame: ListFrame): ByteSource {
    return new MappedBytes(this.#items, (item) => form.write(this.#map(item)), frame);
  }
}

class MappedBytes<S> implements ByteSource {
  readonly #items: readonly S[];
  readonly #write: (item: S) => string;
  readonly #frame: ListFrame;
  #next = 0;
  ended = false;

  constructor(items: readonly S[], write: (item: S) => string, frame: ListFrame) {
    this.#items = items;
    this.#write = write;
    this.#frame = frame;
  }

  take(memory?: Buffer): Buffer {
    const text = this.#text();
    // A UTF-16 code unit takes at most three bytes in UTF-8.
    if (memory === undefined || memory.length < 3 * text.length) return Buffer.from(text);
    return memory.subarray(0, memory.write(text));
  }

  async next(memory?: Buffer): Promise<Buffer> {
    await setImmediate();
    return this.take(memory);
  }

  #text(): string {
    const { head, separator, tail, empty } = this.#frame;
    const { length } = this.#items;
    if (length === 0) {
      this.ended = true;
      return empty;
    }
    let text = this.#next === 0 ? head : '';
    for (const item of this.#items.slice(this.#next, this.#next + atOnce)) {
      if (this.#next > 0) text += separator;
      text += this.#write(item);
      this.#next++;
    }
    this.ended = this.#next === length;
    return this.ended ? text + tail : text;
  }
}
