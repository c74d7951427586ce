/**
 * Node's HTTP server with ready responses, in its own process; started by http.bench.ts. It measures the machine, the
 * kernel and the clients of the benchmark: no server in Node is faster.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Receives the responses by path, then sends back the port. Posted bodies are read and discarded. */
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
