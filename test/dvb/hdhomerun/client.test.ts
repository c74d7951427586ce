/** Tuners of HDHomeRun devices: reception over real sockets, locks, and hostile devices. */
import { once } from 'node:events';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseHdhomerunSpec } from '../../../src/config/hdhomerun-spec.ts';
import { HdhomerunDevices } from '../../../src/dvb/hdhomerun/devices.ts';
import { searchDevices } from '../../../src/dvb/hdhomerun/discover.ts';
import { formatPacket, packetType, tag, textValue } from '../../../src/dvb/hdhomerun/packet.ts';
import { type TunerLease, TunerPool } from '../../../src/dvb/tuner-pool.ts';
import { until, untilTrue } from '../../fixtures/waits.ts';
import { service, streams, transponder } from '../network-transponders.ts';
import { ScriptedDevice } from './scripted-device.ts';

let device: ScriptedDevice;
let pool: TunerPool;
let devices: HdhomerunDevices;
/** Names of devices whose channels were imported. */
let imported: string[];

beforeEach(() => {
  imported = [];
  device = new ScriptedDevice(streams('000000', 498, 506));
  pool = new TunerPool([], { linger: 0, transpondersOf: ({ transportStreamId }) => [transponder(transportStreamId)] });
});
afterEach(async () => {
  await pool.close();
  await devices.stop();
  await device.close();
});

async function connect(sender?: string): Promise<void> {
  await device.start(sender);
  devices = new HdhomerunDevices([parseHdhomerunSpec(`hdhomerun:127.0.0.1:${device.port}`)], {
    add: (tuner, frontEnd) => pool.add(tuner, frontEnd),
    log: pino({ level: 'silent' }),
    identity: () => 'attic',
    own: () => '12345674',
    importLineup: async (name) => imported.push(name),
  });
  // A search ends soon, even if this machine is too slow to answer as the device.
  await until(async () => {
    await devices.look();
    expect(pool.tuners.length + devices.troubles.size).toBe(1);
  });
  imported = [];
}

/**
 * Leaves the tuner, which gives up after 0.4 s if this machine is too slow to answer as the device: the lock then stays
 * until the next user leaves.
 */
const leave = (lease: TunerLease) =>
  until(async () => {
    lease.release();
    await untilTrue(() => !lease.tuner.running);
    if (device.lock !== undefined) lease = await tune(498);
    expect(device.lock).toBeUndefined();
  });

/** Reads the service until so many bytes have arrived. */
async function read({ tuner }: TunerLease, frequency: number, least: number): Promise<void> {
  const stream = tuner.openStream(frequency);
  let size = 0;
  for await (const part of stream) {
    size += part.length;
    if (size >= least) break;
  }
  await stream.close();
  expect(size).toBeGreaterThanOrEqual(least);
}

const tune = (frequency: number, instead?: TunerLease) =>
  pool.tune(service(frequency), 'live', 'test', instead === undefined ? {} : { instead });

it('receives, changes the multiplex with the same lock, and releases it at the end', async () => {
  await connect();
  const first = await tune(498);
  await read(first, 498, 100_000);
  await until(() =>
    expect(first.tuner.signal()).toMatchObject({ locked: true, snrPercent: 70, strengthPercent: 80, bitErrors: 1 }),
  );
  expect(device.requests.find((one) => one.startsWith('filter='))).toMatch(/^filter=0x0000 0x0010-0x0012 /);
  const second = await tune(506, first);
  first.release();
  await read(second, 506, 100_000);
  expect(second.tuner.statistics().network).toEqual({ lost: 0, reordered: 0, late: 0, refused: 0 });
  expect(device.requests.filter((one) => one.startsWith('lockkey='))).toHaveLength(1);
  await leave(second);
  expect(device.requests.slice(-3)).toEqual(['target=none', 'channel=none', 'lockkey=none']);
});

it('puts datagrams into their order, and counts lost ones', async () => {
  device.faults.swaps = (sequence) => sequence % 20 === 10;
  device.faults.loses = (sequence) => sequence === 45;
  await connect();
  const lease = await tune(498);
  await until(() => {
    const { lost, reordered } = lease.tuner.statistics().network;
    expect(lost).toBe(1);
    expect(reordered).toBeGreaterThan(1);
  });
  lease.release();
});

it('gets back the lock that it left in a crash, but not one of another program', async () => {
  await connect();
  const lease = await tune(498);
  const left = device.lock;
  await leave(lease);
  device.lock = left;
  await leave(await tune(498));
  device.lock = { key: 1, holder: '192.0.2.7' };
  await expect(tune(498)).rejects.toThrow('resource locked by 192.0.2.7');
});

it('forgets why its tuner has failed once a search finds the device again', async () => {
  await connect();
  const lease = await tune(498);
  const { port } = device;
  await device.close();
  await until(() => expect(lease.lost).toMatch(/^Tuner A has failed: /));
  const [tuner] = pool.tuners;
  await devices.look();
  // Its channels would be no replacement for its tuners.
  expect(imported).toEqual([]);
  expect(tuner?.condition).toMatchObject({ state: 'idle', reason: expect.stringMatching(/./) });
  expect(tuner?.avoided).toBe(true);
  device = new ScriptedDevice(streams('000000', 498));
  await device.start('127.0.0.1', port);
  await until(async () => {
    await devices.look();
    expect(tuner?.condition).toMatchObject({ state: 'idle', reason: '' });
  });
  expect(tuner?.avoided).toBe(false);
});

it('leaves alone a tuner that another machine receives with', async () => {
  device.target = 'rtp://192.0.2.7:5000';
  await connect();
  await expect(tune(498)).rejects.toThrow('the tuner is in use by 192.0.2.7');
  await untilTrue(() => device.lock === undefined);
  expect(device.target).toBe('rtp://192.0.2.7:5000');
});

it.each([
  ['auto8t', { channel: 'no' }, 'ERROR: no'],
  ['rtp', { target: 'no' }, 'ERROR: no'],
])('names the reason when %s is refused', async (_, refuse, reason) => {
  device.faults.refuse = refuse;
  await connect();
  await expect(tune(498)).rejects.toThrow(reason);
});

it('an own device, and one that is not there, add no tuners', async () => {
  device.id = 0x12345674;
  await connect();
  expect([...devices.troubles.values()]).toEqual(['that is this receiver']);
  expect(pool.tuners).toEqual([]);
  expect(await searchDevices({ host: '127.0.0.1', port: 9 })).toEqual([]);
});

it('that neither answers nor has a list of channels says that the list is for devices without tuners', async () => {
  devices = new HdhomerunDevices([parseHdhomerunSpec('hdhomerun:127.0.0.1:9')], {
    ...{ add: () => undefined, log: pino({ level: 'silent' }) },
    importLineup: () => Promise.reject(new Error('127.0.0.1 is refused unless iptv.allow contains it')),
  });
  await devices.look();
  expect([...devices.troubles.values()]).toEqual([
    'the device does not answer; is it switched on? (if it offers only streams by HTTP: 127.0.0.1 is refused unless iptv.allow contains it)',
  ]);
  await device.start();
});

describe('a hostile device', () => {
  it('that keeps it waiting for its channels does not delay the end', async () => {
    let isAsked = false;
    devices = new HdhomerunDevices([parseHdhomerunSpec('hdhomerun:127.0.0.1:9')], {
      add: () => undefined,
      log: pino({ level: 'silent' }),
      async importLineup(_name, _url, signal) {
        isAsked = true;
        await once(signal, 'abort');
        throw new Error('aborted');
      },
    });
    const looked = devices.look();
    await untilTrue(() => isAsked);
    await devices.stop();
    await looked;
    await device.start();
  });

  it('that sends packets from another address is not received', async () => {
    await connect('127.0.0.2');
    const lease = await pool.tuneTo(transponder(498), 'live', 'test');
    await untilTrue(() => device.target !== 'none');
    let sent = 0;
    device.faults.loses = () => {
      sent++;
      return false;
    };
    await untilTrue(() => sent > 100);
    // What arrived before this strength is in the statistics.
    device.strength = 60;
    await until(() => expect(lease.tuner.signal().strengthPercent).toBe(60));
    expect(lease.tuner.statistics().network).toEqual({ lost: 0, reordered: 0, late: 0, refused: 0 });
    expect(lease.tuner.multiplex().hasPat).toBe(false);
    lease.release();
  });

  const reply = formatPacket(packetType.getSetReply, [[tag.value, textValue('x')]]);
  const wrongLength = Buffer.from(reply);
  wrongLength.writeUInt16BE(1, 2);
  const endsWithinTag = formatPacket(packetType.getSetReply, [[tag.value, textValue('x'.repeat(300))]]);
  endsWithinTag[5] = 0xff;
  it.each([
    ['a length beyond any packet', Buffer.from([0, 5, 0xff, 0xff])],
    ['a wrong length', wrongLength],
    ['a tag beyond its packet', endsWithinTag],
    ['a request', formatPacket(packetType.getSetRequest, [])],
    ['a page', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('that replies with %s loses its connection', async (_, bytes) => {
    device.faults.answers = bytes;
    await connect();
    await expect(tune(498)).rejects.toThrow('it sends invalid replies');
  });

  it('that replies without end is bounded', async () => {
    device.faults.isEndless = true;
    await connect();
    const lease = await tune(498);
    await read(lease, 498, 50_000);
    lease.release();
  });

  it('that does not reply is given up', async () => {
    await connect();
    device.faults.isSilent = true;
    await expect(tune(498)).rejects.toThrow('it does not answer');
  });
});
