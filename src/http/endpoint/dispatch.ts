/**
 * Dispatches requests to operations: look-up by name, parameters, refusal of changes from other sites, response. The two
 * formats, XML at /web and JSON at /api, differ only in how they write a record.
 */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fail, ReceiverError } from '../../base/errors.ts';
import { FormBody } from '../middleware/bodies.ts';
import { contentDisposition } from '../middleware/content-disposition.ts';
import { contentTypes, sendError } from '../middleware/failures.ts';
import { parseQuery, type Query, queryText } from '../middleware/query.ts';
import { refusedChange } from '../middleware/sites.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { jsonDocument } from '../write/json.ts';
import type { PreparedAnswer, PreparedAnswers } from '../write/prepared-answers.ts';
import { documentBytes, type Sent, sendPieces } from '../write/replies.ts';
import type { Piece } from '../write/written-list.ts';
import {
  type Answer,
  type Caller,
  type Document,
  type Operation,
  type RecordAnswer,
  withoutDots,
} from './operation.ts';

/** The format of a family of paths. */
interface Format {
  readonly family: 'web' | 'api';
  readonly contentType: (operation: Operation) => string;
  write(answer: RecordAnswer): Iterable<Piece>;
}

const formats: readonly Format[] = [
  {
    family: 'web',
    contentType: ({ webType = contentTypes.xml }) => webType,
    write: (answer) => answer.web(),
  },
  { family: 'api', contentType: () => contentTypes.json, write: ({ json }) => jsonDocument(json) },
];

/** Operations by name and alias, without dots. */
function byName(operations: readonly Operation[]): ReadonlyMap<string, Operation> {
  const names = new Map<string, Operation>();
  for (const operation of operations) {
    for (const name of [operation.name, ...operation.aliases]) {
      const plain = withoutDots(name);
      if (names.has(plain)) throw new Error(`two operations share the name ${plain}`);
      names.set(plain, operation);
    }
  }
  return names;
}

/** Serves /web/NAME and /api/NAME for every operation, by GET, HEAD and POST. */
export function registerOperations(
  app: FastifyInstance,
  parts: ReceiverParts,
  operations: readonly Operation[],
  prepared: PreparedAnswers,
): void {
  const names = byName(operations);
  for (const format of formats) {
    const routes = new Map(operations.map((operation) => [operation, `/${format.family}/${operation.name}`]));
    app.route<{ Params: { name: string } }>({
      method: ['GET', 'POST'],
      url: `/${format.family}/:name`,
      async handler(request, reply) {
        const operation = names.get(withoutDots(request.params.name));
        if (operation === undefined)
          return sendError(request, reply, fail('not-found', `operation '${request.params.name}'`));
        request.countedAs = routes.get(operation) ?? request.countedAs;
        return answer(operation, format, parts, prepared, request, reply);
      },
    });
  }
}

async function answer(
  operation: Operation,
  format: Format,
  parts: ReceiverParts,
  prepared: PreparedAnswers,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const query = queryOf(request);
  reply.header('Cache-Control', 'no-store');
  if (isDeprecated(operation, query)) reply.header('Deprecation', deprecation);
  const refused =
    isChange(operation, query) && refusedChange(request, parts.config, operation.name, operation.permission);
  if (refused) return sendError(request, reply, refused);
  const caller: Caller = {
    ...callerOf(request, parts),
    get mayChange() {
      return refusedChange(request, parts.config, operation.name, operation.permission) === undefined;
    },
    need(permission) {
      const missing = refusedChange(request, parts.config, operation.name, permission);
      if (missing) throw missing;
    },
    afterReply: (action) => afterReply(reply, action),
  };
  let result: Answer;
  try {
    const given = isChange(operation, query) ? undefined : operation.sameWhile(parts, query);
    const state = given instanceof Promise ? await given : given;
    if (state !== undefined) {
      const key = `${format.family} ${operation.name} ${caller.origin} ${ticketIn(operation, caller)} ${keyOf(query)}`;
      const make = async () => prepare(format, operation, await operation.answer(parts, query, caller));
      const cached = prepared.get(key, state, make);
      if (cached !== undefined) return sendDocument(reply, await cached);
    }
    result = await operation.answer(parts, query, caller);
  } catch (error) {
    if (!(error instanceof ReceiverError) || !isReportedAsFalse(operation, error))
      return sendError(request, reply, error);
    const own = operation.failed(parts, error);
    return own === undefined
      ? sendError(request, reply, error, { status: 200 })
      : sendRecord(format, reply, own, operation);
  }
  return result.kind === 'record' ? sendRecord(format, reply, result, operation) : sendDocument(reply, result.document);
}

function sendRecord(format: Format, reply: FastifyReply, answer: RecordAnswer, operation: Operation): Sent {
  return sendPieces(reply.type(format.contentType(operation)), format.write(answer));
}

function sendDocument(reply: FastifyReply, { contentType, fileName, body }: Document): Sent {
  if (fileName) reply.header('Content-Disposition', contentDisposition('inline', fileName));
  reply.type(contentType);
  return isComplete(body) || body instanceof Readable ? reply.send(body) : sendPieces(reply, body);
}

/** Writes a complete response that can be sent more than once. */
async function prepare(format: Format, operation: Operation, answer: Answer): Promise<PreparedAnswer> {
  if (answer.kind === 'record') {
    return { contentType: format.contentType(operation), body: await documentBytes(format.write(answer)) };
  }
  const { body, ...document } = answer.document;
  if (body instanceof Readable) return { ...document, body: Buffer.concat(await body.toArray()) };
  return { ...document, body: isComplete(body) ? Buffer.from(body) : await documentBytes(body) };
}

function isComplete(body: Document['body']): body is Buffer | string {
  return typeof body === 'string' || Buffer.isBuffer(body);
}

/** A playlist with a ticket may be cached for this caller only. */
const ticketIn = ({ tag }: Operation, { ticket = '' }: Caller) => (tag === 'streams' ? ticket : '');

/** The cache key of parameters, independent of their order. */
function keyOf(query: Query): string {
  return JSON.stringify([...query].sort());
}

/**
 * True if a failure is reported with status 200 and False (see `Failures`). A missing login or permission always keeps its
 * status.
 */
function isReportedAsFalse({ failures }: Operation, { code }: ReceiverError): boolean {
  if (code === 'login-needed' || code === 'right-missing') return false;
  if (failures === 'False') return true;
  if (failures === 'status') return code.startsWith('parameter-') || code === 'invalid-reference';
  return !failures.includes(code);
}

/**
 * The date of deprecation in Unix seconds (RFC 9745). All deprecated operations and parameters have been deprecated since
 * the first release: they exist for clients of other receivers.
 */
const deprecation = `@${Date.UTC(2026, 0, 1) / 1000}`;

/** True if the operation is deprecated or the request has a deprecated parameter. */
function isDeprecated({ deprecated, parameters }: Operation, query: Query): boolean {
  if (deprecated !== undefined) return true;
  for (const [name, parameter] of Object.entries(parameters)) {
    if (parameter.deprecated !== undefined && parameter.isIn(query, name)) return true;
  }
  return false;
}

/** True if this request makes the operation change the receiver. */
function isChange({ changesState }: Operation, query: Query): boolean {
  return typeof changesState === 'boolean' ? changesState : changesState.some((name) => query.has(name));
}

/** The parameters of the URL and of the body. The URL takes precedence. */
export function queryOf(request: FastifyRequest): Query {
  const { body } = request;
  const query = parseQuery(queryText(request.url));
  return body instanceof FormBody ? new Map([...body.parameters, ...query]) : query;
}

const plainHost = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;

/** Describes the client. An invalid or missing Host header is replaced by the local address of the connection. */
export function callerOf(
  request: FastifyRequest,
  { accessControl }: Pick<ReceiverParts, 'accessControl'>,
): Omit<Caller, 'mayChange' | 'need' | 'afterReply'> {
  const match = plainHost.exec(request.host);
  const { localAddress = '127.0.0.1', localPort } = request.socket;
  const host = match?.[1] ?? (localAddress.includes(':') ? `[${localAddress}]` : localAddress);
  const port = match === null ? `:${localPort}` : (match[2] ?? '');
  const method = request.method as Caller['method'];
  const ticket = request.client && accessControl.ticketFor(request.client);
  const client = () => {
    const { account } = request.client ?? {};
    return account ? `account ${account.name}` : accessControl.peers.clientOf(request.raw);
  };
  const origin = `${request.protocol}://${host}${port}${request.prefix}`;
  return { host, origin, method, ticket, client };
}

function afterReply({ raw }: FastifyReply, action: () => void): void {
  let isDone = false;
  const once = () => {
    if (!isDone) action();
    isDone = true;
  };
  raw.once('finish', once).once('close', once);
}
