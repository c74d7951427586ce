/** The sleep timer, also across restarts and clock changes. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Power } from '../../src/device/power.ts';
import { SleepTimer } from '../../src/device/sleep-timer.ts';
import { DeviceState } from '../../src/device/state.ts';

const evening = 1_767_300_000;

let path: string;
let clock: { time: number; synchronised: boolean; now(): number };
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'receiverd-sleep-')), 'state.json');
  clock = { time: evening, synchronised: true, now: () => clock.time };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => void vi.useRealTimers());

function open(state = new DeviceState(path)) {
  const power = new Power(state);
  const timer = new SleepTimer({ clock, power, state });
  timer.start();
  return { state, power, timer };
}

/** Advances the clock and the Node timers together. */
async function pass(seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left -= 10) {
    clock.time += Math.min(10, left);
    await vi.advanceTimersByTimeAsync(Math.min(10, left) * 1000);
  }
}

it('puts the receiver into standby when the minutes have elapsed, not before', async () => {
  const { timer, power } = open();
  timer.enable(30, 'standby');
  expect([timer.enabled, timer.minutes]).toEqual([true, 30]);
  await pass(29 * 60);
  expect([power.standby, timer.minutes]).toEqual([false, 1]);
  await pass(60);
  expect([power.standby, timer.enabled, timer.minutes]).toEqual([true, false, 30]);
});

it.each([
  [-5, 0],
  [1000, 999],
  [59.6, 60],
])('rounds and clamps %d minutes to %d', (asked, minutes) => {
  const { timer } = open();
  timer.enable(asked, 'standby');
  expect(timer.minutes).toBe(minutes);
});

it('notifies when it was set, disabled and has acted', async () => {
  const { timer } = open();
  const seen: unknown[] = [];
  timer.onChange(() => seen.push([timer.enabled, timer.action]));
  timer.enable(1, 'standby');
  timer.disable();
  timer.disable();
  timer.enable(0, 'standby');
  await pass(1);
  expect(seen).toEqual([
    [true, 'standby'],
    [false, 'standby'],
    [true, 'standby'],
    [false, 'standby'],
  ]);
});

it('continues after a restart, and is dropped if it expired while the receiver was off', async () => {
  const first = open();
  first.timer.enable(30, 'standby');
  first.timer.stop();
  await first.state.flush();
  clock.time += 20 * 60;
  const second = open();
  expect([second.timer.enabled, second.timer.minutes]).toEqual([true, 10]);
  second.timer.stop();
  clock.time += 20 * 60;
  const third = open();
  expect(third.timer.enabled).toBe(false);
  await pass(60);
  expect(third.power.standby).toBe(false);
});

it('shuts down if possible, else goes into standby', async () => {
  const { timer, power } = open();
  const shutDown = vi.spyOn(power, 'shutDownWhenIdle');
  timer.enable(1, 'shutdown');
  await pass(60);
  expect(shutDown).toHaveBeenCalledOnce();
  expect(power.standby).toBe(true);
});

it('is dropped when a user puts the receiver into standby earlier', async () => {
  const { timer, power } = open();
  timer.enable(30, 'standby');
  await power.change('standby');
  expect(timer.enabled).toBe(false);
  await power.change('wake');
  timer.enable(30, 'shutdown');
  await power.change('standby');
  expect(timer.enabled).toBe(true);
});

it('never takes longer than set when the clock is set back', async () => {
  const { timer, power } = open();
  timer.enable(10, 'standby');
  clock.time -= 86_400;
  expect(timer.minutes).toBe(10);
  await pass(60);
  clock.time = evening + 10 * 60;
  await pass(30);
  expect(power.standby).toBe(true);
});

it('waits for a clock that does not know the time yet', async () => {
  clock.synchronised = false;
  const { timer, power } = open();
  timer.enable(1, 'standby');
  await pass(120);
  expect(power.standby).toBe(false);
  clock.synchronised = true;
  await pass(60);
  expect(power.standby).toBe(true);
});

it('is not prolonged by a clock that is set back', async () => {
  const { timer, power } = open();
  timer.enable(30, 'standby');
  await pass(10 * 60);
  clock.time -= 3600;
  await pass(60);
  expect(timer.minutes).toBe(30);
  await pass(30 * 60);
  expect([power.standby, timer.enabled]).toEqual([true, false]);
});

it('is dropped if it expired before the time was first known from the broadcast', async () => {
  const first = open();
  first.timer.enable(30, 'standby');
  first.timer.stop();
  clock.time += 3600;
  clock.synchronised = false;
  const { timer, power } = open(first.state);
  await pass(60);
  expect(timer.enabled).toBe(true);
  clock.synchronised = true;
  await pass(60);
  expect([timer.enabled, power.standby]).toEqual([false, false]);
});
