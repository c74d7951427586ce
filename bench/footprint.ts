/**
 * What the program needs of a small box: `npx tsx bench/footprint.ts [--node FLAGS] [--settle SECONDS]` starts it in each
 * state and prints its memory, the processor time until it was ready, and how often an idle one wakes up. VDR is
 * measured beside it where it is installed, and a Node.js that does nothing: what no program on Node.js gets below.
 *
 * Memory is RSS: all pages in RAM, those of shared files too, since on a box nobody else uses them. Others processes of
 * Node.js, as this one, would make PSS look smaller.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { loadCorpus } from './guide-corpus.ts';
import { importGuide, type Program, startProgram } from './http-program.ts';
import { temporaryFolder } from './native.ts';
import { used } from './processes.ts';
import { writeLists } from './service-lists.ts';
import { writeXmltv } from './xmltv.ts';

const { values } = parseArgs({
  options: { node: { type: 'string', default: '' }, settle: { type: 'string', default: '60' } },
});
const settle = Number(values.settle) * 1000;
const flags = values.node.split(' ').filter((flag) => flag !== '');
const manyServices = 5725;
const manyEvents = 300_000;

interface Footprint {
  /** MiB. */
  readonly memory: number;
  /** Bytes of it that are mapped from no file. */
  readonly anonymous: number;
}

function footprint(pid: number): Footprint {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const mebibytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(rollup)?.[1]) / 1024;
  return { memory: mebibytes('Rss'), anonymous: mebibytes('Anonymous') };
}

/** How often its threads have given the processor up so far: they have slept as often. */
function sleeps(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const counts = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8'));
  return counts.reduce((sum, text) => sum + Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(text)?.[1]), 0);
}

function tell(state: string, { memory, anonymous }: Footprint, more = ''): void {
  console.log(
    `  ${state.padEnd(52)} ${memory.toFixed(0).padStart(5)} ${`(${anonymous.toFixed(0)})`.padStart(6)}  ${more}`,
  );
}

/** After a minute in which nobody wants anything. */
async function tellIdle(state: string, pid: number, started = ''): Promise<void> {
  // What a start leaves to do is over.
  await pause(settle / 2);
  const [before, slept] = [used(pid), sleeps(pid)];
  await pause(settle / 2);
  const minutes = settle / 2 / 60_000;
  const idle = `${((used(pid) - before) / minutes).toFixed(0)} ms a minute, ${((sleeps(pid) - slept) / minutes / 60).toFixed(1)} wake-ups a second`;
  tell(state, footprint(pid), [started, idle].filter((text) => text !== '').join('; '));
}

async function start(folder: string, more?: Parameters<typeof startProgram>[1]) {
  const program = await startProgram(folder, { tuner: 'none', execArgv: flags, ...more });
  const pid = program.child.pid as number;
  return { program, pid, started: `ready after ${used(pid)} ms of processor time` };
}

async function idle(): Promise<void> {
  const { program, pid, started } = await start(temporaryFolder());
  await tellIdle('idle', pid, started);
  await program.stop();
}

async function lists(): Promise<string> {
  const folder = temporaryFolder();
  const names = Array.from({ length: manyServices }, (_, n) => `Service ${n + 1}`);
  writeLists(join(folder, 'enigma2'), names, [{ file: 'userbouquet.all.tv', services: names.map((_, n) => n + 1) }]);
  const { program, pid, started } = await start(folder);
  await tellIdle(`${manyServices} services`, pid, started);
  await program.stop();
  return folder;
}

async function guide(folder: string): Promise<void> {
  const corpus = loadCorpus(manyEvents / 2, 2);
  const { file, events } = await writeXmltv(corpus, join(folder, 'guide.xml'));
  const first = await start(folder);
  await importGuide(first.program, file);
  tell(`${events} events, imported just now`, footprint(first.pid));
  await tellIdle('the same a minute later', first.pid);
  await first.program.stop();
  const again = await start(folder);
  await tellIdle('the same after a restart', again.pid, again.started);
  await again.program.stop();
}

async function busy(): Promise<void> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'enigma2'));
  const { program, pid } = await start(folder, { tuner: 'demo', scan: 'new' });
  const services = await waitForServices(program);
  for (const reference of services.slice(0, 2)) {
    await program.get(`/api/recordnow?sRef=${encodeURIComponent(reference)}&recordinfinitely=true`);
  }
  const streams = services
    .slice(0, 4)
    .map((reference) => get(`${program.streams}/${reference}`, (body) => body.resume()));
  const before = used(pid);
  await pause(settle);
  tell(
    '4 streams and 2 recordings',
    footprint(pid),
    `${((used(pid) - before) / (settle / 60_000)).toFixed(0)} ms a minute`,
  );
  for (const stream of streams) stream.on('error', () => undefined).destroy();
  await program.stop();
}

async function waitForServices(program: Program): Promise<readonly string[]> {
  for (;;) {
    const { services } = JSON.parse(String(Buffer.concat(await program.get('/api/getallservices')))) as {
      readonly services: readonly { readonly subservices: readonly { readonly servicereference: string }[] }[];
    };
    const references = services.flatMap(({ subservices }) =>
      subservices.map((subservice) => subservice.servicereference),
    );
    if (references.length >= 4) return references;
    await pause(100);
  }
}

/** A process that others wrote; it ends with SIGTERM. */
async function other(name: string, command: string, words: readonly string[]): Promise<void> {
  const child: ChildProcess = spawn(command, words, { stdio: 'ignore' });
  const exit = once(child, 'exit');
  await tellIdle(name, child.pid as number);
  child.kill('SIGTERM');
  await exit;
}

/** Without a tuner it ends, so it has those of its SAT>IP plug-in, which finds no server. */
function vdrFlags(): readonly string[] {
  const folder = temporaryFolder();
  for (const name of ['channels.conf', 'sources.conf', 'diseqc.conf', 'scr.conf'])
    writeFileSync(join(folder, name), '');
  const folders = ['config', 'video', 'cachedir', 'resdir'].map((name) => `--${name}=${folder}`);
  return [...folders, '--user=root', '--no-kbd', '--port=0', '--epgfile=-', '--log=0', '--watchdog=0', '-P', 'satip'];
}

console.log(`MiB in RAM (of it in no file), after ${values.settle} s; Node.js ${process.version} ${values.node}`);
await other('a Node.js that does nothing', process.execPath, ['-e', 'setInterval(() => {}, 1e9)']);
if (spawnSync('vdr', ['--version', '-P', 'satip']).status === 0)
  await other('VDR with its SAT>IP plug-in, idle', 'vdr', vdrFlags());
await idle();
await guide(await lists());
await busy();
