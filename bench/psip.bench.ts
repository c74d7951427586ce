/**
 * The guide of ATSC: sections of EIT per second, on those of an American multiplex. Ours runs from sections to events
 * in the searchable store. The rival is libdvbpsi, VLC's decoder, if libdvbpsi-dev is installed; it yields the fields of
 * events without decoding their texts. TSDuck, which made the multiplex's description, is in neither Debian nor npm.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Comparisons, Measured } from './comparison.ts';
import { buildNative } from './native.ts';

const comparisons: Comparisons = async (quick) => {
  const file = join(process.env.RECEIVERD_TEST_DATA ?? '', 'atsc', 'live-eit.bin');
  if (!existsSync(file)) {
    console.log('\npsip: left out, RECEIVERD_TEST_DATA has no atsc/live-eit.bin');
    return [];
  }
  const output = execFileSync(buildNative('psip_bench'), [file, quick ? '100' : '1000'], {
    ...{ encoding: 'utf8', maxBuffer: 1 << 28 },
  });
  const bytes = readFileSync(file);
  let sections = 0;
  for (let at = 0; at + 3 <= bytes.length; at += 3 + (bytes.readUInt16BE(at + 1) & 0xfff)) sections++;
  return [
    {
      name: 'psip: sections of EIT to stored events',
      work: { amount: sections, unit: 'sections' },
      contenders: JSON.parse(output) as Measured[],
      check: (ours, rival, contender) => {
        if (contender !== 'memcpy') assert.equal(rival, ours, 'both have the same number of events');
        return undefined;
      },
    },
  ];
};
export default comparisons;
