/**
 * Logs the requests of the web port: one line per request at level debug, and errors of the server. Parameters are not
 * logged: they are private and may contain passwords. Disconnecting clients are normal and not logged as errors: players
 * abort ten requests at every seek.
 *
 * It also counts the requests, because it is called for each of them anyway and another hook would take more time.
 */
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { pathOf } from './query.ts';
import type { RequestCounts } from './request-counts.ts';

const disconnectCodes: ReadonlySet<unknown> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ECONNABORTED',
]);

export class RequestLog extends LogController {
  readonly #counts: RequestCounts;

  constructor(counts: RequestCounts) {
    super();
    this.#counts = counts;
  }

  override incomingRequest(): void {}

  override routeNotFound(): void {}

  /** Errors of handlers are logged in failures.ts. */
  override defaultErrorLog(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const { method } = request;
    this.#counts.add(request.countedAs, method, reply.statusCode, reply.elapsedTime / 1000);
    const line = { method, path: pathOf(request), status: reply.statusCode, ms: Math.round(reply.elapsedTime) };
    if (error && !isDisconnect(error)) request.log.warn({ ...line, err: error }, 'response failed');
    else request.log.debug(line, 'request');
  }

  override streamError(error: Error, request: FastifyRequest): void {
    if (!isDisconnect(error)) request.log.warn({ path: pathOf(request), err: error }, 'response stream failed');
  }

  override writeHeadError(error: Error, request: FastifyRequest): void {
    request.log.warn({ path: pathOf(request), err: error }, 'cannot write response header');
  }
}

/** True for errors caused by a client that disconnected. */
function isDisconnect(error: Error): boolean {
  return 'code' in error && disconnectCodes.has(error.code);
}

/** True if the client disconnected before it had sent its whole body, and this caused the error. */
export function isUploadAborted({ raw }: FastifyRequest, error: unknown): boolean {
  return raw.readableAborted && error instanceof Error && isDisconnect(error);
}
