/**
 * The program as a SAT>IP server and VDR as its client, both in a network namespace of their own, because VDR's plugin
 * listens on every interface. satip.test.ts runs it as `vdr-household.ts FOLDER HOW ADDRESS`. HOW is `udp` or `tcp` (VDR
 * is given the server and uses this transport) or `search` (VDR has to find the server). Prints what VDR saw as one line
 * of JSON.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { until, untilTrue } from '../fixtures/waits.ts';
import { startProgram } from '../receiver/program.ts';
import { tuners } from '../receiver/two-receivers.ts';

const svdrpPort = 6419;
/** `address`: of this machine on its network. */
const [folder = '', how, address = ''] = process.argv.slice(2);
const below = (...names: readonly string[]) => join(folder, ...names);

/** Writes VDR's configuration: one channel, the demo's first service, and the transport. */
function configure(): void {
  for (const name of ['config', 'config/plugins', 'video', 'cache', 'res']) mkdirSync(below(name), { recursive: true });
  const service = '273=27:274=eng@15:0:0:3345:65293:3329:0';
  const files = {
    'channels.conf': `Aldermoor One;Test:474000000:B8C34D0G8M64T8Y0S0:T:27500:${service}\n`,
    'setup.conf': `UpdateChannels = 0\nEPGScanTimeout = 0\n${how === 'tcp' ? 'satip.TransportMode = 2\n' : ''}`,
    'svdrphosts.conf': '127.0.0.1\n',
    ...Object.fromEntries(
      ['sources', 'diseqc', 'keymacros', 'remote', 'timers', 'scr'].map((one) => [`${one}.conf`, '']),
    ),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(below('config', name), text);
}

let vdr: ChildProcess;
let port = '';
/** The reason for each restart of VDR. */
const restarts: string[] = [];

function startVdr(): void {
  const folders = ['config', 'video'].map((name) => `--${name}=${below(name)}`);
  const others = [
    `--cachedir=${below('cache')}`,
    `--resdir=${below('res')}`,
    `--epgfile=${below('cache', 'epg.data')}`,
  ];
  const options = ['-u', 'root', '-l', '3', '--no-kbd', '--watchdog=0', '-p', String(svdrpPort)];
  // Quirk 0x08 of VDR's SAT>IP plugin permits TCP.
  const server = `-s ${address}:${port}|DVBT-1|receiverd${how === 'tcp' ? ':0x08' : ''}`;
  const plugin = `-Psatip ${how === 'search' ? '' : server}`.trim();
  const env = { ...process.env, TZ: 'UTC' };
  vdr = spawn('vdr', [...folders, ...others, ...options, plugin], { stdio: 'ignore', env });
  vdr.once('exit', restart);
}

/** Restarts VDR after it was killed because it hung, or has exited, as it does if a recording gets no data for 30 s. */
function restart(status: number | null, signal: NodeJS.Signals | null): void {
  restarts.push(`VDR ended: ${signal ?? status}`);
  console.error(restarts.at(-1));
  if (restarts.length <= 5) startVdr();
}

function stopVdr(signal?: NodeJS.Signals): void {
  vdr.off('exit', restart);
  vdr.kill(signal);
}

/** Without a reply for this long, VDR hangs: on a loaded machine, the locks of its lists sometimes deadlock. */
const replyTimeoutMs = 20_000;

/** Sends an SVDRP command to VDR and returns the response. Kills VDR if it hangs. */
async function ask(command: string): Promise<string> {
  const socket = connect(svdrpPort, '127.0.0.1');
  let text = '';
  socket.setTimeout(replyTimeoutMs, () => {
    socket.destroy(new Error('VDR hangs'));
    vdr.kill('SIGKILL');
  });
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.write(`${command}\nQUIT\n`);
  await once(socket, 'close');
  return text;
}

/** Bytes recorded so far. */
function recorded(): number {
  const place = below('video', 'Test');
  if (!existsSync(place)) return 0;
  // After a restart, VDR resumes the recording in another file.
  const files = readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return files.reduce((sum, file) => sum + statSync(join(place, file)).size, 0);
}

async function watch(program: Awaited<ReturnType<typeof startProgram>>): Promise<Record<string, unknown>> {
  await untilTrue(async () => (await (await program.get('/satip/desc.xml')).text()).includes('>DVBT-1<'));
  port = (await program.get('/satip/desc.xml')).headers.get('x-satip-rtsp-port') ?? '';
  startVdr();
  const users = async () =>
    (await tuners(program)).flatMap((tuner) => tuner.users.map(({ user }) => user)).filter((user) => user === address);
  try {
    await untilTrue(async () => (await until(() => ask('PLUG satip LIST'))).includes('|DVBT-1|receiverd'));
    // On a loaded machine VDR may not find its device ready, and does not retry by itself. If the machine stalls for
    // longer than VDR's timeout (1.5 s), the TCP session is lost, but VDR keeps requesting it for ever.
    let switched = Number.NEGATIVE_INFINITY;
    let attempts = 0;
    const keepTuned = async () => {
      if (performance.now() - switched < 20_000) return;
      switched = performance.now();
      if (attempts++ % 4 === 3) vdr.kill('SIGKILL');
      else await ask('CHAN 1');
    };
    const event = await until(async () => {
      await keepTuned();
      const [, title] = /^215.E .*\n215.T (.*?)\r?$/m.exec(await ask('LSTE 1 now')) ?? [];
      if (title !== undefined) return title;
      // VDR holds the lock of its guide while it replies, so do not ask again at once.
      await pause(1000);
      throw new Error('VDR has no guide');
    });
    const signal = await until(() => ask('PLUG satip INFO'));
    const [day = ''] = new Date().toISOString().split('T');
    await until(() => ask(`NEWT 1:1:${day}:0000:2359:50:50:Test:`));
    await untilTrue(async () => {
      await keepTuned();
      await pause(1000);
      return recorded() > 100_000;
    });
    const during = await users();
    await until(() => ask('DELT 1'));
    stopVdr();
    await untilTrue(async () => (await users()).length === 0);
    return { event, signal, during, restarts };
  } finally {
    stopVdr('SIGKILL');
  }
}

configure();
writeFileSync(below('receiverd.yaml'), 'satip:\n  server:\n    enabled: true\n    port: 0\n');
const program = await startProgram(
  below('data'),
  '--tuner',
  'demo',
  '--config',
  below('receiverd.yaml'),
  '--bind',
  '0.0.0.0',
);
try {
  process.stdout.write(`${JSON.stringify(await watch(program))}\n`);
} finally {
  await program.stop();
}
