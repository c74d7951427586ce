/** `/grab`: pictures of the screen, and drawn pictures if nothing is shown. */
import { inflateSync } from 'node:zlib';
import { decode, encode } from 'jpeg-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alpha, openReceiver, type TestReceiver } from '../receiver.ts';
import { api } from '../reply.ts';

let receiver: TestReceiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

const grab = (query = '', method: 'GET' | 'HEAD' | 'POST' = 'GET') =>
  receiver.app.inject({ method, url: `/grab${query}` });

/** Size and pixels of a grey PNG with 8 bits and no filters. */
function decoded(png: Buffer): { width: number; height: number; rows: Buffer[] } {
  expect(png.subarray(0, 8)).toEqual(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]));
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  expect([...png.subarray(24, 29)]).toEqual([8, 0, 0, 0, 0]);
  const length = png.readUInt32BE(33);
  expect(png.subarray(37, 41).toString()).toBe('IDAT');
  const lines = inflateSync(png.subarray(41, 41 + length));
  expect(lines).toHaveLength((width + 1) * height);
  const rows = Array.from({ length: height }, (_, y) => lines.subarray(y * (width + 1) + 1, (y + 1) * (width + 1)));
  return { width, height, rows };
}

/** The size of a 24-bit BMP, and its pixels as red, green, blue. */
function bitmap(bytes: Buffer) {
  expect([bytes.toString('latin1', 0, 2), bytes.readUInt32LE(2), bytes.readUInt16LE(28)]).toEqual([
    'BM',
    bytes.length,
    24,
  ]);
  const [width, height, begin] = [bytes.readInt32LE(18), bytes.readInt32LE(22), bytes.readUInt32LE(10)];
  const stride = (bytes.length - begin) / height;
  const at = (x: number, y: number) => {
    const place = begin + (height - 1 - y) * stride + x * 3;
    return [...bytes.subarray(place, place + 3)].reverse();
  };
  return { width, height, at };
}

const white = (rows: readonly Buffer[]) => rows.reduce((sum, row) => sum + row.filter((grey) => grey > 200).length, 0);

describe('/grab', () => {
  it('returns the shown picture in the requested format', async () => {
    await api(receiver, 'zap', { sRef: alpha });
    receiver.playback.picture = Buffer.from('a picture');
    for (const [query, type, ending, options] of [
      ['', 'image/jpeg', 'jpg', { format: 'jpg', width: undefined, subtitles: true }],
      [
        '?mode=all&format=jpg&t=1767291000&r=0',
        'image/jpeg',
        'jpg',
        { format: 'jpg', width: undefined, subtitles: true },
      ],
      ['?format=png&r=720', 'image/png', 'png', { format: 'png', width: 720, subtitles: true }],
      [
        '?o=%20&n=%20&v=%20&format=jpg&r=99999&filename=x',
        'image/jpeg',
        'jpg',
        { format: 'jpg', width: 3840, subtitles: false },
      ],
      ['?r=-3&format=nonsense&mode=', 'image/jpeg', 'jpg', { format: 'jpg', width: undefined, subtitles: true }],
    ] as const) {
      for (const method of ['GET', 'POST', 'HEAD'] as const) {
        const reply = await grab(query, method);
        expect(reply.statusCode).toBe(200);
        expect(reply.headers).toMatchObject({
          'content-type': type,
          'cache-control': 'no-store',
          'content-disposition': `inline; filename="Alpha HD_20260101191000.${ending}"`,
        });
        expect(reply.body).toBe(method === 'HEAD' ? '' : 'a picture');
        expect(receiver.playback.wanted).toEqual(options);
      }
    }
  });

  it('converts the picture of the output to BMP', async () => {
    const data = Buffer.alloc(5 * 3 * 4, 255);
    // The upper half is red, the lower white.
    for (let at = 0; at < 5 * 4; at += 4) data.set([255, 0, 0], at);
    receiver.playback.picture = encode({ width: 5, height: 3, data }, 100).data;
    const { headers, rawPayload } = await grab('?format=bmp&mode=video&r=5');
    expect(receiver.playback.wanted).toEqual({ format: 'jpg', width: 5, subtitles: false });
    expect(headers).toMatchObject({
      'content-type': 'image/bmp',
      'content-disposition': 'inline; filename="Living room_20260101191000.bmp"',
    });
    const { width, height, at } = bitmap(rawPayload);
    expect([width, height, rawPayload.length]).toEqual([5, 3, 54 + 3 * 16]);
    const [red = 0, green = 0, blue = 0] = at(2, 0);
    expect(red).toBeGreaterThan(200);
    expect(Math.max(green, blue)).toBeLessThan(100);
    for (const value of at(2, 2)) expect(value).toBeGreaterThan(200);
  });

  it('draws the names of service and event if nothing is shown', async () => {
    const bare = decoded((await grab('?format=png')).rawPayload);
    await api(receiver, 'zap', { sRef: alpha });
    const reply = await grab('?format=png&mode=all&r=0');
    expect(reply.headers).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'inline; filename="Alpha HD_20260101191000.png"',
    });
    const { width, height, rows } = decoded(reply.rawPayload);
    expect([width, height]).toEqual([1024, 576]);
    expect(white(rows)).toBeGreaterThan(500);
    // The edges are empty, and the text differs from the text without a service.
    expect(white([...rows.slice(0, 40), ...rows.slice(-40)])).toBe(0);
    expect(Buffer.concat(rows).equals(Buffer.concat(bare.rows))).toBe(false);
  });

  it.each(['', '?mode=all&format=jpg&t=1767291000&r=0', '?format=nonsense'])('draws a JPEG for %j', async (query) => {
    await api(receiver, 'zap', { sRef: alpha });
    const { headers, rawPayload } = await grab(query);
    expect(headers).toMatchObject({
      'content-type': 'image/jpeg',
      'content-disposition': 'inline; filename="Alpha HD_20260101191000.jpg"',
    });
    const { width, height, data } = decode(rawPayload);
    expect([width, height]).toEqual([1024, 576]);
    // Equal to the PNG, apart from compression losses.
    const { rows } = decoded((await grab('?format=png')).rawPayload);
    const difference = Buffer.concat(rows).map((grey, at) => Math.abs(grey - (data[at * 4] as number)));
    expect(difference.reduce((sum, one) => sum + one) / difference.length).toBeLessThan(2);
  });

  it('draws a BMP', async () => {
    const { headers, rawPayload } = await grab('?format=bmp&r=320');
    expect(headers['content-type']).toBe('image/bmp');
    const { width, height, at } = bitmap(rawPayload);
    expect([width, height]).toEqual([320, 180]);
    const { rows } = decoded((await grab('?format=png&r=320')).rawPayload);
    const points = rows.map((_, y) => Array.from({ length: width }, (_, x) => at(x, y)));
    expect(points).toEqual(rows.map((row) => [...row].map((grey) => [grey, grey, grey])));
  });

  it('draws once for concurrent identical requests, and limits concurrent different ones', async () => {
    const same = await Promise.all(Array.from({ length: 30 }, () => grab('?r=160')));
    expect(new Set(same.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    const others = await Promise.all(Array.from({ length: 30 }, (_, n) => grab(`?r=${200 + 2 * n}`)));
    expect(new Set(others.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 503]));
  });

  it.each([
    [320, 320, 180],
    [1, 160, 90],
    [99_999, 1920, 1080],
  ])('draws a requested width of %i pixels as %i by %i', async (r, width, height) => {
    expect(decoded((await grab(`?format=png&r=${r}`)).rawPayload)).toMatchObject({ width, height });
    expect(decode((await grab(`?r=${r}`)).rawPayload)).toMatchObject({ width, height });
  });
});
