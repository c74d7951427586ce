/**
 * What it costs to receive 200 Mbit/s from a SAT>IP server over the loopback interface: processor time, kernel
 * included, of a process that tunes, takes the service out of the multiplex and hands it to JavaScript, against `socat`
 * that copies the same datagrams to /dev/null.
 */
import { fork, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ScriptedServer } from '../test/dvb/satip/scripted-server.ts';
import { writeTransportStream } from '../test/fixtures/transport-stream.ts';
import type { Comparisons } from './comparison.ts';
import { temporaryFolder } from './native.ts';

export interface Received {
  /** Milliseconds of processor time. */
  readonly time: number;
  readonly bytes: number;
  /** Datagrams. */
  readonly lost: number;
}

const bitRate = 200_000_000;
const seconds = 5;
const rounds = 3;

async function ours(port: number, transport: string): Promise<Received> {
  const flags = [String(port), transport, String(seconds)];
  const child = fork(join(import.meta.dirname, 'satip-receiver.ts'), flags, { execArgv: ['--import', 'tsx'] });
  const [received] = (await once(child, 'message')) as [Received];
  await once(child, 'exit');
  return received;
}

/** As much of the multiplex, asked for by hand. */
async function socats(server: ScriptedServer): Promise<Received> {
  const probe = createSocket('udp4').bind(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port: data } = probe.address();
  probe.close();
  await once(probe, 'close');
  const from = `UDP4-RECV:${data},bind=127.0.0.1,rcvbuf=16777216`;
  const rival = spawn('socat', ['-u', '-b', '65536', from, 'OPEN:/dev/null'], { stdio: 'ignore' });
  const rtsp = connect(server.port, '127.0.0.1');
  const ask = async (text: string) => {
    rtsp.write(`${text}\r\n\r\n`);
    const [reply] = (await once(rtsp, 'data')) as [Buffer];
    return /^Session: (\w+)/m.exec(reply.toString())?.[1];
  };
  const transport = `Transport: RTP/AVP;unicast;client_port=${data}-${data + 1}`;
  const session = await ask(`SETUP rtsp://127.0.0.1/?freq=498 RTSP/1.0\r\nCSeq: 1\r\n${transport}`);
  await ask(`PLAY rtsp://127.0.0.1/stream=1?pids=all RTSP/1.0\r\nCSeq: 2\r\nSession: ${session}`);
  await pause(2000);
  const before = { time: usedBy(rival.pid as number), sent: server.sent };
  await pause(seconds * 1000);
  const [time, bytes] = [usedBy(rival.pid as number) - before.time, server.sent - before.sent];
  await ask(`TEARDOWN rtsp://127.0.0.1/stream=1 RTSP/1.0\r\nCSeq: 3\r\nSession: ${session}`);
  rtsp.destroy();
  rival.kill();
  await once(rival, 'exit');
  return { time, bytes, lost: 0 };
}

/** Milliseconds of processor time. */
function usedBy(pid: number): number {
  const [, rest = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const fields = rest.split(' ');
  // utime and stime in hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const comparisons: Comparisons = async (quick) => {
  if (quick || !existsSync('/usr/bin/socat')) {
    console.log('\nsatip: left out; it takes a minute, and the package socat');
    return [];
  }
  const path = join(temporaryFolder(), 'full.ts');
  const services = [{ serviceId: 1, name: 'All' }];
  writeTransportStream(path, { transportStreamId: 1, originalNetworkId: 1, services, bitRate, seconds: 1 });
  const server = new ScriptedServer({ 498: { path, bitRate, whole: true } });
  await server.start();
  const udp: Received[] = [];
  const tcp: Received[] = [];
  const socat: Received[] = [];
  for (let n = 0; n < rounds; n++) {
    udp.push(await ours(server.port, 'udp'));
    socat.push(await socats(server));
    tcp.push(await ours(server.port, 'tcp'));
  }
  await server.close();
  const rival = { name: 'socat to /dev/null, UDP', samples: socat.map(({ time }) => time), result: undefined };
  return [['UDP', udp] as const, ['TCP', tcp] as const].map(([name, all]) => {
    const rate = (of: readonly Received[]) =>
      ((of.reduce((sum, { bytes }) => sum + bytes, 0) * 8) / seconds / of.length / 1e6).toFixed(0);
    const lost = all.reduce((sum, one) => sum + one.lost, 0);
    return {
      name: `satip: 200 Mbit/s over ${name}, processor time of ${seconds} seconds`,
      contenders: [{ name: 'receiverd', samples: all.map(({ time }) => time), result: undefined }, rival],
      check: () => `${rate(all)} Mbit/s received, ${lost} datagrams lost; ${rate(socat)} Mbit/s sent to socat`,
    };
  });
};

export default comparisons;
