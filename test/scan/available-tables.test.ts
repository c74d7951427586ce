/** The tables of transponders that a machine has. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readScanTable, scanTables, type TableFile } from '../../src/scan/available-tables.ts';

const folder = mkdtempSync(join(tmpdir(), 'scan-tables-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, 'dvb-t'));
mkdirSync(join(folder, 'dvb-s'));
/** Without the built-in rasters. */
const ofFiles = (tables: readonly TableFile[]) => tables.filter(({ name }) => name.includes('/'));
const channel = '[A]\n\tDELIVERY_SYSTEM = DVBT\n\tFREQUENCY = 506000000\n\tBANDWIDTH_HZ = 8000000\n';
writeFileSync(join(folder, 'dvb-t', 'de-Berlin'), channel);
writeFileSync(
  join(folder, 'dvb-s', 'Hispasat-30.0W'),
  '[A]\n\tDELIVERY_SYSTEM = DVBS\n\tFREQUENCY = 11811000\n\tPOLARIZATION = VERTICAL\n\tSYMBOL_RATE = 27500000\n',
);
writeFileSync(
  join(folder, 'cables.xml'),
  '<cables><cable name="Operator"><transponder frequency="346000000" symbol_rate="6900000"/></cable></cables>',
);

it('are named after their folder and file, or their file and network', async () => {
  const { tables } = await scanTables(['/nonexistent', folder]);
  expect(ofFiles(tables).map(({ name, kind, position, country }) => [name, kind, position, country])).toEqual([
    ['cables.xml/Operator', 'cable', undefined, ''],
    ['dvb-s/Hispasat-30.0W', 'satellite', 3300, ''],
    ['dvb-t/de-Berlin', 'terrestrial', undefined, 'de'],
  ]);
});

it('are read by these names only', async () => {
  expect(await readScanTable([folder], 'dvb-t/de-Berlin')).toMatchObject([{ frequency: 506e6 }]);
  expect(await readScanTable([folder], 'cables.xml/Operator')).toMatchObject([{ frequency: 346_000 }]);
  await expect(readScanTable([folder], '../cables.xml/Operator')).rejects.toThrow('not found');
});

it('an invalid file has no tables, and is reported with its line', async () => {
  writeFileSync(join(folder, 'satellites.xml'), '<satellites>\n<sat name="A"></satellites>');
  const { tables, problems } = await scanTables([folder]);
  expect(ofFiles(tables).length).toBe(3);
  expect(problems).toEqual([expect.stringMatching(/satellites\.xml:2: /)]);
  await expect(readScanTable([folder], 'satellites.xml/A')).rejects.toThrow('satellites.xml:2');
});

it('a file name that is not UTF-8 is skipped', async () => {
  writeFileSync(Buffer.from(`${folder}/dvb-t/de-K\xf6ln`, 'latin1'), channel);
  expect((await scanTables([folder])).tables.map(({ name }) => name)).toContain('dvb-t/de-Berlin');
  expect((await scanTables([folder])).tables.filter(({ name }) => name.includes('K'))).toEqual([]);
});

it('a file that has changed is read again', async () => {
  const satellite = (name: string, position: string) =>
    `<sat name="${name}" position="${position}"><transponder frequency="1" symbol_rate="1" polarization="0"/></sat>`;
  const names = async (...satellites: readonly string[]) => {
    writeFileSync(join(folder, 'satellites.xml'), `<satellites>${satellites.join('')}</satellites>`);
    return (await scanTables([folder])).tables.flatMap(({ name, kind }) => (kind === 'satellite' ? name : []));
  };
  expect(await names(satellite('A', '192'))).toContain('satellites.xml/A');
  expect(
    await names(satellite('A and B', '-8'), satellite('C', '19.25'), '<constructor name="x"><t a="1"/></constructor>'),
  ).toEqual(['dvb-s/Hispasat-30.0W', 'satellites.xml/A and B']);
});

it.skipIf(!existsSync('/usr/share/dvb/dvb-s'))('Debian’s tables are found and can be read', async () => {
  const { tables } = await scanTables(['/usr/share/dvb']);
  expect(tables.filter(({ kind, position }) => kind === 'satellite' && position === undefined)).toEqual([]);
  expect(tables.filter(({ position }) => position === 192).length).toBeGreaterThan(0);
  const sample = tables.filter((_, n) => n % 50 === 0);
  for (const { name } of sample) expect((await readScanTable(['/usr/share/dvb'], name)).length).toBeGreaterThan(0);
});
