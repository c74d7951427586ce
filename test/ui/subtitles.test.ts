/** The subtitle decoders of the player, also with real and damaged subtitles. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CaptionReader } from '../../src/ui/pages/watch/caption-reader.ts';
import { type Caption, Captions } from '../../src/ui/pages/watch/subtitles/captions.ts';
import { DvbSubtitles } from '../../src/ui/pages/watch/subtitles/dvb.ts';
import type { Bitmap, Decoder, Picture } from '../../src/ui/pages/watch/subtitles/picture.ts';
import { TeletextSubtitles } from '../../src/ui/pages/watch/subtitles/teletext.ts';
import { TransportStreamReader } from '../../src/ui/pages/watch/transport-stream.ts';
import { capture, haveCaptures } from '../dvb/captures.ts';
import { captionData, captionPairs } from '../fixtures/captions.ts';

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

describe('closed captions', () => {
  const frame = 1001 / 30_000;
  /** Decodes a pair of each picture; for the second field, a list of them. */
  const decode = (first: readonly (readonly number[])[], second: readonly (readonly number[])[] = []) => {
    const captions = new Captions();
    return Array.from({ length: Math.max(first.length, second.length) + 4 }, (_, number) =>
      captions.decode(number * frame, [first[number] ?? [], second[number] ?? []]),
    ).flat();
  };
  const texts = (captions: readonly Caption[]) => captions.map(({ channel, picture }) => [channel, picture.text]);
  /** A command of the first channel, sent twice. */
  const command = (code: number) => [
    [0x14, code],
    [0x14, code],
  ];

  it('are texts of their channel, from the end of the caption to their erasure', () => {
    const shown = decode([...captionPairs('HELLO THERE'), [], [], [], [], ...command(0x2c)], captionPairs('HOLA', 2));
    expect(texts(shown)).toEqual([
      [3, 'HOLA'],
      [1, 'HELLO THERE'],
      [1, ''],
    ]);
    const [, { picture }] = shown as [Caption, Caption];
    expect(picture).toMatchObject({ width: 640, height: 360, bitmaps: [] });
    // Row 15 of 15, column 4 of 32.
    expect(picture.cells[0]).toEqual({
      ...{ x: 64 + 4 * 16, y: 30 + 14 * 20, width: 16, height: 20 },
      ...{ text: 'H', colour: '#fff', background: '#000' },
    });
    expect(picture.cells.map(({ text: letter }) => letter).join('')).toBe('HELLO THERE');
  });

  it('grow letter by letter in live programmes, at most ten times a second', () => {
    const line = captionPairs('GOOD EVENING').slice(4, -2);
    const shown = decode([...command(0x25), ...command(0x2d), [0x14, 0x70], ...line]);
    expect(shown.at(-1)?.picture.text).toBe('GOOD EVENING');
    expect(texts(shown)[0]).toEqual([1, 'GO']);
    expect(shown.length).toBeLessThan(line.length);
  });

  it('have colours', () => {
    const green = [0x11, 0x22];
    const pairs = captionPairs('AB');
    const [caption] = decode([...pairs.slice(0, 4), green, green, ...pairs.slice(4)]);
    expect(caption?.picture.cells.map(({ text: letter, colour }) => [letter, colour]).slice(-2)).toEqual([
      ['A', '#0f0'],
      ['B', '#0f0'],
    ]);
  });

  it('are kept apart from data about the programme between them', () => {
    const pairs = captionPairs('HOLA', 2);
    const name = [
      [0x01, 0x03],
      [0x4e, 0x45],
      [0x57, 0x53],
      [0x0f, 0x1d],
    ];
    const [caption] = decode([], [...pairs.slice(0, 5), ...name, ...pairs.slice(0, 2), ...pairs.slice(5)]);
    expect(caption?.picture.text).toBe('HOLA');
  });

  it('survive arbitrary data', () => {
    const bytes = fc.array(fc.tuple(fc.integer({ min: 0x10, max: 0x1f }), fc.nat(255)), { maxLength: 60 });
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(255)), (commands, others) => {
        const captions = decode(commands, [commands.flat(), others]);
        for (const { picture } of captions) expect(picture.cells.length).toBeLessThanOrEqual(15 * 32);
      }),
    );
  });

  it('survive a style behind a row that is full', () => {
    const green = [0x11, 0x22];
    const row = Array.from({ length: 48 }, () => [0x41, 0x42]);
    const shown = decode([...captionPairs('HELLO').slice(0, 4), ...row, green, ...captionPairs('THERE')]);
    expect(texts(shown)).toEqual([[1, 'THERE']]);
  });
});

describe('closed captions in pictures', () => {
  const [videoPid, audioPid] = [0x100, 0x101];
  const stamp = (prefix: number, ticks: number) => [
    ...[prefix | ((ticks / 2 ** 30) << 1) | 1, (ticks >> 22) & 0xff, ((ticks >> 14) & 0xfe) | 1],
    ...[(ticks >> 7) & 0xff, ((ticks << 1) & 0xfe) | 1],
  ];
  /** Packets of a PES packet, shown and decoded at these times, in ticks. */
  function pes(pid: number, shown: number, decoded: number, body: Uint8Array): readonly Uint8Array[] {
    const head = [0, 0, 1, 0xe0, 0, 0, 0x80, 0xc0, 10, ...stamp(0x30, shown), ...stamp(0x10, decoded)];
    const bytes = Buffer.concat([Buffer.from(head), body]);
    return Array.from({ length: Math.ceil(bytes.length / 184) }, (_, part) => {
      const packet = Buffer.alloc(188, 0xff);
      packet.set([0x47, (part === 0 ? 0x40 : 0) | (pid >> 8), pid & 0xff, 0x10]);
      bytes.copy(packet, 4, part * 184, part * 184 + 184);
      return packet;
    });
  }
  /** H.264 with caption data as SEI, after this number of bytes of other units. */
  function picture(first: readonly number[], before = 0): Uint8Array {
    const data = captionData(first);
    const sei = [0, 0, 0, 1, 6, 4, data.length + 3, 0xb5, 0, 0x31, ...data, 0x80];
    return Buffer.concat([Buffer.alloc(before, 0x2a), Buffer.from(sei), Buffer.from([0, 0, 1, 0x41, 1, 2, 3])]);
  }
  function read(packets: readonly (readonly [pid: number, packet: Uint8Array])[]) {
    const taken: (readonly [seconds: number, first: readonly number[]])[] = [];
    const reader = new CaptionReader(videoPid, (seconds, [first = []]) =>
      taken.push([Math.round(seconds * 100) / 100, first.map((byte) => byte & 0x7f)]),
    );
    for (const [pid, packet] of packets) reader.feed(pid, packet);
    return taken;
  }
  const sent = (pid: number, shown: number, decoded: number, body: Uint8Array) =>
    pes(pid, shown, decoded, body).map((packet) => [pid, packet] as const);
  const sound = (ticks: number) => sent(audioPid, ticks, ticks, Uint8Array.of(1));

  it('are found wherever packets are split, in the order in which the pictures are shown', () => {
    for (let before = 0; before < 200; before++) {
      const taken = read([
        ...sound(81_000),
        ...sent(videoPid, 90_000, 81_000, picture([0x41, 0x41], before)),
        ...sent(videoPid, 180_000, 90_000, picture([0x43, 0x43], before)),
        ...sent(videoPid, 135_000, 135_000, picture([0x42, 0x42], before)),
        ...sent(videoPid, 225_000, 180_000, picture([0x44, 0x44], before)),
        ...sent(videoPid, 300_000, 225_000, picture([], before)),
      ]);
      // From the sound on, which begins first.
      expect(taken, `${before} bytes before`).toEqual([
        [0.1, [0x41, 0x41]],
        [0.6, [0x42, 0x42]],
        [1.1, [0x43, 0x43]],
      ]);
    }
  });

  it('continue when the time stamps start again at zero', () => {
    const last = 2 ** 33 - 90_000;
    const taken = read([
      ...sent(videoPid, last, last, picture([0x41, 0x41])),
      ...sent(videoPid, 90_000, 90_000, picture([0x42, 0x42])),
      ...sent(videoPid, 100_000, 100_000, picture([])),
    ]);
    expect(taken.map(([seconds]) => seconds)).toEqual([0, 2]);
  });

  it('survive arbitrary data', () => {
    const whole = picture([0x41, 0x41]);
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 188, maxLength: 188 })), fc.nat(whole.length), (all, length) => {
        const torn = sent(videoPid, 90_000, 90_000, whole.subarray(0, length));
        read([...torn, ...all.map((packet) => [videoPid, packet.fill(0x47, 0, 1)] as const), ...torn]);
      }),
    );
  });
});
