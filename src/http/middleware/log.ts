/**
 * Log entries of the web port: one line per request at level debug, without its parameters (they are private and may
 * contain passwords), and errors on our side. Disconnecting clients are normal and not logged: players drop ten
 * requests at every seek.
 *
 * Requests are counted here as well: this is called for each anyway, and a hook of its own would cost more.
 */
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { pathOf } from './query.ts';
import type { RequestCounts } from './request-counts.ts';

const hungUp: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNABORTED']);

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
    this.#counts.note(request.countedAs, method, reply.statusCode, reply.elapsedTime / 1000);
    const line = { method, path: pathOf(request), status: reply.statusCode, ms: Math.round(reply.elapsedTime) };
    if (error && !isHangUp(error)) request.log.warn({ ...line, err: error }, 'response failed');
    else request.log.debug(line, 'request');
  }

  override streamError(error: Error, request: FastifyRequest): void {
    if (!isHangUp(error)) request.log.warn({ path: pathOf(request), err: error }, 'response stream failed');
  }

  override writeHeadError(error: Error, request: FastifyRequest): void {
    request.log.warn({ path: pathOf(request), err: error }, 'cannot write response header');
  }
}

/** True for errors caused by a client that disconnected. */
function isHangUp(error: Error): boolean {
  return 'code' in error && hungUp.has(error.code);
}

/** True if the client disconnected before it had sent its whole body, and this error came of it. */
export function isBrokenOff({ raw }: FastifyRequest, error: unknown): boolean {
  return raw.readableAborted && error instanceof Error && isHangUp(error);
}
