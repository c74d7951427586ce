/** Stills of services that a tuner receives anyway, by the machine's ffmpeg. */
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { Tuner } from '../../src/dvb/tuner.ts';
import { TunerPool } from '../../src/dvb/tuner-pool.ts';
import { FrameMaker } from '../../src/pictures/frame-maker.ts';
import { LiveStills } from '../../src/pictures/live-stills.ts';
import { pictureFormat } from '../../src/pictures/picture-format.ts';
import { until } from '../fixtures/waits.ts';

const television = { originalNetworkId: 0xff0d, transportStreamId: 0xd01, serviceId: 0xd11 };
const radio = { ...television, serviceId: 0xd21 };

function open(program = 'ffmpeg') {
  const pool = new TunerPool([new Tuner({ kind: 'demo', speed: 1 })], { linger: 0 });
  const frames = new FrameMaker(program);
  onTestFinished(async () => {
    frames.stop();
    await pool.close();
  });
  return { pool, stills: new LiveStills({ pool, frames, log: pino({ level: 'silent' }) }) };
}

it('a service has a still while a tuner receives its multiplex', async () => {
  const { pool, stills } = open();
  expect(await stills.find(television)).toBeUndefined();
  expect(pool.tuners[0]?.tuner.running).toBe(false);
  const lease = await pool.tune({ ...television, serviceId: 0xd12 }, 'stream', 'test');
  const still = await until(async () => {
    const found = await stills.find(television);
    expect(found).toBeInstanceOf(Buffer);
    return found as Buffer;
  });
  expect(pictureFormat(still)).toEqual({ extension: 'jpg', width: 480, height: 270 });
  // It is no use of the tuner.
  expect(pool.tuners[0]?.users).toHaveLength(1);
  lease.release();
  await until(() => expect(pool.tuners[0]?.tuner.running).toBe(false));
  expect(await stills.find(television)).toBeUndefined();
});

it.each([
  ['radio', radio, 'ffmpeg'],
  ['any service without ffmpeg', television, '/nonexistent/ffmpeg'],
])('there is no still of %s', async (_, service, program) => {
  const { pool, stills } = open(program);
  await pool.tune(service, 'stream', 'test');
  await until(async () => expect(await stills.find(service)).toBeUndefined());
});
