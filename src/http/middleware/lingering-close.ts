/**
 * Reads the rest of a body that was answered before it was complete, such as an upload that is refused. If the receiver
 * closed the connection at once, the system would reset it, and a client that is still sending would lose the response (RFC
 * 9112 §9.6).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Milliseconds after the response; then the connection is closed. */
const lingerMs = 30_000;

/** Whether a request has a body (RFC 9112 §6.3). */
const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Reads and discards what is left of the body once the response is sent. To be called before the response. */
export function discardRestOfBody(request: IncomingMessage, response: ServerResponse): void {
  if (!hasBody(request)) return;
  // Runs before Node's own listener, which closes the connection if it is not kept.
  response.prependOnceListener('finish', () => {
    // A request that a test injects has no connection, and is neither complete nor incomplete.
    if (request.complete !== false) return;
    const { socket } = request;
    let isLast = false;
    socket.destroySoon = () => {
      isLast = true;
      socket.end();
    };
    const timeout = setTimeout(() => socket.destroy(), lingerMs).unref();
    socket.once('close', () => clearTimeout(timeout));
    request.once('end', () => {
      clearTimeout(timeout);
      Reflect.deleteProperty(socket, 'destroySoon');
      if (isLast) socket.destroySoon();
    });
    request.resume();
  });
}
