/**
 * Zaps to the demo of a SAT>IP server: receiverd, ffmpeg and, with VDR as an argument, VDR with its plugins satip and
 * streamdev-server. VDR listens on every interface, so satip.bench.ts runs this in a network of its own. All begin at
 * the same twenty moments between two key frames of the broadcast, which another client watches all the time. Tells its
 * parent the milliseconds of each step as one line of JSON; a step that cannot be seen from outside is left out.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { findNetworkTuners } from '../src/dvb/network-tuners.ts';
import { automaticBut } from '../src/dvb/transponder.ts';
import { TunerPool } from '../src/dvb/tuner-pool.ts';
import { temporaryFolder } from './native.ts';
import { served } from './satip-server.ts';
import { startVdr, vdrStream } from './vdr.ts';

/** From the request on. */
export interface Zap {
  /** The PLAY that asks for packets has been answered. */
  play: number;
  lock?: number;
  pat?: number;
  pmt?: number;
  /** The first packet of the first key frame has come out of the stream. */
  picture: number;
}

interface Contender {
  /** Milliseconds that go by before the request and are no part of the zap, as far as they are known. */
  early?: number;
  readonly zap: () => Promise<Zap>;
}

const zaps = 20;
/** Milliseconds between two key frames of the demo. */
const distance = 2000;
/** The demo's first service. */
const demo = { originalNetworkId: 0xff0d, transportStreamId: 0xd01, serviceId: 0xd11 };
const pids = { pat: 0, pmt: 272, video: 273 };

const { program, port } = await served('demo', temporaryFolder());
let begin = 0;
const since = () => performance.now() - begin;

/** The server at another port, where it is seen when a client connects and when its PLAY is answered. */
async function door(request = /^PLAY /m): Promise<{ port: number; connection: number; play: number }> {
  let asked = false;
  const server = createServer((client) => {
    seen.connection = since();
    const own = connect(port, '127.0.0.1');
    client.on('data', (data) => {
      asked ||= request.test(data.toString('latin1'));
      own.write(data);
    });
    own.on('data', (data) => {
      if (asked) seen.play ||= since();
      asked = false;
      client.write(data);
    });
    client.on('close', () => own.destroy()).on('error', () => undefined);
    own.on('close', () => client.destroy()).on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const seen = { port: (server.address() as AddressInfo).port, connection: 0, play: 0 };
  return seen;
}

async function* packetsOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const chunk of stream) {
    rest = Buffer.concat([rest, chunk]);
    for (; rest.length >= 188; rest = rest.subarray(188)) yield rest;
  }
}

const pidOf = (packet: Buffer) => packet.readUInt16BE(1) & 0x1fff;
/** random_access_indicator (ISO/IEC 13818-1 §2.4.3.5). */
const isKeyFrame = (packet: Buffer) =>
  (packet.readUInt8(3) & 0x20) !== 0 && packet.readUInt8(4) > 0 && (packet.readUInt8(5) & 0x40) !== 0;

/** Notes when the first PAT, PMT and key frame come; ends with the latter. */
async function watch(stream: AsyncIterable<Uint8Array>, video = pids.video): Promise<Omit<Zap, 'play'>> {
  const first: { pat?: number; pmt?: number } = {};
  for await (const packet of packetsOf(stream)) {
    const pid = pidOf(packet);
    if (pid === pids.pat) first.pat ??= since();
    if (pid === pids.pmt) first.pmt ??= since();
    if (pid === video && isKeyFrame(packet)) return { ...first, picture: since() };
  }
  throw new Error('the stream ended without a picture');
}

async function openHttp(url: string): Promise<{ body: AsyncIterable<Uint8Array>; end: () => void }> {
  const left = new AbortController();
  const { body, status } = await fetch(url, { signal: left.signal });
  if (status !== 200 || body === null) throw new Error(`${url}: ${status}`);
  return { body, end: () => left.abort() };
}

// receiverd: a new session for each zap.

async function receiverd(): Promise<Contender> {
  const seen = await door();
  const parameters = automaticBut('terrestrial', { frequency: 474e6, bandwidth: 0, system: 0 });
  const transponder = { namespace: 0xeeee0000, ...demo, parameters };
  const pool = new TunerPool([], { linger: 0, transpondersOf: () => [transponder] });
  const spec = `satip:127.0.0.1:${seen.port},tuners=DVBT-1`;
  await findNetworkTuners([spec], (tuner, frontEnd) => pool.add(tuner, frontEnd));
  const [{ tuner }] = pool.tuners as readonly [TunerPool['tuners'][number]];
  let steps: { lock?: number; pat?: number; pmt?: number } = {};
  tuner.onReception(() => {
    if (tuner.reception().state === 'locked') steps.lock ??= since();
  });
  tuner.onMultiplex(() => {
    const service = tuner.multiplex().services.find(({ serviceId }) => serviceId === demo.serviceId);
    if (service !== undefined) steps.pat ??= since();
    if (service?.streams?.length) steps.pmt ??= since();
  });
  const zap = async () => {
    steps = {};
    seen.play = 0;
    begin = performance.now();
    const lease = await pool.tune(demo, 'live', 'bench');
    const stream = tuner.openStream(demo.serviceId);
    const { picture } = await watch(stream);
    await stream.close();
    lease.release();
    return { play: seen.play, ...steps, picture };
  };
  return { zap };
}

// ffmpeg: a process for each zap. Its request is its connection, and it is started as much earlier as it takes to start.

async function ffmpeg(...flags: readonly string[]): Promise<Contender> {
  const seen = await door();
  const address = `satip://127.0.0.1:${seen.port}/?freq=474&bw=8&msys=dvbt&pids=0,17,272,273,274`;
  const output = ['-map', '0:v:0', '-c', 'copy', '-flush_packets', '1', '-f', 'mpegts', 'pipe:1'];
  const own: Contender = {
    early: 100,
    async zap() {
      seen.play = 0;
      begin = performance.now();
      const child = spawn('ffmpeg', ['-v', 'fatal', ...flags, '-i', address, ...output], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      // Its muxer assigns new PIDs, from 256.
      const { picture } = await watch(child.stdout, 256);
      const exit = once(child, 'exit');
      child.kill();
      await exit;
      own.early = seen.connection;
      return { play: seen.play - seen.connection, picture: picture - seen.connection };
    },
  };
  return own;
}

// VDR: keeps its session from the first zap, which is not counted, to the last.

async function vdr(): Promise<Contender> {
  // It asks without PIDs first.
  const seen = await door(new RegExp(`^PLAY .*pids=.*\\b${pids.video}\\b`, 'm'));
  startVdr(seen.port);
  const zap = async () => {
    seen.play = 0;
    begin = performance.now();
    const { body, end } = await openHttp(vdrStream);
    const found = await watch(body);
    end();
    return { play: seen.play, ...found };
  };
  for (let attempts = 0; attempts < 100; attempts++) {
    const first = await zap().catch(() => undefined);
    if (first !== undefined) return { zap };
    await pause(100);
  }
  throw new Error('VDR does not stream');
}

const reference = await openHttp(`${program.streams}/1:0:1:D11:D01:FF0D:EEEE0000:0:0:0:`);
let keyFrame = 0;
void (async () => {
  for await (const packet of packetsOf(reference.body))
    if (pidOf(packet) === pids.video && isKeyFrame(packet)) keyFrame = performance.now();
})().catch(() => undefined);

const contenders: Record<string, Contender> = {
  receiverd: await receiverd(),
  ffmpeg: await ffmpeg(),
  // Of the five seconds in which it looks for streams, a tenth of one.
  'ffmpeg, -analyzeduration 100000': await ffmpeg('-analyzeduration', '100000'),
  ...(process.argv[2] === 'VDR' ? { VDR: await vdr() } : {}),
};
const found = Object.fromEntries(Object.keys(contenders).map((name): [string, Zap[]] => [name, []]));
for (let n = 0; n < zaps; n++) {
  for (const [name, { zap, early = 0 }] of Object.entries(contenders)) {
    // The last one's session ends.
    await pause(700);
    const after = performance.now() + early - keyFrame - (distance * n) / zaps;
    await pause(distance - (after % distance));
    found[name]?.push(await zap());
  }
}
reference.end();
await program.stop();
process.stdout.write(`${JSON.stringify(found)}\n`, () => process.exit());
