/**
 * What the web port writes into the log: one line a request at level debug, without its parameters (they may hold passwords and are
 * nobody's business), and what went wrong on our side. Clients that hang up in the middle are a part of life: players drop ten
 * requests at each seek.
 */
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';

const hungUp: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNABORTED']);

export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override routeNotFound(): void {}

  /** Errors of handlers are logged where they become answers. */
  override defaultErrorLog(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const { method } = request;
    const [path] = request.url.split('?', 1);
    const line = { method, path, status: reply.statusCode, ms: Math.round(reply.elapsedTime) };
    if (error && !isHangUp(error)) request.log.warn({ ...line, err: error }, 'response failed');
    else request.log.debug(line, 'request');
  }

  override streamError(error: Error, request: FastifyRequest): void {
    if (!isHangUp(error)) request.log.warn({ err: error }, 'response stream failed');
  }

  override writeHeadError(error: Error, request: FastifyRequest): void {
    request.log.warn({ err: error }, 'cannot write response header');
  }
}

/** True for the errors that a client makes by going away. */
function isHangUp(error: Error): boolean {
  return 'code' in error && hungUp.has(error.code);
}
