/**
 * Parses request parameters leniently: those of the URL, and for POST also those of a form in the body.
 *
 * The first value of a repeated name counts. `+` and `%20` are spaces. Escapes that are not UTF-8 are read as ISO 8859-1,
 * which old browsers and hand-written scripts send. `%u0159`, as written by JavaScript's escape(), is understood too. Parsing
 * never fails: an invalid escape stays unchanged. Node's querystring and URLSearchParams would lose the bytes of escapes that
 * are not UTF-8.
 */
import { appendTo } from '../../base/append-to.ts';

export type Query = ReadonlyMap<string, string>;

/** All values of each name, in order. */
export type QueryLists = ReadonlyMap<string, readonly string[]>;

/** Maximum number of parameters of one request. The rest is ignored. */
const maxParameters = 1000;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The query in a request target: what follows its first `?`. */
export function queryText(target: string): string {
  const mark = target.indexOf('?');
  return mark < 0 ? '' : target.slice(mark + 1);
}

/** Parses `a=b&c=d`. The text holds one byte per character, as Node provides the request line. */
export function parseQuery(text: string): Query {
  const query = new Map<string, string>();
  eachPair(text, (name, value) => {
    if (!query.has(name)) query.set(name, value);
  });
  return query;
}

/** The first value of each name. A name without values counts as absent. */
export function firstValues(lists: QueryLists): Query {
  return new Map([...lists].flatMap(([name, [first]]) => (first === undefined ? [] : [[name, first] as const])));
}

/** Parses `a=b&c=d` with all values of each name, in order. */
export function parseQueryLists(text: string): QueryLists {
  const lists = new Map<string, string[]>();
  eachPair(text, (name, value) => appendTo(lists, name, value));
  return lists;
}

function eachPair(text: string, found: (name: string, value: string) => void): void {
  for (const pair of text.split('&', maxParameters)) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    if (equals < 0) found(decode(pair), '');
    else found(decode(pair.slice(0, equals)), decode(pair.slice(equals + 1)));
  }
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return decodeUnits(spaced) ?? decodeBytes(unescaped(spaced));
}

/** Decodes a text from JavaScript's escape(), with `%u0159` for characters beyond ISO 8859-1; undefined without any. */
function decodeUnits(text: string): string | undefined {
  if (!/%u[0-9A-Fa-f]{4}/.test(text)) return undefined;
  const units = text.replace(/%(?:u([0-9A-Fa-f]{4})|([0-9A-Fa-f]{2}))/g, (_, unit?: string, byte?: string) =>
    String.fromCharCode(Number.parseInt(unit ?? byte ?? '', 16)),
  );
  return Buffer.from(units).toString(); // replaces lone surrogates
}

/** Decodes a value that a client has percent-encoded twice. Anything but an escape stays unchanged. */
export function decodeAgain(value: string): string {
  return value.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => decodeBytes(unescaped(escapes)));
}

/** Replaces every escape by its byte, one per character. */
function unescaped(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function decodeBytes(bytes: string): string {
  if (!/[\x80-\uffff]/.test(bytes)) return bytes;
  const buffer = Buffer.from(bytes, 'latin1');
  try {
    return utf8.decode(buffer);
  } catch {
    return bytes;
  }
}

/** The path of a request, without its query. */
export function pathOf({ url }: { readonly url: string }): string {
  return url.split('?', 1)[0] ?? '/';
}
