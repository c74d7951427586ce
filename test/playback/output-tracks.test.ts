/** Tracks of the output, as reported to clients. */
import { expect, it } from 'vitest';
import type { OutputTrack } from '../../src/playback/output.ts';
import { audioTracksShown } from '../../src/playback/tracks.ts';

it('codecs have the names that clients know, and tracks without a PID are left out', () => {
  const track = (codec: string, pid: number | undefined): OutputTrack => ({
    kind: 'audio',
    pid,
    codec,
    language: 'eng',
  });
  const tracks = ['mp2', 'aac', 'ac3', 'eac3', 'opus'].map((codec, index) => track(codec, 0x200 + index));
  const shown = audioTracksShown([...tracks, track('mp2', undefined)], 1);
  expect(shown.map(({ pid, codec, active }) => [pid, codec, active])).toEqual([
    [0x200, 'MPEG', false],
    [0x201, 'AAC', true],
    [0x202, 'AC3', false],
    [0x203, 'AC3+', false],
    [0x204, 'OPUS', false],
  ]);
});
