/**
 * Lists that write themselves. Most responses are records that the faces turn into text. A list of thousands of events
 * has no records at all: its bytes come from native code while they are sent. Such a list takes the place of an array
 * in a result. Each face defines the format of an item and the text around the list, so there is still only one
 * definition.
 */

/** The format of one item: an XML view at its indent, or JSON at its depth. Equal forms are the same object. */
export interface ItemForm {
  readonly kind: 'xml' | 'json';
  write(item: unknown): string;
}

/** The text around the items. */
export interface ListFrame {
  readonly head: string;
  readonly separator: string;
  readonly tail: string;
  /** Replaces the whole text if there are no items. */
  readonly empty: string;
}

/** No text around the items. */
export const noFrame: ListFrame = { head: '', separator: '', tail: '', empty: '' };

/** Size of the memory for a piece: enough for a few hundred microseconds of work, with room for what exceeds it. */
export const pieceMemory = 320 * 1024;

/** Bytes produced on demand, in the given memory if they fit. */
export interface ByteSource {
  /** True if there are no more bytes. */
  readonly ended: boolean;
  /** The next few bytes, immediately: little enough work not to block anything. */
  take(memory?: Buffer): Buffer;
  /**
   * Number of pieces that may be requested before the first has arrived; default 1. If it is higher, `ended` is true as
   * soon as the last piece is in production.
   */
  readonly parallel?: number;
  /** The next piece. The memory must not be touched until it has arrived. */
  next(memory?: Buffer): Promise<Buffer>;
}

/** A list of items of type T. */
export abstract class WrittenList<T> {
  /** For the type checker only: the type of an item. */
  declare readonly item: T;

  abstract open(form: ItemForm, frame: ListFrame): ByteSource;
}

/** A value whose arrays may be such lists. */
export type Written<T> = T extends readonly (infer U)[]
  ? T | WrittenList<U>
  : T extends object
    ? { readonly [K in keyof T]: Written<T[K]> }
    : T;

/** A list at its position in a document. */
export interface ListPiece {
  readonly list: WrittenList<unknown>;
  readonly form: ItemForm;
  readonly frame: ListFrame;
}

/** The parts of a document. */
export type Piece = string | ListPiece;
