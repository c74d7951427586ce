/** Reads small XML files as a tree, in time slices, and writes elements, texts and attributes. */
import { SaxesParser } from 'saxes';
import { TimeSlice } from './time-slice.ts';

export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Line number, from 1, of the end of its start tag. */
  readonly line: number;
  readonly content: (string | XmlElement)[];
}

/**
 * The text is not well-formed, or not the expected document. The message continues a sentence: `it has no root
 * element`.
 */
export class XmlError extends Error {
  /** Line number, from 1. */
  readonly line: number;

  constructor(line: number, what: string) {
    super(what);
    this.line = line;
  }
}

/** Maximum nesting depth of elements. */
const maxDepth = 32;
/** Elements of a document for `parseXml`; each takes some 500 bytes. A list of 150,000 services has fewer. */
const maxElements = 500_000;
/** Characters parsed at a time: well below a millisecond of work. */
const chunkLength = 8192;

/** Parses a document whose root element must have the name `root`; returns that element. @throws XmlError */
export async function parseXml(text: string, root: string): Promise<XmlElement> {
  const { element, fault } = await read(text, root, (error) => {
    throw error;
  });
  if (element === undefined) throw fault;
  return element;
}

/** The readable part of a damaged text. */
export interface Salvaged {
  /** Undefined if there is no root element of this name. */
  readonly element: XmlElement | undefined;
  /** The first fault; undefined if the text is well-formed. */
  readonly fault: XmlError | undefined;
}

/**
 * Reads as much as possible of a text that may be damaged. Elements named `item` count as children of the root element
 * even if an end tag before them is missing. A document type is skipped, and its entities are not resolved.
 */
export async function salvageXml(text: string, root: string, item: string): Promise<Salvaged> {
  const found = await read(text, root, () => undefined, item);
  const repaired = found.fault && text.replace(bareAmpersand, '&amp;');
  if (repaired === undefined || repaired === text) return found;
  // A bare ampersand makes the parser drop everything up to the next semicolon.
  return { ...(await read(repaired, root, () => undefined, item)), fault: found.fault };
}

const bareAmpersand = /&(?!(?:#\d+|#x[\da-f]+|[a-z]\w*);)/gi;

/** Reports faults as texts: creating an Error for each takes seconds if there are many. */
class Parser extends SaxesParser {
  readonly #failed: (what: string) => void;

  constructor(failed: (what: string) => void) {
    super();
    this.#failed = failed;
  }

  override fail(what: string): this {
    this.#failed(what);
    return this;
  }
}

async function read(text: string, root: string, onFault: (error: XmlError) => void, item?: string): Promise<Salvaged> {
  const open: XmlElement[] = [];
  let list: XmlElement | undefined;
  let isOver = false;
  let count = 0;
  let fault: XmlError | undefined;
  const failed = (what: string) => {
    fault ??= new XmlError(parser.line, what);
    onFault(fault);
  };
  const parser = new Parser(failed);
  const addText = (part: string) => void open.at(-1)?.content.push(part);
  if (item === undefined) parser.on('doctype', () => failed('it has a document type'));
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('opentag', ({ name, attributes }) => {
    if (++count > maxElements && item === undefined) failed('it has too many elements');
    const element = { name, attributes, line: parser.line, content: [] };
    // After the end of the root element, the rest of an older version of the file may follow.
    const isItem = name === item && list !== undefined && !isOver;
    if (open.length === 0 && name === root) list ??= element;
    else if (open.length === 0) failed(`its root element is ${name}`);
    if (isItem) list?.content.push(element);
    else if (open.length < maxDepth) open.at(-1)?.content.push(element);
    else failed('its elements are nested too deeply');
    open.push(element);
  });
  parser.on('closetag', () => {
    const closed = open.pop();
    // The parser treats a surplus end tag as the end of all open elements. Only a real one ends the list.
    const tag = text.slice(Math.max(0, parser.position - root.length - 8), parser.position);
    isOver ||= closed !== undefined && closed === list && tag.includes(`</${root}`);
  });
  const slice = new TimeSlice();
  for (let start = 0; start < text.length; start += chunkLength) {
    if (slice.isOver) await slice.next();
    parser.write(text.slice(start, start + chunkLength));
  }
  parser.close();
  if (list === undefined) failed('it has no root element');
  return { element: list, fault };
}

export const elementsOf = ({ content }: XmlElement) => content.filter((part) => typeof part !== 'string');

/** The text of an element, without that of its children. */
export const textOf = ({ content }: XmlElement) => content.filter((part) => typeof part === 'string').join('');

/** Formats an element, with its content, as XML. */
export function xmlText({ name, attributes, content }: XmlElement): string {
  const start = `<${name}${attributeText(Object.entries(attributes))}`;
  const inside = content.map((part) => (typeof part === 'string' ? escaped(part) : xmlText(part))).join('');
  return inside === '' ? `${start}/>` : `${start}>${inside}</${name}>`;
}

/** Formats attributes: ` NAME="VALUE"` for each. */
export const attributeText = (attributes: readonly (readonly [name: string, value: string])[]) =>
  attributes.map(([name, value]) => ` ${name}="${escapedAttribute(value)}"`).join('');

const names: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', "'": 'apos', '"': 'quot' };

/** Escapes text content; characters that XML 1.0 cannot contain are dropped. */
export function escaped(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove.
      .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, '')
      .replace(/[&<>'"]/g, (character) => `&${names[character]};`)
      .replaceAll('\r', '&#13;')
  );
}

/** Tabs and line breaks need references: parsers turn those in attributes into spaces. */
const escapedAttribute = (text: string) => escaped(text).replaceAll('\t', '&#9;').replaceAll('\n', '&#10;');
