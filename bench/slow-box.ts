/**
 * A box far too slow: `npx tsx bench/slow-box.ts [--percent 10] [--memory 128]` runs the program in a control group with
 * so much of one core and so many MiB, and times what its users do. It needs root, for the control group, and ends with
 * an error if anything takes longer than a client waits.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { writeTransportStream } from '../test/fixtures/transport-stream.ts';
import { loadCorpus } from './guide-corpus.ts';
import { importGuide, timed } from './http-program.ts';
import { root, temporaryFolder } from './native.ts';
import { resident } from './processes.ts';
import { reference, writeLists } from './service-lists.ts';
import { writeXmltv } from './xmltv.ts';

const { values } = parseArgs({
  options: { percent: { type: 'string', default: '10' }, memory: { type: 'string', default: '128' } },
});
const share = Number(values.percent) / 100;
const mebibytes = Number(values.memory);
/** Seconds for which clients wait, and of a stream that is watched while another service is recorded. */
const [maxSeconds, maxImportSeconds, watchedSeconds] = [15, 120, 30];
/** Bits per second of each of the two services. */
const bitRate = 12e6;
/** Microseconds. */
const period = 100_000;

/** Control groups of either version; removing one needs its process to have ended. */
class ControlGroup {
  readonly #folders: readonly string[];

  constructor() {
    const base = '/sys/fs/cgroup';
    const [name, quota] = [`receiverd-${process.pid}`, Math.round(share * period)];
    if (existsSync(join(base, 'cgroup.controllers'))) {
      writeFileSync(join(base, 'cgroup.subtree_control'), '+cpu +memory');
      this.#folders = [made(join(base, name), { 'cpu.max': `${quota} ${period}`, 'memory.max': `${mebibytes}M` })];
    } else {
      const cpu = { 'cpu.cfs_period_us': `${period}`, 'cpu.cfs_quota_us': `${quota}` };
      this.#folders = [
        made(join(base, 'cpu', name), cpu),
        made(join(base, 'memory', name), { 'memory.limit_in_bytes': `${mebibytes}M` }),
      ];
    }
  }

  /** For a shell that becomes the program. */
  get files(): readonly string[] {
    return this.#folders.map((folder) => join(folder, 'cgroup.procs'));
  }

  remove(): void {
    for (const folder of this.#folders) rmdirSync(folder);
  }
}

function made(folder: string, settings: Readonly<Record<string, string>>): string {
  mkdirSync(folder);
  for (const [file, value] of Object.entries(settings)) writeFileSync(join(folder, file), value);
  return folder;
}

async function start(group: ControlGroup, folder: string) {
  const config = join(folder, 'receiverd.yaml');
  const ports = 'bind: 127.0.0.1\nhttpPort: 0\nstreamPort: 0\n';
  writeFileSync(config, `dataDir: ${folder}\n${ports}logLevel: warn\ntuners: ["file:${join(folder, 'stream.ts')}"]\n`);
  const enter = group.files.map((file) => `echo $$ > ${file}`).join(' && ');
  const command = `${enter} && exec "$0" "$@"`;
  const words = [process.execPath, join(root, 'dist', 'cli.js'), 'start', '--config', config];
  const child = spawn('/bin/sh', ['-c', command, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  for await (const line of createInterface(child.stdout)) {
    const [, url, streams] = /^receiverd ready http=(\S+)\/ stream=(\S+)\/$/.exec(line) ?? [];
    if (url !== undefined && streams !== undefined) return { child, url, streams };
  }
  throw new Error('the program has ended');
}

const late: string[] = [];
/** Prints how long something took; it is late after `limit` seconds. */
async function tell<Result>(what: string, limit: number, run: () => Promise<Result>): Promise<Result> {
  let result: Result | undefined;
  const seconds = (await timed(async () => (result = await run()))) / 1000;
  if (seconds > limit) late.push(what);
  console.log(
    `  ${what.padEnd(62)} ${seconds.toFixed(2).padStart(7)} s   ${seconds > limit ? 'LATE, ' : ''}of ${limit}`,
  );
  return result as Result;
}

async function text(url: string): Promise<string> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.text();
}

/** The first bytes of a stream, which continues. */
async function open(url: string): Promise<IncomingMessage> {
  const [answer] = (await once(get(url), 'response')) as [IncomingMessage];
  await once(answer, 'readable');
  return answer;
}

const folder = temporaryFolder();
const corpus = loadCorpus(200_000);
// The first two services of the lists are in it.
writeTransportStream(join(folder, 'stream.ts'), {
  ...{ transportStreamId: 1, originalNetworkId: 1, bitRate: 2 * bitRate, seconds: 10 },
  services: [1, 2].map((serviceId) => ({ serviceId, name: `Local ${serviceId}` })),
});
writeLists(
  join(folder, 'enigma2'),
  corpus.services.map(({ name }) => name),
  [],
);
const { file, events } = await writeXmltv(corpus, join(folder, 'guide.xml'));

const group = new ControlGroup();
console.log(`${values.percent} % of a core, ${mebibytes} MiB, Node.js ${process.version}, ${events} events`);
const { child, url, streams } = await tell('start until it is ready', maxSeconds, () => start(group, folder));
const pid = child.pid as number;
await tell('import of the guide', maxImportSeconds, () => importGuide({ url }, file));
await pause(5000);
await tell('title search, 100 of all hits', maxSeconds, () => text(`${url}/api/eventsearch?what=news&max_rows=100`));
await tell('title search again, another text', maxSeconds, () => text(`${url}/api/eventsearch?what=film&max_rows=100`));
await tell('page', maxSeconds, () => text(`${url}/`));
const stream = await tell('zap: the first packets of a stream', maxSeconds, () => open(`${streams}/${reference(1)}`));
await tell('start of a recording', maxSeconds, () =>
  text(`${url}/api/recordnow?sRef=${encodeURIComponent(reference(2))}&recordinfinitely=true`),
);
let received = 0;
stream.on('data', (bytes: Buffer) => (received += bytes.length));
await pause(watchedSeconds * 1000);
stream.destroy();
const wanted = (bitRate / 8) * watchedSeconds;
console.log(
  `  watched ${((100 * received) / wanted).toFixed(0)} % of ${watchedSeconds} s at ${bitRate / 1e6} Mbit/s while the other is recorded`,
);
if (received < wanted * 0.95) late.push('the stream');
await tell('title search meanwhile', maxSeconds, () => text(`${url}/api/eventsearch?what=wetter&max_rows=100`));
console.log(`  memory ${(resident(pid) / 2 ** 20).toFixed(0)} MiB; throttled ${throttled(group)}`);
child.kill('SIGTERM');
await once(child, 'exit');
group.remove();
if (late.length > 0) throw new Error(`too late: ${late.join(', ')}`);

/** How much of the time the group had to wait for its share. */
function throttled({ files: [processes = ''] }: ControlGroup): string {
  const statistics = readFileSync(processes.replace('cgroup.procs', 'cpu.stat'), 'utf8');
  const count = (name: string) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(statistics)?.[1]);
  return `in ${((100 * count('nr_throttled')) / count('nr_periods')).toFixed(0)} % of all periods`;
}
