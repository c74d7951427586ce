/** Tuners on files and captures: state, statistics, streams and lifetime. */
import { spawnSync } from 'node:child_process';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { native } from '../../src/base/native.ts';
import {
  type BroadcastService,
  formatTunerSpec,
  parseTunerSpec,
  type ServiceStream,
  Tuner,
  type TunerEnd,
} from '../../src/dvb/tuner.ts';
import { TunerPool } from '../../src/dvb/tuner-pool.ts';
import { videoPictureOf } from '../../src/dvb/video-format.ts';
import { Guide } from '../../src/epg/guide.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { eventually, programTimeoutMs, untilTrue } from '../fixtures/waits.ts';
import { capture, haveCaptures, haveFfmpeg, run } from './captures.ts';

const tuners: Tuner[] = [];
afterEach(async () => {
  await Promise.all(tuners.splice(0).map((tuner) => tuner.stop()));
});

function play(name: string, how: { loop?: boolean; paced?: boolean } = {}): Tuner {
  const tuner = new Tuner({ kind: 'file', path: capture(name), loop: how.loop ?? true, paced: how.paced ?? false });
  tuners.push(tuner);
  tuner.start();
  return tuner;
}

/** Packets of one PID; `counter`: the continuity counter of each. */
function packets(count: number, pid: number, counter: (n: number) => number): Buffer {
  const all = Buffer.alloc(count * 188, 0xff);
  for (let n = 0; n < count; n++) {
    all.set([0x47, pid >> 8, pid & 0xff, 0x10 | (counter(n) & 15)], n * 188);
  }
  return all;
}

const nullPackets = (count: number) => packets(count, 0x1fff, () => 0);
/** A stream in which one packet of a hundred is missing. */
const gappedPackets = (count: number) => packets(count, 0x100, (n) => n + Math.floor(n / 100));

/** Reads at least this number of bytes, or up to the end of the stream. */
async function take(stream: ServiceStream, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= bytes) break;
  }
  return Buffer.concat(chunks);
}

interface Probed {
  readonly programs: readonly { readonly program_id: number }[];
  readonly streams: readonly { readonly codec_type: string; readonly codec_name?: string }[];
}

async function probe(stream: Buffer): Promise<Probed> {
  const args = ['-v', 'error', '-show_programs', '-show_streams', '-of', 'json', '-f', 'mpegts', '-i', 'pipe:0'];
  return JSON.parse((await run('ffprobe', args, [stream])).output) as Probed;
}

describe('a tuner specification', () => {
  it('names a front end, a file or the demo', () => {
    expect(parseTunerSpec('dvb:0')).toEqual({ kind: 'dvb', adapter: 0, frontend: 0 });
    expect(parseTunerSpec('dvb:2/13')).toEqual({ kind: 'dvb', adapter: 2, frontend: 13 });
    for (const text of ['dvb:2', 'dvb:2/13', 'demo', 'file:x'])
      expect(formatTunerSpec(parseTunerSpec(text))).toBe(text);
    expect(parseTunerSpec('demo')).toEqual({ kind: 'demo', speed: 1 });
    expect(parseTunerSpec('demo:speed=8')).toEqual({ kind: 'demo', speed: 8 });
    expect(parseTunerSpec('demo:start=2026-01-14T19:02Z')).toEqual({ kind: 'demo', speed: 1, start: 1768417320 });
    expect(parseTunerSpec('demo:speed=8,start=2026-01-14T19:02:07Z')).toMatchObject({ speed: 8, start: 1768417327 });
    expect(parseTunerSpec('demo:start=1970-01-01T00:00Z')).toMatchObject({ start: 0 });
    expect(parseTunerSpec('file:/a:b.ts')).toEqual({ kind: 'file', path: '/a:b.ts', loop: true, paced: true });
  });
  it('is the same after formatting and parsing', () => {
    const number = fc.nat(999);
    const path = fc.string({ unit: 'grapheme', minLength: 1 });
    const spec = fc.oneof(
      fc.record({ kind: fc.constant('dvb' as const), adapter: number, frontend: number }),
      fc.record(
        {
          kind: fc.constant('demo' as const),
          speed: fc.integer({ min: 1, max: 50 }),
          start: fc.integer({ min: 0, max: 2 ** 32 }),
        },
        { requiredKeys: ['kind', 'speed'] },
      ),
      fc.record({ kind: fc.constant('file' as const), path, loop: fc.constant(true), paced: fc.constant(true) }),
    );
    fc.assert(fc.property(spec, (one) => void expect(parseTunerSpec(formatTunerSpec(one))).toEqual(one)));
  });

  it('is refused with a reason if it is invalid', () => {
    for (const argument of ['', 'x', '0/', '/0', '0/0/0', '1000', '*']) {
      expect(() => parseTunerSpec(`dvb:${argument}`)).toThrow(/expected dvb:ADAPTER, dvb:ADAPTER\/FRONTEND/);
    }
    expect(() => parseTunerSpec('file:')).toThrow(
      expect.objectContaining({ code: 'parameter-invalid', why: 'names no file, expected file:PATH' }),
    );
    expect(() => parseTunerSpec('tape:1')).toThrow(/'tape:1': it must be dvb:ADAPTER, .*, file:PATH, demo or none/);
    const wrong = ['', '1', 'speed=1', 'speed=51', 'speed=x', 'speed=2,', ',start=2026-01-14T19:02Z', 'speed=2start='];
    for (const argument of [...wrong, 'start=', 'start=now', 'start=2026-13-14T19:02Z', 'start=2026-01-14T19:02']) {
      expect(() => parseTunerSpec(`demo:${argument}`), argument).toThrow(/expected demo, demo:speed=N/);
    }
  });
});

/** A build may leave the demo out. */
const hasDemo = native.tunerKinds.includes('demo');

describe.skipIf(!hasDemo)('the demo with a start time', () => {
  it('broadcasts the time and the guide from the start time, also after a pause', async () => {
    const start = 1768417320;
    const guide = new Guide({ clock: { now: () => start, synchronised: true } });
    const tuner = new Tuner(parseTunerSpec('demo:start=2026-01-14T19:02Z'), { guide: guide.native });
    tuners.push(tuner);
    const times: number[] = [];
    tuner.onTime((time) => times.push(time));
    for (const round of [1, 2]) {
      times.length = 0;
      tuner.start();
      await untilTrue(() => times.length > 0);
      // The elapsed time depends on the machine, but the broadcast has not returned to its start.
      expect(times[0], `round ${round}`).toBeGreaterThanOrEqual(start + round - 1);
      expect(times[0]).toBeLessThan(start + 3600);
      const now = await eventually(async () => {
        const [service] = tuner.multiplex().services;
        return (service && (await guide.nowNext([service]))[0]?.now) ?? undefined;
      }, 'a present event');
      expect(now.start).toBeLessThanOrEqual(start);
      expect(now.start + now.duration).toBeGreaterThan(start);
      await untilTrue(() => (times.at(-1) ?? 0) > start + 1);
      await tuner.stop();
    }
  });
});

const endOf = (tuner: Tuner) => new Promise<TunerEnd>((resolve) => tuner.onEnded(resolve));

describe('a tuner that cannot play', () => {
  it('reports why and leaves no stream open', async () => {
    const tuner = new Tuner({ kind: 'file', path: '/nonexistent.ts', loop: true, paced: true });
    const ended = endOf(tuner);
    tuner.start();
    const stream = tuner.openStream(1);
    expect(await ended).toEqual({ reason: 'failed', message: '/nonexistent.ts: No such file or directory' });
    expect(await stream.read()).toBeNull();
    expect(tuner.running).toBe(false);
  });
  it('can be started again, and forgets why it failed', async () => {
    const path = join(temporaryFolder(), 'late.ts');
    const pool = new TunerPool([new Tuner({ kind: 'file', path, loop: true, paced: true })], { linger: 0 });
    const [pooled] = pool.tuners;
    if (pooled === undefined) throw new Error('no tuner');
    const ended = endOf(pooled.tuner);
    // A tuner that is stopped reports no end.
    const first = pooled.lease({ purpose: 'scan', user: 'test' });
    await ended;
    first.release();
    expect(pooled.condition).toMatchObject({ state: 'idle', reason: `${path}: No such file or directory` });
    await writeFile(path, nullPackets(2000));
    const lease = pooled.lease({ purpose: 'scan', user: 'test' });
    await untilTrue(() => pooled.tuner.statistics().bytes > 0);
    lease.release();
    await untilTrue(() => !pooled.tuner.running);
    expect(pooled.condition).toMatchObject({ state: 'idle', reason: '' });
    await pool.close();
  });
  it('opens streams that end at once while it is off', async () => {
    const tuner = new Tuner({ kind: 'file', path: '/nonexistent.ts', loop: true, paced: true });
    const stream = tuner.openStream(1);
    expect(await stream.read()).toBeNull();
    expect(stream.reason).toBe('stopped');
    await tuner.stop();
  });
});

it('a restarted tuner resets its statistics, but keeps its totals', async () => {
  const path = join(temporaryFolder(), 'gaps.ts');
  await writeFile(path, gappedPackets(1000));
  const tuner = new Tuner({ kind: 'file', path, loop: false, paced: false });
  tuners.push(tuner);
  const play = async () => {
    const ended = endOf(tuner);
    tuner.start();
    await ended;
  };
  await play();
  const { bytes, continuityErrors } = tuner.totals();
  expect(bytes).toBe(188_000);
  expect(continuityErrors).toBeGreaterThan(5);
  await tuner.stop();
  expect(tuner.totals()).toMatchObject({ bytes, continuityErrors });
  await play();
  expect(tuner.statistics()).toMatchObject({ bytes, continuityErrors });
  expect(tuner.totals()).toMatchObject({ bytes: 2 * bytes, continuityErrors: 2 * continuityErrors });
});

describe.skipIf(!haveCaptures)('a tuner on a capture', () => {
  it('reports the multiplex', async () => {
    const tuner = play('dtt-italy-rai.ts', { paced: true });
    while (!tuner.multiplex().complete) await new Promise<void>((changed) => tuner.onMultiplex(changed));
    const multiplex = tuner.multiplex();
    expect(tuner.multiplex()).toBe(multiplex);
    const rai = multiplex.services.find((service) => service.serviceId === 3401);
    expect(rai).toMatchObject({ name: 'Rai 1', provider: 'Rai', pmtPid: 258, pcrPid: 512 });
    expect(rai?.streams[0]).toMatchObject({ pid: 512, kind: 'video', codec: 'MPEG-2' });
    expect(await videoPictureOf(tuner, rai as BroadcastService)).toEqual({ width: 720, height: 576, ratio: 16 / 9 });
    expect(tuner.signal().locked).toBe(true);
  });

  it('counts reception errors', async () => {
    const tuner = play('arte-2019-av.ts', { loop: false });
    await endOf(tuner);
    const statistics = tuner.statistics();
    expect(statistics.bytes).toBeGreaterThan(9_990_000);
    expect(statistics.continuityErrors).toBeGreaterThan(100);
    expect(statistics.pids.find((pid) => pid.pid === 320)?.packets).toBeGreaterThan(30_000);
  });

  it('ends with an unlooped file, after the last packet', async () => {
    // Through a pipe, so that the stream is open before the first packet arrives.
    const pipe = join(temporaryFolder(), 'pipe');
    spawnSync('mkfifo', [pipe]);
    const writer = await open(pipe, 'r+');
    const tuner = new Tuner({ kind: 'file', path: pipe, loop: false, paced: false });
    tuners.push(tuner);
    tuner.start();
    const stream = tuner.openStream(1);
    const taken = take(stream, Number.POSITIVE_INFINITY);
    await writer.writeFile(await readFile(capture('big-buck-bunny.ts')));
    await writer.close();
    const all = await taken;
    expect(all.length % 188).toBe(0);
    expect(all.length).toBeGreaterThan(2_000_000);
    expect(stream.reason).toBe('ended');
  });

  it('serves many readers, and drops only the one that does not read', async () => {
    const tuner = play('big-buck-bunny.ts');
    const stuck = tuner.openStream(1, { maxQueuedBytes: 1 << 20 });
    const readers = Array.from({ length: 5 }, () => tuner.openStream(1));
    const taken = await Promise.all(readers.map((reader) => take(reader, 4 << 20)));
    for (const one of taken) expect(one.length).toBeGreaterThanOrEqual(4 << 20);
    expect(stuck.reason).toBe('overflow');
    expect(await stuck.read()).toBeNull();
  });

  it('allows one read at a time, and ends it on close', async () => {
    const tuner = play('big-buck-bunny.ts', { paced: true });
    const stream = tuner.openStream(4711);
    const pending = stream.read();
    await expect(stream.read()).rejects.toThrow(/pending/);
    stream.close();
    stream.close();
    expect(await pending).toBeNull();
    expect(stream.reason).toBe('closed');
  });

  it('starts and stops repeatedly', async () => {
    const tuner = play('big-buck-bunny.ts');
    for (let round = 0; round < 20; round++) {
      const stream = tuner.openStream(1);
      if (round % 2 === 0) await take(stream, 1);
      const stopped = tuner.stop();
      if (round % 3 === 0) tuner.start();
      await stopped;
      if (round % 2 !== 0) while ((await stream.read()) !== null);
      expect(stream.reason).not.toBeNull();
      tuner.start();
      expect(tuner.running).toBe(true);
    }
  });

  it('keeps Node alive while it runs, and no longer', () => {
    const script = fileURLToPath(new URL('./tuner-lifetime.ts', import.meta.url));
    const args = ['--expose-gc', '--import', 'tsx', script, capture('big-buck-bunny.ts')];
    const child = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: programTimeoutMs });
    expect(child.stderr).toBe('');
    expect(child.stdout).toBe('ended by itself\nno memory kept\n');
    expect(child.status).toBe(0);
  });
});

describe.skipIf(!haveCaptures || !haveFfmpeg)('a service decoded by ffmpeg', () => {
  it.each([
    ['arte-2019-av.ts', 1031, ['h264', 'eac3', 'eac3', 'eac3', 'eac3']],
    ['dtt-italy-rai.ts', 3401, ['mpeg2video', 'mp2', 'mp2', 'mp2']],
    ['dtt-italy-rai.ts', 3410, ['hevc']],
    ['dtt-italy-rai.ts', 3405, ['mp2']],
    ['big-buck-bunny.ts', 1, ['h264', 'mp2']],
  ])('%s, service %i: one programme with its video and audio', async (name, serviceId, codecs) => {
    const probed = await probe(await take(play(name).openStream(serviceId), 2 << 20));
    expect(probed.programs.map((program) => program.program_id)).toEqual([serviceId]);
    const heard = probed.streams.filter((one) => one.codec_type === 'video' || one.codec_type === 'audio');
    expect(heard.map((one) => one.codec_name)).toEqual(codecs);
  });

  it('decodes 60 seconds over several loops of the file without errors', async () => {
    const tuner = play('big-buck-bunny.ts');
    const stream = tuner.openStream(1);
    const args = ['-v', 'warning', '-xerror', '-f', 'mpegts', '-i', 'pipe:0', '-t', '60', '-map', '0:v', '-map', '0:a'];
    const seen = await run('ffmpeg', [...args, '-f', 'null', '-'], [await take(stream, 15 << 20)]);
    expect(seen.errors).toBe('');
    expect(seen.code).toBe(0);
  });
});
