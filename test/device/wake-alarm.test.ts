/** Alarms that switch the machine on. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { type WakeAlarm, wakeAlarmOf } from '../../src/device/wake-alarm.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

function open(name: string): { readonly alarm: WakeAlarm; readonly text: () => string } {
  const path = join(folder, name);
  writeFileSync(path, '');
  return { alarm: wakeAlarmOf(path) as WakeAlarm, text: () => readFileSync(path, 'utf8') };
}

it('of a real-time clock is relative to that clock', async () => {
  const { alarm, text } = open('wakealarm');
  await alarm.set(3599.6);
  expect(text()).toBe('+3600');
  await alarm.set(-5);
  expect(text()).toBe('+1');
  await alarm.set(undefined);
  expect(text()).toBe('0');
});

it('of a box is a time of its own clock, or of the machine if that cannot be read', async () => {
  const { alarm, text } = open('wakeup_time');
  writeFileSync(join(folder, 'rtc'), '1767290400\n');
  await alarm.set(600);
  expect(text()).toBe('1767291000');
  writeFileSync(join(folder, 'rtc'), '0\n');
  const before = Math.floor(Date.now() / 1000);
  await alarm.set(600);
  expect(Number(text()) - 600).toBeGreaterThanOrEqual(before);
  expect(Number(text()) - 600).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
  await alarm.set(undefined);
  expect(text()).toBe('0');
});

it('is not created if it does not exist', async () => {
  expect(wakeAlarmOf('none')).toBeUndefined();
  const path = join(folder, 'wakealarm');
  await expect(wakeAlarmOf(path)?.set(60)).rejects.toMatchObject({ code: 'file-unwritable' });
  expect(() => readFileSync(path)).toThrow('ENOENT');
});
