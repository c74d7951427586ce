import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Connections, maxConnections } from '../../../src/http/middleware/connections.ts';
import { untilTrue } from '../../fixtures/waits.ts';

const servers: Server[] = [];
const sockets: Socket[] = [];
const warnings: string[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
  warnings.length = 0;
});

/** Starts two servers that together allow `maxCount` connections. `isProxy`: clients are trusted proxies, without a limit. */
async function startServers({ maxCount = 3, isProxy = true } = {}): Promise<readonly [Server, Server]> {
  const peers = { clientAt: (address: string) => address, trust: () => isProxy };
  const connections = new Connections(maxCount, peers, { warn: (text: string) => void warnings.push(text) });
  const [one, other] = [0, 1].map(() => createServer((_, response) => void response.end('here')));
  for (const server of [one, other] as [Server, Server]) {
    servers.push(server);
    connections.limit(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  }
  return [one as Server, other as Server];
}

async function openConnection(server: Server, localAddress = '127.0.0.1'): Promise<Socket> {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** Sends a request. Returns the response; empty if the connection is closed. */
async function requestOn(socket: Socket): Promise<string> {
  const answer = Promise.race([once(socket, 'data').then(String), once(socket, 'close').then(() => '')]);
  socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  return answer;
}

test('connections beyond the limit are refused on all ports, and logged once', async () => {
  const [one, other] = await startServers();
  const first = await openConnection(one);
  for (const server of [one, other]) await openConnection(server);
  const refused = [await openConnection(one), await openConnection(other)];
  await untilTrue(() => refused.every(({ closed }) => closed));
  expect(await requestOn(first)).toContain('200 OK');
  expect(warnings).toEqual(['refusing connections: 3 are open']);
});

test('a closed connection frees its slot', async () => {
  const [one] = await startServers();
  const held = [await openConnection(one), await openConnection(one), await openConnection(one)];
  held[0]?.destroy();
  await untilTrue(async () => (await requestOn(await openConnection(one))) !== '');
  expect(held[1]?.destroyed).toBe(false);
});

test('the connection that has been idle longest is closed for a new one', async () => {
  const [one, other] = await startServers();
  const idle = [await openConnection(one), await openConnection(other)] as const;
  for (const socket of idle) expect(await requestOn(socket)).toContain('200 OK');
  const silent = await openConnection(one);
  expect(await requestOn(idle[0])).toContain('200 OK');
  expect(await requestOn(await openConnection(one))).toContain('200 OK');
  await untilTrue(() => idle[1].closed);
  for (const socket of [silent, idle[0]]) expect(await requestOn(socket)).toContain('200 OK');
  expect(warnings).toEqual([]);
});

test('one client gets three quarters of the connections; a further one closes its own idle ones', async () => {
  const [one] = await startServers({ maxCount: 4, isProxy: false });
  const greedy = [await openConnection(one), await openConnection(one), await openConnection(one)];
  const refused = await openConnection(one);
  await untilTrue(() => refused.closed);
  expect(warnings).toEqual(['refusing connections of 127.0.0.1, which has too many']);
  expect(await requestOn(greedy[0] as Socket)).toContain('200 OK');
  expect(await requestOn(await openConnection(one, '127.0.0.2'))).toContain('200 OK');
  expect(await requestOn(await openConnection(one))).toContain('200 OK');
  await untilTrue(() => greedy[0]?.closed === true);
});

test('the limit leaves files to the rest of the program', () => {
  expect(maxConnections()).toBeGreaterThan(100);
  expect(maxConnections('/nonexistent')).toBe(341);
});
