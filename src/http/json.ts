/**
 * JSON as the `/api/NAME` twins write it: `": "` between name and value, one space of indentation per level, as
 * Python's json module does. A client searches the raw text for `"result": true`, so the single space is part of the
 * interface.
 *
 * The text comes in pieces. Lists may be any iterable or a list that writes itself, so a list of thousands is sent
 * while it is being built.
 */

import { type ItemForm, type ListFrame, type Piece, WrittenList } from './written-list.ts';

/** From this depth on, a value is written in one piece. Lists of lists are the deepest values that grow. */
const piecewiseDepth = 4;

/** The same text as `JSON.stringify(value, null, 1)`, in pieces. */
export function jsonDocument(value: unknown): Iterable<Piece> {
  return shortPieces(value) ?? document(value);
}

function* document(value: unknown): Generator<Piece, void, undefined> {
  yield* pieces(value, 0);
  yield '\n';
}

/**
 * The same pieces for the usual response, a record that is flat apart from lists that write themselves. It avoids
 * generators, which cost more than writing such a record.
 */
function shortPieces(value: unknown): readonly Piece[] | undefined {
  if (typeof value !== 'object' || value === null || value instanceof WrittenList || isIterable(value))
    return undefined;
  if (isFlat(value)) return [flat(value, 0), '\n'];
  const made: Piece[] = [];
  let separator = '{\n ';
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    made.push(separator, `${JSON.stringify(name)}: `);
    separator = ',\n ';
    if (item instanceof WrittenList) made.push({ list: item, form: itemForm(2), frame: frame(1) });
    else if (isFlat(item)) made.push(flat(item, 1));
    else return undefined;
  }
  made.push('\n}', '\n');
  return made;
}

function* pieces(value: unknown, depth: number): Generator<Piece, void, undefined> {
  if (value instanceof WrittenList) {
    yield { list: value, form: itemForm(depth + 1), frame: frame(depth) };
  } else if (depth >= piecewiseDepth || isFlat(value)) {
    yield flat(isIterable(value) ? [...value] : value, depth);
  } else if (isIterable(value)) {
    yield* bracketed('[', ']', depth, value, (item) => pieces(item, depth + 1));
  } else {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    yield* bracketed('{', '}', depth, entries, function* ([name, item]) {
      yield `${JSON.stringify(name)}: `;
      yield* pieces(item, depth + 1);
    });
  }
}

/** A value at its depth, in one piece. */
function flat(value: unknown, depth: number): string {
  const text = JSON.stringify(value ?? null, null, 1);
  return depth === 0 || typeof value !== 'object' ? text : text.replaceAll('\n', `\n${' '.repeat(depth)}`);
}

function* bracketed<T>(
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

/** List items as `compactJson` writes them. */
export const compactForm: ItemForm = { kind: 'json', write: (item) => JSON.stringify(item) };

const compactFrame: ListFrame = { head: '[', separator: ',', tail: ']', empty: '[]' };

/**
 * The same text as `JSON.stringify(value)`. Properties of the value itself may be any iterable or a list that writes
 * itself.
 */
export function* compactJson(value: object): Generator<Piece, void, undefined> {
  let separator = '{';
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const start = `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (item instanceof WrittenList) {
      yield start;
      yield { list: item, form: compactForm, frame: compactFrame };
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

const itemForms: ItemForm[] = [];

/** The items of a list, each in one piece. */
function itemForm(depth: number): ItemForm {
  itemForms[depth] ??= { kind: 'json', write: (item) => [...pieces(item, depth)].join('') };
  return itemForms[depth];
}

const frames: ListFrame[] = [];

function frame(depth: number): ListFrame {
  frames[depth] ??= framed(depth);
  return frames[depth];
}

function framed(depth: number): ListFrame {
  const inside = `\n${' '.repeat(depth + 1)}`;
  return { head: `[${inside}`, separator: `,${inside}`, tail: `\n${' '.repeat(depth)}]`, empty: '[]' };
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
