/**
 * Dispatches requests to operations: look-up by name, parameters, refusal of changes from other sites, response. The two
 * formats, XML at /web and JSON at /api, differ only in how they write a record.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fail, ReceiverError } from '../../base/errors.ts';
import { contentTypes, sendError } from '../middleware/failures.ts';
import { type Given, givenIn, hasAny } from '../middleware/parameters.ts';
import { firstValues } from '../middleware/query.ts';
import { refusedChange } from '../middleware/sites.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { jsonDocument } from '../write/json.ts';
import { completeDocument, documentBytes, type Sent, sendDocument, sendPieces } from '../write/replies.ts';
import type { CachedResponse, ResponseCache } from '../write/response-cache.ts';
import type { Piece } from '../write/written-list.ts';
import {
  type Operation,
  type OperationResponse,
  type RecordResponse,
  type RequestContext,
  withoutDots,
} from './operation.ts';

/** The format of a family of paths. */
interface Format {
  readonly family: 'web' | 'api';
  readonly contentType: (operation: Operation) => string;
  write(response: RecordResponse): Iterable<Piece>;
}

const web: Format = {
  family: 'web',
  contentType: ({ webType = contentTypes.xml }) => webType,
  write: (response) => response.web(),
};
const api: Format = { family: 'api', contentType: () => contentTypes.json, write: ({ json }) => jsonDocument(json) };

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

/** Serves /web/NAME and /api/NAME, or the path of its own, for every operation, by GET, HEAD and POST. */
export function registerOperations(
  app: FastifyInstance,
  parts: ReceiverParts,
  operations: readonly Operation[],
  cache: ResponseCache,
): void {
  const method = ['GET', 'POST'];
  for (const operation of operations) {
    const { path: url } = operation;
    const handler = (request: FastifyRequest, reply: FastifyReply) =>
      answer(operation, web, parts, cache, request, reply);
    if (url !== undefined) app.route({ method, url, handler });
  }
  const named = operations.filter(({ path }) => path === undefined);
  const names = byName(named);
  for (const format of [web, api]) {
    const routes = new Map(named.map((operation) => [operation, `/${format.family}/${operation.name}`]));
    app.route<{ Params: { name: string } }>({
      method,
      url: `/${format.family}/:name`,
      async handler(request, reply) {
        const operation = names.get(withoutDots(request.params.name));
        if (operation === undefined)
          return sendError(request, reply, fail('not-found', `operation '${request.params.name}'`));
        request.countedAs = routes.get(operation) ?? request.countedAs;
        return answer(operation, format, parts, cache, request, reply);
      },
    });
  }
}

async function answer(
  operation: Operation,
  format: Format,
  parts: ReceiverParts,
  cache: ResponseCache,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const given = givenIn(request);
  const { family } = format;
  reply.header('Cache-Control', 'no-store');
  if (isDeprecated(operation, given)) reply.header('Deprecation', deprecation);
  const refused =
    isChange(operation, given) && refusedChange(request, parts.config, operation.name, operation.permission);
  if (refused) return sendError(request, reply, refused, { family });
  const context: RequestContext = {
    ...callerOf(request, parts),
    get given() {
      return new Map([...(given.body?.lists ?? []), ...given.query]);
    },
    get mayChange() {
      return refusedChange(request, parts.config, operation.name, operation.permission) === undefined;
    },
    need(permission) {
      const missing = refusedChange(request, parts.config, operation.name, permission);
      if (missing) throw missing;
    },
    afterReply: (action) => afterReply(reply, action),
  };
  let result: OperationResponse;
  try {
    const same = isChange(operation, given) ? undefined : operation.cacheState(parts, given);
    const state = same instanceof Promise ? await same : same;
    if (state !== undefined) {
      const key = `${family} ${operation.name} ${context.origin} ${ticketIn(operation, context)} ${keyOf(given)}`;
      const make = async () => prepare(format, operation, await operation.answer(parts, given, context));
      const cached = cache.get(key, state, make);
      if (cached !== undefined) return sendDocument(reply, await cached);
    }
    result = await operation.answer(parts, given, context);
  } catch (error) {
    if (!(error instanceof ReceiverError) || !isReportedAsFalse(operation, error))
      return sendError(request, reply, error, { family });
    const record = operation.failed(parts, error);
    return record === undefined
      ? sendError(request, reply, error, { status: 200, family })
      : sendRecord(format, reply, record, operation);
  }
  return result.kind === 'record' ? sendRecord(format, reply, result, operation) : sendDocument(reply, result.document);
}

function sendRecord(format: Format, reply: FastifyReply, response: RecordResponse, operation: Operation): Sent {
  return sendPieces(reply.type(format.contentType(operation)), format.write(response));
}

/** Writes a complete response that can be sent more than once. */
async function prepare(format: Format, operation: Operation, response: OperationResponse): Promise<CachedResponse> {
  if (response.kind === 'record') {
    return { contentType: format.contentType(operation), body: await documentBytes(format.write(response)) };
  }
  return completeDocument(response.document);
}

/** A playlist with a ticket may be cached for this client only. */
const ticketIn = ({ tag }: Operation, { ticket = '' }: RequestContext) => (tag === 'streams' ? ticket : '');

/** The cache key of parameters, independent of their order. */
function keyOf({ query, body }: Given): string {
  const first = new Map([...(body?.parameters ?? []), ...firstValues(query)]);
  return JSON.stringify([...first].sort());
}

/** True if an error is reported with status 200 and False. A missing login or permission always keeps its status. */
function isReportedAsFalse({ errorsWithStatus }: Operation, { code }: ReceiverError): boolean {
  if (code === 'login-needed' || code === 'right-missing') return false;
  if (errorsWithStatus === 'all') return code.startsWith('parameter-') || code === 'invalid-reference';
  return !errorsWithStatus.includes(code);
}

/**
 * The date of deprecation in Unix seconds (RFC 9745). All deprecated operations and parameters have been deprecated since
 * the first release: they exist for clients of other receivers.
 */
const deprecation = `@${Date.UTC(2026, 0, 1) / 1000}`;

/** True if the operation is deprecated or the request has a deprecated parameter. */
function isDeprecated({ deprecated, parameters }: Operation, given: Given): boolean {
  const old = Object.entries(parameters).filter(([, parameter]) => parameter.deprecated !== undefined);
  return deprecated !== undefined || old.some(([name, { aliases }]) => hasAny(given, [name, ...aliases]));
}

/** True if this request makes the operation change the receiver. */
function isChange({ changesState }: Operation, given: Given): boolean {
  return typeof changesState === 'boolean' ? changesState : hasAny(given, changesState);
}

const plainHost = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;

/** Describes the client. An invalid or missing Host header is replaced by the local address of the connection. */
export function callerOf(
  request: FastifyRequest,
  { accessControl }: Pick<ReceiverParts, 'accessControl'>,
): Omit<RequestContext, 'given' | 'mayChange' | 'need' | 'afterReply'> {
  const match = plainHost.exec(request.host);
  const { localAddress = '127.0.0.1', localPort } = request.socket;
  const host = match?.[1] ?? (localAddress.includes(':') ? `[${localAddress}]` : localAddress);
  const port = match === null ? `:${localPort}` : (match[2] ?? '');
  const method = request.method as RequestContext['method'];
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
