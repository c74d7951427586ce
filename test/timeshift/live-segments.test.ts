/** Services of the demo as segments of HTTP Live Streaming. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { Converter } from '../../src/conversion/converter.ts';
import { parsePlaylist } from '../../src/iptv/hls-playlist.ts';
import { LiveSegments, type LiveSegmentsOptions, untilThere } from '../../src/timeshift/live-segments.ts';
import { mediaPlaylist } from '../../src/timeshift/playlist.ts';
import { haveFfmpeg } from '../dvb/captures.ts';
import { untilTrue } from '../fixtures/patience.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
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

it('keeps a service as short segments that begin with PAT, PMT and a picture', async () => {
  const { segments, one } = await open();
  const kept = await segments.of(one, 'test');
  expect(kept.segments.length).toBeGreaterThanOrEqual(2);
  for (const { sequence, duration, path } of kept.segments) {
    expect(segments.find(one, { sequence, part: undefined })).toMatchObject({ path });
    expect(duration).toBeGreaterThan(0.9);
    expect(duration).toBeLessThan(3);
    const bytes = await readFile(path);
    expect([bytes[0], bytes.readUInt16BE(1) & 0x1fff, bytes[188]]).toEqual([0x47, 0, 0x47]);
  }
  const list = mediaPlaylist(kept, { addressOf: (sequence) => `${sequence}.ts`, longest: 2 });
  expect(await parsePlaylist(list)).toMatchObject({ segments: expect.any(Array) });
});

it('divides segments into parts, of which the next one can be waited for', async () => {
  const { segments, one } = await open();
  const kept = await segments.of(one, 'test');
  const [first] = kept.segments;
  if (!first) throw new Error('there is no segment');
  const bytes = await readFile(first.path);
  expect(first.parts.map(({ from, to }) => to - from).reduce((a, b) => a + b)).toBe(bytes.length);
  const { sequence } = kept.growing;
  const next = { sequence: sequence + 1, part: 0 };
  expect(segments.find(one, next)).toBeUndefined();
  expect(await untilThere(kept, next)).toBe(true);
  expect(segments.find(one, next)?.part?.to).toBeGreaterThan(0);
  expect(segments.find(one, { sequence: first.sequence, part: 99 })).toBeUndefined();
  // A part that its segment does not have is the first one of the next.
  expect(await untilThere(kept, { sequence: sequence + 2, part: 99 })).toBe(true);
  expect(segments.find(one, { sequence: sequence + 3, part: 0 })?.part?.to).toBeGreaterThan(0);
});

it.skipIf(!haveFfmpeg)(
  'keeps what is converted for as long as somebody asks, and ends with the converter',
  async () => {
    const { segments, converter, folder, one, two } = await open({ idleAfter: 25_000, maximumServices: 3 });
    // Longer than `of` waits: the one may have its segments long before the other.
    const running = async () => (await converter.state()).running;
    const converted = { ...two, conversion: { what: 'sound' } } as const;
    const [kept, other] = await Promise.all([segments.of(converted, 'test'), segments.of(two, 'other')]);
    expect(kept).not.toBe(other);
    expect(await running()).toBe(1);
    expect(kept.segments[0]?.parts.length).toBeGreaterThan(0);
    await expect(segments.of({ ...one, conversion: { what: 'sound' } }, 'other')).rejects.toMatchObject({
      code: 'too-many-conversions',
    });
    expect(readdirSync(folder)).toHaveLength(2);
    // Nobody asks for 25 seconds. Converting for as long takes 12 s of processor time.
    const now = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 25_000);
    onTestFinished(() => later.mockRestore());
    await untilTrue(async () => kept.isClosed && (await running()) === 0 && readdirSync(folder).length === 0);
    const again = await segments.of(converted, 'test');
    converter.stop();
    await untilTrue(() => again.isClosed && segments.running === 0);
  },
);

it('shares one ring among those who watch the same service, and bounds the services', async () => {
  const { segments, one, two, three } = await open();
  const [first, again, second] = await Promise.all([
    segments.of(one, 'test'),
    segments.of(one, 'other'),
    segments.of(two, 'other'),
  ]);
  expect(again).toBe(first);
  expect(second).not.toBe(first);
  await expect(segments.of(three, 'third')).rejects.toMatchObject({ code: 'too-many-clients' });
});

it('ends, with its files and its tuner, when nobody asks any more', async () => {
  const { segments, folder, one } = await open({ idleAfter: 1000 });
  const kept = await segments.of(one, 'test');
  expect(readdirSync(folder)).toHaveLength(1);
  await untilTrue(() => segments.running === 0 && kept.isClosed && readdirSync(folder).length === 0);
  expect(segments.find(one, { sequence: kept.growing.sequence, part: undefined })).toBeUndefined();
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
