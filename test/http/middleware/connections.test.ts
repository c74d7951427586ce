import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Connections, maxConnections } from '../../../src/http/middleware/connections.ts';
import { untilTrue } from '../../fixtures/patience.ts';

const servers: Server[] = [];
const sockets: Socket[] = [];
const warnings: string[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
  warnings.length = 0;
});

/** Two servers that may have three connections together, unless told otherwise, also by one client: it is a proxy. */
async function twoServers({ maxCount = 3, isProxy = true } = {}): Promise<readonly [Server, Server]> {
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

async function connected(server: Server, localAddress = '127.0.0.1'): Promise<Socket> {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** What comes back; empty if the connection is closed. */
async function asked(socket: Socket): Promise<string> {
  const answer = Promise.race([once(socket, 'data').then(String), once(socket, 'close').then(() => '')]);
  socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  return answer;
}

test('connections beyond the bound are refused, those of another port too, and told once', async () => {
  const [one, other] = await twoServers();
  const first = await connected(one);
  for (const server of [one, other]) await connected(server);
  const refused = [await connected(one), await connected(other)];
  await untilTrue(() => refused.every(({ closed }) => closed));
  expect(await asked(first)).toContain('200 OK');
  expect(warnings).toEqual(['refusing connections: 3 are open']);
});

test('a connection that has ended makes room', async () => {
  const [one] = await twoServers();
  const held = [await connected(one), await connected(one), await connected(one)];
  held[0]?.destroy();
  await untilTrue(async () => (await asked(await connected(one))) !== '');
  expect(held[1]?.destroyed).toBe(false);
});

test('of the connections that wait for another request, the longest waiting gives way', async () => {
  const [one, other] = await twoServers();
  const idle = [await connected(one), await connected(other)] as const;
  for (const socket of idle) expect(await asked(socket)).toContain('200 OK');
  const silent = await connected(one);
  expect(await asked(idle[0])).toContain('200 OK');
  expect(await asked(await connected(one))).toContain('200 OK');
  await untilTrue(() => idle[1].closed);
  for (const socket of [silent, idle[0]]) expect(await asked(socket)).toContain('200 OK');
  expect(warnings).toEqual([]);
});

test('one client leaves a quarter of them to others, and closes its own idle ones before', async () => {
  const [one] = await twoServers({ maxCount: 4, isProxy: false });
  const greedy = [await connected(one), await connected(one), await connected(one)];
  const refused = await connected(one);
  await untilTrue(() => refused.closed);
  expect(warnings).toEqual(['refusing connections of 127.0.0.1, which has too many']);
  expect(await asked(greedy[0] as Socket)).toContain('200 OK');
  expect(await asked(await connected(one, '127.0.0.2'))).toContain('200 OK');
  expect(await asked(await connected(one))).toContain('200 OK');
  await untilTrue(() => greedy[0]?.closed === true);
});

test('the bound leaves files to the rest of the program', () => {
  expect(maxConnections()).toBeGreaterThan(100);
  expect(maxConnections('/nonexistent')).toBe(341);
});
