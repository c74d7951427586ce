/** SIGHUP: lists and settings are read again while the receiver runs. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DataFolder } from '../../src/host/data-folder.ts';
import { until } from '../fixtures/waits.ts';
import { onTerminal, type Program, removeFolder, startProgram, temporaryFolder } from './program.ts';

let folder: string;
let program: Program;
beforeEach(async () => {
  folder = temporaryFolder();
  mkdirSync(join(folder, 'enigma2'));
  configure({ logLevel: 'info' });
  writeBouquet('First');
  program = await startProgram(folder, '--config', join(folder, 'receiverd.yaml'), '--tuner', 'none');
});
afterEach(async () => {
  expect(await program.stop()).toBe(0);
  removeFolder(folder);
});

/** JSON is valid YAML. */
const configure = (configuration: object) =>
  writeFileSync(join(folder, 'receiverd.yaml'), JSON.stringify(configuration));
function writeBouquet(name: string): void {
  const entry = '#SERVICE 1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.a.tv" ORDER BY bouquet\n';
  writeFileSync(join(folder, 'enigma2', 'bouquets.tv'), `#NAME TV\n${entry}`);
  writeFileSync(join(folder, 'enigma2', 'userbouquet.a.tv'), `#NAME ${name}\n`);
}
const hangUp = () => process.kill(DataFolder.owner(folder)?.pid as number, 'SIGHUP');
const logged = (text: string) => program.log.filter(({ msg = '' }) => msg.includes(text)).length;
const bouquets = async () =>
  (await program.json<{ bouquets: string[][] }>('/api/bouquets')).bouquets.map(([, name]) => name);

it('rereads the lists and what can change of the configuration', async () => {
  expect(await bouquets()).toEqual(['First']);
  await program.get('/api/vol');
  writeBouquet('Second');
  configure({ logLevel: 'debug', name: 'Other', cleaning: { keepTag: 'Kept' } });
  hangUp();
  await until(async () => expect(await bouquets()).toEqual(['Second']));
  await until(() => expect(logged('read again')).toBe(1));
  expect(logged('settings changed: cleaning.keepTag, logLevel')).toBe(1);
  expect(logged('settings that take effect after a restart: name')).toBe(1);
  const requests = () => program.log.filter(({ path }) => path === '/api/vol');
  expect(requests()).toEqual([]);
  await program.get('/api/vol');
  await until(() => expect(requests()).toHaveLength(1));
});

it('reports an invalid configuration, and keeps running', async () => {
  configure({ logLevel: 'loud' });
  writeBouquet('Second');
  hangUp();
  await until(async () => expect(await bouquets()).toEqual(['Second']));
  await until(() => expect(logged('all settings stay as they are, the configuration cannot be applied: ')).toBe(1));
});

it('works without a list that has become a pipe, and keeps the pipe', async () => {
  const path = join(folder, 'enigma2', 'userbouquet.a.tv');
  rmSync(path);
  execFileSync('mkfifo', [path]);
  hangUp();
  await until(() => expect(logged(`${path}: is not a regular file`)).toBe(1));
  await until(() => expect(logged('read again')).toBe(1));
});

it.skipIf(!existsSync('/usr/bin/script'))('stops cleanly when its terminal is gone', async () => {
  const other = join(folder, 'other');
  const ports = ['--http-port', '0', '--stream-port', '0', '--bind', '127.0.0.1'];
  const terminal = onTerminal(['start', '--data-dir', other, ...ports, '--tuner', 'demo']);
  await until(() => expect(terminal.output()).toMatch(/^receiverd ready/m));
  const { pid, http } = DataFolder.owner(other) ?? {};
  await until(async () => expect(await (await fetch(`${http}api/epgexport`)).text()).toContain('<programme'));
  expect(existsSync(join(other, 'guide.snapshot'))).toBe(false);
  terminal.close();
  await terminal.ended;
  // The shell between them may pass it on, or not.
  for (let times = 0; times < 2; times++) signal(pid);
  await until(() => expect(DataFolder.owner(other)).toBeUndefined());
  expect(existsSync(join(other, 'guide.snapshot'))).toBe(true);
});

/** Sends SIGHUP to a process that may be gone. */
function signal(pid = 0): void {
  try {
    if (pid > 0) process.kill(pid, 'SIGHUP');
  } catch {
    // It has ended.
  }
}
