/**
 * `npm run bench [-- --quick] [-- NAME...]`: every `*.bench.ts` in this folder (or those whose file name contains NAME), as a
 * table and as bench/results/latest.json. The number in the last column says how many times as long the rival takes.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Bench } from 'tinybench';
import type { Comparison, Comparisons, Contender } from './comparison.ts';

interface Row {
  readonly comparison: string;
  readonly contender: string;
  /** Median and 99th percentile of one run, milliseconds. */
  readonly median: number;
  readonly p99: number;
  readonly runs: number;
  /** Work per second at the median. */
  readonly rate: number;
  readonly unit: string;
  /** Median against ours: 2 takes twice as long. */
  readonly ratio: number;
  readonly note: string | undefined;
}

const here = fileURLToPath(new URL('.', import.meta.url));

/** Times in milliseconds, sorted. */
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
      results.push({ name: contender.name, result: contender.result, samples: contender.milliseconds });
    }
  }
  const [ours, ...rivals] = results;
  if (ours === undefined) throw new Error(`${comparison.name}: nobody to measure`);
  const notes = new Map(rivals.map(({ name, result }) => [name, comparison.check(ours.result, result, name)]));

  let base: number | undefined;
  return results.map(({ name, samples }) => {
    const sorted = samples.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
    const median = at(0.5);
    base ??= median;
    return {
      comparison: comparison.name,
      contender: name,
      median,
      p99: at(0.99),
      runs: sorted.length,
      rate: comparison.work.amount / (median / 1000),
      unit: comparison.work.unit,
      ratio: median / base,
      note: notes.get(name),
    };
  });
}

function print(rows: readonly Row[]): void {
  console.log(`\n${rows[0]?.comparison}`);
  for (const { contender, median, rate, unit, ratio, note } of rows) {
    const time = `${median.toPrecision(3)} ms`.padStart(12);
    const throughput = `${Math.round(rate).toLocaleString('en')} ${unit}/s`.padStart(28);
    console.log(
      `  ${contender.padEnd(32)}${time}${throughput}${`${ratio.toFixed(2)}x`.padStart(9)}${note ? `  ${note}` : ''}`,
    );
  }
}

function commit(): string | undefined {
  try {
    return execFileSync('git', ['-C', here, 'describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false } },
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
  for (const comparison of await comparisons(values.quick)) {
    const rows = await measure(comparison, values.quick);
    print(rows);
    results.push(...rows);
  }
}
if (results.length === 0) throw new Error('no such benchmark');
mkdirSync(join(here, 'results'), { recursive: true });
const report = { date: new Date().toISOString(), commit: commit(), quick: values.quick, machine, results };
writeFileSync(join(here, 'results', 'latest.json'), `${JSON.stringify(report, null, 2)}\n`);
