/**
 * Bodies of requests, as forgivingly as clients need it: a form, a multipart form and a JSON object give parameters; whatever else
 * a client posts is read up to a bound and means nothing. A body never makes an error but by being a form that is too large: not
 * by its type, not by what it holds.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { BusboyInstance } from '@fastify/busboy';
import type { FastifyInstance } from 'fastify';
import { firstValues, parseQueryLists, type Query, type QueryLists } from './query.ts';

/** Bytes of a body that gives parameters; the largest that means something is a form with the parameters of a timer. */
export const maximumBody = 256 * 1024;
/** Bytes of any other that are read and forgotten; who sends more is answered without it and has to connect anew. */
const maximumForgotten = 16 * 1024 * 1024;
/** Fields of a multipart form, and bytes of the name of one. */
const maximumFields = 1000;
const maximumName = 1024;

/** What a body says. */
export class FormBody {
  /** The first value of each name. */
  readonly parameters: Query;
  /** All of them; null, which JSON has, as an empty text. */
  readonly lists: QueryLists;
  /** All values of names that have an object or a list among them, which only JSON has: those as JSON, the others as they are. */
  readonly objects: QueryLists;
  /** True when not all of it was read. */
  readonly isCut: boolean;

  constructor(
    lists: QueryLists,
    { parameters = firstValues(lists), objects = new Map() as QueryLists, isCut = false } = {},
  ) {
    this.lists = lists;
    this.parameters = parameters;
    this.objects = objects;
    this.isCut = isCut;
  }
}

/** RFC 9110 §8.3.1, parameters by what they begin with. */
const mediaType = /^[\w.+-]+\/[\w.+-]+\s*(;\s*[\w-]+=.*)?$/;

/** Registers how bodies are read: `request.body` is a `FormBody`, or undefined without one. */
export function registerBodies(app: FastifyInstance): void {
  // Hooks here and elsewhere call back: each that promises takes every request through another turn of microtasks.
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const type = raw.headers['content-type'];
    if (type !== undefined && !mediaType.test(type)) raw.headers['content-type'] = 'application/octet-stream';
    done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    /^application\/x-www-form-urlencoded/i,
    { parseAs: 'buffer' },
    // One byte a character, as parameters of the URL are.
    async (_request: unknown, bytes: Buffer) => new FormBody(parseQueryLists(bytes.toString('latin1'))),
  );
  app.addContentTypeParser<Buffer>(
    /^application\/json/i,
    { parseAs: 'buffer' },
    async (_request: unknown, bytes: Buffer) => jsonForm(bytes.toString('utf8')),
  );
  app.addContentTypeParser(/^multipart\/form-data/i, async (_request: unknown, payload: IncomingMessage) =>
    multipartForm(payload),
  );
  app.addContentTypeParser('*', async (_request: unknown, payload: IncomingMessage) => forget(payload));
  app.addHook('preHandler', ({ body }, reply, done) => {
    // What still comes would be taken for the next request.
    if (body instanceof FormBody && body.isCut) reply.header('Connection', 'close');
    done();
  });
}

/** The scalars of a JSON object, and those of lists in it, as of a name that is repeated; beside them, what has objects. */
function jsonForm(text: string): FormBody {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return new FormBody(new Map());
  }
  const lists = new Map<string, readonly string[]>();
  const parameters = new Map<string, string>();
  const objects = new Map<string, readonly string[]>();
  for (const [name, given] of Object.entries(typeof value === 'object' && value !== null ? value : {})) {
    const all: unknown[] = Array.isArray(given) ? given : [given];
    if (isScalar(all[0])) parameters.set(name, String(all[0]));
    const texts = all.flatMap((one) => (isObject(one) ? [] : [String(one ?? '')]));
    if (texts.length > 0 || all.length === 0) lists.set(name, texts);
    if (texts.length === all.length) continue;
    objects.set(
      name,
      all.map((one) => (isObject(one) ? JSON.stringify(one) : String(one ?? ''))),
    );
  }
  return new FormBody(lists, { parameters, objects });
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null;
const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

/** The fields of a multipart form; files in it are read over. One that breaks off or is none gives what was whole. */
async function multipartForm(payload: IncomingMessage): Promise<FormBody> {
  const lists = new Map<string, string[]>();
  const form = await multipartReader(payload.headers);
  if (form === undefined) return forget(payload);
  let size = 0;
  form.on('field', (name, value) => {
    size += name.length + value.length;
    if (size > maximumBody) return;
    const values = lists.get(name);
    if (values === undefined) lists.set(name, [value]);
    else values.push(value);
  });
  form.on('file', (_name, file) => file.resume());
  // After an error it takes the rest and does nothing with it.
  form.on('error', () => undefined);
  const read = new Promise<void>((resolve) => form.once('finish', resolve).once('error', () => resolve()));
  payload.pipe(form);
  const whole = forget(payload);
  await Promise.race([read, whole]);
  return new FormBody(lists, { isCut: (await whole).isCut });
}

/** Undefined where the type says no boundary. */
async function multipartReader(headers: IncomingHttpHeaders): Promise<BusboyInstance | undefined> {
  // Hardly anybody sends such a form: it is no part of every start.
  const { Busboy } = await import('@fastify/busboy');
  const limits = {
    fieldNameSize: maximumName,
    fieldSize: maximumBody,
    fields: maximumFields,
    parts: 2 * maximumFields,
  };
  try {
    return new Busboy({ headers: { ...headers, 'content-type': headers['content-type'] ?? '' }, limits });
  } catch {
    return undefined;
  }
}

/** Reads a body to its end, whatever it holds, or to the bound. */
function forget(payload: IncomingMessage): Promise<FormBody> {
  return new Promise((resolve) => {
    const end = () => resolve(new FormBody(new Map()));
    let size = 0;
    payload.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size <= maximumForgotten) return;
      payload.unpipe();
      payload.pause();
      resolve(new FormBody(new Map(), { isCut: true }));
    });
    payload.once('end', end).once('close', end).once('error', end);
  });
}
