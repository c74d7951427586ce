import { existsSync, readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { Settings } from '../../src/device/settings.ts';
import { parseTunerSpec, Tuner } from '../../src/dvb/tuner.ts';
import { TunerPool } from '../../src/dvb/tuner-pool.ts';
import { Guide } from '../../src/epg/guide.ts';
import { parseMeta } from '../../src/recordings/meta-file.ts';
import { Recorder, type RecordingOrder } from '../../src/recordings/recorder.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { Services } from '../../src/services/services.ts';
import { haveFfmpeg, run } from '../dvb/captures.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A recorder with the demo multiplex, whose guide is full of events. */
async function demoRecorder(settings = '') {
  const folder = temporaryFolder();
  const guide = new Guide();
  const tuner = new Tuner(parseTunerSpec('demo'), { guide: guide.native });
  const pool = new TunerPool([tuner], { linger: 0 });
  closing.push(() => pool.close());
  const lease = pool.tuners[0]?.lease({ purpose: 'scan', user: 'test' });
  await pool.tuners[0]?.until((multiplex) => multiplex.complete);
  const recorder = new Recorder(
    {
      pool,
      guide,
      services: await Services.load(folder),
      settings: Settings.parse(settings),
      clock: systemClock,
      log: pino({ level: 'silent' }),
      timeZone: () => 'Europe/Berlin',
    },
    { queueBound: 32 << 20, sync: 'interval', syncInterval: 1 },
  );
  closing.push(() => recorder.stop());
  const services = tuner.multiplex().services;
  const order = (index: number, changes: Partial<RecordingOrder> = {}): RecordingOrder => {
    const service = services[index];
    if (service === undefined) throw new Error('the demo multiplex has fewer services');
    return {
      reference: ServiceReference.service(service.type, service, 0xffff0000),
      serviceName: service.name,
      title: 'Ships: Harbours',
      description: 'Episode 3',
      tags: ['News'],
      folder: join(folder, 'movie'),
      begin: 1767290400,
      ...changes,
    };
  };
  return { folder: join(folder, 'movie'), guide, pool, lease, recorder, services, order };
}

/** Resolves when `done` is true: asked whenever something may have changed. */
async function until(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('a recording of the demo multiplex', () => {
  it('has everything beside it that a box writes', async () => {
    const { folder, recorder, order, services, guide, lease, pool } = await demoRecorder();
    const [service] = services;
    if (service === undefined) throw new Error('no service');
    await until(() => guide.generation > 0);
    await guide.flush();
    const present = await guide.now(service);
    const recording = await recorder.start(order(0, present ? { eventId: present.id } : {}));
    lease?.release();
    expect(recorder.active).toEqual([recording]);
    expect(pool.tuners[0]?.users).toMatchObject([{ purpose: 'recording', user: 'Ships: Harbours' }]);
    await until(() => recording.length > 2);
    expect(recording.trouble).toBeUndefined();
    await recording.stop();
    expect(recorder.active).toEqual([]);
    expect(pool.tuners[0]?.users).toEqual([]);

    const name = `20260101 1900 - ${service.name} - Ships Harbours`;
    expect((await readdir(folder)).sort()).toEqual(
      ['.eit', '.ts', '.ts.ap', '.ts.meta', '.ts.sc'].map((ending) => name + ending),
    );
    const path = join(folder, `${name}.ts`);
    expect(recording.path).toBe(path);
    const { size } = statSync(path);
    expect(recording.size).toBe(size);
    expect(size % 188).toBe(0);
    const meta = readFileSync(`${path}.meta`);
    expect(meta.toString().split('\n')).toHaveLength(11);
    expect(parseMeta(meta)).toMatchObject({
      title: 'Ships: Harbours',
      description: 'Episode 3',
      begin: 1767290400,
      tags: ['News'],
      length: { size },
      scrambled: false,
    });
    expect(guide.eventOfFile(readFileSync(join(folder, `${name}.eit`)))).toMatchObject({
      id: present?.id,
      title: present?.title,
      shortText: present?.shortText,
      extendedText: present?.extendedText,
      start: present?.start,
      duration: present?.duration,
    });
  });

  it.runIf(haveFfmpeg)('is decoded by ffmpeg without an error, two of them with one tuner', async () => {
    const { recorder, order, pool } = await demoRecorder();
    const both = [await recorder.start(order(0)), await recorder.start(order(1))];
    expect(pool.tuners[0]?.users.filter(({ purpose }) => purpose === 'recording')).toHaveLength(2);
    await until(() => both.every(({ length }) => length > 3));
    await recorder.stop();
    for (const { path } of both) {
      const { code, errors } = await run('ffmpeg', ['-v', 'error', '-i', path, '-f', 'null', '-'], []);
      expect(errors).toBe('');
      expect(code).toBe(0);
    }
  });

  it('gets a number when its name is taken', async () => {
    const { recorder, order } = await demoRecorder();
    const all = [await recorder.start(order(0)), await recorder.start(order(0)), await recorder.start(order(0))];
    expect(all.map(({ path }) => path.slice(-12))).toEqual([' Harbours.ts', 'bours_001.ts', 'bours_002.ts']);
    await until(() => all.every(({ size }) => size > 0));
  });

  it('of nothing leaves nothing', async () => {
    const { recorder, order, folder } = await demoRecorder();
    const recording = await recorder.start(order(0));
    await recording.stop();
    if (recording.size === 0) expect(await readdir(folder)).toEqual([]);
    expect(existsSync(recording.path)).toBe(recording.size > 0);
  });

  it('goes on in the same file when the tuner was stopped', async () => {
    const { recorder, order, pool, lease } = await demoRecorder();
    const recording = await recorder.start(order(0));
    lease?.release();
    await until(() => recording.length > 0.5);
    await pool.tuners[0]?.tuner.stop();
    const { size } = recording;
    await until(() => recording.size > size + 500_000);
    await recorder.stop();
    const meta = readFileSync(`${recording.path}.meta`).toString().split('\n');
    expect(meta[10]).toMatch(/^receiverd: interrupted 1 times/);
  });
});
