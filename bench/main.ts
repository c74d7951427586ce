/**
 * `npm run bench [-- --quick] [-- NAME...]` runs every `*.bench.ts` in this folder, or those whose file name contains
 * NAME. It prints a table and writes bench/results/latest.json. A ratio is the rival's time or size divided by ours.
 *
 *   --check         fails if a ratio is below the one in floor.json
 *   --write-floor   writes floor.json from this run, with a margin for noise
 *   --write-page    writes the results into docs/benchmarks.md and docs/benchmarks.svg
 *   --compare FILE  tells what has changed since an earlier run, whose latest.json FILE is
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Bench } from 'tinybench';
import * as chart from './chart.ts';
import { compare } from './compare.ts';
import type { Comparison, Comparisons, Contender } from './comparison.ts';
import * as floor from './floor.ts';
import * as page from './page.ts';
import { amount, type Report, type Row, times } from './result.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Sorted times in milliseconds. */
async function time({ name, run }: Contender, quick: boolean): Promise<number[]> {
  const bench = new Bench({
    time: quick ? 100 : 1000,
    iterations: quick ? 3 : 20,
    warmupTime: quick ? 20 : 250,
    warmupIterations: 2,
    retainSamples: true,
    throws: true,
  });
  await bench.add(name, run).run();
  const result = bench.tasks[0]?.result;
  if (result === undefined || !('latency' in result)) throw new Error(`${name} was not measured`);
  return [...(result.latency.samples ?? [])];
}

async function measure(comparison: Comparison, quick: boolean): Promise<Row[]> {
  const results: { name: string; result: unknown; samples: readonly number[] }[] = [];
  for (const contender of comparison.contenders) {
    if ('run' in contender) {
      const result = await contender.run();
      results.push({ name: contender.name, result, samples: await time(contender, quick) });
    } else {
      results.push({ name: contender.name, result: contender.result, samples: contender.samples });
    }
  }
  const [ours, ...rivals] = results;
  if (ours === undefined) throw new Error(`${comparison.name} has no contenders`);
  const notes = new Map(rivals.map(({ name, result }) => [name, comparison.check(ours.result, result, name)]));

  const { unit = 'ms', work } = comparison;
  return results.map((contender): Row => {
    const answered = (_: number, n: number) => Number.isFinite(contender.samples[n]);
    const both = comparison.paired ? ours.samples.filter(answered) : ours.samples;
    const samples = contender.samples.filter(Number.isFinite);
    const median = percentile(samples, 0.5);
    return {
      comparison: comparison.name,
      contender: contender.name,
      ours: contender === ours,
      unit,
      median,
      p99: percentile(samples, 0.99),
      runs: samples.length,
      rate: work && (unit === 'ms' ? work.amount / (median / 1000) : median / work.amount),
      workUnit: work?.unit,
      ratio: median / percentile(both, 0.5),
      ratio99: percentile(samples, 0.99) / percentile(both, 0.99),
      note: notes.get(contender.name),
    };
  });
}

function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

function print(rows: readonly Row[]): void {
  console.log(`\n${rows[0]?.comparison}`);
  for (const { contender, ours, unit, median, p99, runs, rate, workUnit, ratio, ratio99, note } of rows) {
    const many = runs > 1;
    const columns = [
      contender.padEnd(30),
      amount(median, unit).padStart(12),
      (many ? `p99 ${amount(p99, unit)}` : '').padStart(16),
      (rate === undefined ? '' : throughput(rate, workUnit ?? '', unit)).padStart(28),
      (ours ? '' : times(ratio)).padStart(10),
      (ours || !many ? '' : `p99 ${times(ratio99)}`).padStart(14),
      note ?? '',
    ];
    console.log(`  ${columns.join(' ').trimEnd()}`);
  }
}

function throughput(rate: number, work: string, unit: Row['unit']): string {
  if (unit === 'bytes') return `${Math.round(rate).toLocaleString('en')} bytes for each`;
  return `${(rate < 100 ? Number(rate.toPrecision(3)) : Math.round(rate)).toLocaleString('en')} ${work}/s`;
}

function commit(): string | undefined {
  try {
    return execFileSync('git', ['-C', here, 'describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

const { values, positionals } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    'write-floor': { type: 'boolean', default: false },
    'write-page': { type: 'boolean', default: false },
    compare: { type: 'string' },
  },
  allowPositionals: true,
});
const machine = { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, node: process.version, arch: process.arch };
console.log(
  `${machine.cpu}, ${machine.cores} cores, ${machine.arch}, Node ${machine.node}${values.quick ? ', quick' : ''}`,
);

const results: Row[] = [];
for (const file of readdirSync(here).sort()) {
  if (!file.endsWith('.bench.ts') || (positionals.length > 0 && !positionals.some((name) => file.includes(name))))
    continue;
  const { default: comparisons } = (await import(join(here, file))) as { default: Comparisons };
  const found = comparisons(values.quick);
  for await (const comparison of Symbol.asyncIterator in found ? found : await found) {
    const rows = await measure(comparison, values.quick);
    print(rows);
    results.push(...rows);
  }
}
if (results.length === 0) throw new Error('no such benchmark');
mkdirSync(join(here, 'results'), { recursive: true });
const report: Report = { date: new Date().toISOString(), commit: commit(), quick: values.quick, machine, results };
writeFileSync(join(here, 'results', 'latest.json'), `${JSON.stringify(report, null, 2)}\n`);
const kind = values.quick ? 'quick' : 'full';
if (values['write-page']) {
  page.write(report);
  chart.write(report);
}
if (values.compare !== undefined) compare(report, values.compare);
if (values['write-floor']) floor.write(results, kind);
if (values.check && floor.check(results, kind, positionals.length === 0) > 0) process.exitCode = 1;
