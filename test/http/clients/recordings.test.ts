/**
 * The requests of real clients about recordings, in their order, with responses parsed as strictly as the clients do.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createServer } from '../../../src/http/server.ts';
import { writeRecording } from '../../fixtures/recordings.ts';
import { alpha, now, openReceiver, type TestReceiver } from '../receiver.ts';
import { all, at, get, parseXml } from '../reply.ts';

const content = Buffer.alloc(188 * 40, 0x47);
const tags = `Manual ChannelType=TV ChannelRef=${alpha} Padding=7,5 GenreId=0x23`;

let receiver: TestReceiver;
let location: string;
let path: string;
beforeEach(async () => {
  receiver = await openReceiver();
  location = `${join(receiver.folder, 'movie')}/`;
  path = join(location, '20260101 1857 - Alpha HD - Ships & Cafés.ts');
  writeRecording(path, {
    content,
    meta: [alpha, 'Ships & Cafés', 'Episode 3', `${now - 780}`, tags, '286200000', `${content.length}`],
  });
  writeRecording(join(location, 'bare.ts'));
});
afterEach(() => receiver.close());

const reference = () => `1:0:0:0:0:0:0:0:0:0:${path}`;
const meta = () => readFileSync(`${path}.meta`, 'utf8').split('\n');
const movies = async (parameters: Record<string, string | number>) =>
  all(parseXml((await get(receiver, '/web/movielist', parameters)).body), 'e2movie');
const textOf = (movie: ReturnType<typeof all>[number] | undefined, name: string) => movie && at(movie, name).text;

describe('Kodi', () => {
  /** The headers that libcurl adds to every request of Kodi. */
  const headers = { range: 'bytes=0-', 'accept-encoding': 'deflate, gzip, br, zstd' };

  it('reads the recordings of each location, with the tags it wrote', async () => {
    const found = await movies({ dirname: location, recursive: 1, internal: 1 });
    const movie = found.find((one) => textOf(one, 'e2title') === 'Ships & Cafés');
    expect(textOf(movie, 'e2servicereference')).toBe(reference());
    expect(textOf(movie, 'e2time')).toBe(`${now - 780}`);
    expect(textOf(movie, 'e2length')).toBe('53:00');
    expect(textOf(movie, 'e2filename')).toBe(path);
    expect(textOf(movie, 'e2tags')).toBe(tags);
    expect(await movies({ dirname: `${location}.Trash`, internal: 1 })).toEqual([]);
  });

  it('plays by range requests, which are never compressed', async () => {
    const read = (range: string) =>
      receiver.app.inject({ url: `/file?file=${encodeURIComponent(path)}`, headers: { ...headers, range } });
    const whole = await read('bytes=0-');
    expect([whole.statusCode, whole.headers['content-range']]).toEqual([
      206,
      `bytes 0-${content.length - 1}/${content.length}`,
    ]);
    const rest = await read('bytes=1000-');
    expect(rest.rawPayload.equals(content.subarray(1000))).toBe(true);
    const end = await read(`bytes=-${content.length + 1_000_000}`);
    expect([end.statusCode, end.rawPayload.equals(content)]).toEqual([206, true]);
    for (const { headers: got } of [whole, rest]) expect(got['content-encoding']).toBeUndefined();
  });

  it.each(['bytes=abc', 'bytes=', 'bytes=-', 'bytes=1e3-2e3', 'bytes=0x1-0x5'])('ignores %s', async (range) => {
    const url = `/file?file=${encodeURIComponent(path)}`;
    const { statusCode, rawPayload } = await receiver.app.inject({ url, headers: { ...headers, range } });
    expect([statusCode, rawPayload.equals(content)]).toEqual([200, true]);
  });

  it('stores play count and position with its base URL repeated, and searches the raw response', async () => {
    const doubled = '/http://user:word@127.0.0.1:8080/api/movieinfo';
    const one = { sref: reference(), deltag: '', addtag: 'PlayCount=1,LastPlayed=42,NextSyncTime=1767293100' };
    expect((await get(receiver, doubled, one)).body).toContain('"result": true');
    expect(meta()[4]?.split(' ')).toEqual(expect.arrayContaining(['PlayCount=1', 'LastPlayed=42', ...tags.split(' ')]));
    const other = { sref: reference(), deltag: 'PlayCount=1,LastPlayed=42', addtag: 'PlayCount=2,LastPlayed=0' };
    expect((await get(receiver, doubled, other)).body).toContain('"result": true');
    const words = meta()[4]?.split(' ');
    expect(words).toEqual(expect.arrayContaining(['PlayCount=2', 'LastPlayed=0']));
    expect(words).not.toContain('PlayCount=1');
  });

  it('renames', async () => {
    const reply = await get(receiver, '/api/movieinfo', { sref: reference(), title: 'Late & <Early> Äpfel' });
    expect(reply.body).toContain('"result": true');
    expect(meta()[1]).toBe('Late & <Early> Äpfel');
  });

  it('polls the size of a growing recording', async () => {
    const { body } = await get(receiver, '/api/moviedetails', { sref: reference() });
    expect(JSON.parse(body)).toMatchObject({ movie: { filesize: content.length } });
  });

  it('repeats its base URL with user name and password, which never appear in the log', async () => {
    const lines: string[] = [];
    const sink = new Writable({
      write(line, _encoding, done) {
        lines.push(String(line));
        done();
      },
    });
    const app = createServer(receiver.parts, { logger: pino({ level: 'trace' }, sink) });
    for (const rest of ['/api/vol', '/web/currenttime', '/nothing', '/file?file=/nothing', '/picon/nothing.png']) {
      await app.inject(`/http://user:secret@127.0.0.1:8080${rest}`);
    }
    await app.close();
    expect(lines.length).toBeGreaterThanOrEqual(5);
    expect(lines.filter((line) => line.includes('secret'))).toEqual([]);
  });
});

describe('dreamDroid', () => {
  it('reads sizes as digits or None, even of recordings without metadata', async () => {
    const found = await movies({ dirname: location });
    expect(found).toHaveLength(2);
    for (const movie of found) expect(textOf(movie, 'e2filesize')).toMatch(/^(\d+|None)$/);
  });

  it('requests picons at the path they have on boxes', async () => {
    const file = '/usr/share/enigma2/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png';
    expect(await get(receiver, '/file', { file })).toMatchObject({ status: 200, type: 'image/png' });
  });
});

describe('ioBroker.enigma2', () => {
  it('finds the channel of a recording by its name, which is always a string', async () => {
    // The client encodes the folder as a URL, not as a parameter.
    const { body } = await get(receiver, `/api/movielist?dirname=${encodeURI(location)}`);
    const found = JSON.parse(body) as { movies: { servicename: unknown }[]; bookmarks: unknown };
    expect(found.movies).toHaveLength(2);
    for (const { servicename } of found.movies) expect(typeof servicename).toBe('string');
    expect(Array.isArray(found.bookmarks)).toBe(true);
  });
});
