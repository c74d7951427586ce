/** The folder of the timeshift: its location and leftover files. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Settings } from '../../src/config/enigma2-settings.ts';
import { removeLeftovers, sequenceOf, timeshiftFolder } from '../../src/timeshift/folder.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

describe('the folder of the timeshift', () => {
  it('is the configured one, else a subfolder of the folder in the settings, else in the data folder', async () => {
    const folder = temporaryFolder();
    const chosen = Settings.parse(`config.usage.timeshift_path=${folder}/\n`);
    expect(await timeshiftFolder('/somewhere/else', chosen, '/data')).toBe('/somewhere/else');
    expect(await timeshiftFolder('', chosen, '/data')).toBe(join(folder, 'receiverd-timeshift'));
    const gone = Settings.parse(`config.usage.timeshift_path=${folder}/gone/\n`);
    expect(await timeshiftFolder('', gone, '/data')).toBe('/data/timeshift');
    // The default of the key is a folder of a box and does not count.
    expect(await timeshiftFolder('', Settings.parse(''), '/data')).toBe('/data/timeshift');
  });

  it('loses the files left over from another run, and no others', async () => {
    const folder = temporaryFolder();
    for (const name of ['1767290400.ts', '1767290401.ts', 'film.ts', '12.ts.meta', '12', '.3.ts', '4.mts'])
      writeFileSync(join(folder, name), 'x');
    mkdirSync(join(folder, 'below'));
    writeFileSync(join(folder, 'below', '5.ts'), 'x');
    await removeLeftovers(folder);
    expect(readdirSync(folder).sort()).toEqual(['.3.ts', '12', '12.ts.meta', '4.mts', 'below', 'film.ts']);
    expect(readdirSync(join(folder, 'below'))).toEqual(['5.ts']);
    await removeLeftovers(join(folder, 'none'));
  });

  it('has segments named by number only', () => {
    expect(sequenceOf('1767290400.ts')).toBe(1767290400);
    for (const name of ['', '.ts', '../1.ts', '1.ts/', '-1.ts', '1.TS', '1.ts.ts', `${'1'.repeat(16)}.ts`])
      expect(sequenceOf(name)).toBeUndefined();
  });
});
