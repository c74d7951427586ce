/** Streams of a recording from any position, and its pieces. */
import { appendFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import {
  recordedPieces as piecesIn,
  piecesWithin,
  recordedStream as streamIn,
} from '../../src/recordings/recorded-stream.ts';
import { writeRecording } from '../fixtures/recordings.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const packetSize = 188;

/** A packet with a number after the first bytes of its payload. */
function packet(pid: number, number: number, payload: readonly number[] = []): Buffer {
  const bytes = Buffer.alloc(packetSize, 0xff);
  bytes.set([0x47, 0x40 | (pid >> 8), pid & 0xff, 0x10, ...payload]);
  bytes.writeUInt32BE(number, 100);
  return bytes;
}

/** A PAT of program 1 with its PMT on PID 0x30. */
const pat = packet(0, 0, [0, 0, 0xb0, 13, 0, 1, 0xc1, 0, 0, 0, 1, 0xe0, 0x30]);
const pictures = Array.from({ length: 100 }, (_, n) => packet(0x40, n + 2));
const content = Buffer.concat([pat, packet(0x30, 1), ...pictures]);
/** Access points a second and ten packets apart. The clock jumps at the fourth, which therefore takes no time. */
const accessPoints = Array.from({ length: 10 }, (_, n) => [
  packetSize * (2 + 10 * n),
  90_000 * (n < 3 ? n : n + 1000),
]) as [number, number][];

function recording(made: Parameters<typeof writeRecording>[1] = {}) {
  const path = join(temporaryFolder(), 'Ships.ts');
  writeRecording(path, { content, ...made });
  return { path, length: 10, size: content.length };
}

const folderOf = ({ path }: ReturnType<typeof recording>) => new RecordingFolders([dirname(path)]);

/** Streams a recording, with its folder as the recording folder. */
const recordedStream = (
  one: ReturnType<typeof recording>,
  ...more: Parameters<typeof streamIn> extends [unknown, unknown, ...infer Rest] ? Rest : never
) => streamIn(folderOf(one), one, ...more);

const recordedPieces = (one: ReturnType<typeof recording>, isGrowing: boolean) =>
  piecesIn(folderOf(one), one, isGrowing);

async function numbers(packets: AsyncIterable<Buffer>): Promise<number[]> {
  const all: Buffer[] = [];
  for await (const piece of packets) all.push(piece);
  const bytes = Buffer.concat(all);
  return Array.from({ length: bytes.length / packetSize }, (_, n) => bytes.readUInt32BE(n * packetSize + 100));
}

it('begins with PAT, PMT and the last access point before the position', async () => {
  const { begin, packets } = await recordedStream(recording({ accessPoints }), { from: 1.5 }, () => false);
  const [first, second, third, ...rest] = await numbers(packets);
  expect([begin, first, second, third]).toEqual([1, 0, 1, 12]);
  expect(rest.at(-1)).toBe(101);
});

it('finds the time and the position after the clock has jumped', async () => {
  const { begin, packets } = await recordedStream(recording({ accessPoints }), { from: 5 }, () => false);
  expect([begin, (await numbers(packets))[2]]).toEqual([5, 62]);
});

it('finds the position and the pieces after the clock has gone back by a few seconds', async () => {
  const goneBack = Array.from({ length: 20 }, (_, n) => [
    packetSize * (2 + 5 * n),
    90_000 * (n < 10 ? 100 + n : 95 + n),
  ]) as [number, number][];
  const one = { ...recording({ accessPoints: goneBack }), length: 19 };
  const { begin, packets } = await recordedStream(one, { from: 12 }, () => false);
  expect([begin, (await numbers(packets))[2]]).toEqual([12, 2 + 5 * 13]);
  const pieces = await recordedPieces(one, false);
  expect(pieces.map(({ duration }) => duration)).toEqual([6, 6, 6, 1]);
});

it('estimates the position in a recording without access points', async () => {
  const { begin, packets } = await recordedStream(recording(), { from: 5 }, () => false);
  expect([begin, (await numbers(packets))[2]]).toEqual([5, 51]);
});

it('is the whole file from the beginning', async () => {
  const { begin, packets } = await recordedStream(recording({ accessPoints: [] }), { from: 0 }, () => false);
  expect([begin, (await numbers(packets)).length]).toEqual([0, 102]);
});

it('follows a recording that is still being written', async () => {
  const one = recording();
  let looks = 0;
  const { packets } = await recordedStream(one, { from: 0 }, () => {
    if (++looks === 2) appendFileSync(one.path, packet(0x40, 500));
    return looks < 4;
  });
  expect((await numbers(packets)).at(-1)).toBe(500);
});

/** The packet numbers of all pieces, without the tables at their beginnings. */
async function joined(one: ReturnType<typeof recording>): Promise<number[]> {
  const pieces = await recordedPieces(one, false);
  const all = pieces.map(async (piece) => numbers((await recordedStream(one, piece, () => false)).packets));
  return (await Promise.all(all)).flatMap((piece) => piece.slice(2));
}
const all = pictures.map((_, n) => n + 2);

it('comes in pieces that begin at access points and together have every packet once', async () => {
  const one = recording({ accessPoints });
  expect(await recordedPieces(one, false)).toEqual([
    { from: 0, until: 6, duration: 6 },
    { from: 6, until: undefined, duration: 4 },
  ]);
  expect(await joined(one)).toEqual(all);
});

it('has pieces without access points, and none that are empty', async () => {
  expect(await joined({ ...recording(), length: 30 })).toEqual(all);
  const rare = recording({ accessPoints: accessPoints.filter((_, n) => n < 3) });
  // After the last point, positions are estimated.
  expect((await recordedPieces({ ...rare, length: 30 }, false)).map(({ duration }) => Math.round(duration))).toEqual([
    2, 16, 6, 6,
  ]);
  expect(await joined({ ...rare, length: 30 })).toEqual(all);
  expect(await joined({ ...recording(), length: 0 })).toEqual(all);
});

it('has only complete pieces while it is being written', async () => {
  const one = recording({ accessPoints });
  expect(await recordedPieces(one, true)).toEqual([{ from: 0, until: 6, duration: 6 }]);
});

it('leaves out what is between spans, at their ends within pieces', () => {
  const pieces = [0, 6, 12, 18].map((from) => ({ from, ...(from < 18 && { until: from + 6 }), duration: 6 }));
  const spans = [
    { begin: 0, end: 8 },
    { begin: 11.5, end: 13.5 },
    { begin: 20, end: 24 },
  ];
  const found = piecesWithin(pieces, spans, 24).map(({ from, until, duration, isBreak }) => [
    from,
    until,
    duration,
    isBreak,
  ]);
  expect(found).toEqual([
    [0, 6, 6, false],
    [6, 8, 2, false],
    [12, 13.5, 1.5, true],
    [20, undefined, 4, true],
  ]);
});
