/**
 * What a multiplex of 60 Mbit/s costs: processor time of the whole program, kernel included, in ten seconds in which one,
 * four or all of its services go to sockets, or to disk, against `cat` that moves the same bytes of the multiplex once,
 * from the file cache to a file. dvblast, which does the same from an adapter, has no input that it could share with a
 * capture.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Comparison, Comparisons } from './comparison.ts';
import { type Program, startProgram } from './http-program.ts';

const rate = 60_000_000;
const seconds = 10;
const services = 12;

/** Milliseconds of processor time that a process has used, with all its threads. */
function used(pid: number): number {
  const [, rest = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const fields = rest.split(' ');
  // utime and stime in hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The same for `cat` of the bytes that the multiplex sends in that time. */
function catTime(capture: string, folder: string): number {
  const script = `import resource, subprocess, sys
with open(sys.argv[1], 'rb') as source, open(sys.argv[2], 'wb') as target: subprocess.run(['cat'], stdin=source, stdout=target, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print((used.ru_utime + used.ru_stime) * 1000)`;
  return Number(execFileSync('python3', ['-c', script, capture, join(folder, 'copy.ts')], { encoding: 'utf8' }));
}

async function measured({ child }: Program): Promise<number> {
  // Starting is another matter.
  await pause(3000);
  const before = used(child.pid as number);
  await pause(seconds * 1000);
  return used(child.pid as number) - before;
}

async function toSockets(program: Program, references: readonly string[]): Promise<number> {
  const clients = references.map((reference) =>
    get(`${program.streams}/${reference}`, (answer) => void answer.resume()).on('error', () => undefined),
  );
  const time = await measured(program);
  for (const client of clients) client.destroy();
  return time;
}

async function toDisk(program: Program, references: readonly string[]): Promise<number> {
  const now = Math.floor(Date.now() / 1000);
  const times = { begin: String(now - 1), end: String(now + 600), justplay: '0', name: 'Bench' };
  const ask = async (name: string, more: Readonly<Record<string, string>>) => {
    const body = Buffer.concat(await program.get(`/api/${name}?${new URLSearchParams({ ...times, ...more })}`));
    const { result, message } = JSON.parse(body.toString()) as { result: boolean; message?: string };
    if (!result) throw new Error(`${name}: ${message}`);
  };
  for (const sRef of references) await ask('timeradd', { sRef });
  const time = await measured(program);
  for (const sRef of references) await ask('timerdelete', { sRef });
  return time;
}

const comparisons: Comparisons = async (quick) => {
  const maker = join(process.env.RECEIVERD_TEST_DATA ?? '', 'make-multiplex');
  if (!process.env.RECEIVERD_TEST_DATA || !existsSync(maker) || quick) {
    console.log('\nstreaming: left out; it takes minutes and make-multiplex of RECEIVERD_TEST_DATA');
    return [];
  }
  const capture = join(tmpdir(), 'receiverd-bench-60-mbit.ts');
  if (!existsSync(`${capture}.truth.json`))
    execFileSync(
      maker,
      [capture, '--services', String(services), '--radio', '0', '--rate', String(rate), '--seconds', String(seconds)],
      { stdio: 'ignore' },
    );
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'receiverd-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'enigma2'));
  writeFileSync(join(folder, 'enigma2', 'settings'), 'config.recording.margin_before=0\n');
  const program = await startProgram(folder, { tuner: `file:${capture}`, scan: 'always' });
  const all = await listed(program);
  const cat = { name: 'cat of the multiplex', samples: [catTime(capture, folder)], result: undefined };
  const results: Comparison[] = [];
  for (const [where, run] of [['sockets', toSockets] as const, ['disk', toDisk] as const]) {
    for (const count of [1, 4, services]) {
      const ours = await run(program, all.slice(0, count));
      results.push({
        name: `streaming: ${count} of ${services} services to ${where}, processor time of ten seconds`,
        contenders: [{ name: 'receiverd', samples: [ours], result: undefined }, cat],
        check: () => undefined,
      });
    }
  }
  await program.stop();
  return results;
};

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
