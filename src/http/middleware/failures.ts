/**
 * The only place where an error becomes a response.
 *
 * There are three families of paths. /web/NAME (XML) and /api/NAME (JSON) answer with False and the message, in JSON also
 * with the code; the caller chooses the status, usually 200. All other paths are the REST family, which has its own body and
 * the status of the error. An error that is neither a ReceiverError nor raised by the HTTP layer is a bug: it is logged and
 * reported as `internal error`.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { fail, ReceiverError } from '../../base/errors.ts';
import { jsonDocument } from '../write/json.ts';
import { type Sent, sendPieces } from '../write/replies.ts';
import { xmlDocument, xmlType } from '../write/xml.ts';
import { isUploadAborted } from './log.ts';
import { pathOf } from './query.ts';
import { type SimpleResult, simpleResult } from './simple-result.ts';

export const contentTypes = { xml: xmlType, json: 'application/json; charset=utf-8' } as const;

export type Family = 'web' | 'api' | 'rest';

/** The family of a path, whether or not the path exists. */
function familyOf(path: string): Family {
  if (/^\/web(\/|$)/.test(path)) return 'web';
  return /^\/api\/./.test(path) ? 'api' : 'rest';
}

/** Writes a simple result in the format of the family. */
function sendSimpleResult(reply: FastifyReply, family: 'web' | 'api', result: SimpleResult): Sent {
  return family === 'web'
    ? sendPieces(reply.type(contentTypes.xml), xmlDocument(simpleResult, result))
    : sendPieces(reply.type(contentTypes.json), jsonDocument(result));
}

/** An error that asks the client to wait for some seconds, or whose REST response has further keys. */
export class DetailedError extends ReceiverError {
  readonly keys: object;

  constructor(error: ReceiverError, { keys = {}, retryAfter }: { keys?: object; retryAfter?: number }) {
    super(error.code, error.message, retryAfter);
    this.keys = keys;
  }
}

/** Sends an error in the format of the request's family, with the error's status or with `status`. */
export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  { status, family = familyOf(pathOf(request)) }: { status?: number; family?: Family } = {},
): Sent {
  const known = asReceiverError(request, error);
  reply.code(status ?? known.http).header('Cache-Control', 'no-store');
  if (reply.statusCode === 401 && !isBrowser(request)) reply.header('WWW-Authenticate', challenge);
  const { code, message, retryAfter } = known;
  if (retryAfter !== undefined) reply.header('Retry-After', retryAfter);
  if (family !== 'rest') return sendSimpleResult(reply, family, { result: false, message, error: code });
  const body = {
    result: false,
    message,
    error: code,
    ...(error instanceof DetailedError && error.keys),
    _request: { path: pathOf(request), method: request.method },
  };
  return reply.type(contentTypes.json).send(JSON.stringify(body));
}

/** The value of WWW-Authenticate (RFC 7617 §2). */
export const challenge = 'Basic realm="receiverd", charset="UTF-8"';

/** Returns whether a browser sent the request. Apps have another User-Agent, or send no Accept-Language. */
export function isBrowser({ headers }: FastifyRequest): boolean {
  return headers['user-agent']?.startsWith('Mozilla/') === true && headers['accept-language'] !== undefined;
}

interface KnownError {
  readonly http: number;
  readonly code: string;
  readonly message: string;
  readonly retryAfter?: number | undefined;
}

function asReceiverError(request: FastifyRequest, error: unknown): KnownError {
  if (error instanceof ReceiverError) return error;
  // The client is gone, and RequestLog logs the request.
  if (isUploadAborted(request, error)) return fail('upload-broken-off');
  const { statusCode = 500, code = 'bad-request', message } = error as FastifyError;
  if (statusCode >= 400 && statusCode < 500)
    return { http: statusCode, code: httpCodes[code] ?? 'bad-request', message };
  request.log.error({ err: error, method: request.method, path: pathOf(request) }, 'request failed');
  return fail('internal');
}

/** The codes of src/base/errors.ts for errors of the HTTP layer. */
const httpCodes: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'bad-path',
  FST_ERR_CTP_BODY_TOO_LARGE: 'too-large',
  FST_ERR_VALIDATION: 'parameter-invalid',
};
