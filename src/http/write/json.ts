/**
 * Writes JSON. `/api/NAME` has `": "` between name and value and one space of indentation per level, like Python's json
 * module. A client searches the raw text for `"result": true`, so the single space is part of the interface. The REST family
 * has no white space.
 *
 * The text comes in pieces. A list may be any iterable or a `WrittenList`, so that a list of thousands is sent while it is
 * being built.
 */
import { type ListForm, type ListPiece, type Piece, Slot, WrittenList } from './written-list.ts';

/** From this depth on, a value is written in one piece. Long lists occur only above it, at most as lists of lists. */
const piecewiseDepth = 4;

/** The same text as `JSON.stringify(value, null, 1)` with a final newline. */
export function* jsonDocument(value: unknown): Generator<Piece, void, undefined> {
  yield* pieces(value, 0);
  yield '\n';
}

function* pieces(value: unknown, depth: number): Generator<Piece, void, undefined> {
  if (value instanceof WrittenList) {
    const inside = `\n${' '.repeat(depth + 1)}`;
    yield { list: value, form: indentedForm(depth + 1), ...bracketed(inside, `\n${' '.repeat(depth)}`) };
  } else if (depth >= piecewiseDepth || isFlat(value)) {
    yield flat(isIterable(value) ? [...value] : value, depth);
  } else if (isIterable(value)) {
    yield* members('[', ']', depth, value, (item) => pieces(item, depth + 1));
  } else {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    yield* members('{', '}', depth, entries, function* ([name, item]) {
      yield `${JSON.stringify(name)}: `;
      yield* pieces(item, depth + 1);
    });
  }
}

/** Writes a value at its depth, in one piece. */
function flat(value: unknown, depth: number): string {
  const text = JSON.stringify(value ?? null, null, 1);
  return depth === 0 || typeof value !== 'object' ? text : text.replaceAll('\n', `\n${' '.repeat(depth)}`);
}

function* members<T>(
  open: string,
  close: string,
  depth: number,
  items: Iterable<T>,
  write: (item: T) => Iterable<Piece>,
): Generator<Piece, void, undefined> {
  let separator = `${open}\n${' '.repeat(depth + 1)}`;
  let empty = true;
  for (const item of items) {
    yield separator;
    yield* write(item);
    separator = `,\n${' '.repeat(depth + 1)}`;
    empty = false;
  }
  yield empty ? `${open}${close}` : `\n${' '.repeat(depth)}${close}`;
}

const indentedForms: ListForm[] = [];

function indentedForm(depth: number): ListForm {
  const newline = `\n${' '.repeat(depth)}`;
  indentedForms[depth] ??= {
    format: 'json',
    item: (record) => recordOfSlots(record as object, `${newline} `, newline, ': '),
    separator: `,${newline}`,
  };
  return indentedForms[depth];
}

/** List items as `compactJson` writes them. */
export const compactForm: ListForm = {
  format: 'json',
  item: (record) => recordOfSlots(record as object, '', '', ':'),
  separator: ',',
};

/** Writes a record whose values are scalars or slots. */
function* recordOfSlots(record: object, inside: string, outside: string, colon: string): Generator<Piece> {
  const members = Object.entries(record);
  let before = `{${inside}`;
  for (const [name, value] of members) {
    const start = `${before}${JSON.stringify(name)}${colon}`;
    before = `,${inside}`;
    yield value instanceof Slot ? start : start + JSON.stringify(value);
    if (value instanceof Slot) yield value;
  }
  yield members.length === 0 ? '{}' : `${outside}}`;
}

function bracketed(inside: string, outside: string): Pick<ListPiece, 'head' | 'tail' | 'empty'> {
  return { head: `[${inside}`, tail: `${outside}]`, empty: '[]' };
}

/**
 * The same text as `JSON.stringify(value)`. The properties of the value itself may be any iterable or a `WrittenList`.
 */
export function* compactJson(value: object): Generator<Piece, void, undefined> {
  let separator = '{';
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const start = `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (item instanceof WrittenList) {
      yield start;
      yield { list: item, form: compactForm, ...bracketed('', '') };
    } else if (isIterable(item)) {
      yield start;
      let before = '[';
      for (const one of item) {
        yield before + JSON.stringify(one);
        before = ',';
      }
      yield before === '[' ? '[]' : ']';
    } else {
      yield start + JSON.stringify(item);
    }
  }
  yield separator === '{' ? '{}' : '}';
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

/** True for a scalar or a record of scalars, which cannot be long. */
function isFlat(value: unknown): value is object | null | undefined {
  if (typeof value !== 'object' || value === null) return true;
  if (isIterable(value)) return false;
  for (const item of Object.values(value)) if (typeof item === 'object' && item !== null) return false;
  return true;
}
