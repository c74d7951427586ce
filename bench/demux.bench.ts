/**
 * From bytes to checked sections. Ours and libdvbpsi (VLC's decoder, if libdvbpsi-dev is installed) run in a native
 * program, since there is no JavaScript in that path. aribts, on which Mirakurun and its relatives are built, runs
 * here. Copying the bytes is the ceiling. libdvbpsi receives only the PIDs it wants; ours also checks the continuity of
 * all PIDs.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packetSize, sectionsOf } from './aribts.ts';
import type { Comparison, Comparisons, Measured } from './comparison.ts';
import { buildNative } from './native.ts';

const siPids = new Set([0x00, 0x10, 0x11, 0x12, 0x14]);

/** Counts sections on the SI PIDs as demux_bench does. */
function aribtsSections(stream: Buffer): number {
  let count = 0;
  sectionsOf(stream, (section) => {
    if (siPids.has(section.getPid())) count++;
  });
  return count;
}

const captures = [
  { file: 'dtt-italy-rai.ts', what: 'a whole multiplex' },
  { file: 'sat-canal-eit.ts', what: 'nothing but guide sections' },
];

const comparisons: Comparisons = async (quick) => {
  const data = process.env.RECEIVERD_TEST_DATA;
  if (!data) {
    console.log('\ndemux: left out, RECEIVERD_TEST_DATA names no captures');
    return [];
  }
  const program = buildNative('demux_bench');
  return captures
    .map(({ file, what }) => ({ path: join(data, 'ts', file), what }))
    .filter(({ path }) => existsSync(path))
    .map(({ path, what }): Comparison => {
      const stream = readFileSync(path);
      const output = execFileSync(program, [path, quick ? '100' : '1000'], { encoding: 'utf8', maxBuffer: 1 << 28 });
      const measured = JSON.parse(output) as Measured[];
      return {
        name: `demux: sections of ${what}`,
        work: { amount: Math.floor(stream.length / packetSize), unit: 'packets' },
        contenders: [...measured, { name: 'aribts 2.1.12 (JavaScript)', run: () => aribtsSections(stream) }],
        check: (ours, rival, name) => {
          if (name === 'memcpy' || ours === rival) return undefined;
          // Where packets are missing, aribts drops more sections than it has to.
          const lost = Number(ours) - Number(rival);
          assert(name.startsWith('aribts') && lost > 0 && lost < 10, `${name} found ${rival} sections, not ${ours}`);
          return `found ${rival} of ${ours} sections`;
        },
      };
    });
};
export default comparisons;
