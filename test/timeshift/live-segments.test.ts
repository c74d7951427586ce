/** Services of the demo as segments of HTTP Live Streaming. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { parsePlaylist } from '../../src/iptv/hls-playlist.ts';
import { LiveSegments, type LiveSegmentsOptions } from '../../src/timeshift/live-segments.ts';
import { mediaPlaylist } from '../../src/timeshift/playlist.ts';
import { untilTrue } from '../fixtures/patience.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { demoTimeshifts } from './demo-timeshifts.ts';

async function open(options: Partial<LiveSegmentsOptions> = {}) {
  const folder = temporaryFolder();
  const demo = await demoTimeshifts(folder);
  const segments = new LiveSegments(
    {
      ...{ pool: demo.pool, network: demo.network, clock: systemClock, log: pino({ level: 'silent' }) },
      services: { playable: (reference) => [reference], listedStream: () => undefined, nameOf: () => 'Name' },
    },
    { folder: '', size: 16, maximumServices: 2, queueBound: 32 << 20, dataDir: folder, ...options },
  );
  onTestFinished(async () => {
    await segments.stop();
    await demo.close();
  });
  const [one, two, three] = demo.references;
  if (!one || !two || !three) throw new Error('the demo has no services');
  return { segments, folder: join(folder, 'hls'), pool: demo.pool, one, two, three };
}

it('keeps a service as short segments that begin with PAT, PMT and a picture', async () => {
  const { segments, one } = await open();
  const kept = await segments.of(one, 'test');
  expect(kept.segments.length).toBeGreaterThanOrEqual(2);
  for (const { sequence, duration, path } of kept.segments) {
    expect(segments.segment(one, sequence)?.path).toBe(path);
    expect(duration).toBeGreaterThan(0.9);
    expect(duration).toBeLessThan(3);
    const bytes = await readFile(path);
    expect([bytes[0], bytes.readUInt16BE(1) & 0x1fff, bytes[188]]).toEqual([0x47, 0, 0x47]);
  }
  const list = mediaPlaylist(kept, { addressOf: (sequence) => `${sequence}.ts`, longest: 2 });
  expect(await parsePlaylist(list)).toMatchObject({ segments: expect.any(Array) });
});

it('shares one ring among those who watch the same service, and bounds the services', async () => {
  const { segments, one, two, three } = await open();
  const [first, again, second] = await Promise.all([
    segments.of(one, 'test'),
    segments.of(one, 'other'),
    segments.of(two, 'test'),
  ]);
  expect(again).toBe(first);
  expect(second).not.toBe(first);
  await expect(segments.of(three, 'test')).rejects.toMatchObject({ code: 'too-many-clients' });
});

it('ends, with its files and its tuner, when nobody asks any more', async () => {
  const { segments, folder, one } = await open({ idleAfter: 1000 });
  const kept = await segments.of(one, 'test');
  expect(readdirSync(folder)).toHaveLength(1);
  await untilTrue(() => segments.running === 0 && kept.isClosed && readdirSync(folder).length === 0);
  expect(segments.segment(one, kept.growing.sequence)).toBeUndefined();
});

it('removes the files of a receiver that was killed, in its own folder only', async () => {
  const { segments, folder, one } = await open();
  const beside = join(folder, '..', 'recordings');
  for (const other of [join(folder, '7'), beside]) {
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, '5.ts'), '');
  }
  await segments.of(one, 'test');
  expect([readdirSync(folder), readdirSync(beside)]).toEqual([['1'], ['5.ts']]);
});
