/** A web server that sends transport streams, correctly or with faults. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type StreamShape, transportStream } from '../fixtures/transport-stream.ts';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface Station {
  readonly port: number;
  readonly url: string;
  /** All requests, the newest last. */
  readonly requests: readonly IncomingMessage[];
  /** Number of open connections. */
  readonly viewers: Set<ServerResponse>;
  stop(): Promise<void>;
}

/** Starts a station; `answers` by path. `on`: its port. */
export async function station(answers: Readonly<Record<string, Answer>>, on = 0): Promise<Station> {
  const requests: IncomingMessage[] = [];
  const viewers = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    requests.push(request);
    viewers.add(response);
    response.on('close', () => viewers.delete(response));
    const answer = answers[(request.url ?? '').replace(/\?.*/, '')];
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  server.listen(on, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    viewers,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A transport stream of some seconds with one service. */
export const streamOf = (serviceId: number, shape: Partial<StreamShape> = {}): Buffer =>
  transportStream({
    transportStreamId: 1,
    originalNetworkId: 2,
    services: [{ serviceId, name: `S${serviceId}` }],
    bitRate: 1_000_000,
    seconds: 4,
    ...shape,
  });

/** Sends the body and keeps the connection open, as a live stream does. */
export const sends =
  (bytes: Buffer): Answer =>
  (_, response) => {
    response.writeHead(200, { 'Content-Type': 'video/mp2t' });
    response.write(bytes);
  };
