/**
 * What a multiplex of 60 Mbit/s costs: processor time of the whole program, kernel included, in ten seconds in which one,
 * four or all of its services go to sockets, or to disk, against `cat` that moves the same bytes of the multiplex once,
 * from the file cache to a file. dvblast needs an adapter: where it is installed, both stream from a front end of the
 * virtual machine of RECEIVERD_VIDTV, dvblast to raw UDP.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hasMachine, inMachine, referenceOf, writeLists, writeMultiplex } from '../test/receiver/vidtv/machine.ts';
import type { Comparison, Comparisons } from './comparison.ts';
import { type Program, startProgram } from './http-program.ts';
import { temporaryFolder } from './native.ts';
import { used } from './processes.ts';

const rate = 60_000_000;
const seconds = 10;
const services = 12;

/** Milliseconds of processor time of `cat` for the bytes that the multiplex sends in that time. */
function catTime(capture: string, folder: string): number {
  const script = `import resource, subprocess, sys
with open(sys.argv[1], 'rb') as source, open(sys.argv[2], 'wb') as target: subprocess.run(['cat'], stdin=source, stdout=target, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print((used.ru_utime + used.ru_stime) * 1000)`;
  return Number(execFileSync('python3', ['-c', script, capture, join(folder, 'copy.ts')], { encoding: 'utf8' }));
}

/**
 * A multiplex whose services fill it: the encoder's pictures have 1 Mbit/s each, and the rest would be null packets,
 * which cost nothing.
 */
function fullMultiplex(maker: string): string {
  const capture = join(tmpdir(), 'receiverd-bench-60-mbit-full.ts');
  if (existsSync(`${capture}.truth.json`)) return capture;
  const fuller = `${capture}.py`;
  const text = readFileSync(maker, 'utf8')
    .replace(/'-b:v', .*?'-g'/, "'-b:v', '4400k', '-minrate', '4400k', '-maxrate', '4400k', '-bufsize', '1800k', '-g'")
    .replace('rate=25,', 'rate=25,noise=alls=60:allf=t,');
  writeFileSync(fuller, text);
  const guide = join(dirname(maker), 'guide', 'events.jsonl.gz');
  const size = [
    '--guide',
    guide,
    '--services',
    String(services),
    '--radio',
    '0',
    '--rate',
    String(rate),
    '--seconds',
    String(seconds),
  ];
  execFileSync('python3', [fuller, capture, ...size], { stdio: 'ignore' });
  return capture;
}

/** Milliseconds of processor time, and the bytes that have gone out meanwhile. */
interface Cost {
  readonly time: number;
  readonly bytes: number;
}

async function measured({ child }: Program, bytes: () => number): Promise<Cost> {
  // Starting is another matter.
  await pause(3000);
  const before = { time: used(child.pid as number), bytes: bytes() };
  await pause(seconds * 1000);
  return { time: used(child.pid as number) - before.time, bytes: bytes() - before.bytes };
}

async function toSockets(program: Program, references: readonly string[]): Promise<Cost> {
  let bytes = 0;
  const take = (answer: IncomingMessage) =>
    void answer.on('data', ({ length }: Buffer) => {
      bytes += length;
    });
  const clients = references.map((reference) =>
    get(`${program.streams}/${reference}`, take).on('error', () => undefined),
  );
  const cost = await measured(program, () => bytes);
  for (const client of clients) client.destroy();
  return cost;
}

async function toDisk(program: Program, references: readonly string[], folder: string): Promise<Cost> {
  const now = Math.floor(Date.now() / 1000);
  const times = { begin: String(now - 1), end: String(now + 600), justplay: '0', name: 'Bench' };
  const ask = async (name: string, more: Readonly<Record<string, string>>) => {
    const body = Buffer.concat(await program.get(`/api/${name}?${new URLSearchParams({ ...times, ...more })}`));
    const { result, message } = JSON.parse(body.toString()) as { result: boolean; message?: string };
    if (!result) throw new Error(`${name}: ${message}`);
  };
  for (const sRef of references) await ask('timeradd', { sRef });
  const files = () => readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const cost = await measured(program, () => files().reduce((sum, name) => sum + statSync(join(folder, name)).size, 0));
  for (const sRef of references) await ask('timerdelete', { sRef });
  return cost;
}

const comparisons: Comparisons = async (quick) => {
  const maker = join(process.env.RECEIVERD_TEST_DATA ?? '', 'make-multiplex');
  if (!process.env.RECEIVERD_TEST_DATA || !existsSync(maker) || quick) {
    console.log('\nstreaming: left out; it takes minutes and make-multiplex of RECEIVERD_TEST_DATA');
    return [];
  }
  const capture = fullMultiplex(maker);
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'receiverd-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'enigma2'));
  writeFileSync(join(folder, 'enigma2', 'settings'), 'config.recording.margin_before=0\n');
  const program = await startProgram(folder, { tuner: `file:${capture}`, scan: 'always' });
  const all = await listed(program);
  // The guide of the first round is another matter too.
  await pause(15_000);
  const cat = { name: 'cat of the multiplex', samples: [catTime(capture, folder)], result: undefined };
  const results: Comparison[] = [];
  for (const [where, run] of [['sockets', toSockets] as const, ['disk', toDisk] as const]) {
    for (const count of [1, 4, services]) {
      const costs: Cost[] = [];
      for (let n = 0; n < 3; n++) costs.push(await run(program, all.slice(0, count), join(folder, 'movie')));
      const sent = costs.reduce((sum, { bytes }) => sum + bytes, 0) / costs.length;
      results.push({
        name: `streaming: ${count} of ${services} services to ${where}, processor time of ten seconds`,
        contenders: [{ name: 'receiverd', samples: costs.map(({ time }) => time), result: undefined }, cat],
        check: () => `${((sent * 8) / seconds / 1e6).toFixed(1)} Mbit/s went out`,
      });
    }
  }
  await program.stop();
  return [...results, ...besideDvblast()];
};

/** The multiplex of the tests, which is a slower one: the machine is emulated. */
function besideDvblast(): readonly Comparison[] {
  if (!hasMachine || !existsSync('/usr/bin/dvblast')) {
    console.log(
      '\nstreaming: dvblast left out; it takes RECEIVERD_VIDTV, RECEIVERD_WHOLE_RUN=1 and the package dvblast',
    );
    return [];
  }
  const home = temporaryFolder();
  const truth = writeMultiplex(home, 1);
  writeLists(home, [truth]);
  const { found } = inMachine<{
    readonly seconds: number;
    readonly ours: readonly number[];
    readonly theirs: readonly number[];
  }>(
    home,
    'cost.mjs',
    truth.services.map((service) => referenceOf(0, service)),
    ['vidtv_valid_dvb_t_freqs=498000000'],
  );
  return [1, truth.services.length].map((count, n) => ({
    name: `streaming: ${count} of ${truth.services.length} services of a front end, processor time of ${found.seconds} seconds`,
    contenders: [
      { name: 'receiverd', samples: [found.ours[n] as number], result: undefined },
      { name: 'dvblast', samples: [found.theirs[n] as number], result: undefined },
    ],
    check: () => undefined,
  }));
}

/** The services once the scan has found them all. */
async function listed(program: Program): Promise<readonly string[]> {
  for (let attempts = 0; attempts < 300; attempts++) {
    const { items } = JSON.parse(Buffer.concat(await program.get('/services/tv')).toString()) as {
      items: readonly (readonly string[])[];
    };
    const references = items.flatMap(([reference = '']) => reference);
    if (references.length >= services) return references;
    await pause(100);
  }
  throw new Error('the scan has not found the services');
}

export default comparisons;
