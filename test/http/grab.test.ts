/** Screenshots by /grab. */
import { inflateSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { alpha, openReceiver, type TestReceiver } from './receiver.ts';
import { api } from './reply.ts';

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
      ['?format=bmp&mode=video', 'image/png', 'png', { format: 'png', width: undefined, subtitles: false }],
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

  it('draws station and title if nothing is shown: PNG, whatever the requested format', async () => {
    const bare = decoded((await grab()).rawPayload);
    await api(receiver, 'zap', { sRef: alpha });
    const reply = await grab('?format=jpg&mode=all&r=0');
    expect(reply.headers).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'inline; filename="Alpha HD_20260101191000.png"',
    });
    const { width, height, rows } = decoded(reply.rawPayload);
    expect([width, height]).toEqual([1024, 576]);
    expect(white(rows)).toBeGreaterThan(500);
    // The edges are empty, and the text differs from that without a service.
    expect(white([...rows.slice(0, 40), ...rows.slice(-40)])).toBe(0);
    expect(Buffer.concat(rows).equals(Buffer.concat(bare.rows))).toBe(false);
  });

  it.each([
    [320, 320, 180],
    [1, 160, 90],
    [99_999, 1920, 1080],
  ])('draws %i pixels of width as %i by %i', async (r, width, height) => {
    expect(decoded((await grab(`?r=${r}`)).rawPayload)).toMatchObject({ width, height });
  });
});
