/**
 * Log entries of the web port: one line per request at level debug, without its parameters (they are private and may
 * contain passwords), and errors on our side. Disconnecting clients are normal and not logged: players drop ten
 * requests at every seek.
 */
import { type FastifyReply, type FastifyRequest, LogController } from 'fastify';

const hungUp: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNABORTED']);

export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override routeNotFound(): void {}

  /** Errors of handlers are logged in failures.ts. */
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

/** True for errors caused by a client that disconnected. */
function isHangUp(error: Error): boolean {
  return 'code' in error && hungUp.has(error.code);
}

/** True if the client disconnected before it had sent its whole body, and this error came of it. */
export function isBrokenOff({ raw }: FastifyRequest, error: unknown): boolean {
  return raw.readableAborted && error instanceof Error && isHangUp(error);
}
