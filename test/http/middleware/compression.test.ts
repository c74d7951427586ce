/** Content coding: which responses are compressed, how the client's preferences are read, and their headers. */
import { once } from 'node:events';
import { get as httpGet } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerCompression } from '../../../src/http/middleware/compression.ts';
import { RequestLog } from '../../../src/http/middleware/log.ts';
import { RequestCounts } from '../../../src/http/middleware/request-counts.ts';
import { sendPieces } from '../../../src/http/write/replies.ts';

const line = 'a line of an answer that is made while it is sent\n';
const lines = 20_000;

let endOfSource: Promise<void>;

/** Log entries of level warn and above. */
const complaints: string[] = [];
const log = pino({ level: 'warn' }, { write: (text) => void complaints.push(text) });

const app = Fastify({ loggerInstance: log, logController: new RequestLog(new RequestCounts()) });
app.register(async (site) => {
  await registerCompression(site);
  site.get('/small', (_request, reply) => reply.type('text/plain').send(line));
  site.get('/empty', (_request, reply) => reply.type('text/plain').send(''));
  site.get('/whole', (_request, reply) => reply.type('text/plain').send(line.repeat(1000)));
  site.get('/pieces', (_request, reply) => sendPieces(reply.type('text/xml'), Array(lines).fill(line)));
  site.get('/endless', (_request, reply) => {
    const source = Readable.from(
      (function* () {
        for (let number = 0; ; number++) yield Buffer.from(`${number} ${Math.random()}\n`);
      })(),
    );
    endOfSource = new Promise((resolve) => source.once('close', resolve));
    return reply.type('text/plain').send(source);
  });
  site.get('/part', (_request, reply) =>
    reply.code(206).header('Content-Range', 'bytes 0-1/9').type('text/plain').send('ab'),
  );
  site.get('/media', (_request, reply) => reply.type('video/mp2t').send(Buffer.alloc(5000)));
  site.get('/picture', (_request, reply) => reply.type('image/svg+xml').send('<svg/>'));
});

beforeAll(async () => {
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

const ask = (url: string, accepted = 'gzip', method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url, headers: { 'accept-encoding': accepted } });

describe('Accept-Encoding', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['deflate, gzip, br, zstd', 'gzip'],
    ['br', 'br'],
    ['GZIP;Q=0.5', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip;q=0, *', 'br'],
    ['gzip;q=0.5, *;q=0.8', 'br'],
    ['gzip, *;q=0', 'gzip'],
    ['gzip;q=0, br;q=0, *', undefined],
    ['*;q=0', undefined],
    ['*', 'gzip'],
    ['gzip;q=0.2, br;q=0.8', 'br'],
    ['gzip;q=0.2, identity;q=0.8', undefined],
    ['gzip;q=nonsense', undefined],
    ['x-gzip', 'gzip'],
    ['deflate', undefined],
    [`gzip${', *'.repeat(300)}`, 'gzip'],
    [`gzip${', *'.repeat(400)}`, undefined],
  ])('%s gives %s', async (header, coding) => {
    const headers = header === undefined ? {} : { 'accept-encoding': header };
    expect((await app.inject({ url: '/small', headers })).headers['content-encoding']).toBe(coding);
  });
});

describe('a compressed response', () => {
  it('is complete, however it is sent', async () => {
    for (const [url, body] of [
      ['/small', line],
      ['/whole', line.repeat(1000)],
      ['/pieces', line.repeat(lines)],
    ] as const) {
      const gzip = await ask(url);
      expect(gzip.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
      expect(gunzipSync(gzip.rawPayload).toString()).toBe(body);
      expect(brotliDecompressSync((await ask(url, 'br')).rawPayload).toString()).toBe(body);
      expect((await ask(url, 'identity')).body).toBe(body);
    }
  });

  it('has the same headers for HEAD', async () => {
    const { 'content-length': length, 'content-encoding': coding } = (await ask('/small')).headers;
    const head = await ask('/small', 'gzip', 'HEAD');
    expect(head.headers).toMatchObject({
      'content-length': length,
      'content-encoding': coding,
      vary: 'Accept-Encoding',
    });
    expect(head.rawPayload).toHaveLength(0);
    const long = await ask('/pieces', 'gzip', 'HEAD');
    expect(long.headers).toMatchObject({ 'content-encoding': 'gzip' });
    expect(long.headers['content-length']).toBeUndefined();
  });

  it('is no longer produced once the client has disconnected', async () => {
    const { port } = app.server.address() as AddressInfo;
    const request = httpGet({ port, host: '127.0.0.1', path: '/endless', headers: { 'accept-encoding': 'gzip' } });
    const [response] = await once(request, 'response');
    await once(response, 'data');
    request.destroy();
    await endOfSource;
    expect(complaints).toEqual([]);
  });
});

describe('compression', () => {
  it('skips media, partial files and empty responses', async () => {
    for (const url of ['/media', '/part', '/empty']) {
      expect((await ask(url)).headers['content-encoding'], url).toBeUndefined();
    }
    expect((await ask('/media')).headers.vary).toBeUndefined();
    expect((await ask('/empty')).rawPayload).toHaveLength(0);
    expect((await ask('/picture')).headers['content-encoding']).toBe('gzip');
  });
});
