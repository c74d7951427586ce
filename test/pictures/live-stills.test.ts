/** Stills of services that are received anyway, by the machine's ffmpeg. */
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import type { PlacedService } from '../../src/dvb/triplet.ts';
import { Tuner } from '../../src/dvb/tuner.ts';
import { TunerPool } from '../../src/dvb/tuner-pool.ts';
import { FrameMaker } from '../../src/pictures/frame-maker.ts';
import { LiveStills } from '../../src/pictures/live-stills.ts';
import { pictureFormatOf } from '../../src/pictures/picture-format.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { networkStreams } from '../fixtures/network.ts';
import { until } from '../fixtures/waits.ts';
import { station } from '../iptv/station.ts';

const reference = (text: string) => ServiceReference.parse(text);
const television = reference('1:0:1:D11:D01:FF0D:EEEE0000:0:0:0:');
const other = reference('1:0:1:D12:D01:FF0D:EEEE0000:0:0:0:');
const radio = reference('1:0:2:D21:D01:FF0D:EEEE0000:0:0:0:');
const placed = (service: ServiceReference) => service.placed as PlacedService;

function open(program = 'ffmpeg') {
  const pool = new TunerPool([new Tuner({ kind: 'demo', speed: 1 })], { linger: 0 });
  const frames = new FrameMaker(program);
  const network = networkStreams();
  onTestFinished(async () => {
    frames.stop();
    await network.close();
    await pool.close();
  });
  return { pool, network, stills: new LiveStills({ pool, network, frames, log: pino({ level: 'silent' }) }) };
}

it('a service has a still while a tuner receives its multiplex', async () => {
  const { pool, stills } = open();
  expect(await stills.find(television)).toBeUndefined();
  expect(pool.tuners[0]?.tuner.running).toBe(false);
  const lease = await pool.tune(placed(other), 'stream', 'test');
  const still = await until(async () => {
    const found = await stills.find(television);
    expect(found).toBeInstanceOf(Buffer);
    return found as Buffer;
  });
  expect(pictureFormatOf(still)).toEqual({ extension: 'jpg', width: 480, height: 270 });
  // It is no use of the tuner.
  expect(pool.tuners[0]?.users).toHaveLength(1);
  lease.release();
  await until(() => expect(pool.tuners[0]?.tuner.running).toBe(false));
  expect(await stills.find(television)).toBeUndefined();
});

it('an IPTV service has a still while its stream is received', async () => {
  const { pool, network, stills } = open();
  const lease = await pool.tune(placed(television), 'stream', 'test');
  let mostViewers = 0;
  const provider = await station({
    '/live.ts': async (_, response) => {
      mostViewers = Math.max(mostViewers, provider.viewers.size);
      const stream = lease.tuner.openStream(0xd11);
      response.on('close', () => stream.close());
      for await (const piece of stream) response.write(piece);
    },
  });
  onTestFinished(() => provider.stop());
  const stream = reference(`4097:0:1:0:0:0:0:0:0:0:${`${provider.url}/live.ts`.replaceAll(':', '%3a')}:Provider`);
  expect(await stills.find(stream)).toBeUndefined();
  expect(provider.requests).toHaveLength(0);
  await network.tune(stream, 'stream', 'test');
  const still = await until(async () => {
    const found = await stills.find(stream);
    expect(found).toBeInstanceOf(Buffer);
    return found as Buffer;
  });
  expect(pictureFormatOf(still)).toEqual({ extension: 'jpg', width: 480, height: 270 });
  // On a slow machine, the receiver may have asked again after a pause of the stream.
  expect(mostViewers).toBe(1);
});

it.each([
  ['radio', radio, 'ffmpeg'],
  ['any service without ffmpeg', television, '/nonexistent/ffmpeg'],
])('there is no still of %s', async (_, service, program) => {
  const { pool, stills } = open(program);
  await pool.tune(placed(service), 'stream', 'test');
  await until(async () => expect(await stills.find(service)).toBeUndefined());
});
