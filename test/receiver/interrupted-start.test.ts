/** SIGTERM ends a start that has not finished, whatever it waits for. */
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../fixtures/waits.ts';
import { type Launched, launchAfter, removeFolder, temporaryFolder } from './program.ts';

let folder: string;
let launched: Launched;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  await launched.kill();
  removeFolder(folder);
});

const listens = () => until(() => expect(launched.log.map(({ msg = '' }) => msg).join()).toContain('Server listening'));

it('while a disk does not answer', async () => {
  const [picons, asked, script] = ['picon', 'asked', 'disk.cjs'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(picons);
  writeFileSync(
    script,
    `const fs = require('node:fs');
    const { readdir } = fs.promises;
    fs.promises.readdir = (path, ...rest) => {
      if (path !== ${JSON.stringify(picons)}) return readdir(path, ...rest);
      fs.writeFileSync(${JSON.stringify(asked)}, '');
      return new Promise(() => setInterval(() => undefined, 1000));
    };
    require('node:module').syncBuiltinESMExports();`,
  );
  launched = launchAfter(script, folder, '--tuner', 'none');
  const ready = expect(launched.ready).rejects.toThrow('the program ended with null before it was ready');
  await until(() => expect(existsSync(asked)).toBe(true));
  await launched.stop();
  await ready;
});

it('while it waits for the tuners of a SAT>IP server', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  try {
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    // On a slow machine, a clean end may take longer than the program waits for it.
    const script = join(folder, 'no-limit.cjs');
    writeFileSync(
      script,
      `const { setTimeout } = globalThis;
      globalThis.setTimeout = (run, delay, ...rest) => setTimeout(run, delay === 1500 ? 2 ** 30 : delay, ...rest);`,
    );
    launched = launchAfter(script, folder, '--tuner', `satip:127.0.0.1:${port}`);
    const ready = expect(launched.ready).rejects.toThrow('the program ended with 0 before it was ready');
    await listens();
    await launched.stop();
    await ready;
  } finally {
    silent.close();
  }
});
