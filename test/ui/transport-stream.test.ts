/** The reader of PAT and PMT in the player, also with damaged streams. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StreamChoice, TransportStreamReader } from '../../src/ui/pages/watch/transport-stream.ts';

const packetSize = 188;
const pmtPid = 0x100;

function packet(pid: number, begins: boolean, payload: readonly number[], control = 0x10): Uint8Array {
  const bytes = new Uint8Array(packetSize).fill(0xff);
  bytes.set([0x47, (begins ? 0x40 : 0) | (pid >> 8), pid & 0xff, control, ...payload]);
  return bytes;
}

/** A section with a CRC of zeros, which the reader does not check. */
const section = (tableId: number, body: readonly number[]) => [
  ...[0, tableId, 0xb0 | ((body.length + 9) >> 8), (body.length + 9) & 0xff],
  ...[0, 1, 0xc1, 0, 0, ...body, 0, 0, 0, 0],
];
const stream = (type: number, pid: number, descriptors: readonly number[] = []) => [
  ...[type, 0xe0 | (pid >> 8), pid & 0xff, 0xf0, descriptors.length, ...descriptors],
];
const latin = (code: string) => [...new TextEncoder().encode(code)];
const language = (code: string) => [10, 4, ...latin(code), 0];

const pat = packet(0, true, section(0, [0, 1, 0xe0 | (pmtPid >> 8), pmtPid & 0xff]));
const streams = [
  ...stream(2, 0x101),
  ...stream(3, 0x102, language('ita')),
  ...stream(6, 0x103, [0x6a, 1, 0, ...language('fra')]),
  ...stream(6, 0x104, [0x59, 8, ...latin('fra'), 0x20, 0, 1, 0, 2]),
  ...stream(6, 0x105, [0x56, 15, ...latin('ita'), 0x09, 0, ...latin('ita'), 0x17, 0x77, ...latin('eng'), 0x28, 0x88]),
  ...stream(6, 0x106, [0x59, 0]),
];
const pmt = packet(pmtPid, true, section(2, [0xe1, 0x01, 0xf0, 0, ...streams]));

function read(...packets: readonly Uint8Array[]) {
  const reader = new TransportStreamReader();
  for (const one of packets) reader.feed(one);
  return reader.program;
}

describe('a transport stream', () => {
  it('lists streams and subtitles', () => {
    expect(read(pat, pmt)).toEqual({
      pmtPid,
      captions: {},
      streams: [
        { pid: 0x101, kind: 'video', codec: 'MPEG-2', language: '', type: 2 },
        { pid: 0x102, kind: 'audio', codec: 'MPEG', language: 'ita', type: 3 },
        { pid: 0x103, kind: 'audio', codec: 'AC-3', language: 'fra', type: 129 },
        { pid: 0x104, kind: 'other', codec: '', language: '', type: 6 },
        { pid: 0x105, kind: 'other', codec: '', language: '', type: 6 },
        { pid: 0x106, kind: 'other', codec: '', language: '', type: 6 },
      ],
      subtitles: [
        { pid: 0x104, coding: 'DVB', language: 'fra', isForHardOfHearing: true, pages: [1, 2] },
        { pid: 0x105, coding: 'teletext', language: 'ita', isForHardOfHearing: false, pages: [777] },
        { pid: 0x105, coding: 'teletext', language: 'eng', isForHardOfHearing: true, pages: [888] },
      ],
    });
  });

  it('says what a sound track is for', () => {
    const audioType = (code: string, type: number) => [10, 4, ...latin(code), type];
    const supplementary = (classification: number) => [127, 2, 6, 0x80 | (classification << 2)];
    const tracks = [
      ...stream(15, 0x101, audioType('ENG', 0)),
      ...stream(15, 0x102, audioType('eng', 3)),
      ...stream(15, 0x103, audioType('eng', 2)),
      ...stream(6, 0x104, [106, 2, 0x80, 0x50, ...audioType('eng', 0)]),
      ...stream(15, 0x105, [127, 2, 4, 0x8c, ...supplementary(1), ...audioType('eng', 0)]),
      ...stream(15, 0x106, supplementary(3)),
    ];
    const found = read(pat, packet(pmtPid, true, section(2, [0xe1, 0x01, 0xf0, 0, ...tracks])));
    expect(found?.streams.map(({ language: code, purpose }) => [code, purpose])).toEqual([
      ['eng', undefined],
      ['eng', 'description'],
      ['eng', 'hardOfHearing'],
      ['eng', 'description'],
      ['eng', 'description'],
      ['', 'spokenSubtitles'],
    ]);
  });

  it('of ATSC says languages and purposes of its sound tracks, and languages of its captions', () => {
    const ac3 = (bsmod: number, channels: number, words: string, code: string) => [
      ...[8, 0x14, (bsmod << 5) | (channels << 1) | 1, 0xff, ...(channels === 0 ? [0xff] : []), 0xe0],
      ...[(words.length << 1) | 1, ...latin(words), code ? 0xbf : 0x3f, ...latin(code)],
    ];
    const eac3 = (service: number, options: readonly number[], code: string) => [
      ...[options.length === 2 ? 0xf0 : 0xc0, 0xc4 | (service << 3), code ? 0xb0 : 0x30, ...options, ...latin(code)],
    ];
    const sent = (tag: number, body: readonly number[]) => [tag, body.length, ...body];
    const caption = (code: string, flags: number) => [...latin(code), flags, 0x3f, 0xff];
    const tracks = [
      ...stream(
        2,
        0x101,
        sent(0x86, [0xe3, ...caption('ENG', 0xc1), ...caption('fra', 0xc2), ...caption('spa', 0x7f)]),
      ),
      ...stream(0x81, 0x102, sent(0x81, ac3(0, 13, 'Main', 'eng'))),
      ...stream(0x81, 0x103, sent(0x81, ac3(2, 0, '', 'spa'))),
      ...stream(0x81, 0x104, [...sent(0x81, ac3(3, 2, '', '')), ...language('kor')]),
      ...stream(0x87, 0x105, sent(0xcc, eac3(0, [], 'eng'))),
      ...stream(0x87, 0x106, sent(0xcc, eac3(2, [0xe8, 0], 'fra'))),
      ...stream(0x87, 0x107, sent(0xcc, [0xc0])),
    ];
    const found = read(pat, packet(pmtPid, true, section(2, [0xe1, 0x01, 0xf0, 0, ...tracks])));
    // Channel 3 is sent by CTA-608 and CTA-708.
    expect(found?.captions).toEqual({ 1: 'eng', 3: 'spa' });
    expect(found?.streams.slice(1).map(({ codec, language: code, purpose }) => [codec, code, purpose])).toEqual([
      ['AC-3', 'eng', undefined],
      ['AC-3', 'spa', 'description'],
      ['AC-3', 'kor', 'hardOfHearing'],
      ['E-AC-3', 'eng', undefined],
      ['E-AC-3', 'fra', 'description'],
      ['E-AC-3', '', undefined],
    ]);
  });

  it('is read in chunks of any size, and from the middle of a packet', () => {
    const bytes = Buffer.concat([pmt.subarray(50), pat, pmt]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 20, maxLength: 20 }), (sizes) => {
        let at = 0;
        const pieces = sizes.map((size) => {
          at += size;
          return bytes.subarray(at - size, at);
        });
        expect(read(...pieces, bytes.subarray(at))?.streams).toHaveLength(6);
      }),
    );
  });

  const program = read(pat, pmt) ?? expect.fail('no program');

  it('is passed on with the chosen streams and subtitles only', () => {
    const [video, , french] = program.streams;
    const kept = [video, french].filter((one) => one !== undefined);
    const passed = new StreamChoice(program, kept).pass(Buffer.concat([pat, pmt]));
    const types = read(passed.slice(0, packetSize), passed.slice(packetSize))?.streams.map(({ type }) => type);
    expect(types).toEqual([2, 0xfe, 129, 6, 6, 0xfe]);
  });

  it('counts as encrypted if all packets are scrambled', () => {
    const choice = new StreamChoice(program, program.streams);
    choice.pass(packet(0x101, true, [], 0xd0));
    expect(choice.isEncrypted).toBe(true);
    choice.pass(packet(0x101, false, []));
    expect(choice.isEncrypted).toBe(false);
  });

  it('notices what arrives later than the rest', () => {
    const arrivals: number[] = [];
    const [video, , french] = program.streams;
    const choice = new StreamChoice(program, video ? [video] : [], {
      awaited: new Set([french?.pid ?? 0]),
      onArrival: () => void arrivals.push(1),
    });
    choice.pass(packet(0x101, true, []));
    expect(arrivals).toEqual([]);
    choice.pass(packet(french?.pid ?? 0, true, []));
    expect(arrivals).toEqual([1]);
  });

  it('has a duration by its time stamps, whatever their order and their jumps', () => {
    const choice = new StreamChoice(program, program.streams);
    const stamp = (seconds: number) => {
      const ticks = Math.round(seconds * 90_000);
      const [high, low] = [Math.floor(ticks / 2 ** 30), ticks % 2 ** 30];
      const middle = [low >> 22, ((low >> 14) & 0xfe) | 1, (low >> 7) & 0xff, ((low << 1) & 0xfe) | 1];
      return [0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5, 0x21 | (high << 1), ...middle];
    };
    const last = 2 ** 33 / 90_000;
    for (const time of [last - 5, last - 2, last - 4, last - 3, 1000, 1001, 3, 4.5]) {
      choice.pass(packet(0x101, true, stamp(time)));
      choice.pass(packet(0x101, false, stamp(5000)));
      choice.pass(packet(0x200, true, stamp(5000)));
    }
    choice.pass(packet(0x101, true, [0, 0, 1, 0xe0, 0, 0, 0x80, 0]));
    expect(choice.seconds).toBeCloseTo(3 + 1 + 1.5, 3);
  });

  it('survives arbitrary data', () => {
    const packets = fc.array(fc.uint8Array({ minLength: packetSize, maxLength: packetSize }), { maxLength: 6 });
    const damaged = packets.map((all) => all.map((one, n) => (n % 2 ? one : Uint8Array.from(one).fill(0x47, 0, 1))));
    fc.assert(
      fc.property(damaged, fc.nat(packetSize - 5), fc.nat(255), (all, at, value) => {
        const torn = Uint8Array.from(pmt);
        torn[4 + at] = value;
        read(...all, pat, torn, ...all);
        const passed = new StreamChoice(program, []).pass(Buffer.concat([...all, pat, torn]));
        expect(passed.length % packetSize).toBe(0);
      }),
    );
  });
});
