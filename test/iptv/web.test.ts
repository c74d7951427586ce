/** Servers that compress although no encoding was accepted. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { StreamGuard } from '../../src/iptv/guard.ts';
import { WebClient, type WebRequest } from '../../src/iptv/web.ts';

async function got(answer: RequestListener, range?: WebRequest['range']): Promise<Buffer> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  const guard = new StreamGuard({ allowed: () => true, isOwn: () => false });
  const client = new WebClient({ guard, headers: {} });
  onTestFinished(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const signal = new AbortController().signal;
  const { body } = await client.get(`http://127.0.0.1:${port}/`, { signal, ...(range && { range }) });
  return buffer(body);
}
const packed = { 'Content-Encoding': 'gzip' };
const text = Buffer.from(Array.from({ length: 50_000 }, (_, n) => n % 251));

it('the requested range is that of the decompressed data', async () => {
  const range = { from: 1280, length: 20_000 };
  expect(
    (await got((_, response) => response.writeHead(200, packed).end(gzipSync(text)), range)).equals(
      text.subarray(1280, 21_280),
    ),
  ).toBe(true);
  expect((await got((_, response) => response.end(text), range)).equals(text.subarray(1280, 21_280))).toBe(true);
});

it('compressed data without output ends with an error', async () => {
  const nothing = gzipSync('');
  const members = Buffer.concat(Array.from({ length: 2000 }, () => nothing));
  const endless: RequestListener = (_, response) => {
    response.writeHead(200, packed);
    const more = () => {
      while (!response.destroyed && response.write(members));
    };
    response.on('drain', more);
    more();
  };
  await expect(got(endless)).rejects.toThrow('the compressed response contains no data');
});
