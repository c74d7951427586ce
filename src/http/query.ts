/**
 * Request parameters as forgiving clients send them: from the URL, and for POST from a form in the body too.
 *
 * The first value of a repeated name counts. `+` and `%20` are blanks. Escapes that are no UTF-8 are read as ISO 8859-1, which
 * is what browsers of another age and hand-written scripts send. Nothing here ever fails: a broken escape stays as it stands.
 */
export type Query = ReadonlyMap<string, string>;

/** The same with every value of a repeated name, in order. */
export type QueryLists = ReadonlyMap<string, readonly string[]>;

/** At most this many parameters of one request are read; the rest is ignored. */
const maximumParameters = 1000;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads `a=b&c=d`. Text holds one byte a character, as Node gives the request line. */
export function parseQuery(text: string): Query {
  const query = new Map<string, string>();
  eachPair(text, (name, value) => {
    if (!query.has(name)) query.set(name, value);
  });
  return query;
}

/** The first value of each name; one that has none is not given. */
export function firstValues(lists: QueryLists): Query {
  return new Map([...lists].flatMap(([name, [first]]) => (first === undefined ? [] : [[name, first] as const])));
}

/** The same of one text, with every value of a repeated name in order. */
export function parseQueryLists(text: string): QueryLists {
  const lists = new Map<string, string[]>();
  eachPair(text, (name, value) => {
    const values = lists.get(name);
    if (values === undefined) lists.set(name, [value]);
    else values.push(value);
  });
  return lists;
}

function eachPair(text: string, found: (name: string, value: string) => void): void {
  for (const pair of text.split('&', maximumParameters)) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    if (equals < 0) found(decode(pair), '');
    else found(decode(pair.slice(0, equals)), decode(pair.slice(equals + 1)));
  }
}

function decode(text: string): string {
  return decodeBytes(unescaped(text.includes('+') ? text.replaceAll('+', ' ') : text));
}

/** A value that a client has escaped once more than needed; what is no escape stays as it is. */
export function decodeAgain(value: string): string {
  return value.replace(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => decodeBytes(unescaped(escapes)));
}

/** Every escape as the byte it stands for, one a character. */
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
