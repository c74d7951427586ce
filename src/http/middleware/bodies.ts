/**
 * Reads request bodies, as leniently as clients need. Forms, multipart forms and JSON objects supply parameters. Any other
 * body is read up to a limit and ignored. The type and the content of a body never cause an error; only a form that is too
 * large does.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { BusboyInstance } from '@fastify/busboy';
import type { FastifyInstance } from 'fastify';
import { appendTo } from '../../base/append-to.ts';
import { TimeSlice } from '../../base/time-slice.ts';
import { discardRestOfBody } from './lingering-close.ts';
import { firstValues, parseQueryLists, type Query, type QueryLists } from './query.ts';

/** Maximum bytes of a body that supplies parameters. The largest useful body is a form with the parameters of a timer. */
export const maxFormBytes = 256 * 1024;
/**
 * Maximum bytes of any other body, which is read and discarded before the response. With a longer body, the connection is
 * closed after the response.
 */
const maxDiscardedBytes = 16 * 1024 * 1024;
/** Maximum number of fields in a multipart form. */
const maxFields = 1000;
/** Maximum bytes of a field's name in a multipart form. */
const maxFieldNameBytes = 1024;

/** Bytes of a multipart form that are parsed at a time: up to some hundred parts, which take some milliseconds. */
const parsedBytes = 4096;

/** Maximum nesting of lists and objects in JSON. The deepest useful value is a filter in the list of a rule. */
const maxJsonDepth = 32;

/** The parsed content of a body. */
export class FormBody {
  /** The first value of each name. */
  readonly parameters: Query;
  /** All values. A JSON null becomes an empty text. */
  readonly lists: QueryLists;
  /**
   * The values of names that have at least one object or list among their JSON values. Objects and lists are JSON text, the
   * other values plain text.
   */
  readonly objects: QueryLists;
  /** True if the body was not read to its end. */
  readonly isTruncated: boolean;

  constructor(
    lists: QueryLists,
    { parameters = firstValues(lists), objects = new Map() as QueryLists, isTruncated = false } = {},
  ) {
    this.lists = lists;
    this.parameters = parameters;
    this.objects = objects;
    this.isTruncated = isTruncated;
  }
}

/** RFC 9110 §8.3.1. Only the beginning of the parameters is checked. */
const mediaType = /^[\w.+-]+\/[\w.+-]+\s*(;\s*[\w-]+=.*)?$/;

/** Registers the body parsers: `request.body` is a `FormBody`, or undefined if there is no body. */
export function registerBodies(app: FastifyInstance): void {
  // Hooks here and elsewhere use callbacks: an async hook delays every request by another round of microtasks.
  app.addHook('onRequest', ({ raw }, reply, done) => {
    discardRestOfBody(raw, reply.raw);
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
  app.addContentTypeParser('*', async (_request: unknown, payload: IncomingMessage) => discard(payload));
  app.addHook('preHandler', ({ body }, reply, done) => {
    // The next request would have to wait for the rest.
    if (body instanceof FormBody && body.isTruncated) reply.header('Connection', 'close');
    done();
  });
}

/** Reads a JSON object as a form. A list counts as a repeated name. Invalid JSON yields an empty form. */
function jsonForm(text: string): FormBody {
  try {
    return formOf(parseJson(text));
  } catch {
    return new FormBody(new Map());
  }
}

/**
 * Parses JSON. Schema checks and writers recurse, so values nested deeper than 32 levels are refused.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (nestsDeeper(value, maxJsonDepth)) throw new SyntaxError(`nested deeper than ${maxJsonDepth} levels`);
  return value;
}

const nestsDeeper = (value: unknown, levels: number): boolean =>
  isObject(value) && (levels === 0 || Object.values(value as object).some((inner) => nestsDeeper(inner, levels - 1)));

function formOf(value: unknown): FormBody {
  const lists = new Map<string, readonly string[]>();
  const parameters = new Map<string, string>();
  const objects = new Map<string, readonly string[]>();
  for (const [name, field] of Object.entries(typeof value === 'object' && value !== null ? value : {})) {
    const all: unknown[] = Array.isArray(field) ? field : [field];
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

/** Replaces lone surrogates, which JSON can contain (`"\ud800"`) but UTF-8 cannot encode. */
const textOf = (value: unknown) => String(value ?? '').replace(/\p{Surrogate}/gu, '\ufffd');
const isObject = (value: unknown) => typeof value === 'object' && value !== null;
const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

/**
 * Reads the fields of a multipart form and skips its files. A truncated or malformed form yields its complete fields, and one
 * of more than `maxFormBytes` those at its beginning: parsing takes seconds for megabytes of boundaries. For the same reason
 * it is parsed in time slices.
 */
async function multipartForm(payload: IncomingMessage): Promise<FormBody> {
  const lists = new Map<string, string[]>();
  const form = await multipartReader(payload.headers);
  if (form === undefined) return discard(payload);
  form.on('field', (name, value) => appendTo(lists, name, value));
  // A file that is cut off fails, and without a listener that would end the program.
  form.on('file', (_name, file) => file.on('error', () => undefined).resume());
  // After an error the parser consumes the rest and ignores it.
  form.on('error', () => undefined);
  const read = new Promise<void>((resolve) => form.once('finish', resolve).once('error', () => resolve()));
  let hasRoom = true;
  form.once('partsLimit', () => {
    hasRoom = false;
  });
  const pieces: Buffer[] = [];
  let size = 0;
  payload.on('data', (piece: Buffer) => {
    if (size < maxFormBytes) pieces.push(piece.subarray(0, maxFormBytes - size));
    size += piece.length;
  });
  const { isTruncated } = await discard(payload);
  const slice = new TimeSlice();
  const body = Buffer.concat(pieces);
  for (let start = 0; start < body.length && hasRoom; start += parsedBytes) {
    form.write(body.subarray(start, start + parsedBytes));
    if (slice.isOver) await slice.next();
  }
  form.end();
  // A form that was cut off may never finish.
  await Promise.race([read, slice.next()]);
  return new FormBody(lists, { isTruncated });
}

/** Returns undefined if the content type has no boundary. */
async function multipartReader(headers: IncomingHttpHeaders): Promise<BusboyInstance | undefined> {
  // Such forms are rare, so the module is loaded on demand and not at every start.
  const { Busboy } = await import('@fastify/busboy');
  const limits = {
    fieldNameSize: maxFieldNameBytes,
    fieldSize: maxFormBytes,
    fields: maxFields,
    parts: 2 * maxFields,
  };
  try {
    return new Busboy({ headers: { ...headers, 'content-type': headers['content-type'] ?? '' }, limits });
  } catch {
    return undefined;
  }
}

/** Reads a body to its end or to `maxDiscardedBytes`, and ignores it. Returns an empty form. */
function discard(payload: IncomingMessage): Promise<FormBody> {
  return new Promise((resolve) => {
    const end = () => resolve(new FormBody(new Map()));
    let size = 0;
    const count = (piece: Buffer) => {
      size += piece.length;
      if (size <= maxDiscardedBytes) return;
      payload.off('data', count).pause();
      resolve(new FormBody(new Map(), { isTruncated: true }));
    };
    payload.on('data', count).once('end', end).once('close', end).once('error', end);
  });
}
