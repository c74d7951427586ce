/** The machine shuts down after a recording, with the alarm set for the next one. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { until } from '../fixtures/waits.ts';
import { removeFolder, startProgram, temporaryFolder } from './program.ts';

const folder = temporaryFolder();
afterAll(() => removeFolder(folder));

it('shuts down after a recording unless someone is watching, and wakes up for the next one', async () => {
  const [off, wakeAlarm] = [join(folder, 'off'), join(folder, 'wakealarm')];
  writeFileSync(wakeAlarm, '');
  const config = join(folder, 'receiverd.json');
  writeFileSync(config, JSON.stringify({ power: { shutdown: true, shutdownCommand: ['touch', off], wakeAlarm } }));
  const program = await startProgram(folder, '--config', config, '--tuner', 'demo', '--clock', 'system');
  const [sRef = ''] = await until(async () => {
    const { items } = await program.json<{ items: readonly (readonly string[])[] }>('/services/tv');
    expect(items.length).toBeGreaterThan(0);
    return items.map(([reference = '']) => reference);
  });
  const time = () => Math.floor(Date.now() / 1000);
  const now = time();
  const add = (begin: number, end: number, afterevent: number) => {
    const times = { begin: String(begin), end: String(end) };
    const parameters = new URLSearchParams({ sRef, ...times, name: 'News', afterevent: String(afterevent) });
    return program.json(`/api/timeradd?${parameters}`);
  };
  const watching = new AbortController();
  const stream = await fetch(`${program.stream}/${sRef}`, { signal: watching.signal });
  expect(stream.status).toBe(200);
  expect(await add(now + 7200, now + 7260, 3)).toMatchObject({ result: true });
  const begin = time();
  expect(await add(begin, begin + 3600, 2)).toMatchObject({ result: true });
  await until(async () => expect(await program.json('/api/statusinfo')).toMatchObject({ isRecording: 'true' }));
  const old = { channelOld: sRef, beginOld: String(begin), endOld: String(begin + 3600), deleteOldOnSave: '1' };
  const soon = { begin: String(begin), end: String(time() + 2), name: 'News', afterevent: '2' };
  const change = new URLSearchParams({ sRef, ...soon, ...old });
  expect(await program.json(`/api/timerchange?${change}`)).toMatchObject({ result: true });
  await until(() => expect(program.log.map(({ msg }) => msg).join()).toMatch(/stays on: 0 recordings, 1 clients/));
  expect(existsSync(off)).toBe(false);
  expect(await program.json('/api/statusinfo')).toMatchObject({ inStandby: 'true' });
  watching.abort();

  const seconds = () => Number(readFileSync(wakeAlarm, 'utf8'));
  expect(await program.json('/api/powerstate?newstate=1')).toMatchObject({ result: true });
  expect(existsSync(off)).toBe(true);
  // Seconds until the next timer, less the lead: they were counted when the alarm was set, at most this long ago.
  const left = now + 7200 - 240 - time();
  expect(seconds()).toBeGreaterThanOrEqual(left);
  expect(seconds()).toBeLessThanOrEqual(7200 - 240);

  // However the machine shuts down, the receiver is stopped.
  expect(await program.json('/api/timercleanup')).toMatchObject({ result: true });
  const parameters = new URLSearchParams({ sRef, begin: String(now + 7200), end: String(now + 7260) });
  expect(await program.json(`/api/timerdelete?${parameters}`)).toMatchObject({ result: true });
  await program.stop();
  expect(seconds()).toBe(0);
});
