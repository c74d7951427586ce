/** IPTV services on the stream port, from web servers with quirks. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { TunerPool } from '../../src/dvb/tuner-pool.ts';
import { StreamServer } from '../../src/http/streams/stream-server.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { Services } from '../../src/services/services.ts';
import { openAccessControl } from '../fixtures/access-control.ts';
import { networkStreams } from '../fixtures/network.ts';
import { until } from '../fixtures/waits.ts';
import { type Answer, type Station, sends, station, streamOf } from './station.ts';

const one = streamOf(0x101);
const other = streamOf(0x202);
/** The answers to successive requests of `/changing.ts`. */
const changing = [streamOf(0x101, { seconds: 1 }), streamOf(0x101, { seconds: 1 })];

/** Packets with PIDs from this one on: 0x200 omits the tables. */
const packetsFrom = (stream: Buffer, leastPid: number) =>
  Buffer.concat(
    Array.from({ length: stream.length / 188 }, (_, n) => stream.subarray(n * 188, (n + 1) * 188)).filter(
      (packet) => (packet.readUInt16BE(1) & 0x1fff) >= leastPid,
    ),
  );
/** PID of the video in `pictures`, and bit of its adaptation field for an access point. */
const videoPid = 0x300;
const randomAccess = 0x40;
/** A stream whose only access point is its first picture. Each tenth packet is a picture. */
function pictures(): Buffer {
  const entry = Buffer.from([0x1b, 0xe0 | (videoPid >> 8), videoPid & 0xff, 0xf0, 0]);
  const stream = streamOf(0x101, { services: [{ serviceId: 0x101, name: 'Pictures', streams: entry }] });
  let count = 0;
  for (let at = 0; at < stream.length; at += 188) {
    const packet = stream.subarray(at, at + 188);
    if (at % 1880 !== 0 || (packet.readUInt16BE(1) & 0x1fff) !== 0x200) continue;
    packet.writeUInt16BE(0x4000 | videoPid, 1);
    packet[3] = 0x30 | (count & 15);
    packet[5] = 0x10 | (count++ === 0 ? randomAccess : 0);
    packet[15] = 0xe0;
  }
  return stream;
}

const playlist = (...lines: readonly string[]) =>
  `#EXTM3U\n#EXT-X-TARGETDURATION:4\n${lines.join('\n')}\n#EXT-X-ENDLIST\n`;
const says =
  (body: string | Buffer, headers: http.OutgoingHttpHeaders = {}): Answer =>
  (_, response) =>
    response.writeHead(200, headers).end(body);
/** 403 unless the request has these cookies. */
const asks =
  (cookies: string, answer: Answer): Answer =>
  (request, response) =>
    request.headers.cookie === cookies ? answer(request, response) : response.writeHead(403).end();

const answers: Readonly<Record<string, Answer>> = {
  '/cookies': (_, response) =>
    response.writeHead(302, { Location: '/hls/cookies.m3u8', 'Set-Cookie': 'one=1; Path=/hls' }).end(),
  '/hls/cookies.m3u8': asks(
    'one=1',
    says(playlist('#EXTINF:4,', 'cookies.ts'), { 'Set-Cookie': ['two=2', 'x=y; Path=/'] }),
  ),
  '/hls/cookies.ts': asks('one=1; two=2; x=y', says(one)),
  '/map.m3u8': says(playlist('#EXT-X-MAP:URI="map.ts"', '#EXTINF:4,', 'bare.ts')),
  '/map.ts': says(one.subarray(0, 4 * 188)),
  '/bare.ts': says(packetsFrom(one, 0x200)),
  '/mp4.m3u8': says(playlist('#EXT-X-MAP:URI="init.mp4"', '#EXTINF:4,', 'part.m4s')),
  '/init.mp4': says('\0\0\0\x18ftypiso5'),
  '/part.m4s': says(`\0\0\0\x18styp${'x'.repeat(5000)}`),
  '/radio.m3u8': says(playlist('#EXTINF:4,', 'radio.aac')),
  '/radio.aac': says(`ID3${'x'.repeat(5000)}`),
  '/advertisements.ts': sends(
    Buffer.concat([one, ...Array(3).fill(streamOf(0x202, { seconds: 0.3 })), ...Array(2).fill(one)]),
  ),
  '/packed.m3u8': says(gzipSync(playlist('#EXTINF:4,', 'packed.ts', '#EXTINF:4,', 'plain.ts')), {
    'Content-Encoding': 'gzip',
  }),
  '/packed.ts': says(gzipSync(one), { 'Content-Encoding': 'x-gzip' }),
  '/plain.ts': says(other, { 'Content-Encoding': 'gzip' }),
  '/cut.m3u8': says(gzipSync(playlist('#EXTINF:4,', 'packed.ts')).subarray(0, -12), { 'Content-Encoding': 'gzip' }),
  '/damaged.m3u8': says(Buffer.from([0x1f, 0x8b, 0xff]), { 'Content-Encoding': 'gzip' }),
  '/live.ts': sends(one),
  '/pictures.ts': sends(pictures()),
  '/login.ts': sends(one),
  '/two.ts': sends(
    streamOf(0, {
      services: [
        { serviceId: 0x301, name: 'First' },
        { serviceId: 0x302, name: 'Second' },
      ],
    }),
  ),
  '/changing.ts': (request, response) => {
    const bytes = changing.shift();
    if (bytes) response.writeHead(200).end(bytes);
    else sends(other)(request, response);
  },
  '/garbage.ts': (_, response) => {
    response.writeHead(200);
    response.write(streamOf(0x101, { seconds: 1 }));
    const more = setInterval(() => response.write(Buffer.alloc(1000, 0x55)), 100);
    response.on('close', () => clearInterval(more));
  },
  '/moved': (_, response) => response.writeHead(302, { Location: '/live.ts' }).end(),
  '/moved-far': ({ socket }) =>
    socket.end('HTTP/1.1 302 Found\r\nLocation: /Sender ü/%C3%9C.ts?x=ü\r\nContent-Length: 0\r\n\r\n'),
  '/moved-latin': ({ socket }) => socket.end('HTTP/1.1 302 Found\r\nLocation: /\xfc.ts\r\n\r\n', 'latin1'),
  '/Sender%20%C3%BC/%C3%9C.ts': sends(one),
  '/%FC.ts': sends(other),
  '/circle': (_, response) => response.writeHead(302, { Location: '/circle' }).end(),
  '/file': (_, response) => response.writeHead(302, { Location: 'file:///etc/passwd' }).end(),
  '/full.ts': (_, response) => response.writeHead(403).end(),
  '/empty.ts': (_, response) => response.writeHead(200).end(),
  '/upgrade.ts': ({ socket }) => socket.end('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
  '/nonsense.ts': ({ socket }) => socket.end('nonsense\r\n\r\n'),
  '/wordy.ts': ({ socket }) => socket.end(`HTTP/1.1 200 OK\r\nX-Words: ${'word '.repeat(10_000)}\r\n\r\n`),
  '/two-lengths.ts': ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n');
    socket.end(Buffer.concat([Buffer.from(`${one.length.toString(16)}\r\n`), one, Buffer.from('\r\n0\r\n\r\n')]));
  },
  '/line-feeds.ts': ({ socket }) =>
    socket.end(Buffer.concat([Buffer.from('HTTP/1.0 200 OK\nServer: box\n folded\nName: \x01\n\n'), one])),
  '/shoutcast': ({ socket }) =>
    socket.write('ICY 200 OK\r\nicy-name:FM\r\ncontent-type:audio/mpeg\r\n\r\n\xff\xfb\x90\x64', 'latin1'),
  '/shoutcast-full': ({ socket }) => socket.end('ICY 401 Service Unavailable\r\n\r\n'),
  '/page.ts': (_, response) => response.writeHead(200).end('<html>'.repeat(1000)),
};

/** Log lines of the stream server. */
const messages: string[] = [];
const log = pino({}, { write: (line: string) => messages.push((JSON.parse(line) as { msg: string }).msg) });
let folder: string;
let provider: Station;
let server: StreamServer;
const pool = new TunerPool([], { linger: 0 });
const own = { port: 0 };
const network = networkStreams({ isOwn: (_, port) => port === own.port });

const reference = (url: string, fields = '0:0:0:0') => `4097:0:1:${fields}:0:0:0:${url.replaceAll(':', '%3a')}`;
const entry = (path: string, fields?: string) => reference(`${provider.url}${path}`, fields);

beforeAll(async () => {
  provider = await station(answers);
  folder = mkdtempSync(join(tmpdir(), 'receiverd-iptv-'));
  const inner = 'FROM BOUQUET "userbouquet.iptv.tv" ORDER BY bouquet';
  writeFileSync(join(folder, 'bouquets.tv'), `#NAME Bouquets\n#SERVICE 1:7:1:0:0:0:0:0:0:0:${inner}\n`);
  const paths = [...Object.keys(answers), '/login.ts#User-Agent=My%2520TV&Referer=r', '/gone.ts'];
  const entries = [
    ...paths.map((path) => entry(path)),
    entry('/two.ts', '302:0:0:0'),
    reference('http://127.0.0.1:1/closed.ts'),
    reference('http://169.254.1.1/link.ts'),
    reference('rtmp://127.0.0.1/live'),
  ];
  writeFileSync(
    join(folder, 'userbouquet.iptv.tv'),
    `#NAME IPTV\n${entries.map((text) => `#SERVICE ${text}:Name\n`).join('')}`,
  );
  const services = await Services.load(folder);
  server = new StreamServer(
    { pool, network, clock: systemClock, accessControl: openAccessControl(folder), log, services },
    { bind: '127.0.0.1', port: 0, clientBound: 1 << 20, maximumClients: 6 },
  );
  await server.start();
  own.port = server.port;
});

afterAll(async () => {
  await server.stop();
  await network.close();
  await provider.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(text: string, headers: Readonly<Record<string, string>> = {}): Promise<http.IncomingMessage> {
  const request = http.get({ host: '127.0.0.1', port: server.port, path: `/${encodeURIComponent(text)}`, headers });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  return response;
}

/** The service id of each PAT, in order of arrival. */
async function* serviceIdsIn(response: http.IncomingMessage): AsyncGenerator<number> {
  expect(response.statusCode).toBe(200);
  let rest = Buffer.alloc(0);
  for await (const chunk of response as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    for (; rest.length >= 188; rest = rest.subarray(188)) {
      expect(rest[0]).toBe(0x47);
      if ((rest.readUInt16BE(1) & 0x1fff) === 0) yield rest.readUInt16BE(13);
    }
  }
}

/** The service ids without consecutive repeats, up to the requested number. */
async function serviceIds(response: http.IncomingMessage, count = 1): Promise<readonly number[]> {
  const found: number[] = [];
  for await (const id of serviceIdsIn(response)) {
    if (id !== found.at(-1)) found.push(id);
    if (found.length >= count) break;
  }
  response.destroy();
  return found;
}

async function refusal(text: string, headers?: Readonly<Record<string, string>>) {
  const response = await ask(text, headers);
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const { error, message } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, string>;
  return { status: response.statusCode, location: response.headers.location, error, message };
}

const requestsOf = (path: string) => provider.requests.filter(({ url }) => url === path);

it('is received once for all its clients, until the last one leaves', async () => {
  const [first, second] = await Promise.all([ask(entry('/live.ts')), ask(entry('/live.ts'))]);
  expect(server.clients.map(({ tuner }) => tuner)).toEqual([undefined, undefined]);
  expect(await Promise.all([serviceIds(first), serviceIds(second)])).toEqual([[0x101], [0x101]]);
  expect(requestsOf('/live.ts')).toHaveLength(1);
  expect(requestsOf('/live.ts')[0]?.headers['user-agent']).toMatch(/^receiverd\//);
  await until(() => expect(provider.viewers.size).toBe(0));
});

it('begins for its first client with the access point that the server has sent first', async () => {
  const response = await ask(entry('/pictures.ts'));
  const pids: number[] = [];
  let video: Buffer | undefined;
  let rest = Buffer.alloc(0);
  for await (const chunk of response as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    for (; rest.length >= 188 && video === undefined; rest = rest.subarray(188)) {
      const pid = rest.readUInt16BE(1) & 0x1fff;
      pids.push(pid);
      if (pid === videoPid) video = rest.subarray(0, 188);
    }
    if (video !== undefined) break;
  }
  response.destroy();
  expect(pids.slice(0, 2)).toEqual([0, 0x100]);
  expect((video?.[5] ?? 0) & randomAccess).toBe(randomAccess);
  await until(() => expect(provider.viewers.size).toBe(0));
});

it('is counted while it is received; its bytes stay counted', async () => {
  const counted = networkStreams({}, {}, 60);
  const lease = await counted.tune(ServiceReference.parse(`${entry('/live.ts')}:Name`), 'stream', 'me');
  await until(() => expect(counted.totals.bytes).toBeGreaterThan(0));
  expect(counted.running).toBe(1);
  lease.release();
  const { bytes } = counted.totals;
  await (await counted.tune(ServiceReference.parse(`${entry('/two.ts')}:Name`), 'stream', 'me')).release();
  expect(counted.running).toBe(1);
  expect(counted.totals.bytes).toBeGreaterThanOrEqual(bytes);
  await counted.close();
});

it('carries the headers of its entry, and follows redirects', async () => {
  const login = entry('/login.ts#User-Agent=My%2520TV&Referer=r');
  expect(await serviceIds(await ask(login))).toEqual([0x101]);
  expect(requestsOf('/login.ts')[0]?.headers).toMatchObject({ 'user-agent': 'My TV', referer: 'r' });
  expect(await serviceIds(await ask(entry('/moved')))).toEqual([0x101]);
});

it('follows redirects with unescaped characters, in any encoding', async () => {
  expect(await serviceIds(await ask(entry('/moved-far')))).toEqual([0x101]);
  expect(requestsOf('/Sender%20%C3%BC/%C3%9C.ts?x=%C3%BC')).toHaveLength(1);
  expect(await serviceIds(await ask(entry('/moved-latin')))).toEqual([0x202]);
});

it('with several services yields the one that the entry names, or the first', async () => {
  expect(await serviceIds(await ask(entry('/two.ts')))).toEqual([0x301]);
  expect(await serviceIds(await ask(entry('/two.ts', '302:0:0:0')))).toEqual([0x302]);
});

it('carries the cookies that redirects and playlists set, and accepts no encoding', async () => {
  expect(await serviceIds(await ask(entry('/cookies')))).toEqual([0x101]);
  expect(requestsOf('/hls/cookies.ts')[0]?.headers['accept-encoding']).toBe('identity');
});

it('may be compressed although no encoding was accepted, or only claim to be', async () => {
  expect(await serviceIds(await ask(entry('/packed.m3u8')), 2)).toEqual([0x101, 0x202]);
  expect(await refusal(entry('/cut.m3u8'))).toMatchObject({ message: /the server has closed the connection/ });
  expect(await refusal(entry('/damaged.m3u8'))).toMatchObject({ message: /has compressed is damaged/ });
});

it('may have its PAT and PMT in the map of a playlist', async () => {
  expect(await serviceIds(await ask(entry('/map.m3u8')))).toEqual([0x101]);
});

it('continues with advertisements that have another program number, and back', async () => {
  expect(await serviceIds(await ask(entry('/advertisements.ts')), 3)).toEqual([0x101, 0x202, 0x101]);
  expect(requestsOf('/advertisements.ts')).toHaveLength(1);
});

it('resumes after the server has ended it, even with another service', async () => {
  expect(await serviceIds(await ask(entry('/changing.ts')), 2)).toEqual([0x101, 0x202]);
});

it('is refused with the reason', async () => {
  expect(await refusal(entry('/gone.ts'))).toMatchObject({
    status: 502,
    error: 'stream-failed',
    message: "the stream 'Name': the server answers with status 404",
  });
  expect(await refusal(reference('http://127.0.0.1:1/closed.ts'))).toMatchObject({
    message: "the stream 'Name': connection refused",
  });
  expect(await refusal(entry('/empty.ts'))).toMatchObject({ message: "the stream 'Name': the server sends nothing" });
  expect(await refusal(entry('/upgrade.ts'))).toMatchObject({ message: /the server has closed the connection/ });
  expect(await refusal(entry('/nonsense.ts'))).toMatchObject({ message: /the response is not valid HTTP/ });
  expect(await refusal(entry('/wordy.ts'))).toMatchObject({ message: /the header of the response is too large/ });
  expect(await refusal(entry('/circle'))).toMatchObject({ status: 502, message: /: it is redirected too often/ });
  expect(await refusal(entry('/file'))).toMatchObject({ status: 403, error: 'not-allowed' });
  expect(await refusal(reference('http://169.254.1.1/link.ts'))).toMatchObject({ status: 403, error: 'not-allowed' });
});

it('may have headers that players accept although HTTP forbids them', async () => {
  for (const path of ['/two-lengths.ts', '/line-feeds.ts'])
    expect(await serviceIds(await ask(entry(path)))).toEqual([0x101]);
});

it('of a Shoutcast 1 station is left to the player, unless the station is full', async () => {
  expect(await refusal(entry('/shoutcast'))).toMatchObject({ status: 302, location: `${provider.url}/shoutcast` });
  expect(messages).toContain(
    "left to the player: the stream 'Name': the server speaks ICY, as Shoutcast does, and not HTTP",
  );
  expect(await refusal(entry('/shoutcast-full'))).toMatchObject({ status: 502, message: /status 401/ });
});

it('is not requested again at once from a server that refuses it', async () => {
  expect(await refusal(entry('/full.ts'))).toMatchObject({ status: 502 });
  expect(await refusal(entry('/full.ts'))).toMatchObject({ status: 502, message: /status 403/ });
  expect(requestsOf('/full.ts')).toHaveLength(1);
});

it('is requested after the previous one of the same host was closed: accounts allow one connection', async () => {
  const lingering = networkStreams({}, {}, 60);
  const tune = (path: string) => lingering.tune(ServiceReference.parse(`${entry(path)}:Name`), 'stream', 'me');
  (await tune('/live.ts')).release();
  await until(() => expect(provider.viewers.size).toBe(1));
  (await tune('/two.ts')).release();
  await until(() => expect(provider.viewers.size).toBe(1));
  await lingering.close();
  await until(() => expect(provider.viewers.size).toBe(0));
});

it('is given up if the server keeps sending other data', async () => {
  const lease = await network.tune(ServiceReference.parse(`${entry('/garbage.ts')}:Name`), 'stream', 'me');
  await until(() => expect(requestsOf('/garbage.ts').length).toBeGreaterThan(1));
  lease.release();
});

it('is left to the player if it is not a transport stream, or in no list', async () => {
  expect(await refusal(entry('/page.ts'))).toMatchObject({ status: 302, location: `${provider.url}/page.ts` });
  for (const [path, kind] of [
    ['/mp4.m3u8', 'fragmented MP4'],
    ['/radio.m3u8', 'packed audio'],
  ] as const) {
    expect(await refusal(entry(path))).toMatchObject({ status: 302, location: `${provider.url}${path}` });
    expect(messages.at(-1)).toBe(
      `left to the player: the stream 'Name': its segments are not a transport stream but ${kind}`,
    );
  }
  const before = provider.requests.length;
  expect(await refusal(entry('/unlisted.ts'))).toMatchObject({ location: `${provider.url}/unlisted.ts` });
  expect(provider.requests).toHaveLength(before);
});

it('never loops back to the receiver', async () => {
  const mark = { 'x-receiverd': network.mark };
  expect(await refusal(entry('/live.ts'), mark)).toMatchObject({ status: 403, error: 'not-allowed' });
  expect(await refusal(entry('/live.ts'), { 'x-receiverd': 'another' })).toMatchObject({ status: 302 });
  const [first] = requestsOf('/live.ts');
  expect(first?.headers['x-receiverd']).toBe(network.mark);
});
