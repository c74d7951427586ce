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
import type { Comparison, Comparisons } from './comparison.ts';

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
}

const here = fileURLToPath(new URL('.', import.meta.url));

async function measure(comparison: Comparison, quick: boolean): Promise<Row[]> {
  const [ours, ...rivals] = comparison.contenders;
  const expected = await ours.run();
  for (const rival of rivals) await comparison.check(expected, await rival.run());

  const bench = new Bench({
    time: quick ? 100 : 1000,
    iterations: quick ? 3 : 20,
    warmupTime: quick ? 20 : 250,
    warmupIterations: 2,
    throws: true,
  });
  for (const { name, run } of comparison.contenders) bench.add(name, run);
  await bench.run();

  let base: number | undefined;
  return bench.tasks.map(({ name, result }) => {
    if (!('latency' in result)) throw new Error(`${comparison.name}: ${name} was not measured (${result.state})`);
    const { p50: median, p99, samplesCount: runs } = result.latency;
    base ??= median;
    const rate = comparison.work.amount / (median / 1000);
    return {
      comparison: comparison.name,
      contender: name,
      median,
      p99,
      runs,
      rate,
      unit: comparison.work.unit,
      ratio: median / base,
    };
  });
}

function print(rows: readonly Row[]): void {
  console.log(`\n${rows[0]?.comparison}`);
  for (const { contender, median, rate, unit, ratio } of rows) {
    const time = `${median.toPrecision(3)} ms`.padStart(12);
    const throughput = `${Math.round(rate).toLocaleString('en')} ${unit}/s`.padStart(28);
    console.log(`  ${contender.padEnd(32)}${time}${throughput}${`${ratio.toFixed(2)}x`.padStart(9)}`);
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
