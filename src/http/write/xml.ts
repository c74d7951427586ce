/**
 * Writes the XML of the /web family: a declaration, one element per line, a tab per level, a final newline, and no white space
 * around the text of a leaf, because clients compare the raw text. Clients depend on every byte.
 *
 * A view defines how a value is written. It is built once, from `element`, `leaves`, `leaf` and `each`, and writes any number
 * of values. The output comes in pieces, so that a list of thousands is sent while it is being built.
 */

import { type ListForm, type ListPiece, type Piece, Slot, WrittenList } from './written-list.ts';

export type Scalar = string | number | boolean | null | undefined;

export interface View<T> {
  /** Writes the value: whole lines, each with its newline, and `WrittenList`s. */
  write(value: T, indent: string): Iterable<Piece>;
}

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Media type of XML at /web. */
export const xmlType = 'text/xml; charset=UTF-8';

/** Writes a document with this root element. */
export function* xmlDocument<T>(root: View<T>, value: T): Generator<Piece, void, undefined> {
  yield declaration;
  yield* root.write(value, '');
}

/**
 * `<name>text</name>`. Booleans are `True` and `False`; null and undefined give an empty element. Where the reference
 * requires the word `None`, the value function returns it.
 */
export function leaf<T>(
  name: string,
  text: (value: T) => Scalar,
  attributes: Readonly<Record<string, (value: T) => Scalar>> = {},
): View<T> {
  const entries = Object.entries(attributes);
  return {
    write(value, indent) {
      const pieces: Piece[] = [];
      let start = `${indent}<${name}`;
      const add = (content: Scalar | Slot, end: string, escaped: (text: string) => string) => {
        if (content instanceof Slot) {
          pieces.push(start, content);
          start = end;
        } else start += escaped(scalarText(content)) + end;
      };
      for (const [key, of] of entries) {
        start += ` ${key}="`;
        add(of(value), '"', escapeAttribute);
      }
      start += '>';
      add(text(value), `</${name}>\n`, escapeXml);
      pieces.push(start);
      return pieces;
    },
  };
}

/** The properties of a record that can be the text of a leaf. */
type ScalarKey<T> = { [Key in keyof T]-?: T[Key] extends Scalar ? Key : never }[keyof T];

/** Leaves that each show one property. `properties` maps the name of the element to the name of the property. */
export function leaves<T>(properties: Readonly<Record<string, ScalarKey<T>>>): View<T> {
  return all(...Object.entries(properties).map(([name, key]) => leaf<T>(name, (value) => value[key] as Scalar)));
}

/** Several views of a value, one after the other. */
export function all<T>(...views: readonly View<T>[]): View<T> {
  return {
    *write(value, indent) {
      for (const view of views) yield* view.write(value, indent);
    },
  };
}

const escapeAttribute = (text: string) => escapeXml(text).replaceAll('"', '&quot;');

/**
 * An element with children. Without content it is written `<name></name>`, also if its only child is an empty `WrittenList`.
 * Next to other children, an empty `WrittenList` counts as content.
 */
export function element<T>(name: string, ...children: readonly View<T>[]): View<T> {
  return elementWith(name, {}, ...children);
}

/** Like `element`, but with constant attributes such as a version or a namespace. */
export function elementWith<T>(
  name: string,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly View<T>[]
): View<T> {
  let start = name;
  for (const [key, text] of Object.entries(attributes)) start += ` ${key}="${escapeAttribute(text)}"`;
  return {
    *write(value, indent) {
      const [head, tail, empty] = [`${indent}<${start}>\n`, `${indent}</${name}>\n`, `${indent}<${start}></${name}>\n`];
      let content = '';
      let opened = false;
      for (const child of children) {
        for (const piece of child.write(value, `${indent}\t`)) {
          // A list that is already framed (`head`) belongs to an element further inside.
          if (isList(piece) && children.length === 1 && content === '' && !opened && piece.head === '') {
            yield { ...piece, head, tail, empty };
            return;
          }
          if (typeof piece === 'string') {
            content += piece;
            if (content.length < pieceLength) continue;
          }
          yield opened ? content : head + content;
          if (typeof piece !== 'string') yield piece;
          opened = true;
          content = '';
        }
      }
      if (opened) yield content + tail;
      else yield content === '' ? empty : head + content + tail;
    },
  };
}

function isList(piece: Piece): piece is ListPiece {
  return typeof piece === 'object' && 'list' in piece;
}

/** Writes every item with the same view, in order. */
export function each<T, U>(items: (value: T) => Iterable<U> | WrittenList<U>, item: View<U>): View<T> {
  const forms = new Map<string, ListForm>();
  const formAt = (indent: string): ListForm => {
    const form = forms.get(indent) ?? { format: 'xml', item: (one) => item.write(one as U, indent), separator: '' };
    forms.set(indent, form);
    return form;
  };
  return {
    *write(value, indent) {
      const all = items(value);
      if (all instanceof WrittenList) yield { list: all, form: formAt(indent), head: '', tail: '', empty: '' };
      else for (const one of all) yield* item.write(one, indent);
    },
  };
}

/** Writes an element for every item: leaves as `leaves` does, then further children. */
export function rows<T, U>(
  items: (value: T) => Iterable<U>,
  name: string,
  properties: Readonly<Record<string, ScalarKey<NoInfer<U>>>>,
  ...children: readonly View<U>[]
): View<T> {
  return each(items, element(name, leaves<U>(properties), ...children));
}

/** Writes a part of the value with its own view; nothing if the part is undefined. */
export function part<T, U>(of: (value: T) => U | undefined, view: View<U>): View<T> {
  return {
    write(value, indent) {
      const inner = of(value);
      return inner === undefined ? [] : view.write(inner, indent);
    },
  };
}

/** Writes values that pass the test with one view, and the rest with another. */
export function either<T>(test: (value: T) => boolean, yes: View<T>, no: View<T>): View<T> {
  return { write: (value, indent) => (test(value) ? yes : no).write(value, indent) };
}

/** Pieces are emitted once they have this many characters. */
const pieceLength = 8192;

function scalarText(value: Scalar): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  return value === null || value === undefined ? '' : String(value);
}

/**
 * Replaces `&`, `<` and `>` by entities; quotes stay. Characters forbidden by XML 1.0 §2.2 and the emphasis marks of EN
 * 300 468 Annex A (U+0086, U+0087) are removed. Its line break U+008A becomes LF.
 */
export function escapeXml(text: string): string {
  if (!special.test(text)) return text;
  return text.replace(allSpecial, (found) => replacements[found] ?? '');
}

const replacements: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\u008a': '\n',
};

const special = /[&<>\p{Cc}\p{Surrogate}\ufffe\uffff]/u;
/** Like `special`, but without the control characters that stay: tab, LF, CR, DEL, and U+0080 to U+009F except DVB's. */
const allSpecial = /(?![\t\n\r\u007f-\u0085\u0088\u0089\u008b-\u009f])[&<>\p{Cc}\p{Surrogate}\ufffe\uffff]/gu;
