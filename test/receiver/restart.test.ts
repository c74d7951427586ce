/** Restarting the receiver and shutting down the machine on request. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../fixtures/waits.ts';
import { type Program, removeFolder, startProgram, temporaryFolder } from './program.ts';

let folder: string;
let program: Program;
beforeEach(async () => {
  folder = temporaryFolder();
  configure({ name: 'First', power: { shutdown: true, shutdownCommand: ['touch', join(folder, 'off')] } });
  program = await startProgram(folder, '--config', join(folder, 'receiverd.yaml'), '--tuner', 'demo');
});
afterEach(async () => {
  expect(await program.stop()).toBe(0);
  removeFolder(folder);
});

/** JSON is valid YAML. */
const configure = (configuration: object) =>
  writeFileSync(join(folder, 'receiverd.yaml'), JSON.stringify(configuration));
const model = async () => (await program.json<{ model: string }>('/api/deviceinfo')).model;
const logged = (text: string) => program.log.some(({ msg = '' }) => msg.includes(text));

it('restarts on the same ports with the configuration read again, after the response has been sent', async () => {
  expect(await model()).toBe('First');
  await program.json('/api/vol?set=set35');
  configure({ name: 'Second' });
  const answer = await program.get('/web/powerstate?newstate=3');
  expect(await answer.text()).toContain('<e2instandby>false</e2instandby>');
  await until(async () => expect(await model()).toBe('Second'));
  expect(await program.json('/api/vol')).toMatchObject({ current: 35 });
  configure({ name: 'Third' });
  const empty = await program.get('/web/restartserver');
  expect([empty.status, empty.headers.get('content-type'), await empty.text()]).toEqual([
    200,
    'text/plain; charset=utf-8',
    '',
  ]);
  await until(async () => expect(await model()).toBe('Third'));
});

it('logs requests from the moment on at which a client asks for it, until it restarts', async () => {
  const level = async () => (await program.json<{ level: string }>('/api/loglevel')).level;
  const requests = () => program.log.filter(({ level, path }) => level === 20 && path === '/api/vol').length;
  const ask = (headers: Record<string, string> = {}) =>
    fetch(`${program.http}/api/loglevel`, { method: 'POST', headers, body: new URLSearchParams({ level: 'debug' }) });
  await program.json('/api/vol');
  expect((await ask({ 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
  expect(await level()).toBe('info');
  expect((await ask()).status).toBe(200);
  await program.json('/api/vol');
  await until(() => expect(requests()).toBe(1));
  configure({ name: 'Second' });
  await program.json('/api/powerstate?newstate=3');
  await until(async () => expect(await model()).toBe('Second'));
  expect(await level()).toBe('info');
  expect(await program.stop()).toBe(0);
  expect(requests()).toBe(1);
});

it('keeps running if the configuration has become invalid', async () => {
  configure({ name: '' });
  expect(await program.json('/api/powerstate?newstate=3')).toEqual({ result: true, instandby: false });
  await until(() => expect(logged('name is empty; it must be a text of 1 to 60 characters')).toBe(true));
  expect(await model()).toBe('First');
});

it('starts without a folder of recordings that cannot be used, and says so', async () => {
  configure({ name: 'Second', locations: ['/proc/recordings', join(folder, 'movie')] });
  await program.json('/api/powerstate?newstate=3');
  await until(async () => expect(await model()).toBe('Second'));
  await until(() => expect(logged('cannot record into /proc/recordings/')).toBe(true));
  expect(await program.json(`/recordings?folder=${encodeURIComponent(join(folder, 'movie'))}`)).toMatchObject({
    items: [],
  });
  expect((await program.get('/recordings')).status).toBeLessThan(500);
});

it('shuts the machine down with the configured command', async () => {
  expect(await program.json('/api/powerstate?newstate=1')).toEqual({ result: true, instandby: false });
  expect(existsSync(join(folder, 'off'))).toBe(true);
});
