/** The subtitle decoders of the player, also with real and damaged subtitles. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DvbSubtitles } from '../../src/ui/pages/watch/subtitles/dvb.ts';
import type { Bitmap, Decoder, Picture } from '../../src/ui/pages/watch/subtitles/picture.ts';
import { TeletextSubtitles } from '../../src/ui/pages/watch/subtitles/teletext.ts';
import { TransportStreamReader } from '../../src/ui/pages/watch/transport-stream.ts';
import { capture, haveCaptures } from '../dvb/captures.ts';

const visible = ({ data }: Bitmap) => data.filter((value, index) => index % 4 === 3 && value > 0).length;

/** Payloads of the PES packets of a PID. */
function payloadsOf(stream: Buffer, pid: number): readonly Uint8Array[] {
  const packets: Buffer[][] = [];
  for (let at = 0; at + 188 <= stream.length; at += 188) {
    const packet = stream.subarray(at, at + 188);
    if (packet[0] !== 0x47 || (packet.readUInt16BE(1) & 0x1fff) !== pid) continue;
    const payload = packet.subarray((packet[3] ?? 0) & 0x20 ? 5 + (packet[4] ?? 0) : 4);
    if ((packet[1] ?? 0) & 0x40) packets.push([]);
    packets.at(-1)?.push(payload);
  }
  return packets
    .map((parts) => Buffer.concat(parts))
    .filter(({ length }) => length > 9)
    .map((packet) => packet.subarray(9 + (packet[8] ?? 0), 6 + packet.readUInt16BE(4)));
}

function lastOf(decoder: Decoder, payloads: readonly Uint8Array[]): Picture | undefined {
  return payloads.map((payload) => decoder.decode(payload)).findLast((picture) => picture !== undefined);
}

const segment = (type: number, page: number, body: readonly number[]) => [
  ...[0x0f, type, page >> 8, page & 255, body.length >> 8, body.length & 255],
  ...body,
];
/** A display set with one region of 8 by 2 pixels and one object with these pixel strings. */
function displaySet(depth: number, top: readonly number[], bottom: readonly number[] = [], page = 1): Uint8Array {
  const [full, two] = [0x01, { 2: 0x80, 4: 0x40, 8: 0x20 }[depth] ?? 0];
  return Uint8Array.from([
    ...[0x20, 0],
    ...segment(0x14, page, [0, 719 >> 8, 719 & 255, 575 >> 8, 575 & 255]),
    ...segment(0x10, page, [7, 0x08, 3, 0, 0, 100, 1, 0xf4]),
    ...segment(0x11, page, [3, 0x08, 0, 8, 0, 2, (Math.log2(depth) << 2) | 0xe0, 5, 0, 0, 0, 9, 0, 0, 0, 0]),
    ...segment(0x12, page, [5, 0, 1, two | full, 235, 128, 128, 0, 2, two | full, 16, 128, 128, 55]),
    ...segment(0x13, page, [0, 9, 0, 0, top.length, 0, bottom.length, ...top, ...bottom]),
    ...segment(0x80, page, []),
    0xff,
  ]);
}
const white = [255, 255, 255, 255];
const shade = [0, 0, 0, 200];
const clear = [0, 0, 0, 0];

describe('DVB subtitles', () => {
  it.each([
    ['two', 2, [0x10, 0b01_00_1_001, 0b10_000000]],
    ['four', 4, [0x11, 0b0001_0000, 0b1_0_00_0010, 0]],
    ['eight', 8, [0x12, 1, 0, 0x84, 2, 0, 0]],
  ])('are drawn from codes of %s bits', (_name, depth, top) => {
    const [image] = new DvbSubtitles(1, 1).decode(displaySet(depth, top))?.bitmaps ?? [];
    expect(image).toMatchObject({ x: 100, y: 500, width: 8, height: 2 });
    const pixels = Array.from({ length: 5 }, (_, at) => [...(image?.data.subarray(4 * at, 4 * at + 4) ?? [])]);
    expect(pixels).toEqual([white, shade, shade, shade, shade]);
  });

  it('use one field for both if the other is empty', () => {
    const top = [0x12, 1, 1, 0, 0];
    const [image] = new DvbSubtitles(1, 1).decode(displaySet(8, top))?.bitmaps ?? [];
    const rows = [0, 8].map((at) => [...(image?.data.subarray(4 * at, 4 * at + 12) ?? [])]);
    expect(rows).toEqual([
      [...white, ...white, ...clear],
      [...white, ...white, ...clear],
    ]);
  });

  it('of other pages are ignored', () => {
    expect(new DvbSubtitles(2, 3).decode(displaySet(8, [0x12, 1, 0, 0]))).toBeUndefined();
    expect(new DvbSubtitles(2, 1).decode(displaySet(8, [0x12, 1, 0, 0]))).toBeDefined();
  });

  it.skipIf(!haveCaptures)('of a broadcast are decoded', () => {
    const stream = readFileSync(capture('arte-2019-av.ts'));
    const reader = new TransportStreamReader();
    reader.feed(stream);
    const { subtitles = [] } = reader.program ?? {};
    expect(subtitles).toEqual([
      { pid: 340, coding: 'DVB', language: 'fra', isForHardOfHearing: true, pages: [1, 1] },
      { pid: 341, coding: 'DVB', language: 'fra', isForHardOfHearing: false, pages: [1, 1] },
      { pid: 342, coding: 'DVB', language: 'deu', isForHardOfHearing: false, pages: [1, 1] },
    ]);
    // "Et qui habite" and "près des bords de Rance.", each in a box.
    const picture = lastOf(new DvbSubtitles(1, 1), payloadsOf(stream, 340));
    expect(picture).toMatchObject({ width: 720, height: 576, timeOut: 10 });
    expect(picture?.bitmaps.map((one) => [one.x, one.y, one.width, one.height, visible(one)])).toEqual([
      [60, 460, 600, 42, 7020],
      [60, 502, 600, 42, 13104],
    ]);
  });

  it('survive arbitrary data', () => {
    const bytes = [...displaySet(4, [0x11, 0x10, 0xc8, 0x02, 0x00, 0x20, 1, 2, 0xf0])];
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 8 }),
        fc.uint8Array(),
        (changes, all) => {
          const torn = Uint8Array.from(bytes);
          for (const [at, value] of changes) torn[at] = value;
          const decoder = new DvbSubtitles(1, 1);
          for (const payload of [torn, all, torn.subarray(0, all.length), torn]) decoder.decode(payload);
        },
      ),
    );
  });
});

/** Hamming 8/4 codes, listed in EN 300 706 §8.2. */
const hamming = [0x15, 0x02, 0x49, 0x5e, 0x64, 0x73, 0x38, 0x2f, 0xd0, 0xc7, 0x8c, 0x9b, 0xa1, 0xb6, 0xfd, 0xea];
const turned = (byte: number) => Number.parseInt([...byte.toString(2).padStart(8, '0')].reverse().join(''), 2);
const odd = (code: number) => code | ([...code.toString(2)].filter((bit) => bit === '1').length % 2 ? 0 : 0x80);

/** A data unit with a packet of magazine 8; page 88 of it is page 888. */
function unit(row: number, bytes: readonly number[]): readonly number[] {
  const address = [(row & 1) << 3, row >> 1].map((number) => hamming[number] ?? 0);
  const packet = [...address, ...bytes, ...new Array<number>(40).fill(0x20)].slice(0, 42);
  return [3, 44, 0xe7, 0xe4, ...packet.map(turned)];
}
const header = (page: number, option: number, isErased = true) =>
  unit(
    0,
    [page & 15, page >> 4, 0, isErased ? 8 : 0, 0, 0, 0, option << 1].map((number) => hamming[number] ?? 0),
  );
const text = (row: number, words: string) =>
  unit(row, [0x0d, 0x0b, 0x0b, ...[...words].map((letter) => letter.charCodeAt(0)), 0x0a, 0x0a].map(odd));
/** Triplets of enhancements (address, mode, data), without protection bits. */
const triplets = (...all: readonly (readonly [number, number, number])[]) =>
  unit(26, [
    hamming[0] ?? 0,
    ...all.flatMap(([address, mode, data]) => [
      ((address & 1) << 2) | ((address & 0x0e) << 3),
      (address >> 4) | (mode << 2),
      data,
    ]),
    ...new Array<number>(39).fill(0xff),
  ]);
const payload = (...units: readonly (readonly number[])[]) => Uint8Array.from([0x10, ...units.flat()]);

describe('teletext subtitles', () => {
  it('are rows of text', () => {
    const decoder = new TeletextSubtitles(888);
    const picture = decoder.decode(payload(header(0x88, 0), text(20, 'Good evening,'), text(22, 'everybody')));
    expect(picture?.text).toBe('Good evening,\neverybody');
    expect(decoder.decode(payload(header(0x88, 0)))?.text).toBe('');
  });

  it('use national options', () => {
    const picture = new TeletextSubtitles(888).decode(payload(header(0x88, 4), text(20, 'Gr}~e')));
    expect(picture?.text).toBe('Grüße');
  });

  it('have accents and symbols', () => {
    const enhanced = triplets([40 + 20, 4, 0], [3, 0x18, 0x45], [5, 0x0f, 0x55]);
    const picture = new TeletextSubtitles(888).decode(payload(header(0x88, 0), text(20, 'E *'), enhanced));
    expect(picture?.text).toBe('Ë ♪');
  });

  it('of other pages are ignored', () => {
    const decoder = new TeletextSubtitles(888);
    expect(decoder.decode(payload(header(0x87, 0), text(20, 'Other')))).toBeUndefined();
    expect(decoder.decode(payload(text(20, 'Other')))).toBeUndefined();
  });

  it.skipIf(!haveCaptures)('of a broadcast are decoded as text', () => {
    const stream = readFileSync(capture('dtt-italy-rai.ts'));
    const picture = lastOf(new TeletextSubtitles(777), payloadsOf(stream, 0x241));
    expect(picture?.text).toBe('Tu stavi facendo sicuramente cose');
  });

  it('survive arbitrary data', () => {
    const bytes = [...payload(header(0x88, 4), text(20, 'Text'), triplets([60, 4, 0], [3, 0x18, 0x45]))];
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 8 }),
        fc.uint8Array(),
        (changes, all) => {
          const torn = Uint8Array.from(bytes);
          for (const [at, value] of changes) torn[at] = value;
          const decoder = new TeletextSubtitles(888);
          for (const one of [torn, all, torn.subarray(0, all.length), torn]) decoder.decode(one);
        },
      ),
    );
  });
});
