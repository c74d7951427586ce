/** Sends requests to a server and parses the responses as strict clients do. */
import { SaxesParser } from 'saxes';
import { expect } from 'vitest';
import type { TestReceiver } from './receiver.ts';

export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The element's own text, raw: white space counts. */
  text: string;
  readonly children: XmlElement[];
}

/** Parses a document. Anything that is not well-formed fails the test. */
export function parseXml(document: string): XmlElement {
  const root: XmlElement = { name: '', attributes: {}, text: '', children: [] };
  const open = [root];
  const parser = new SaxesParser();
  parser.on('error', (error) => expect.fail(`${error.message} in ${document}`));
  parser.on('opentag', ({ name, attributes }) => {
    const element: XmlElement = { name, attributes, text: '', children: [] };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const last = open.at(-1);
    if (last) last.text += text;
  });
  parser.on('closetag', () => void open.pop());
  parser.write(document).close();
  const [element] = root.children;
  if (element === undefined) return expect.fail('no root element');
  return element;
}

/** Names of an element's children, in order. */
export function names(element: XmlElement | undefined): string[] {
  return (element?.children ?? []).map(({ name }) => name);
}

/** The element at the end of a path of names; the first of several. */
export function at(element: XmlElement, ...path: readonly string[]): XmlElement {
  let found = element;
  for (const name of path) {
    found = found.children.find((child) => child.name === name) ?? expect.fail(`no ${name} in ${found.name}`);
  }
  return found;
}

export function all(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => child.name === name);
}

/** Names and texts of an element's children, in order. */
export function leaves(element: XmlElement): [name: string, text: string][] {
  return element.children.map(({ name, text }) => [name, text]);
}

export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly bytes: Buffer;
}

type Parameters = Readonly<Record<string, string | number>>;

function urlOf(path: string, parameters: Parameters): string {
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}

export async function get(
  { app }: Pick<TestReceiver, 'app'>,
  path: string,
  parameters: Parameters = {},
  options: {
    headers?: Record<string, string>;
    method?: 'GET' | 'HEAD' | 'POST' | 'OPTIONS' | 'DELETE';
    payload?: string | Buffer;
  } = {},
): Promise<Reply> {
  const { method = 'GET', headers = {}, payload } = options;
  const reply = await app.inject({
    method,
    url: urlOf(path, parameters),
    headers,
    ...(payload === undefined ? {} : { payload }),
  });
  return {
    status: reply.statusCode,
    type: String(reply.headers['content-type'] ?? ''),
    headers: reply.headers as Record<string, string>,
    body: reply.body,
    bytes: reply.rawPayload,
  };
}

/** The root of a /web response with status 200. */
export async function web(receiver: TestReceiver, name: string, parameters: Parameters = {}): Promise<XmlElement> {
  const { status, type, body } = await get(receiver, `/web/${name}`, parameters);
  expect({ status, type }).toEqual({ status: 200, type: 'text/xml; charset=UTF-8' });
  expect(body.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n<')).toBe(true);
  expect(body.endsWith('>\n')).toBe(true);
  return parseXml(body);
}

/** The object of an /api response with status 200. */
export async function api<T = Record<string, unknown>>(
  receiver: TestReceiver,
  name: string,
  parameters: Parameters = {},
): Promise<T> {
  const { status, type, body } = await get(receiver, `/api/${name}`, parameters);
  expect({ status, type }).toEqual({ status: 200, type: 'application/json; charset=utf-8' });
  const value: unknown = JSON.parse(body);
  expect(body.trimEnd()).toBe(JSON.stringify(value, null, 1));
  return value as T;
}
