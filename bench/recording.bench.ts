/**
 * What a recording costs: processor time from the packets of a tuner to four files in memory, with everything beside them, against
 * `cat`, which does nothing but move the same bytes. The rate says how many services of 40 Mbit/s one core records at once.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Comparison, Comparisons, Measured } from './comparison.ts';
import { buildNative, temporaryFolder } from './native.ts';

/** Bytes of a second of 40 Mbit/s. */
const second = 40_000_000 / 8;

/** In memory where the machine has such a place; a disk's own time is no processor time either way. */
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
