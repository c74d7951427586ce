import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseServerSpec } from '../../../src/config/satip-server-spec.ts';
import { SatipServers } from '../../../src/dvb/satip/servers.ts';
import { type TunerLease, TunerPool } from '../../../src/dvb/tuner-pool.ts';
import { until, untilTrue } from '../../fixtures/waits.ts';
import { service, streams, transponder } from '../network-transponders.ts';
import { ScriptedServer } from './scripted-server.ts';

const log = pino({ level: 'silent' });

let server: ScriptedServer;
let pool: TunerPool;
let servers: SatipServers;

beforeEach(async () => {
  server = new ScriptedServer(streams('', 498, 506));
  await server.start();
  pool = new TunerPool([], {
    linger: 0,
    transpondersOf: ({ transportStreamId }) => [transponder(transportStreamId)],
  });
});
afterEach(async () => {
  await pool.close();
  await servers.stop();
  await server.close();
});

async function connect(options = '', count = 1): Promise<void> {
  const spec = parseServerSpec(`satip:127.0.0.1:${server.port},tuners=DVBT2-${count}${options}`);
  servers = new SatipServers([spec], { add: (tuner, frontEnd) => pool.add(tuner, frontEnd), log });
  await servers.look();
}

const opened = ({ tuner }: TunerLease, frequency: number) => tuner.openStream(frequency);

async function bytesOf(lease: TunerLease, frequency: number, least: number): Promise<Buffer> {
  const stream = opened(lease, frequency);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    parts.push(part);
    size += part.length;
    if (size >= least) break;
  }
  await stream.close();
  return Buffer.concat(parts);
}

const soundPid = 0x200;

/** Packets of a PID. */
function countOf(stream: Buffer, pid: number): number {
  const packets = Array.from({ length: stream.length / 188 }, (_, n) => stream.readUInt16BE(n * 188 + 1) & 0x1fff);
  return packets.filter((packet) => packet === pid).length;
}

/** Gaps of the continuity counter of the sound. */
function gaps(stream: Buffer): number {
  let last = -1;
  let found = 0;
  for (let at = 0; at < stream.length; at += 188) {
    if ((stream.readUInt16BE(at + 1) & 0x1fff) !== soundPid) continue;
    const counter = (stream[at + 3] as number) & 0x0f;
    if (last >= 0 && counter !== ((last + 1) & 0x0f)) found++;
    last = counter;
  }
  return found;
}

describe.each(['udp', 'tcp'])('over %s', (transport) => {
  it('a service is received, and another one on another multiplex in the same session', async () => {
    await connect(`,transport=${transport}`);
    const first = await pool.tune(service(498), 'live', 'test');
    expect(gaps(await bytesOf(first, 498, 150_000))).toBe(0);
    await until(() =>
      expect(first.tuner.signal()).toMatchObject({ locked: true, snrPercent: 80, strengthPercent: 78 }),
    );
    const second = await pool.tune(service(506), 'live', 'test', { instead: first });
    first.release();
    expect(gaps(await bytesOf(second, 506, 150_000))).toBe(0);
    expect(second.tuner.statistics().network).toEqual({ lost: 0, reordered: 0, late: 0, refused: 0 });
    second.release();
    await untilTrue(() => server.sessions === 0);
    const methods = server.requests.map((request) => request.split(' ')[0]);
    expect(methods[0]).toBe('SETUP');
    expect(methods.at(-1)).toBe('TEARDOWN');
    expect(server.requests[0]).toBe('SETUP ?freq=498&bw=8&msys=dvbt&pids=0');
    expect(methods.filter((method) => method === 'SETUP')).toHaveLength(1);
    expect(server.requests).toContain('PLAY stream=1?freq=506&bw=8&msys=dvbt&pids=0,16,17,18,20,8187');
  });

  it('sets up a new session when the server forgets it, and the stream resumes', async () => {
    await connect(`,transport=${transport}`);
    const lease = await pool.tune(service(498), 'recording', 'test');
    const stream = opened(lease, 498);
    await stream[Symbol.asyncIterator]().next();
    server.forget();
    await untilTrue(() => server.sessions === 1);
    await untilTrue(() => lease.tuner.reception().state === 'locked');
    expect(lease.lost).toBeUndefined();
    // The audio resumes, not only the tables.
    for (let packets = 0; packets < 100; ) {
      const { value } = await stream[Symbol.asyncIterator]().next();
      packets += countOf(value ?? Buffer.alloc(0), soundPid);
    }
    await stream.close();
  });

  it('loses the tuner when the server disappears, and can use it again afterwards', async () => {
    await connect(`,transport=${transport}`);
    const lease = await pool.tune(service(498), 'recording', 'test');
    await server.stop();
    await until(() => expect(lease.lost).toMatch(/^Tuner A has failed: 127\.0\.0\.1:\d+: /));
    await expect(pool.tune(service(498), 'recording', 'test')).rejects.toThrow(/127\.0\.0\.1:\d+: Connection refused/);
    await server.start();
    const again = await until(() => pool.tune(service(498), 'recording', 'test'));
    again.release();
  });
});

it('reordered datagrams are put back in order, and lost ones are counted', async () => {
  await connect();
  server.faults.swaps = (sequence) => sequence % 5 === 0;
  const lease = await pool.tune(service(498), 'live', 'test');
  expect(gaps(await bytesOf(lease, 498, 150_000))).toBe(0);
  await until(() => expect(lease.tuner.statistics().network.reordered).toBeGreaterThan(3));
  expect(lease.tuner.statistics().network.lost).toBe(0);
  server.faults.loses = (sequence) => sequence % 10 === 1;
  await until(() => expect(lease.tuner.statistics().network.lost).toBeGreaterThan(3));
  expect(lease.tuner.statistics().continuityErrors).toBeGreaterThan(0);
  lease.release();
});

it('a server that sends no reports is asked by DESCRIBE', async () => {
  server.faults.silent = true;
  await connect();
  const lease = await pool.tune(service(498), 'live', 'test');
  await until(() => expect(lease.tuner.signal()).toMatchObject({ locked: true, snrPercent: 80 }));
  expect(server.requests.some((one) => one.startsWith('DESCRIBE stream='))).toBe(true);
  lease.release();
});

it('only the PIDs in use are requested', async () => {
  await connect();
  const lease = await pool.tune(service(498), 'live', 'test');
  const stream = opened(lease, 498);
  await untilTrue(() => server.requests.some((one) => /addpids=(\d+,)*512/.test(one)));
  await stream.close();
  await untilTrue(() => server.requests.some((one) => /delpids=(\d+,)*512/.test(one)));
  lease.release();
});

it.each([
  [503, 'No-More: frontends'],
  [453, 'No-More: bandwidth'],
])('says that a server refuses with %i', async (code, line) => {
  server.faults.refuse = { SETUP: [code, line] };
  await connect();
  const tuned = pool.tune(service(498), 'live', 'test');
  await expect(tuned).rejects.toMatchObject({ code: 'no-signal' });
  await expect(tuned).rejects.toThrow(`${code} Refused (${line})`);
});

it('a server that does not answer at all is given up', async () => {
  server.faults.dead = true;
  await connect();
  await expect(pool.tune(service(498), 'live', 'test')).rejects.toThrow('it does not answer');
});

it('a frequency without a transmitter has no signal', async () => {
  await connect();
  await expect(pool.tune(service(999), 'live', 'test')).rejects.toThrow('404 Not Found');
});

it('a user who arrives while a tuner stops gets it afterwards', async () => {
  server.faults.ignores = 'TEARDOWN';
  await connect();
  const first = await pool.tune(service(498), 'live', 'test');
  first.release();
  await untilTrue(() => server.requests.at(-1)?.startsWith('TEARDOWN'));
  const again = await pool.tune(service(498), 'live', 'test');
  expect(again.tuner.running).toBe(true);
  expect((await bytesOf(again, 498, 10_000)).length).toBeGreaterThan(0);
  again.release();
  // If that user leaves before the stop is complete, the tuner does not stay on.
  await untilTrue(() => server.requests.filter((one) => one.startsWith('TEARDOWN')).length === 2);
  again.pooled.lease({ purpose: 'live', user: 'test' }, transponder(498)).release();
  await untilTrue(() => !again.tuner.running);
});

it('two multiplexes need two of its tuners', async () => {
  await connect('', 2);
  const [one, other] = await Promise.all([498, 506].map((n) => pool.tune(service(n), 'live', 'test')));
  expect([one?.pooled.number, other?.pooled.number].sort()).toEqual([0, 1]);
  expect(server.sessions).toBe(2);
  await expect(pool.tune(service(999), 'live', 'test')).rejects.toMatchObject({ code: 'tuners-busy' });
  one?.release();
  other?.release();
});

describe('a specification', () => {
  it('names a server, and what the server does not report', () => {
    expect(parseServerSpec('satip:box.local')).toMatchObject({ host: 'box.local', port: undefined, satellites: [] });
    expect(parseServerSpec('satip:[::1]:8554,transport=tcp,satellites=19.2E+30.0W')).toMatchObject({
      host: '::1',
      port: 8554,
      transport: 'tcp',
      satellites: [192, 3300],
    });
    expect(parseServerSpec('satip:*,tuners=DVBS2-2+DVBC-1').frontEnds).toHaveLength(3);
  });

  it.each([
    ['satip:', 'expected satip:HOST'],
    ['satip:a b', 'expected satip:HOST'],
    ['satip:a:0', 'expected satip:HOST'],
    ['satip:a:70000', 'expected satip:HOST'],
    ['satip:[a]', 'expected satip:HOST'],
    ['satip:a,speed=1', "'speed' is none of transport=..., satellites=..., tuners=..."],
    ['satip:a,transport=sctp', "the transport 'sctp' is neither udp nor tcp"],
    ['satip:a,satellites=Astra', "the satellite 'Astra' is not like 19.2E"],
    ['satip:a,tuners=7', "the tuners '7' are not like DVBS2-4+DVBT2-2"],
  ])('%s is refused with the part that is wrong', (text, why) => {
    expect(() => parseServerSpec(text)).toThrow(
      expect.objectContaining({
        code: 'parameter-invalid',
        why: expect.stringContaining(why),
        message: expect.stringContaining(`The parameter 'tuner' '${text}': ${why}`),
      }),
    );
  });
});
