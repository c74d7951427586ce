import { expect, it } from 'vitest';
import { fail } from '../../src/base/errors.ts';
import type { TunerPool } from '../../src/dvb/tuner-pool.ts';
import { scanNetwork } from '../../src/scan/network-scan.ts';
import { raster } from '../../src/scan/transponder-tables.ts';

it('a scan names the frequency that was not received while it receives the next', async () => {
  const pool = { tuneTo: () => Promise.reject(fail('no-signal', 'dvb:0 (no carrier)')) } as unknown as TunerPool;
  const [first, second] = raster.filter(({ kind }) => kind === 'terrestrial');
  const start = [first, second].filter((one) => one !== undefined);
  const seen: string[] = [];
  const onProgress = ({ transponder, trouble }: { readonly transponder: string; readonly trouble: string }) =>
    void seen.push(`${transponder} | ${trouble}`);
  const scan = scanNetwork({ pool, start, onProgress });
  await expect(scan).rejects.toThrow(/^no reception of any of 2 transponders: \d+ MHz: no reception of dvb:0/);
  const [one = '', two = ''] = seen;
  const [frequency] = one.split(' | ');
  expect(two).toContain(` | ${frequency}: no reception of dvb:0 (no carrier)`);
});
