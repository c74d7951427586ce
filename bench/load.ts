/**
 * A household far too large, on one receiver: `npx tsx bench/load.ts [--minutes N]` starts the whole program on one
 * multiplex with live streams, push clients, apps that poll, an import of a guide and four recordings, all at once. Then
 * come idle connections and readers that are too slow. It ends with an error if a recording has a gap.
 *
 *   --minutes N         how long everything runs at once; 1
 *   --tuner SPEC        the multiplex; demo
 *   --streams N, --push N, --apps N, --idle N    clients; 200, 500, 50, 10000
 *   --loss PERCENT --delay MS    instead of all this: streams, push clients and apps over a network that loses so many
 *                       packets each way and takes this long each way. lossy-network.py makes it, in a namespace of its own
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Clients } from './clients.ts';
import { Continuity } from './continuity.ts';
import { held, told } from './event-loop.ts';
import { loadCorpus } from './guide-corpus.ts';
import { importGuide, type Program, startProgram, timed } from './http-program.ts';
import type { AppsReport } from './load-clients.ts';
import { temporaryFolder } from './native.ts';
import { openFiles, resident, used, waited } from './processes.ts';
import { bouquetReference, reference, writeLists } from './service-lists.ts';
import { writeXmltv } from './xmltv.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    tuner: { type: 'string', default: 'demo' },
    streams: { type: 'string', default: '200' },
    push: { type: 'string', default: '500' },
    apps: { type: 'string', default: '50' },
    idle: { type: 'string', default: '10000' },
    loss: { type: 'string' },
    delay: { type: 'string', default: '20' },
    'in-network': { type: 'boolean', default: false },
  },
});
const milliseconds = Number(values.minutes) * 60_000;
const count = { streams: Number(values.streams), push: Number(values.push), apps: Number(values.apps) };
const slowReaders = 10;
/** Of the lossy network: its addresses are swapped on the way, so that packets come back to where they were sent. */
const network = { own: '10.99.0.1', other: '10.99.0.2' };

function line(name: string, value: string): void {
  console.log(`  ${name.padEnd(46)} ${value}`);
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
const number = (value: number) => value.toLocaleString('en');

function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(1);
  return `median ${at(0.5)} ms, p99 ${at(0.99)} ms, maximum ${at(1)} ms of ${number(sorted.length)}`;
}

function answers({ statusinfo, others, failures }: AppsReport): void {
  line('statusinfo', spread(statusinfo));
  if (others.length > 0) line('other requests', spread(others));
  line('failed requests', failures.length === 0 ? '0' : `${failures.length}, the first ${failures[0]}`);
}

async function json<Answer>(program: Pick<Program, 'get'>, path: string): Promise<Answer> {
  return JSON.parse(Buffer.concat(await program.get(path)).toString()) as Answer;
}

async function metric({ get }: Pick<Program, 'get'>, name: string): Promise<number> {
  const text = Buffer.concat(await get('/metrics')).toString();
  return Number(new RegExp(`^receiverd_${name} (.*)$`, 'm').exec(text)?.[1]);
}

/** The services of the multiplex, once the scan has found them. */
async function received(program: Program): Promise<readonly string[]> {
  const path = `/api/getservices?sRef=${encodeURIComponent(bouquetReference('userbouquet.LastScanned.tv'))}`;
  for (let attempts = 0; attempts < 300; attempts++) {
    const { services = [] } = await json<{ services?: readonly { servicereference: string }[] }>(program, path);
    if (services.length > 0) return services.map(({ servicereference }) => servicereference);
    await pause(100);
  }
  throw new Error('the scan has not found the services');
}

/** The services in turn, one for each of `count` clients. */
function inTurns(services: readonly string[], clients: number, streams: string): readonly string[] {
  return Array.from({ length: clients }, (_, n) => `${streams}/${services[n % services.length]}`);
}

async function record(program: Program, services: readonly string[]): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  for (const sRef of services) {
    const timer = { sRef, begin: String(now - 1), end: String(now + 7 * 86_400), justplay: '0', name: 'Load' };
    const { result, message } = await json<{ result: boolean; message?: string }>(
      program,
      `/api/timeradd?${new URLSearchParams(timer)}`,
    );
    if (!result) throw new Error(`timeradd: ${message}`);
  }
}

/** Reads the files of the recordings. Returns the number of their gaps. */
async function checkRecordings({ program, folder }: Trial): Promise<number> {
  console.log('\nrecordings, from the beginning until now');
  const movies = join(folder, 'movie');
  let gaps = 0;
  for (const name of readdirSync(movies).filter((name) => name.endsWith('.ts'))) {
    const continuity = new Continuity();
    for await (const chunk of createReadStream(join(movies, name), { highWaterMark: 1 << 20 }))
      continuity.take(chunk as Buffer);
    gaps += continuity.gaps + continuity.broken;
    line('a recording', `${number(continuity.packets)} packets, ${continuity.gaps} gaps, ${continuity.lost} lost`);
  }
  line('gaps by its own count', String(await metric(program, 'recording_continuity_errors_total')));
  line('bytes lost for a slow disk', String(await metric(program, 'recording_lost_bytes_total')));
  return gaps;
}

/** Changes the volume every second for some time, and tells how the push clients heard of it. */
async function changeVolume(program: Program, clients: Clients<'push'>, duration: number): Promise<void> {
  const { volumes: before } = await clients.report();
  const sent: number[] = [];
  for (const end = performance.now() + duration; performance.now() < end; await pause(1000)) {
    sent.push(Date.now());
    await program.get(`/api/vol?set=set${20 + (sent.length % 50)}`);
  }
  await pause(1000);
  const { volumes, open, refused, ended, resets } = await clients.report();
  const heard = volumes.slice(before.length);
  const missed = sent.reduce((sum, _, n) => sum + open - (heard[n]?.clients ?? 0), 0);
  line(
    'push clients',
    `${open} connected, ${refused} refused, ${ended} ended, ${resets} resets, ${missed} events missed`,
  );
  line('until the last of them has an event', spread(sent.map((time, n) => (heard[n]?.last ?? Number.NaN) - time)));
}

async function streamed(clients: Clients<'streams'>, seconds: number, before = 0): Promise<void> {
  const { open, refused, ended, silent, bytes, packets, gaps, lost, broken } = await clients.report();
  line('streams', `${open} open, ${refused} refused, ${ended} ended, ${silent} without data`);
  line(
    'their packets',
    `${number(packets)}, ${gaps} gaps, ${lost} lost, ${broken} broken, ${(((bytes - before) * 8) / seconds / 1e6).toFixed(1)} Mbit/s`,
  );
}

/** Lines of the log that somebody would look at. */
function complaints(log: string): void {
  const lines = readFileSync(log, 'utf8')
    .split('\n')
    .filter((text) => /"level":[456]0/.test(text));
  line('warnings and errors in the log', String(lines.length));
  for (const text of lines.slice(0, 5)) console.log(`    ${text.slice(0, 300)}`);
}

/** Starts to watch a program. The result tells how long it was blocked and what it used since. */
async function watch({ program: { child }, probe }: Pick<Trial, 'program' | 'probe'>): Promise<() => Promise<void>> {
  const pid = child.pid as number;
  await held(child, probe);
  const [begin, processor, queued] = [performance.now(), used(pid), waited(pid)];
  return async () => {
    const elapsed = performance.now() - begin;
    const share = (time: number) => `${((time / elapsed) * 100).toFixed(0)} %`;
    line('event loop blocked', told(await held(child, probe)));
    line(
      'processor time',
      `${share(used(pid) - processor)} of a core; ${share(waited(pid) - queued)} of the time the main thread waited for one`,
    );
  };
}

interface Trial {
  readonly program: Program;
  readonly services: readonly string[];
  readonly folder: string;
  readonly probe: string;
  readonly log: string;
  readonly others: readonly string[];
}

const limits = `stream:\n  maximumClients: 10000\n  clientBound: 1048576\npush:\n  maximumClients: 10000\n`;

async function start(bind = '127.0.0.1'): Promise<Trial & { readonly guide: string; readonly events: number }> {
  const folder = temporaryFolder();
  const corpus = loadCorpus();
  const [probe, log] = [join(folder, 'event-loop'), join(folder, 'log')];
  const small = 'userbouquet.small.tv';
  writeLists(
    join(folder, 'enigma2'),
    corpus.services.map(({ name }) => name),
    [{ file: small, services: Array.from({ length: 200 }, (_, n) => n + 1) }],
  );
  const { file: guide, events } = await writeXmltv(corpus, join(folder, 'guide.xml'));
  const program = await startProgram(folder, { probe, log, bind, tuner: values.tuner, scan: 'always', more: limits });
  const services = await received(program);
  const others = [
    '/web/getcurrent',
    `/api/epgnownext?bRef=${encodeURIComponent(bouquetReference(small))}`,
    '/web/timerlist',
    `/web/epgservice?sRef=${reference(1)}`,
    '/api/getcurrent',
    '/web/signal',
  ];
  return { program, services, folder, probe, log, others, guide, events };
}

/** Everything at once. The recordings continue afterwards. */
async function household(trial: Awaited<ReturnType<typeof start>>): Promise<void> {
  const { program, services, others, guide } = trial;
  const pid = program.child.pid as number;
  console.log(`\neverything at once, ${values.minutes} min`);
  await pause(5000);
  const memory = [resident(pid)];
  await record(program, services.slice(0, 4));
  const streams = await Clients.start({ kind: 'streams', urls: inTurns(services, count.streams, program.streams) });
  const push = await Clients.start({ kind: 'push', url: program.url, clients: count.push });
  const apps = await Clients.start({ kind: 'apps', url: program.url, clients: count.apps, period: 5000, others });
  const { bytes } = await streams.report();
  const begin = performance.now();
  const tell = await watch(trial);
  memory.push(resident(pid));
  const sampling = setInterval(() => memory.push(resident(pid)), 1000);
  const importing = (async () => {
    const imports: number[] = [];
    // One at the beginning, then one every ten minutes.
    for (let next = begin + 10_000; next < begin + milliseconds - 5000; next += 600_000) {
      await pause(Math.max(0, next - performance.now()));
      imports.push(await timed(() => importGuide(program, guide)));
    }
    return imports;
  })();
  await changeVolume(program, push, milliseconds);
  const imports = await importing;
  clearInterval(sampling);
  await streamed(streams, (performance.now() - begin) / 1000, bytes);
  answers(await apps.report());
  await tell();
  line('imports of the guide', `${imports.length} of ${number(trial.events)} events, ${spread(imports)}`);
  line('memory (RSS)', `${megabytes(memory[0] as number)} at first, at most ${megabytes(Math.max(...memory))}`);
  // With all clients, and then after each minute.
  const minutes = memory.slice(1).filter((_, second) => second % 60 === 0);
  line('in each minute, MB', [...minutes, memory.at(-1) as number].map((bytes) => (bytes / 1e6).toFixed(0)).join(' '));
  line('of it the heap of JavaScript', megabytes(await metric(program, 'heap_used_bytes')));
  line('open files', String(openFiles(pid)));
  for (const clients of [streams, push, apps]) await clients.stop();
}

/** Many connections that do nothing. */
async function idle(trial: Trial, clients: number): Promise<void> {
  const { program, others } = trial;
  const pid = program.child.pid as number;
  console.log(`\n${number(clients)} idle connections`);
  await pause(5000);
  const before = resident(pid);
  const tell = await watch(trial);
  const connections = await Clients.start({ kind: 'idle', url: program.url, clients });
  await tell();
  const apps = await Clients.start({ kind: 'apps', url: program.url, clients: 10, period: 200, others });
  await pause(10_000);
  answers(await apps.report());
  const { answered, open, failures } = await connections.report();
  line('connections', `${number(answered)} answered, ${number(open)} still open, ${failures.length} failed`);
  if (failures.length > 0) line('the first failure', failures[0] as string);
  line('memory (RSS)', `${megabytes(before)} before, ${megabytes(resident(pid))} with them`);
  await apps.stop();
  await connections.stop();
  await pause(5000);
  line('memory (RSS) after them', `${megabytes(resident(pid))}, ${openFiles(pid)} open files`);
}

/** Readers that are too slow, beside others that are not. */
async function slow({ program, services, others }: Trial): Promise<void> {
  const pid = program.child.pid as number;
  console.log(`\n${slowReaders} readers of 1 kB/s beside 20 others`);
  await pause(5000);
  const before = resident(pid);
  const readers = await Clients.start({
    kind: 'streams',
    urls: inTurns(services, slowReaders, program.streams),
    slow: 1000,
  });
  const streams = await Clients.start({ kind: 'streams', urls: inTurns(services, 20, program.streams) });
  const apps = await Clients.start({ kind: 'apps', url: program.url, clients: 10, period: 500, others });
  let most = 0;
  let dropped = 0;
  const begin = performance.now();
  for (const end = begin + 120_000; performance.now() < end && dropped < slowReaders; await pause(1000)) {
    most = Math.max(most, resident(pid));
    dropped = await metric(program, 'stream_clients_dropped_total');
  }
  await streamed(streams, (performance.now() - begin) / 1000);
  answers(await apps.report());
  line(
    'slow readers',
    `${dropped} of ${slowReaders} dropped after ${((performance.now() - begin) / 1000).toFixed(0)} s`,
  );
  line('memory (RSS)', `${megabytes(before)} before, at most ${megabytes(most)}`);
  for (const clients of [readers, streams, apps]) await clients.stop();
}

/** Over a network that loses packets. */
async function lossy(trial: Trial): Promise<void> {
  const { program, services, others } = trial;
  const far = (url: string) => url.replace(network.own, network.other);
  console.log(`\nover a network that loses ${values.loss} % each way and takes ${values.delay} ms each way`);
  const urls = inTurns(services, 20, far(program.streams));
  const streams = await Clients.start({ kind: 'streams', urls });
  const push = await Clients.start({ kind: 'push', url: far(program.url), clients: 50 });
  const apps = await Clients.start({ kind: 'apps', url: far(program.url), clients: 10, period: 1000, others });
  const { bytes } = await streams.report();
  const begin = performance.now();
  const tell = await watch(trial);
  await changeVolume(program, push, milliseconds);
  await streamed(streams, (performance.now() - begin) / 1000, bytes);
  answers(await apps.report());
  await tell();
  line('streams dropped as too slow', String(await metric(program, 'stream_clients_dropped_total')));
  for (const clients of [streams, push, apps]) await clients.stop();
}

/** Runs this script again in a network namespace, whose only network is the lossy one. */
async function inNetwork(loss: string): Promise<void> {
  const script = join(import.meta.dirname, 'lossy-network.py');
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1), '--in-network'];
  const command = ['-rn', 'python3', script, network.own, network.other, loss, values.delay, ...again];
  const [code] = (await once(spawn('unshare', command, { stdio: 'inherit' }), 'exit')) as [number | null];
  process.exitCode = code ?? 1;
}

// What runs and what is on disk goes with this process, but not on a signal.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
if (values.loss !== undefined && !values['in-network']) await inNetwork(values.loss);
else {
  console.log(`load average ${loadavg()[0]?.toFixed(2)} before`);
  const trial = await start(values.loss === undefined ? undefined : network.own);
  if (values.loss !== undefined) await lossy(trial);
  else {
    await household(trial);
    if (Number(values.idle) > 0) await idle(trial, Number(values.idle));
    await slow(trial);
    if ((await checkRecordings(trial)) > 0) process.exitCode = 1;
  }
  complaints(trial.log);
  await trial.program.stop();
}
