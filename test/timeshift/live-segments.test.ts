/** Services of the demo as segments of HTTP Live Streaming. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { Converter } from '../../src/conversion/converter.ts';
import { parsePlaylist } from '../../src/iptv/hls-playlist.ts';
import { LiveSegments, type LiveSegmentsOptions, waitForSegment } from '../../src/timeshift/live-segments.ts';
import { mediaPlaylist } from '../../src/timeshift/playlist.ts';
import { haveFfmpeg } from '../dvb/captures.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { untilTrue } from '../fixtures/waits.ts';
import { demoTimeshifts } from './demo-timeshifts.ts';

async function open(options: Partial<LiveSegmentsOptions> = {}) {
  const folder = temporaryFolder();
  const demo = await demoTimeshifts(folder);
  const log = pino({ level: 'silent' });
  const converter = new Converter({ path: 'ffmpeg', maximum: 1 }, log);
  const segments = new LiveSegments(
    {
      ...{ pool: demo.pool, network: demo.network, converter, clock: systemClock, log },
      services: { playable: (reference) => [reference], listedStream: () => undefined, nameOf: () => 'Name' },
    },
    { folder: '', size: 16, maximumServices: 2, queueBound: 32 << 20, dataDir: folder, ...options },
  );
  onTestFinished(async () => {
    await segments.stop();
    await demo.close();
  });
  const [one, two, three] = demo.references.map((reference) => ({ reference }));
  if (!one || !two || !three) throw new Error('the demo has no services');
  return { segments, folder: join(folder, 'hls'), converter, one, two, three };
}

/** Moves the clock of the process forward until the end of the test. */
function skipTime(ms: number): void {
  const now = performance.now.bind(performance);
  const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + ms);
  onTestFinished(() => later.mockRestore());
}

it('stores a service as short segments that begin with PAT, PMT and a picture', async () => {
  const { segments, one } = await open();
  const timeshift = await segments.segmentsOf(one, 'test');
  expect(timeshift.segments.length).toBeGreaterThanOrEqual(2);
  for (const { sequence, duration, path } of timeshift.segments) {
    expect(segments.find(one, { sequence, part: undefined })).toMatchObject({ path });
    expect(duration).toBeGreaterThan(0.9);
    expect(duration).toBeLessThan(3);
    const bytes = await readFile(path);
    expect([bytes[0], bytes.readUInt16BE(1) & 0x1fff, bytes[188]]).toEqual([0x47, 0, 0x47]);
  }
  const list = mediaPlaylist(timeshift, { addressOf: (sequence) => `${sequence}.ts`, maxSeconds: 2 });
  expect(await parsePlaylist(list)).toMatchObject({ segments: expect.any(Array) });
});

it('divides segments into parts, and can wait for the next one', async () => {
  const { segments, one } = await open();
  const timeshift = await segments.segmentsOf(one, 'test');
  const [first] = timeshift.segments;
  if (!first) throw new Error('there is no segment');
  const bytes = await readFile(first.path);
  expect(first.parts.map(({ from, to }) => to - from).reduce((a, b) => a + b)).toBe(bytes.length);
  const { sequence } = timeshift.growing;
  const next = { sequence: sequence + 1, part: 0 };
  expect(segments.find(one, next)).toBeUndefined();
  expect(await waitForSegment(timeshift, next)).toBe(true);
  expect(segments.find(one, next)?.part?.to).toBeGreaterThan(0);
  expect(segments.find(one, { sequence: first.sequence, part: 99 })).toBeUndefined();
  // A part beyond the last one of its segment is the first part of the next segment.
  expect(await waitForSegment(timeshift, { sequence: sequence + 2, part: 99 })).toBe(true);
  expect(segments.find(one, { sequence: sequence + 3, part: 0 })?.part?.to).toBeGreaterThan(0);
});

it.skipIf(!haveFfmpeg)(
  'keeps what is converted for as long as somebody asks, and ends with the converter',
  async () => {
    const { segments, converter, folder, one, two } = await open({ idleTimeoutMs: 25_000, maximumServices: 3 });
    // Longer than `segmentsOf` waits: one service may have its segments long before the other.
    const running = async () => (await converter.state()).running;
    const converted = { ...two, conversion: { what: 'sound' } } as const;
    const [timeshift, other] = await Promise.all([
      segments.segmentsOf(converted, 'test'),
      segments.segmentsOf(two, 'other'),
    ]);
    expect(timeshift).not.toBe(other);
    expect(await running()).toBe(1);
    expect(timeshift.segments[0]?.parts.length).toBeGreaterThan(0);
    await expect(segments.segmentsOf({ ...one, conversion: { what: 'sound' } }, 'other')).rejects.toMatchObject({
      code: 'too-many-conversions',
    });
    expect(readdirSync(folder)).toHaveLength(2);
    // Converting for that long takes 12 s of processor time.
    skipTime(25_000);
    await untilTrue(async () => timeshift.isClosed && (await running()) === 0 && readdirSync(folder).length === 0);
    const again = await segments.segmentsOf(converted, 'test');
    converter.stop();
    await untilTrue(() => again.isClosed && segments.running === 0);
  },
);

it('shares one ring among the clients of a service, and limits the number of services', async () => {
  const { segments, one, two, three } = await open();
  const [first, again, second] = await Promise.all([
    segments.segmentsOf(one, 'test'),
    segments.segmentsOf(one, 'other'),
    segments.segmentsOf(two, 'other'),
  ]);
  expect(again).toBe(first);
  expect(second).not.toBe(first);
  await expect(segments.segmentsOf(three, 'third')).rejects.toMatchObject({ code: 'too-many-clients' });
});

it('removes the files and releases the tuner when there are no more requests', async () => {
  const { segments, folder, one } = await open({ idleTimeoutMs: 600_000 });
  const timeshift = await segments.segmentsOf(one, 'test');
  expect(readdirSync(folder)).toHaveLength(1);
  skipTime(600_000);
  await untilTrue(() => segments.running === 0 && timeshift.isClosed && readdirSync(folder).length === 0);
  expect(segments.find(one, { sequence: timeshift.growing.sequence, part: undefined })).toBeUndefined();
});

it('removes the files of a receiver that was killed, in its own folder only', async () => {
  const dataDir = temporaryFolder();
  const [own, beside] = [join(dataDir, 'hls'), join(dataDir, 'recordings')];
  for (const folder of [join(own, '7'), beside]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, '5.ts'), '');
  }
  await open({ dataDir });
  await untilTrue(() => !existsSync(own));
  expect(readdirSync(beside)).toEqual(['5.ts']);
});
