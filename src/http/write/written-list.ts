/**
 * The pieces of documents. Most are text, which the XML and JSON writers produce from records. A list of thousands of events
 * has no records: native code writes its bytes while the response is being sent. Such a `WrittenList` takes the place of an
 * array in a result. The writers define the template of its items.
 */
import type { EventField } from '../../base/native.ts';

/**
 * A placeholder in the template of an item. Native code replaces it with a field of the event or a text of its service; in
 * JSON, with the quotes of a text.
 */
export class Slot {
  /** The name of the field, or the column of the text in the list of services. */
  readonly of: EventField | number;

  constructor(of: EventField | number) {
    this.of = of;
  }
}

/** How the items of a list are written, at a certain indentation. Equal forms are the same object. */
export interface ListForm {
  readonly format: 'xml' | 'json';
  /** Writes an item. Given a record of slots, returns the template of all items. */
  item(record: unknown): Iterable<Piece>;
  /** Text between two items. */
  readonly separator: string;
}

/** A list of items of type T that writes itself as bytes. */
export abstract class WrittenList<T> {
  /** For the type checker only: the type of an item. */
  declare readonly item: T;

  /** Writes the items in pieces. A piece is valid until two more have been requested or `end` is called. */
  abstract bytes(form: ListForm): AsyncGenerator<Buffer, void, undefined>;

  /** Releases the memory. Call it once the bytes are sent or no longer needed. */
  async end(): Promise<void> {}
}

/** A value in which an array may be replaced by a `WrittenList`, or by an iterable that is evaluated while it is written. */
export type Written<T> = T extends readonly (infer U)[]
  ? T | WrittenList<U> | Iterable<U>
  : T extends object
    ? { readonly [K in keyof T]: Written<T[K]> }
    : T;

/** A list in a document. */
export interface ListPiece {
  readonly list: WrittenList<unknown>;
  readonly form: ListForm;
  /** Text before the first item. */
  readonly head: string;
  /** Text after the last item. */
  readonly tail: string;
  /** Replaces `head` and `tail` if there are no items. */
  readonly empty: string;
}

/** A piece of a document. Slots occur only in templates. */
export type Piece = string | Slot | ListPiece;

/**
 * Converts items one by one while they are written, leaving out unwanted ones. Thousands of records at once would live long
 * enough for V8 to move them to the old generation.
 */
export function lazily<From, To>(
  items: readonly From[],
  convert: (item: From) => To,
  isWanted: (item: From) => boolean = () => true,
): Iterable<To> {
  return {
    *[Symbol.iterator]() {
      for (const item of items) if (isWanted(item)) yield convert(item);
    },
  };
}
