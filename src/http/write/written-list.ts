/**
 * What documents consist of. Most are records that the faces write as text. A list of thousands of events has no
 * records at all: its bytes come from native code while they are sent. Such a list takes the place of an array in a
 * result. The faces define how an item of it is written, as for any other list, so there is still only one definition.
 */
import type { EventField } from '../../base/native.ts';

/** A place in the form of an item that native code fills in: a field of the event, or a text of its service, in JSON
 * with its quotes. */
export class Slot {
  /** The name of the field, or the column of the text in the list of services. */
  readonly of: EventField | number;

  constructor(of: EventField | number) {
    this.of = of;
  }
}

/** How the items of a list are written. Equal forms are the same object. */
export interface ListForm {
  readonly face: 'xml' | 'json';
  /** The text of an item. A record of slots gives the form of all items. */
  item(record: unknown): Iterable<Piece>;
  /** Between two items. */
  readonly separator: string;
}

/** A list of items of type T. */
export abstract class WrittenList<T> {
  /** For the type checker only: the type of an item. */
  declare readonly item: T;

  /** The items, in pieces. A piece is valid until two others have been asked for, and until `end`. */
  abstract bytes(form: ListForm): AsyncGenerator<Buffer, void, undefined>;

  /** To be called when the bytes are sent, or nobody wants them any more. */
  async end(): Promise<void> {}
}

/** A value whose arrays may be such lists, or may be built while they are written. */
export type Written<T> = T extends readonly (infer U)[]
  ? T | WrittenList<U> | Iterable<U>
  : T extends object
    ? { readonly [K in keyof T]: Written<T[K]> }
    : T;

/** A list at its place in a document. */
export interface ListPiece {
  readonly list: WrittenList<unknown>;
  readonly form: ListForm;
  /** The text before the first item and after the last one. */
  readonly head: string;
  readonly tail: string;
  /** Replaces both if there are no items. */
  readonly empty: string;
}

/** The parts of a document. Slots occur only in the form of an item. */
export type Piece = string | Slot | ListPiece;

/**
 * Items built while they are written, of those that are wanted: thousands of records at once would live long enough to be
 * moved by V8.
 */
export function lazily<From, To>(
  items: readonly From[],
  change: (item: From) => To,
  isWanted: (item: From) => boolean = () => true,
): Iterable<To> {
  return {
    *[Symbol.iterator]() {
      for (const item of items) if (isWanted(item)) yield change(item);
    },
  };
}
