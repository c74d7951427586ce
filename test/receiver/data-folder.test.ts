/** Two processes with one data folder. */
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createTemporary, isTemporary } from '../../src/base/files.ts';
import { DataFolder } from '../../src/host/data-folder.ts';
import { until } from '../fixtures/waits.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from './program.ts';

const folder = temporaryFolder();
let program: Program | undefined;

afterAll(async () => {
  await program?.stop();
  removeFolder(folder);
});

test('a second receiver is refused and shown the first one’s address; a killed receiver blocks nobody', async () => {
  program = await startProgram(folder, '--tuner', 'demo');
  const owner = DataFolder.owner(folder);
  expect(owner).toMatchObject({
    pid: expect.any(Number),
    http: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
  });
  expect(`${program.http}/`).toBe(owner?.http);
  await expect(startProgram(folder, '--tuner', 'demo')).rejects.toThrow(
    `ended with 1 before it was ready: receiverd: the folder ${folder} is in use by another receiverd (process ${owner?.pid}, ${owner?.http})`,
  );
  await program.stop('SIGKILL');
  expect(DataFolder.owner(folder)).toBeUndefined();
  const left = ['.', 'tls', 'enigma2', 'enigma2/bouquets', 'movie/series', 'etc'].map((name) => join(folder, name));
  for (const one of left) {
    mkdirSync(one, { recursive: true });
    const { path, file } = await createTemporary(one);
    await file.close();
    utimesSync(path, 1, 1);
  }
  const configuration = join(folder, 'etc', 'receiverd.yaml');
  writeFileSync(configuration, '');
  program = await startProgram(folder, '--tuner', 'demo', '--config', configuration);
  // What it was writing is removed.
  const temporaries = () => left.flatMap((one) => readdirSync(one).filter(isTemporary));
  await until(() => expect(temporaries()).toEqual([]));
  expect(await program.stop()).toBe(0);
  expect(DataFolder.owner(folder)).toBeUndefined();
});
