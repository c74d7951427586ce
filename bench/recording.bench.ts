/**
 * The cost of recording: processor time from a tuner's packets to four recordings in memory, with all of their files,
 * against `cat`, which only moves the same bytes. The rate is the number of 40 Mbit/s services that one core can record
 * at once.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Comparison, Comparisons, Measured } from './comparison.ts';
import { buildNative, temporaryFolder } from './native.ts';

/** Bytes per second at 40 Mbit/s. */
const second = 40_000_000 / 8;

/** A folder in memory if the machine has one. Disk time is not processor time either way. */
function folderInMemory(): string {
  if (!existsSync('/dev/shm')) return temporaryFolder();
  const folder = mkdtempSync('/dev/shm/receiverd-bench-');
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const comparisons: Comparisons = async (quick) => {
  const capture = join(process.env.RECEIVERD_TEST_DATA ?? '', 'ts', 'big-buck-bunny.ts');
  if (!existsSync(capture)) {
    console.log('\nrecording: left out, RECEIVERD_TEST_DATA names no captures');
    return [];
  }
  const program = buildNative('recording_bench');
  const output = execFileSync(program, [capture, folderInMemory(), quick ? '500' : '5000'], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const contenders = JSON.parse(output) as Measured[];
  const bytes = Number(contenders[0]?.result);
  return [
    {
      name: 'recording: processor time of services of 40 Mbit/s',
      work: { amount: bytes / second, unit: 'services' },
      contenders,
      check: (ours, rival) => {
        assert.equal(rival, ours);
        return undefined;
      },
    } satisfies Comparison,
  ];
};
export default comparisons;
