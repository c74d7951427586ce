/** One client takes as much as it gets of everything that all share: a client at another address still gets some. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountsPath, newToken, noAccounts, writeAccounts } from '../../src/access/accounts-file.ts';
import { hashOf } from '../../src/access/passwords.ts';
import { freePort } from '../fixtures/free-port.ts';
import { eventually, until, untilTrue } from '../fixtures/waits.ts';
import { RtspClient } from '../satip-server/client.ts';
import { type Program, removeFolder, startWithFewFiles, temporaryFolder } from './program.ts';

const [greedy, other] = ['127.0.0.2', '127.0.0.1'];
const folder = temporaryFolder();
const { token, hash } = newToken();
const open: (ClientRequest | Socket)[] = [];
let satipPort: number;
let program: Program;
let service: string;

beforeAll(async () => {
  satipPort = await freePort();
  const settings = {
    tuners: ['demo'],
    push: { maximumClients: 4 },
    stream: { maximumClients: 4 },
    hls: { maximumServices: 2 },
    satip: { server: { enabled: true, port: satipPort, clients: 4 } },
  };
  writeFileSync(join(folder, 'receiverd.yaml'), JSON.stringify(settings));
  const rights = ['admin' as const];
  await writeAccounts(accountsPath(folder), {
    ...noAccounts(),
    users: [{ name: 'anna', rights, password: await hashOf('correct horse') }],
    tokens: [{ name: 'script', rights, hash, created: 0 }],
  });
  program = await startWithFewFiles(300, folder);
  service = await eventually(async () => {
    const { items } = JSON.parse((await ask(other, '/services/tv')).body) as { items: string[][] };
    return items[1]?.[0];
  }, 'the services of the demo multiplex');
});
afterAll(async () => {
  for (const one of open) one.destroy();
  await program.stop();
  removeFolder(folder);
});

const byToken = { authorization: `Bearer ${token}` };
const byPassword = (password: string) => ({
  authorization: `Basic ${Buffer.from(`anna:${password}`).toString('base64')}`,
});

/** Begins a request from an address, on a connection of its own. */
async function begin(
  localAddress: string,
  path: string,
  headers: Record<string, string> = byToken,
  base = program.http,
) {
  const asking = request(`${base}${path}`, { localAddress, headers, agent: false });
  open.push(asking);
  asking.on('error', () => undefined).end();
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  return { status: response.statusCode, response };
}

async function ask(...question: Parameters<typeof begin>) {
  const { status, response } = await begin(...question);
  return { status, body: await text(response) };
}

/** Begins as many as it takes until one is refused. Returns the statuses. */
async function takeAll(path: string, base = program.http): Promise<readonly (number | undefined)[]> {
  const got: (number | undefined)[] = [];
  while (!got.includes(503)) got.push((await begin(greedy, path, byToken, base)).status);
  return got;
}

/** One that answers without end, and then others on the same connection, which wait for it until that is reset. */
it.each(['/api/events', '/live.ts?sRef='])('gets back what was pipelined behind %s', async (start) => {
  const path = start.endsWith('=') ? start + encodeURIComponent(service) : start;
  const socket = connect({ port: Number(new URL(program.http).port), host: '127.0.0.1', localAddress: greedy });
  const head = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${byToken.authorization}\r\n\r\n`;
  socket.on('error', () => undefined).write(head.repeat(3));
  await once(socket, 'data');
  socket.resetAndDestroy();
  await until(async () => {
    const begun = await Promise.all([0, 1, 2].map(() => begin(greedy, path)));
    for (const { response } of begun) response.destroy();
    expect(begun.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

it('an event stream', async () => {
  expect(await takeAll('/api/events')).toEqual([200, 200, 200, 503]);
  expect((await begin(other, '/api/events')).status).toBe(200);
});

it('a live stream, on both ports', async () => {
  expect(await takeAll(`/${service}`, program.stream)).toEqual([200, 200, 200, 503]);
  expect((await begin(greedy, `/live.ts?sRef=${service}`)).status).toBe(503);
  expect((await begin(other, `/${service}`, byToken, program.stream)).status).toBe(200);
});

it('a service by HTTP Live Streaming', async () => {
  const { items } = JSON.parse((await ask(other, '/services/tv')).body) as { items: string[][] };
  const [one, two] = items.slice(1).map(([reference]) => `/hls/${reference}/index.m3u8`) as [string, string];
  expect((await ask(greedy, one)).status).toBe(200);
  expect((await ask(greedy, two)).status).toBe(503);
  expect((await ask(other, two)).status).toBe(200);
});

it('a SAT>IP session', async () => {
  const url = `rtsp://127.0.0.1:${satipPort}/?src=1&freq=474&bw=8&msys=dvbt&pids=0`;
  const setUp = async (localAddress: string) => {
    const client = await RtspClient.connect(satipPort, '127.0.0.1', localAddress);
    return (await client.ask('SETUP', url, { Transport: 'RTP/AVP/TCP;unicast;interleaved=0-1' })).status;
  };
  const got: number[] = [];
  while (!got.includes(503)) got.push(await setUp(greedy));
  expect(got).toEqual([200, 200, 200, 503]);
  expect(await setUp(other)).toBe(200);
});

it('a login, while one address tries wrong passwords', async () => {
  let refused = 0;
  const tries = Array.from({ length: 24 }, async (_, n) => {
    const { status } = await ask(greedy, '/api/vol', byPassword(`wrong ${n}`));
    if (status === 429) refused++;
  });
  // From then on, nothing more may wait for its hash.
  await untilTrue(() => refused > 0);
  expect((await ask(other, '/api/vol', byPassword('correct horse'))).status).toBe(200);
  await Promise.all(tries);
  expect((await ask(greedy, '/api/vol', byToken)).status).toBe(200);
});

it('a login, while many addresses try wrong passwords at once', async () => {
  const tries = Array.from({ length: 24 }, (_, n) => ask(`127.0.1.${n + 1}`, '/api/vol', byPassword(`wrong ${n}`)));
  const right = ask('127.0.2.1', '/api/vol', byPassword('correct horse'));
  const statuses = (await Promise.all(tries)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([401]));
  expect((await right).status).toBe(200);
});

it('a try of the code of the parental lock, for another account', async () => {
  const post = (path: string, form: Record<string, string>, headers: Record<string, string>) =>
    fetch(`${program.http}${path}`, { method: 'POST', body: new URLSearchParams(form), headers });
  const check = async (pin: string, headers: Record<string, string>) =>
    (await post('/parentallock/check', { pin }, headers)).status;
  expect((await post('/parentallock', { code: '1234' }, byToken)).status).toBe(200);
  const got: number[] = [];
  while (!got.includes(429)) got.push(await check('4321', byToken));
  expect(got).toEqual([403, 403, 403, 403, 403, 429]);
  expect(await check('1234', byToken)).toBe(429);
  expect(await check('1234', byPassword('correct horse'))).toBe(200);
});

it('a connection', async () => {
  const { port } = new URL(program.http);
  const connected = async (localAddress: string) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress }).on('error', () => undefined);
    open.push(socket);
    // It begins a request and never ends it.
    socket.write('GET /health/live HTTP/1.1\r\n');
    await once(socket, 'connect');
    return socket;
  };
  const sockets = await Promise.all(Array.from({ length: 120 }, () => connected(greedy)));
  await untilTrue(() => sockets.some(({ closed }) => closed));
  expect((await ask(other, '/health/live')).status).toBe(200);
});
