/** Uploads that end early: rejected by the receiver or aborted by the client. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import pino from 'pino';
import { expect, it } from 'vitest';
import { createServer } from '../../../src/http/server.ts';
import { until } from '../../fixtures/waits.ts';
import { receiver, useReceiver } from './fixture.ts';

useReceiver();

it.each(['/api/epgimport', '/autotimers/import'])('%s reads the rest of a file that it rejects', async (path) => {
  const origin = await receiver.app.listen({ host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (method: string, url: string, body?: Buffer) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      request(origin + url, { method, agent }, resolve)
        .once('error', reject)
        .end(body);
    });
  const refused = await ask('POST', path, Buffer.concat([Buffer.from('<no></yes>'), Buffer.alloc(8 << 20, 32)]));
  expect([400, 413]).toContain(refused.statusCode);
  expect(await text(refused)).toMatch(/^\{"result":false,/);
  const next = await ask('GET', '/api/transfers');
  expect([next.statusCode, await text(next)]).toEqual([200, '{"result":true,"transfers":[]}']);
  agent.destroy();
});

/** Sends a request as a client that reads nothing before everything is sent. */
function sendWhole(origin: string, head: string, body: Buffer): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.once('error', reject).pause();
    socket.write(`${head}\r\nHost: ${hostname}\r\nContent-Length: ${body.length}\r\n\r\n`);
    socket.write(body, () => text(socket).then(resolve, reject));
  });
}

const large = Buffer.alloc(24 << 20, 32);

it.each([
  ['POST', '/login', 'application/json', 413],
  ['POST', '/api/about', 'application/x-www-form-urlencoded', 413],
  ['POST', '/api/about', 'text/plain', 200],
  ['POST', '/api/epgimport', 'application/xml', 400],
  ['PUT', '/api/about', 'text/plain', 404],
  ['PUT', '/nothing', 'application/json', 404],
  ['POST', '/api/about', 'multipart/form-data; boundary=x', 200],
])('a client that sends %s %s as a whole, %s, gets its response: %i', async (method, path, type, status) => {
  const origin = await receiver.app.listen({ host: '127.0.0.1', port: 0 });
  const head = `${method} ${path} HTTP/1.1\r\nConnection: close\r\nContent-Type: ${type}`;
  expect((await sendWhole(origin, head, large)).slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
});

const programmes = '<tv>'.padEnd(100_000, '<programme/>');
const epgDat = Buffer.concat([Buffer.from([0x32, 0x54, 0x76, 0x98]), Buffer.from('ENIGMA_EPG_V8'), Buffer.alloc(9)]);

it.each([
  ['/api/epgimport', 'application/xml', programmes],
  ['/api/epgimport', 'application/gzip', gzipSync(programmes)],
  ['/api/epgimport', 'application/octet-stream', epgDat],
  ['/api/epgimport', 'application/xml', ''],
  ['/autotimers/import', 'application/xml', '<autotimer version="8">'],
  ['/timers/1:0:19:2B66:3F3:1:C00000:0:0:0:', 'application/json', '{"title":'],
  ['/timers/1:0:19:2B66:3F3:1:C00000:0:0:0:', 'application/x-www-form-urlencoded', 'title='],
  ['/api/vol', 'multipart/form-data; boundary=cut', '--cut\r\nContent-Disp'],
  ['/api/vol', 'image/png', 'x'],
])('%s logs at most one line for an upload of %s that the client aborts', async (path, type, start) => {
  const lines: { level: number; path?: string }[] = [];
  const sink = new Writable({
    write(line, _encoding, done) {
      lines.push(JSON.parse(String(line)));
      done();
    },
  });
  const app = createServer(receiver.parts, { logger: pino({ level: 'debug' }, sink) });
  await app.listen({ host: '127.0.0.1', port: 0 });
  let asked: IncomingMessage | undefined;
  app.server.on('request', (one: IncomingMessage) => {
    asked = one;
  });
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${type}\r\nContent-Length: 200000\r\n\r\n`);
  socket.write(start);
  await until(() => expect(asked).toBeDefined());
  socket.resetAndDestroy();
  await until(() => expect(asked?.socket.destroyed).toBe(true));
  // A complete request after the aborted one.
  await fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/api/about`);
  await app.close();
  const ours = lines.filter((line) => line.path === path);
  expect(ours.length).toBeLessThanOrEqual(1);
  expect(lines.filter(({ level }) => level > 30)).toEqual([]);
});
