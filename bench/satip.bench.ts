/**
 * SAT>IP over the loopback interface:
 *
 * - what it costs to receive 200 Mbit/s: processor time, kernel included, of a process that tunes, takes the service out
 *   of the multiplex and hands it to JavaScript, against `socat` that copies the same datagrams to /dev/null
 * - what it costs the server to send a multiplex of 20 Mbit/s to 20 clients, against 20 `socat` that send as much from a
 *   file, unpaced and without choosing PIDs
 * - how long a zap takes from the request to each step up to the first key frame, against ffmpeg and VDR on the same
 *   server
 */
import { execFileSync, fork, spawn } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ScriptedServer } from '../test/dvb/satip/scripted-server.ts';
import { writeTransportStream } from '../test/fixtures/transport-stream.ts';
import type { Comparison, Comparisons } from './comparison.ts';
import { temporaryFolder } from './native.ts';
import { used } from './processes.ts';
import { clients, served } from './satip-server.ts';
import type { Zap } from './satip-zaps.ts';
import { haveVdr, ownNetwork, vdrPackages } from './vdr.ts';

export interface Received {
  /** Milliseconds of processor time. */
  readonly time: number;
  readonly bytes: number;
  /** Datagrams. */
  readonly lost: number;
}

const seconds = 5;
const rounds = 3;
const ids = { transportStreamId: 1, originalNetworkId: 1, services: [{ serviceId: 1, name: 'All' }] };
const needed = ['socat', 'ffmpeg'].map((name) => `/usr/bin/${name}`);

const comparisons: Comparisons = async (quick) => {
  if (quick || !needed.every((path) => existsSync(path))) {
    console.log('\nsatip: left out; it takes minutes, and the packages socat and ffmpeg');
    return [];
  }
  return [...(await receiving()), await sending(), ...zapping()];
};

const mean = (of: readonly Received[]) => of.reduce((sum, { bytes }) => sum + bytes, 0) / of.length;
const megabits = (bytes: number) => `${((bytes * 8) / seconds / 1e6).toFixed(0)} Mbit/s`;

async function udpSocket(): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 }).bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

/** Asks for the whole multiplex by hand. Returns what ends that. */
async function wholeMultiplex(server: number, port: number): Promise<() => Promise<void>> {
  const rtsp = connect(server, '127.0.0.1');
  let session = '';
  const ask = async (method: string, path: string, header: string) => {
    const own = session === '' ? header : `Session: ${session}`;
    rtsp.write(`${method} rtsp://127.0.0.1/${path} RTSP/1.0\r\nCSeq: 1\r\n${own}\r\n\r\n`);
    const [reply] = (await once(rtsp, 'data')) as [Buffer];
    if (!reply.toString().startsWith('RTSP/1.0 200')) throw new Error(reply.toString());
    session ||= /^Session: ([^;\r]+)/m.exec(reply.toString())?.[1] ?? '';
    return /^com\.ses\.streamID: (\d+)/m.exec(reply.toString())?.[1];
  };
  const transport = `Transport: RTP/AVP;unicast;client_port=${port}-${port + 1}`;
  const stream = await ask('SETUP', '?freq=498&bw=8&msys=dvbt', transport);
  await ask('PLAY', `stream=${stream}?pids=all`, '');
  return async () => {
    await ask('TEARDOWN', `stream=${stream}`, '');
    rtsp.destroy();
  };
}

// Receiving

async function receiving(): Promise<readonly Comparison[]> {
  const bitRate = 200_000_000;
  const path = join(temporaryFolder(), 'full.ts');
  writeTransportStream(path, { ...ids, bitRate, seconds: 1 });
  const server = new ScriptedServer({ 498: { path, bitRate, whole: true } });
  await server.start();
  const udp: Received[] = [];
  const tcp: Received[] = [];
  const socat: Received[] = [];
  for (let n = 0; n < rounds; n++) {
    udp.push(await receiverd(server.port, 'udp'));
    socat.push(await socats(server));
    tcp.push(await receiverd(server.port, 'tcp'));
  }
  await server.close();
  const rival = { name: 'socat to /dev/null, UDP', samples: socat.map(({ time }) => time), result: undefined };
  return [['UDP', udp] as const, ['TCP', tcp] as const].map(([name, all]) => ({
    name: `satip: 200 Mbit/s received over ${name}, processor time of ${seconds} seconds`,
    contenders: [{ name: 'receiverd', samples: all.map(({ time }) => time), result: undefined }, rival],
    check: () => {
      const lost = all.reduce((sum, one) => sum + one.lost, 0);
      return `${megabits(mean(all))} received, ${lost} datagrams lost; ${megabits(mean(socat))} sent to socat`;
    },
  }));
}

async function receiverd(port: number, transport: string): Promise<Received> {
  const flags = [String(port), transport, String(seconds)];
  const child = fork(join(import.meta.dirname, 'satip-receiver.ts'), flags, { execArgv: ['--import', 'tsx'] });
  const [received] = (await once(child, 'message')) as [Received];
  await once(child, 'exit');
  return received;
}

async function socats(server: ScriptedServer): Promise<Received> {
  const probe = await udpSocket();
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  const from = `UDP4-RECV:${port},bind=127.0.0.1,rcvbuf=16777216`;
  const rival = spawn('socat', ['-u', '-b', '65536', from, 'OPEN:/dev/null'], { stdio: 'ignore' });
  const end = await wholeMultiplex(server.port, port);
  await pause(2000);
  const before = { time: used(rival.pid as number), sent: server.sent };
  await pause(seconds * 1000);
  const [time, bytes] = [used(rival.pid as number) - before.time, server.sent - before.sent];
  await end();
  rival.kill();
  await once(rival, 'exit');
  return { time, bytes, lost: 0 };
}

// Sending

async function sending(): Promise<Comparison> {
  const bitRate = 20_000_000;
  const folder = temporaryFolder();
  const path = join(folder, 'multiplex.ts');
  writeTransportStream(path, { ...ids, bitRate, seconds: 10 });
  const lists = join(folder, 'enigma2');
  execFileSync('mkdir', ['-p', lists]);
  const lamedb = [
    'eDVB services /4/\ntransponders\neeee0000:0001:0001\n\tt 498000000:0:5:5:3:2:4:4:2:0:0:0\n/\nend',
    'services\n0001:eeee0000:0001:0001:1:0:0\nAll\np:\nend\nHave a lot of bugs!\n',
  ];
  writeFileSync(join(lists, 'lamedb'), lamedb.join('\n'));
  const { program, port } = await served(`file:${path}`, folder);
  let bytes = 0;
  const sockets = await Promise.all(Array.from({ length: clients }, udpSocket));
  for (const socket of sockets) {
    socket.on('message', ({ length }) => {
      bytes += length - 12;
    });
  }
  const ends = await Promise.all(sockets.map((socket) => wholeMultiplex(port, socket.address().port)));
  const samples: Received[] = [];
  await pause(2000);
  for (let n = 0; n < rounds; n++) {
    const before = { time: used(program.child.pid as number), bytes };
    await pause(seconds * 1000);
    samples.push({ time: used(program.child.pid as number) - before.time, bytes: bytes - before.bytes, lost: 0 });
  }
  for (const end of ends) await end();
  const rivals = Array.from({ length: rounds }, () => socatsSending(path, mean(samples), sockets));
  for (const socket of sockets) socket.close();
  await program.stop();
  return {
    name: `satip: a multiplex of 20 Mbit/s to ${clients} clients, processor time of ${seconds} seconds`,
    contenders: [
      { name: 'receiverd', samples: samples.map(({ time }) => time), result: undefined },
      { name: `${clients} socat from a file`, samples: rivals, result: undefined },
    ],
    check: () => `${megabits(mean(samples))} received by all`,
  };
}

/** As many bytes in datagrams of the same size. */
function socatsSending(path: string, bytes: number, sockets: readonly Socket[]): number {
  const script = `import resource, subprocess, sys
own = [subprocess.Popen(['socat', '-u', '-b', '1316', 'OPEN:' + sys.argv[1] + ',readbytes=' + sys.argv[2], 'UDP4-SENDTO:127.0.0.1:' + port], stderr=subprocess.DEVNULL) for port in sys.argv[3:]]
for one in own: one.wait()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print((used.ru_utime + used.ru_stime) * 1000)`;
  const size = String(Math.floor(bytes / sockets.length));
  const ports = sockets.map((socket) => String(socket.address().port));
  return Number(execFileSync('python3', ['-c', script, path, size, ...ports], { encoding: 'utf8' }));
}

// Zapping

/** In a network of its own, if VDR can take part: it listens on every interface. */
function zapping(): readonly Comparison[] {
  const isVdrThere = haveVdr();
  if (!isVdrThere) console.log(`\nsatip: 1 rival left out, VDR; it takes the packages ${vdrPackages}`);
  const command = [process.execPath, '--import', 'tsx', join(import.meta.dirname, 'satip-zaps.ts')];
  const [program, ...flags] = isVdrThere ? [...ownNetwork, ...command, 'VDR'] : command;
  const output = execFileSync(program as string, flags, { encoding: 'utf8' });
  const zaps = Object.entries(JSON.parse(output) as Readonly<Record<string, readonly Zap[]>>);
  const step = (name: string, time: keyof Zap): Comparison => ({
    name: `satip: zap, from the request to ${name}`,
    contenders: zaps
      .map(([name, all]) => ({ name, samples: all.flatMap((zap) => zap[time] ?? []), result: undefined }))
      .filter(({ samples }) => samples.length > 0),
    check: () => undefined,
  });
  return [
    step('the answer to PLAY', 'play'),
    step('the lock', 'lock'),
    step('PAT', 'pat'),
    step('PMT', 'pmt'),
    step('the first key frame', 'picture'),
  ];
}

export default comparisons;
