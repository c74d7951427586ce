import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rasters } from '../../src/scan/american-rasters.ts';
import { readScanTable, scanTables } from '../../src/scan/available-tables.ts';
import { readInitialTable } from '../../src/scan/transponder-tables.ts';

const folder = '/usr/share/dvb/atsc';
const frequencies = (name: string) => (rasters[name] ?? []).map(({ frequency }) => frequency);

function published(file: string): readonly number[] {
  const text = readFileSync(`${folder}/${file}`, 'latin1');
  return [...text.matchAll(/FREQUENCY = (\d+)/g)].map(([, frequency]) => Number(frequency));
}

describe('the rasters of America and Korea', () => {
  it('have names for air and cable in each country', async () => {
    const names = ['us', 'ca', 'mx', 'kr'].flatMap((country) =>
      ['atsc', 'cable', 'cable-irc', 'cable-hrc'].map((kind) => `${country}-${kind}`),
    );
    expect(Object.keys(rasters).sort()).toEqual(names.sort());
    const { tables } = await scanTables([]);
    expect(tables.map(({ name }) => name)).toEqual(names);
    expect(tables.find(({ name }) => name === 'kr-atsc')).toMatchObject({ kind: 'atsc', country: 'kr' });
    expect(await readScanTable([], 'us-atsc')).toBe(await readInitialTable('us-atsc'));
  });

  it('have channel 2 to 36 in the air, and 51 in Korea', () => {
    expect(frequencies('us-atsc')).toHaveLength(35);
    expect(rasters['us-atsc']?.at(-1)).toMatchObject({
      kind: 'atsc',
      frequency: 605_028_615,
      system: 0,
      modulation: 6,
    });
    expect(frequencies('kr-atsc').at(-1)).toBe(695_028_615);
    expect(rasters['us-cable']?.[0]).toMatchObject({ kind: 'atsc', frequency: 57e6, system: 1, modulation: 5 });
  });

  it.skipIf(!existsSync(folder))('are those of dtv-scan-tables', () => {
    const air = published('us-ATSC-center-frequencies-8VSB');
    for (const frequency of frequencies('kr-atsc')) expect(air).toContain(frequency);
    for (const [name, file, offset] of [
      ['us-cable', 'us-Cable-Standard-center-frequencies-QAM256', 25_000],
      ['us-cable-irc', 'us-Cable-IRC-center-frequencies-QAM256', 0],
      ['us-cable-hrc', 'us-Cable-HRC-center-frequencies-QAM256', 0],
    ] as const) {
      const ours = frequencies(name);
      for (const one of published(file)) {
        expect(Math.min(...ours.map((frequency) => Math.abs(one - frequency)))).toBeLessThanOrEqual(offset);
      }
    }
  });
});
