/**
 * `npm run bench -- --compare FILE`: this run beside an earlier one, of another commit or on another machine. FILE is a
 * copy of bench/results/latest.json.
 */
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { amount, type Report, type Row, times } from './result.ts';

/** Less is noise. */
const notable = 1.1;

/** @throws Error if the file is no report */
export function compare(now: Report, file: string): void {
  const before = JSON.parse(readFileSync(file, 'utf8')) as Report;
  if (!Array.isArray(before.results)) throw new Error(`${file} holds no results; copy bench/results/latest.json`);
  const same = isDeepStrictEqual(before.machine, now.machine) && before.quick === now.quick;
  console.log(
    `\nbefore: ${before.commit ?? 'unknown commit'}, ${before.date}, ${before.machine.cpu}, Node ${before.machine.node}`,
  );
  if (!same) console.log('  another machine or kind of run: only the factors to rivals are comparable');
  let changed = 0;
  for (const row of now.results) {
    const earlier = before.results.find(
      (result) => result.comparison === row.comparison && result.contender === row.contender,
    );
    const change = earlier && (row.ours ? (same ? ownChange(earlier, row) : undefined) : rivalChange(earlier, row));
    if (change === undefined) continue;
    changed++;
    console.log(`  ${row.comparison}: ${change}`);
  }
  console.log(`  ${changed} changed by more than ${Math.round((notable - 1) * 100)} %`);
}

function ownChange(before: Row, now: Row): string | undefined {
  return told(now.median / before.median, `${amount(before.median, now.unit)} -> ${amount(now.median, now.unit)}`);
}

function rivalChange(before: Row, now: Row): string | undefined {
  return told(before.ratio / now.ratio, `${times(before.ratio)} -> ${times(now.ratio)} against ${now.contender}`);
}

function told(factor: number, text: string): string | undefined {
  if (factor < notable && factor > 1 / notable) return undefined;
  return `${factor > 1 ? 'WORSE ' : 'better'} ${text}`;
}
