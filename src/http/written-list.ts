/**
 * Lists that write themselves. Most answers are records that the faces turn into text; a list of thousands of events is not
 * made of records at all: its bytes come from native code while they are sent. In a result such a list stands where the array
 * would stand, and each face says how an item looks and what stands around the list, so that there is still one definition.
 */

/** How one item is written: by an XML view at its indent, or as JSON at its depth. The same object for the same form. */
export interface ItemForm {
  readonly kind: 'xml' | 'json';
  write(item: unknown): string;
}

/** What stands around the items. */
export interface ListFrame {
  readonly head: string;
  readonly separator: string;
  readonly tail: string;
  /** Instead of all of it when there is no item. */
  readonly empty: string;
}

/** Nothing around the items. */
export const noFrame: ListFrame = { head: '', separator: '', tail: '', empty: '' };

/** Bytes of memory that are right for a piece: some hundred microseconds of work, and room for what goes beyond it. */
export const pieceMemory = 320 * 1024;

/** Bytes that are made when they are asked for, in the memory that is given for them when they fit. */
export interface ByteSource {
  /** True when there are no more. */
  readonly ended: boolean;
  /** The next few bytes, at once: so little work that nobody waits for it. */
  take(memory?: Buffer): Buffer;
  /**
   * How many pieces may be asked for before the first has come; absent: one. Where there may be several, `ended` is true when the
   * last one is being made.
   */
  readonly parallel?: number;
  /** The next piece. Leave the memory alone until it has come. */
  next(memory?: Buffer): Promise<Buffer>;
}

/** A list of items of the shape T. */
export abstract class WrittenList<T> {
  /** Only for the type checker: what an item would be. */
  declare readonly item: T;

  abstract open(form: ItemForm, frame: ListFrame): ByteSource;
}

/** A value in which arrays may be such lists. */
export type Written<T> = T extends readonly (infer U)[]
  ? T | WrittenList<U>
  : T extends object
    ? { readonly [K in keyof T]: Written<T[K]> }
    : T;

/** A list at its place in a document. */
export interface ListPiece {
  readonly list: WrittenList<unknown>;
  readonly form: ItemForm;
  readonly frame: ListFrame;
}

/** What documents are put together from. */
export type Piece = string | ListPiece;
