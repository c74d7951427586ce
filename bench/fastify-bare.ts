/**
 * Bare Fastify with answers that are ready, in a process of its own; started by http-load.bench.ts. What the framework itself takes:
 * no interface on it is faster.
 */
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';

/** First the answers by their paths, then the port goes back. */
process.once('message', (message) => {
  const app = Fastify();
  for (const [url, answer] of message as ReadonlyMap<string, Uint8Array>) {
    const body = Buffer.from(answer);
    app.get(new URL(url, 'http://box').pathname, (_request, reply) => reply.type('application/json').send(body));
  }
  app.listen({ host: '127.0.0.1', port: 0 }).then(() => process.send?.((app.server.address() as AddressInfo).port));
});
process.once('disconnect', () => process.exit());
