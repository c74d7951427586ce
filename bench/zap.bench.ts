/**
 * How long a zap takes on a front end, in the virtual machine of RECEIVERD_VIDTV: from the request to the signal, to PAT
 * and PMT, and to the first picture out of port 8001. The pictures have a key frame every 12 at 25 a second, so that the
 * last step takes a quarter of a second on average whoever does it. `dvbv5-zap` tunes the same adapter for comparison; it
 * stops at the lock.
 */
import { hasMachine, inMachine, referenceOf, writeLists, writeMultiplex } from '../test/receiver/vidtv/machine.ts';
import type { Comparison, Comparisons } from './comparison.ts';
import { temporaryFolder } from './native.ts';

interface Zap {
  readonly locked: number;
  readonly tables: number;
  readonly picture: number;
}

const zaps = 20;

const comparisons: Comparisons = async (quick) => {
  if (!hasMachine || quick) {
    console.log('\nzap: left out; it takes minutes, RECEIVERD_VIDTV and RECEIVERD_WHOLE_RUN=1');
    return [];
  }
  const folder = temporaryFolder();
  const truths = [1, 2].map((n) => writeMultiplex(folder, n));
  writeLists(folder, truths);
  const references = truths.map(({ services: [first] }, n) => referenceOf(n, first as NonNullable<typeof first>));
  const driver = ['vidtv_valid_dvb_t_freqs=498000000,506000000'];
  const { found } = inMachine<{ readonly ours: readonly Zap[]; readonly theirs: readonly number[] }>(
    folder,
    'zap.mjs',
    [...references, String(zaps)],
    driver,
  );
  const samples = (time: (zap: Zap) => number) => found.ours.map(time);
  const step = (name: string, time: (zap: Zap) => number): Comparison => ({
    name: `zap: ${name}`,
    contenders: [{ name: 'receiverd', samples: samples(time), result: undefined }],
    check: () => undefined,
  });
  return [
    {
      name: 'zap: from the request to the signal',
      contenders: [
        { name: 'receiverd', samples: samples(({ locked }) => locked), result: undefined },
        { name: 'dvbv5-zap, from its start', samples: found.theirs, result: undefined },
      ],
      check: () => undefined,
    },
    step('from the signal to PAT and PMT', ({ locked, tables }) => tables - locked),
    step('from there to the first picture', ({ tables, picture }) => picture - tables),
    step('from the request to the first picture', ({ picture }) => picture),
  ];
};

export default comparisons;
