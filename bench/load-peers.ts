/**
 * Many clients of one service, of the stream port and of VDR (vdr-plugin-streamdev-server), which gets it by SAT>IP from the
 * same program: `npx tsx bench/load-peers.ts [--streams N] [--seconds N]`. It runs itself in a network of its own, in
 * which VDR may listen on every interface.
 */
import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Clients } from './clients.ts';
import { temporaryFolder } from './native.ts';
import { resident, used } from './processes.ts';
import { served } from './satip-server.ts';
import { haveVdr, ownNetwork, startVdr, vdrPackages, vdrStream } from './vdr.ts';

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '60' },
    inside: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);

/** Streams to all clients for a while, and tells what that costs. */
async function trial(name: string, url: string, pid: number): Promise<void> {
  const idle = resident(pid);
  const clients = await Clients.start({ kind: 'streams', urls: Array(Number(values.streams)).fill(url) });
  await pause(5000);
  const before = { ...(await clients.report()), time: used(pid) };
  await pause(seconds * 1000);
  const { open, refused, ended, silent, bytes, gaps, lost } = await clients.report();
  const share = (((used(pid) - before.time) / seconds / 1000) * 100).toFixed(0);
  const rate = (((bytes - before.bytes) * 8) / seconds / 1e6).toFixed(1);
  console.log(`${name}: ${open} open, ${refused} refused, ${ended} ended, ${silent} without data, ${rate} Mbit/s`);
  console.log(`  ${gaps} gaps, ${lost} packets lost; ${share} % of a core`);
  console.log(`  RSS ${(idle / 1e6).toFixed(0)} MB before, ${(resident(pid) / 1e6).toFixed(0)} MB with them`);
  await clients.stop();
  await pause(3000);
}

/** Whether anything comes from there. VDR also accepts a client before its device is ready, and then sends nothing. */
async function delivers(url: string): Promise<boolean> {
  const timeout = AbortSignal.timeout(4000);
  const body = await fetch(url, { signal: timeout }).then(
    (response) => response.body?.getReader(),
    () => undefined,
  );
  const first = await body?.read().catch(() => undefined);
  await body?.cancel().catch(() => undefined);
  return first?.value !== undefined;
}

async function inside(): Promise<void> {
  const { program, port } = await served('demo', temporaryFolder(), 'stream:\n  maximumClients: 1000\n');
  const url = `${program.streams}/1:0:1:D11:D01:FF0D:EEEE0000:0:0:0:`;
  await trial('receiverd', url, program.child.pid as number);
  const vdr = startVdr(port);
  for (let attempts = 0; !(await delivers(vdrStream)); attempts++) {
    if (attempts > 20) throw new Error('VDR does not stream');
    await pause(500);
  }
  await trial('VDR', vdrStream, vdr.pid as number);
  vdr.kill('SIGKILL');
  await program.stop();
  process.exit();
}

if (values.inside) await inside();
else if (!haveVdr()) throw new Error(`it takes the packages ${vdrPackages}`);
else {
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1), '--inside'];
  const [program, ...flags] = [...ownNetwork, ...again];
  process.exitCode = spawnSync(program, flags, { stdio: 'inherit' }).status ?? 1;
}
