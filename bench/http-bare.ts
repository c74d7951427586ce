/**
 * Node's HTTP server with answers that are ready, in a process of its own; started by http.bench.ts. What the machine, the kernel and
 * the clients of the benchmark leave to anybody: no server in Node is faster.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** First the answers by their paths, then the port goes back. Whatever is posted is read and forgotten. */
process.once('message', (message) => {
  const answers = message as ReadonlyMap<string, Uint8Array>;
  const server = createServer((request, response) => {
    const answer = answers.get(request.url ?? '');
    if (request.method === 'POST') request.resume().once('end', () => response.end());
    else if (answer === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer);
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
});
process.once('disconnect', () => process.exit());
