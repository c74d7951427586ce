/**
 * XML as the /web family writes it, byte for byte: a declaration, one element a line, a tab a level, a final newline, and never
 * white space around the text of a leaf (clients compare it raw).
 *
 * A view says how a value looks: it is made once, from `element`, `leaf` and `each`, and then writes any number of values. What
 * it writes comes in pieces, so that a list of thousands is sent while it is made.
 */

export type Scalar = string | number | boolean | null | undefined;

export interface View<T> {
  /** Writes the value: whole lines, each with its newline. */
  write(value: T, indent: string): Iterable<string>;
}

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** A document with this root. */
export function* xmlDocument<T>(root: View<T>, value: T): Generator<string, void, undefined> {
  yield declaration;
  yield* root.write(value, '');
}

/**
 * `<name>text</name>`. Booleans are `True` and `False`, null and undefined an empty element; where the reference wants the word
 * `None`, the value function says so.
 */
export function leaf<T>(
  name: string,
  text: (value: T) => Scalar,
  attributes: Readonly<Record<string, (value: T) => Scalar>> = {},
): View<T> {
  const own = Object.entries(attributes);
  return {
    write(value, indent) {
      let start = `${indent}<${name}`;
      for (const [key, of] of own) start += ` ${key}="${escapeXml(scalarText(of(value))).replaceAll('"', '&quot;')}"`;
      return [`${start}>${escapeXml(scalarText(text(value)))}</${name}>\n`];
    },
  };
}

/** An element that holds others. One without content is written `<name></name>`. */
export function element<T>(name: string, ...children: readonly View<T>[]): View<T> {
  return {
    *write(value, indent) {
      let content = '';
      let opened = false;
      for (const child of children) {
        for (const piece of child.write(value, `${indent}\t`)) {
          content += piece;
          if (content.length < pieceLength) continue;
          yield opened ? content : `${indent}<${name}>\n${content}`;
          opened = true;
          content = '';
        }
      }
      if (opened) yield `${content}${indent}</${name}>\n`;
      else
        yield content === '' ? `${indent}<${name}></${name}>\n` : `${indent}<${name}>\n${content}${indent}</${name}>\n`;
    },
  };
}

/** The view of every item, one after the other. */
export function each<T, U>(items: (value: T) => Iterable<U>, item: View<U>): View<T> {
  return {
    *write(value, indent) {
      for (const one of items(value)) yield* item.write(one, indent);
    },
  };
}

/** The view of a part of the value; nothing where there is no such part. */
export function part<T, U>(of: (value: T) => U | undefined, view: View<U>): View<T> {
  return {
    write(value, indent) {
      const inner = of(value);
      return inner === undefined ? [] : view.write(inner, indent);
    },
  };
}

/** One view for the values that pass the test, the other for the rest. */
export function either<T>(test: (value: T) => boolean, yes: View<T>, no: View<T>): View<T> {
  return { write: (value, indent) => (test(value) ? yes : no).write(value, indent) };
}

/** Pieces are passed on when they have this many characters. */
const pieceLength = 8192;

function scalarText(value: Scalar): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  return value === null || value === undefined ? '' : String(value);
}

/**
 * `&`, `<` and `>` as entities; quotes stay. What XML 1.0 §2.2 forbids is dropped, as are the emphasis marks of EN 300 468
 * Annex A (U+0086, U+0087); its line break U+008A becomes LF.
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
/** As `special`, without the controls that are allowed: tab, LF, CR, DEL and those above U+008A. */
const allSpecial = /(?![\t\n\r\u007f-\u0085\u0088\u0089\u008b-\u009f])[&<>\p{Cc}\p{Surrogate}\ufffe\uffff]/gu;
