/**
 * Request bodies, read as leniently as clients need. A form, a multipart form and a JSON object supply parameters. Any
 * other body is read up to a bound and ignored. A body never causes an error because of its type or its content, only
 * when a form is too large.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { BusboyInstance } from '@fastify/busboy';
import type { FastifyInstance } from 'fastify';
import { appendTo } from '../../base/append-to.ts';
import { firstValues, parseQueryLists, type Query, type QueryLists } from './query.ts';

/**
 * Maximum bytes of a body that supplies parameters. The largest useful one is a form with the parameters of a timer.
 */
export const maximumBody = 256 * 1024;
/**
 * Maximum bytes of any other body, which is read and dropped. Beyond this the rest stays unread and the client has to
 * reconnect.
 */
const maximumForgotten = 16 * 1024 * 1024;
/** Maximum number of fields in a multipart form, and of bytes in a field's name. */
const maximumFields = 1000;
const maximumName = 1024;

/** Levels of lists and objects in JSON. The deepest useful one is a filter in the list of a rule. */
const deepestJson = 32;

/** The parsed content of a body. */
export class FormBody {
  /** The first value of each name. */
  readonly parameters: Query;
  /** All values. A JSON null becomes an empty text. */
  readonly lists: QueryLists;
  /**
   * All values of names whose JSON values include an object or a list: those as JSON text, the others as plain text.
   */
  readonly objects: QueryLists;
  /** True when part of the body was left unread. */
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

/** RFC 9110 §8.3.1; of the parameters only the start is checked. */
const mediaType = /^[\w.+-]+\/[\w.+-]+\s*(;\s*[\w-]+=.*)?$/;

/** Registers the body parsers: `request.body` is a `FormBody`, or undefined if there is no body. */
export function registerBodies(app: FastifyInstance): void {
  // Hooks here and elsewhere use callbacks: an async hook costs every request another turn of microtasks.
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const type = raw.headers['content-type'];
    if (type !== undefined && !mediaType.test(type)) raw.headers['content-type'] = 'application/octet-stream';
    done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    /^application\/x-www-form-urlencoded/i,
    { parseAs: 'buffer' },
    // One byte per character, as in URL parameters.
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
    // The unread rest would otherwise be taken for the next request.
    if (body instanceof FormBody && body.isCut) reply.header('Connection', 'close');
    done();
  });
}

/**
 * Reads the scalars of a JSON object. A list counts as a repeated name. Values with objects in them go into `objects`.
 */
function jsonForm(text: string): FormBody {
  try {
    return fieldsOf(parsedJson(text));
  } catch {
    return new FormBody(new Map());
  }
}

/**
 * The value of a text in JSON. Checks and writers recurse, so what is nested too deep for them is refused.
 * @throws SyntaxError
 */
export function parsedJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (nestsDeeper(value, deepestJson)) throw new SyntaxError(`nested deeper than ${deepestJson} levels`);
  return value;
}

const nestsDeeper = (value: unknown, levels: number): boolean =>
  isObject(value) && (levels === 0 || Object.values(value as object).some((inner) => nestsDeeper(inner, levels - 1)));

function fieldsOf(value: unknown): FormBody {
  const lists = new Map<string, readonly string[]>();
  const parameters = new Map<string, string>();
  const objects = new Map<string, readonly string[]>();
  for (const [name, given] of Object.entries(typeof value === 'object' && value !== null ? value : {})) {
    const all: unknown[] = Array.isArray(given) ? given : [given];
    if (isScalar(all[0])) parameters.set(name, textOf(all[0]));
    const texts = all.flatMap((one) => (isObject(one) ? [] : [textOf(one)]));
    if (texts.length > 0 || all.length === 0) lists.set(name, texts);
    if (texts.length === all.length) continue;
    objects.set(
      name,
      all.map((one) => (isObject(one) ? JSON.stringify(one) : textOf(one))),
    );
  }
  return new FormBody(lists, { parameters, objects });
}

/** JSON can name half a character (`"\ud800"`), which no address and no file can hold. */
const textOf = (value: unknown) => String(value ?? '').replace(/\p{Surrogate}/gu, '\ufffd');
const isObject = (value: unknown) => typeof value === 'object' && value !== null;
const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

/**
 * Reads the fields of a multipart form and skips its files. A truncated or malformed form yields its complete fields.
 */
async function multipartForm(payload: IncomingMessage): Promise<FormBody> {
  const lists = new Map<string, string[]>();
  const form = await multipartReader(payload.headers);
  if (form === undefined) return forget(payload);
  let size = 0;
  form.on('field', (name, value) => {
    size += name.length + value.length;
    if (size <= maximumBody) appendTo(lists, name, value);
  });
  form.on('file', (_name, file) => file.resume());
  // After an error the parser consumes the rest and ignores it.
  form.on('error', () => undefined);
  const read = new Promise<void>((resolve) => form.once('finish', resolve).once('error', () => resolve()));
  payload.pipe(form);
  const whole = forget(payload);
  await Promise.race([read, whole]);
  return new FormBody(lists, { isCut: (await whole).isCut });
}

/** Returns undefined if the content type has no boundary. */
async function multipartReader(headers: IncomingHttpHeaders): Promise<BusboyInstance | undefined> {
  // Such forms are rare, so the module is loaded on demand and not at every start.
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

/** Reads a body to its end or to the bound and drops it. */
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
