/** The whole program with the folder of a box: its rules are imported, once. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { removeFolder, startProgram, temporaryFolder } from './program.ts';

const folder = temporaryFolder();
afterAll(() => removeFolder(folder));

it('imports the rules of a box at the first start, and logs it', async () => {
  mkdirSync(join(folder, 'enigma2'));
  const path = join(folder, 'enigma2', 'autotimer.xml');
  writeFileSync(path, '<autotimer version="8">\n<timer match="Sea" series_labeling="yes"/></autotimer>');
  for (const start of ['first', 'second']) {
    const program = await startProgram(folder, '--tuner', 'demo', '--clock', 'system');
    const { items } = await program.json<{ items: readonly object[] }>('/autotimers');
    expect(items).toMatchObject([{ id: 1, name: 'Sea', enabled: true }]);
    expect(await program.stop()).toBe(0);
    const told = program.log.flatMap(({ msg = '' }) => (msg.startsWith(path) ? [msg] : []));
    expect(told).toHaveLength(start === 'first' ? 2 : 0);
  }
});
