/** Small XML files: reads one as a tree, in turns, and writes texts and attributes. */
import { SaxesParser } from 'saxes';
import { TimeSlice } from './time-slice.ts';

export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** From 1: the line where its start tag ends. */
  readonly line: number;
  readonly content: (string | XmlElement)[];
}

/** A text is not well-formed, or not the expected document. */
export class XmlError extends Error {
  /** From 1. */
  readonly line: number;

  constructor(line: number, what: string) {
    super(what);
    this.line = line;
  }
}

/** Maximum nesting depth of elements. */
const deepest = 32;
/** Characters parsed in one piece: well below a millisecond of work. */
const pieceLength = 8192;

/** Returns the root element, which must have this name. @throws XmlError */
export async function parseXml(text: string, root: string): Promise<XmlElement> {
  const { element, fault } = await read(text, root, (error) => {
    throw error;
  });
  if (element === undefined) throw fault;
  return element;
}

/** What can be read of a text. */
export interface Salvaged {
  /** Undefined if there is no root element of this name. */
  readonly element: XmlElement | undefined;
  /** The first of its faults. */
  readonly fault: XmlError | undefined;
}

/**
 * Reads what is left of a text that may be damaged. Elements of the name `item` count as those of the root even if an
 * end tag before them is missing. A document type is skipped, and none of its entities is resolved.
 */
export async function salvageXml(text: string, root: string, item: string): Promise<Salvaged> {
  const found = await read(text, root, () => undefined, item);
  const mended = found.fault && text.replace(bareAmpersand, '&amp;');
  if (mended === undefined || mended === text) return found;
  // The parser looks for the end of an entity behind it, and drops all that is in between.
  return { ...(await read(mended, root, () => undefined, item)), fault: found.fault };
}

const bareAmpersand = /&(?!(?:#\d+|#x[\da-f]+|[a-z]\w*);)/gi;

/** Tells faults as texts: to make an error of each would take seconds for a text that is full of them. */
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
    const element = { name, attributes, line: parser.line, content: [] };
    // What follows the root element may be the rest of an older text.
    const isItem = name === item && list !== undefined && !isOver;
    if (open.length === 0 && name === root) list ??= element;
    else if (open.length === 0) failed(`its root element is ${name}`);
    if (isItem) list?.content.push(element);
    else if (open.length < deepest) open.at(-1)?.content.push(element);
    else failed('its elements are nested too deeply');
    open.push(element);
  });
  parser.on('closetag', () => {
    const closed = open.pop();
    // An end tag too much closes everything.
    const tag = text.slice(Math.max(0, parser.position - root.length - 8), parser.position);
    isOver ||= closed !== undefined && closed === list && tag.includes(`</${root}`);
  });
  const slice = new TimeSlice();
  for (let start = 0; start < text.length; start += pieceLength) {
    if (slice.isOver) await slice.next();
    parser.write(text.slice(start, start + pieceLength));
  }
  parser.close();
  if (list === undefined) failed('it has no root element');
  return { element: list, fault };
}

export const elementsOf = ({ content }: XmlElement) => content.filter((part) => typeof part !== 'string');

/** The text directly in an element. */
export const textOf = ({ content }: XmlElement) => content.filter((part) => typeof part === 'string').join('');

/** The element in XML. */
export function xmlText({ name, attributes, content }: XmlElement): string {
  const start = `<${name}${attributeText(Object.entries(attributes))}`;
  const inside = content.map((part) => (typeof part === 'string' ? escaped(part) : xmlText(part))).join('');
  return inside === '' ? `${start}/>` : `${start}>${inside}</${name}>`;
}

/** ` NAME="VALUE"` of each. */
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

/** Parsers turn a line break in an attribute into a space. */
const escapedAttribute = (text: string) => escaped(text).replaceAll('\t', '&#9;').replaceAll('\n', '&#10;');
