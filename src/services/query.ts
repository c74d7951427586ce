/**
 * Container queries: the path of a reference to a list.
 *
 *   query = [ expr ] [ "FROM" ( "BOUQUET" quoted | "SATELLITES" | "PROVIDERS" ) ] [ "ORDER" "BY" key ]
 *   expr  = "(" key op value ")" [ ( "&&" | "||" ) expr ]
 *
 * Expressions are right-associative, without precedence: A && B || C is A && (B || C).
 *
 * Clients write queries carelessly: two blanks or none between the words, a leading blank, quotation marks with
 * backslashes. With FROM BOUQUET the expression is ignored, and the extension of the file name tells television from
 * radio.
 */

export type Comparison =
  | { readonly key: 'name' | 'provider'; readonly equal: boolean; readonly value: string }
  | {
      readonly key: 'type' | 'satellitePosition' | 'flags' | 'bouquet';
      readonly equal: boolean;
      readonly value: number;
    }
  | {
      readonly key: 'channelID';
      readonly equal: boolean;
      readonly namespace: number;
      readonly transportStreamId: number;
      readonly originalNetworkId: number;
    };

export type Expression =
  | Comparison
  | { readonly operator: '&&' | '||'; readonly left: Comparison; readonly right: Expression };

export type Query =
  | { readonly from: 'bouquet'; readonly file: string }
  | {
      readonly from: 'services' | 'providers' | 'satellites';
      /** Undefined: every service. */
      readonly expression: Expression | undefined;
      /** The expression as written, for the queries of the folders below. */
      readonly expressionText: string;
      /** `name`, `satellitePosition`, `bouquet`, ...; empty if none was given. */
      readonly orderBy: string;
    };

/** The properties of a service that queries test. */
export interface Queried {
  readonly name: string;
  readonly provider: string;
  readonly serviceType: number;
  readonly namespace: number;
  readonly transportStreamId: number;
  readonly originalNetworkId: number;
  readonly flags: number;
}

const fromBouquet = /\bFROM\s+BOUQUET\s*(?:\\?"([^"\\]*)\\?"|([^\s"]+))/i;
const fileEnding = /\.(?:tv|radio)$/i;

/** Folder name for services without a provider. */
export const unknownProvider = 'Unknown';

/** Parses the path of a container reference; undefined if not a query. An old bouquet reference is just a file path. */
export function parseQuery(path: string): Query | undefined {
  const bouquet = fromBouquet.exec(path);
  if (bouquet) return { from: 'bouquet', file: bouquet[1] ?? (bouquet[2] as string) };
  if (fileEnding.test(path) && !path.includes('"'))
    return { from: 'bouquet', file: path.slice(path.lastIndexOf('/') + 1) };

  const reader = new Reader(path);
  const start = reader.position;
  let expression: Expression | undefined;
  if (reader.peek('(')) {
    expression = readExpression(reader);
    if (expression === undefined) return undefined;
  }
  const expressionText = path.slice(start, reader.position).trim();
  let from: 'services' | 'providers' | 'satellites' = 'services';
  if (reader.word('FROM')) {
    if (reader.word('PROVIDERS')) from = 'providers';
    else if (reader.word('SATELLITES')) from = 'satellites';
    else return undefined;
  }
  let orderBy = '';
  if (reader.word('ORDER')) {
    if (!reader.word('BY')) return undefined;
    orderBy = reader.match(/[A-Za-z]+/y) ?? '';
  }
  if (!reader.atEnd || path.trim() === '') return undefined;
  return { from, expression, expressionText, orderBy };
}

/** Returns the file that a bouquet reference names; undefined if there is none, or if its name includes a folder. */
export function bouquetFileOf(path: string): string | undefined {
  const query = parseQuery(path);
  if (query?.from !== 'bouquet' || !isPlainFileName(query.file)) return undefined;
  return query.file;
}

/** True if the name stays in its folder. */
export function isPlainFileName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\\\0]/.test(name);
}

/** True if the expression matches the service. */
export function matches(expression: Expression | undefined, service: Queried): boolean {
  // Right-associative: as soon as one side decides, the rest does not matter.
  for (let rest = expression; rest !== undefined; ) {
    if ('key' in rest) return compare(rest, service);
    const left = compare(rest.left, service);
    if (rest.operator === '&&' && !left) return false;
    if (rest.operator === '||' && left) return true;
    rest = rest.right;
  }
  return true;
}

function compare(comparison: Comparison, service: Queried): boolean {
  return satisfies(comparison, service) === comparison.equal;
}

function satisfies(comparison: Comparison, service: Queried): boolean {
  switch (comparison.key) {
    case 'name':
      return service.name === comparison.value;
    case 'provider':
      return service.provider === comparison.value || (comparison.value === unknownProvider && service.provider === '');
    case 'type':
      return service.serviceType === comparison.value;
    case 'satellitePosition':
      return service.namespace >>> 16 === comparison.value;
    case 'flags':
      return (service.flags & comparison.value) === comparison.value;
    case 'channelID':
      return (
        service.namespace === comparison.namespace &&
        service.transportStreamId === comparison.transportStreamId &&
        service.originalNetworkId === comparison.originalNetworkId
      );
    case 'bouquet':
      return false; // A service does not know its bouquets.
  }
}

/** Bound on the terms of one expression; real ones have about ten. */
const mostTerms = 1000;

function readExpression(reader: Reader): Expression | undefined {
  const terms: { readonly comparison: Comparison; readonly operator: '&&' | '||' | undefined }[] = [];
  for (;;) {
    const comparison = readComparison(reader);
    if (comparison === undefined || terms.length >= mostTerms) return undefined;
    const operator = reader.match(/&&|\|\|/y) as '&&' | '||' | undefined;
    terms.push({ comparison, operator });
    if (operator === undefined) break;
  }
  return terms.reduceRight<Expression | undefined>((right, { comparison, operator }) => {
    return right === undefined || operator === undefined ? comparison : { operator, left: comparison, right };
  }, undefined);
}

function readComparison(reader: Reader): Comparison | undefined {
  if (reader.match(/\(/y) === undefined) return undefined;
  const key = reader.match(/name|provider|type|bouquet|satellitePosition|channelID|flags/y);
  const operator = reader.match(/==|!=/y);
  if (key === undefined || operator === undefined) return undefined;
  const equal = operator === '==';
  const comparison = readValue(reader, key, equal);
  return reader.match(/\)/y) === undefined ? undefined : comparison;
}

function readValue(reader: Reader, key: string, equal: boolean): Comparison | undefined {
  switch (key) {
    case 'name':
    case 'provider': {
      const value = reader.quoted();
      return value === undefined ? undefined : { key, equal, value };
    }
    case 'channelID': {
      const id = reader.match(/[0-9a-f]{16}/iy);
      if (id === undefined) return undefined;
      const part = (from: number, to: number) => Number.parseInt(id.slice(from, to), 16);
      return {
        key,
        equal,
        namespace: part(0, 8),
        transportStreamId: part(8, 12),
        originalNetworkId: part(12, 16),
      };
    }
    default: {
      const number = reader.match(/-?\d{1,10}/y) ?? reader.quoted();
      if (number === undefined || !/^-?\d+$/.test(number)) return undefined;
      return { key: key as 'type' | 'satellitePosition' | 'flags' | 'bouquet', equal, value: Number(number) };
    }
  }
}

/** Reads a text from left to right, skipping blanks before each token. */
class Reader {
  readonly #text: string;
  position = 0;

  constructor(text: string) {
    this.#text = text;
    this.#skipBlanks();
  }

  get atEnd(): boolean {
    return this.position >= this.#text.length;
  }

  peek(text: string): boolean {
    return this.#text.startsWith(text, this.position);
  }

  /** Consumes what a sticky expression matches here. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    this.position += found.length;
    this.#skipBlanks();
    return found;
  }

  /** Consumes a keyword, case-insensitively. */
  word(word: string): boolean {
    if (this.#text.slice(this.position, this.position + word.length).toUpperCase() !== word) return false;
    this.position += word.length;
    this.#skipBlanks();
    return true;
  }

  /** Consumes a text in quotation marks, or in `\"` on both sides. Inside plain marks, `\"` is part of the text. */
  quoted(): string | undefined {
    const escaped = this.match(/\\"(?:[^"\\]|\\(?!"))*\\"/y);
    if (escaped !== undefined) return escaped.slice(2, -2);
    const plain = this.match(/"(?:[^"\\]|\\.)*"/y);
    return plain?.slice(1, -1).replaceAll('\\"', '"');
  }

  #skipBlanks(): void {
    while (this.position < this.#text.length && /\s/.test(this.#text[this.position] as string)) this.position++;
  }
}

/** A text as the value of an expression. */
export function quote(text: string): string {
  return `"${text.replaceAll('"', '\\"')}"`;
}
