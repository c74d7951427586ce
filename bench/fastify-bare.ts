/**
 * Bare Fastify with ready responses, in its own process; started by http-load.bench.ts. It measures the framework
 * itself: no interface built on it is faster.
 */
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';

/** Receives the responses by path, then sends back the port. */
process.once('message', (message) => {
  const app = Fastify();
  for (const [url, answer] of message as ReadonlyMap<string, Uint8Array>) {
    const body = Buffer.from(answer);
    app.get(new URL(url, 'http://box').pathname, (_request, reply) => reply.type('application/json').send(body));
  }
  app.listen({ host: '127.0.0.1', port: 0 }).then(() => process.send?.((app.server.address() as AddressInfo).port));
});
process.once('disconnect', () => process.exit());
