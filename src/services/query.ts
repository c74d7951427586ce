/**
 * Parses container queries: the paths of references to lists.
 *
 *   query = [ expr ] [ "FROM" ( "BOUQUET" quoted | "SATELLITES" | "PROVIDERS" ) ] [ "ORDER" "BY" key ]
 *   expr  = "(" key op value ")" [ ( "&&" | "||" ) expr ]
 *
 * Expressions are right-associative, without precedence: A && B || C is A && (B || C).
 *
 * Queries of clients are sloppy: two blanks or none between words, a leading blank, quotation marks with backslashes.
 * With FROM BOUQUET the expression is ignored, and the extension of the file name distinguishes television from radio.
 */

import { hex } from '../dvb/transponder.ts';
import type { ServiceReference } from './reference.ts';

/** The properties of a service that queries test. */
export interface Queried {
  readonly reference: ServiceReference;
  readonly name: string;
  readonly provider: string;
  readonly flags: number;
}

/** True for the services that an expression selects. */
type Condition = (service: Queried) => boolean;

export type Query =
  | { readonly from: 'bouquet'; readonly file: string }
  | {
      readonly from: 'services' | 'providers' | 'satellites';
      readonly selects: Condition;
      /** The expression as written, for the queries of the folders below. */
      readonly expressionText: string;
      /** `name`, `satellitePosition`, `bouquet`, ...; empty if none was given. */
      readonly orderBy: string;
    };

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
  const selects = reader.peek('(') ? readExpression(reader) : () => true;
  if (selects === undefined) return undefined;
  const expressionText = path.slice(start, reader.position).trim();
  let from: 'services' | 'providers' | 'satellites' = 'services';
  if (reader.match(/FROM/iy)) {
    if (reader.match(/PROVIDERS/iy)) from = 'providers';
    else if (reader.match(/SATELLITES/iy)) from = 'satellites';
    else return undefined;
  }
  let orderBy = '';
  if (reader.match(/ORDER/iy)) {
    if (!reader.match(/BY/iy)) return undefined;
    orderBy = reader.match(/[A-Za-z]+/y) ?? '';
  }
  if (!reader.atEnd || path.trim() === '') return undefined;
  return { from, selects, expressionText, orderBy };
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

/** Terms of one expression; real ones have about ten. */
const maxTerms = 1000;

function readExpression(reader: Reader, terms = 1): Condition | undefined {
  const left = readComparison(reader);
  if (left === undefined || terms > maxTerms) return undefined;
  const operator = reader.match(/&&|\|\|/y);
  if (operator === undefined) return left;
  const right = readExpression(reader, terms + 1);
  if (right === undefined) return undefined;
  return operator === '&&'
    ? (service) => left(service) && right(service)
    : (service) => left(service) || right(service);
}

function readComparison(reader: Reader): Condition | undefined {
  if (reader.match(/\(/y) === undefined) return undefined;
  const key = reader.match(/name|provider|type|bouquet|satellitePosition|channelID|flags/y);
  const operator = reader.match(/==|!=/y);
  if (key === undefined || operator === undefined) return undefined;
  const holds = readValue(reader, key);
  if (holds === undefined || reader.match(/\)/y) === undefined) return undefined;
  return operator === '==' ? holds : (service) => !holds(service);
}

function readValue(reader: Reader, key: string): Condition | undefined {
  switch (key) {
    case 'name': {
      const name = reader.quoted();
      return name === undefined ? undefined : (service) => service.name === name;
    }
    case 'provider': {
      const provider = reader.quoted();
      if (provider === undefined) return undefined;
      return (service) => service.provider === provider || (provider === unknownProvider && service.provider === '');
    }
    case 'channelID': {
      const id = reader.match(/[0-9a-f]{16}/iy);
      return id === undefined ? undefined : ({ reference }) => channelIdOf(reference) === id.toLowerCase();
    }
    default:
      return readNumber(reader, key);
  }
}

function readNumber(reader: Reader, key: string): Condition | undefined {
  const text = reader.match(/-?\d{1,10}/y) ?? reader.quoted();
  if (text === undefined || !/^-?\d+$/.test(text)) return undefined;
  const number = Number(text);
  switch (key) {
    case 'type':
      return ({ reference }) => reference.serviceType === number;
    case 'satellitePosition':
      return ({ reference }) => reference.source === number;
    case 'flags':
      return ({ flags }) => (flags & number) === number;
    default:
      return () => false; // Matching by bouquet is not supported.
  }
}

function channelIdOf({ namespace, transportStreamId, originalNetworkId }: ServiceReference): string {
  return `${hex(namespace, 8)}${hex(transportStreamId, 4)}${hex(originalNetworkId, 4)}`;
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

  /** Consumes and returns the match of a sticky expression at this position. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    this.position += found.length;
    this.#skipBlanks();
    return found;
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

/** Formats a text as a value of an expression. */
export function quote(text: string): string {
  return `"${text.replaceAll('"', '\\"')}"`;
}
