/**
 * The guard of `npm run bench -- --check`: floor.json has the lowest acceptable ratio for each comparison and rival.
 * The ratios of one run carry over to other machines; the margin that `--write-floor` leaves covers the noise.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Row, times } from './result.ts';

/** Lowest ratio at the median, and at the 99th percentile where there are enough samples. */
interface Least {
  readonly p50: number;
  readonly p99?: number;
}
/** By kind of run, comparison, rival. */
type Floor = Record<string, Record<string, Record<string, Least>>>;

const file = join(import.meta.dirname, 'floor.json');
/**
 * The share of a measured ratio that is required: the machine is shared, and a quick run has few samples of
 * microseconds.
 */
const room = { full: { p50: 0.5, p99: 0.3 }, quick: { p50: 0.2 } } as const;
/** A target time is no rival: how close we come to it says as much about the machine. */
const noRival = /^wanted$/;
/**
 * CI's quick run omits better-sqlite3, which takes a minute to build, and the bare servers, where noise dominates the
 * few timed requests.
 */
const leftOutOfQuick = /^(SQLite|bare Node|bare Fastify)/;
/** With fewer samples the 99th percentile is their maximum. */
const samplesForP99 = 100;
const digits = 2;

function read(): Floor {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Floor) : {};
}

/**
 * Prints the comparison with the floor and returns the number of ratios below it. `whole`: every comparison was run.
 */
export function check(rows: readonly Row[], kind: 'quick' | 'full', whole: boolean): number {
  const floor = read()[kind] ?? {};
  const lines: { text: string; failed: boolean }[] = [];
  const missing: string[] = [];
  for (const [comparison, rivals] of Object.entries(floor)) {
    for (const [rival, least] of Object.entries(rivals)) {
      const row = rows.find((one) => one.comparison === comparison && one.contender === rival);
      if (row === undefined) {
        missing.push(`${comparison} against ${rival}`);
        continue;
      }
      const failed = [
        ...(row.ratio < least.p50 ? [`p50 ${times(row.ratio)}, floor ${times(least.p50)}`] : []),
        ...(least.p99 !== undefined && row.ratio99 < least.p99
          ? [`p99 ${times(row.ratio99)}, floor ${times(least.p99)}`]
          : []),
      ];
      lines.push({ text: `  ${comparison} against ${rival}: ${failed.join('; ')}`, failed: failed.length > 0 });
    }
  }
  const below = lines.filter(({ failed }) => failed);
  console.log(`\nfloor (${kind}): ${lines.length} ratios compared, ${below.length} below`);
  for (const { text } of below) console.log(text);
  if (whole && missing.length > 0) console.log(`  not measured here: ${missing.length}, ${missing[0]} and others`);
  if (lines.length === 0) throw new Error('the floor contains nothing that was measured');
  return below.length;
}

/**
 * Writes this run's ratios, less the margin for noise, as the new floor. Comparisons that did not run keep their old
 * floor.
 */
export function write(rows: readonly Row[], kind: 'quick' | 'full'): void {
  const floor = read();
  floor[kind] ??= {};
  const comparisons = floor[kind];
  for (const { comparison, contender, ratio, ratio99, runs, ours } of rows) {
    if (ours || noRival.test(contender) || (kind === 'quick' && leftOutOfQuick.test(contender))) continue;
    comparisons[comparison] ??= {};
    comparisons[comparison][contender] = {
      p50: rounded(ratio * room[kind].p50),
      ...(kind === 'full' && runs >= samplesForP99 ? { p99: rounded(ratio99 * room.full.p99) } : {}),
    };
  }
  writeFileSync(file, `${JSON.stringify(floor, null, 2)}\n`);
}

function rounded(ratio: number): number {
  return Number(ratio.toPrecision(digits));
}
