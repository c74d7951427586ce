/** The HLS playlist of the timeshift. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePlaylist } from '../../src/iptv/hls-playlist.ts';
import { maxListedSegments, mediaPlaylist, type SegmentListing } from '../../src/timeshift/playlist.ts';
import type { Segment } from '../../src/timeshift/reading.ts';

const segment = (sequence: number, changes: Partial<Segment> = {}): Segment => ({
  sequence,
  path: '',
  head: 376,
  bytes: 1000,
  duration: 4.32,
  begin: 1767290400 + sequence * 4.32,
  discontinuity: false,
  parts: [],
  ...changes,
});

describe('the playlist of the timeshift', () => {
  it('lists each complete segment with its number, its time and the discontinuities between them', () => {
    const segments = [segment(7), segment(8, { discontinuity: true })];
    expect(mediaPlaylist({ segments, growing: segment(9), discontinuities: 3 })).toBe(
      [
        '#EXTM3U',
        '#EXT-X-VERSION:6',
        '#EXT-X-INDEPENDENT-SEGMENTS',
        '#EXT-X-TARGETDURATION:10',
        '#EXT-X-MEDIA-SEQUENCE:7',
        '#EXT-X-DISCONTINUITY-SEQUENCE:3',
        '#EXT-X-PROGRAM-DATE-TIME:2026-01-01T18:00:30.240Z',
        '#EXTINF:4.320,',
        'timeshift/7.ts',
        '#EXT-X-DISCONTINUITY',
        '#EXT-X-PROGRAM-DATE-TIME:2026-01-01T18:00:34.560Z',
        '#EXTINF:4.320,',
        'timeshift/8.ts',
        '',
      ].join('\n'),
    );
  });

  it('lists parts of the last segments and of the growing one', async () => {
    const part = (duration: number, isEntry = false) => ({ from: 0, to: 0, duration, isEntry });
    const parts = [part(0.48, true), part(0.48), part(0.04)];
    const segments = Array.from({ length: 8 }, (_, n) =>
      segment(n, { duration: 1, parts, discontinuity: n === 7, begin: 1767290400 }),
    );
    const growing = segment(8, { parts: [part(0.48, true)], begin: 1767290401 });
    const listing: SegmentListing = {
      ...{ addressOf: (sequence) => `${sequence}.ts`, maxSeconds: 2 },
      parts: { addressOf: ({ sequence, part: number }) => `${sequence}.${number}.ts`, maxSeconds: 0.5 },
    };
    const text = mediaPlaylist({ segments, growing, discontinuities: 0 }, listing);
    expect(text).toContain(
      '#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.500\n#EXT-X-PART-INF:PART-TARGET=0.500\n',
    );
    expect(text.slice(text.indexOf('6.ts'))).toBe(
      [
        ...['6.ts', '#EXT-X-DISCONTINUITY', '#EXT-X-PROGRAM-DATE-TIME:2026-01-01T18:00:00.000Z'],
        ...['#EXT-X-PART:DURATION=0.48000,INDEPENDENT=YES,URI="7.0.ts"'],
        ...['#EXT-X-PART:DURATION=0.48000,URI="7.1.ts"', '#EXT-X-PART:DURATION=0.04000,URI="7.2.ts"'],
        ...['#EXTINF:1.000,', '7.ts', '#EXT-X-PROGRAM-DATE-TIME:2026-01-01T18:00:01.000Z'],
        ...['#EXT-X-PART:DURATION=0.48000,INDEPENDENT=YES,URI="8.0.ts"', ''],
      ].join('\n'),
    );
    const empty = segment(8, { begin: 1767290401 });
    expect(mediaPlaylist({ segments, growing: empty, discontinuities: 0 }, listing)).toBe(
      text.slice(0, text.indexOf('#EXT-X-PART:DURATION=0.48000,INDEPENDENT=YES,URI="8.0.ts"')),
    );
    // Clients that ignore parts see the same segments.
    expect((await parsePlaylist(text)).segments.map(({ uri }) => uri)).toEqual(segments.map((_, n) => `${n}.ts`));
    // Three target durations.
    expect(text).toContain('URI="2.0.ts"');
    expect(text).not.toContain('URI="1.0.ts"');
  });

  it('is understood by our own HLS client', async () => {
    const kept = fc.record({ duration: fc.integer({ min: 1, max: 9999 }), discontinuity: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(kept, { maxLength: 20 }), fc.nat(1_000_000), async (all, first) => {
        const segments = all.map(({ duration, discontinuity }, n) =>
          segment(first + n, { duration: duration / 1000, discontinuity }),
        );
        const growing = segment(first + segments.length);
        const read = await parsePlaylist(mediaPlaylist({ segments, growing, discontinuities: 0 }));
        expect(read).toMatchObject({ variants: [], targetDuration: 10, firstNumber: first, isComplete: false });
        expect(read.segments.map(({ uri, duration }) => [uri, duration])).toEqual(
          segments.map(({ sequence, duration }) => [`timeshift/${sequence}.ts`, duration]),
        );
      }),
    );
  });

  it('counts a discontinuity before its first segment, so that the numbers of the others do not change', () => {
    const [first, second, third] = [segment(7, { discontinuity: true }), segment(8), segment(9)];
    const number = (segments: Segment[], discontinuities: number) =>
      /DISCONTINUITY-SEQUENCE:(\d+)/.exec(mediaPlaylist({ segments, growing: third, discontinuities }))?.[1];
    expect(number([first, second], 3)).toBe('4');
    expect(number([second], 4)).toBe('4');
    expect(number([], 4)).toBe('4');
  });

  it('lists the newest of very many segments, and counts the discontinuities of the others', () => {
    const segments = Array.from({ length: maxListedSegments + 10 }, (_, i) =>
      segment(i, { discontinuity: i % 5 === 0 }),
    );
    const lines = mediaPlaylist({ segments, growing: segment(maxListedSegments + 10), discontinuities: 1 }).split('\n');
    expect(lines.slice(4, 6)).toEqual(['#EXT-X-MEDIA-SEQUENCE:10', '#EXT-X-DISCONTINUITY-SEQUENCE:4']);
    expect(lines.filter((line) => line.startsWith('#EXTINF'))).toHaveLength(maxListedSegments);
  });
});
