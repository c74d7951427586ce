/** Standby, shutdown and the commands for it. */
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Power } from '../../src/device/power.ts';
import { runCommand } from '../../src/device/run-command.ts';
import { DeviceState } from '../../src/device/state.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'receiverd-power-'));
});
const state = () => new DeviceState(join(folder, 'state.json'));

it('runs a command without a shell', async () => {
  const file = join(folder, 'a b; touch c');
  await runCommand(['touch', file]);
  expect(existsSync(file)).toBe(true);
});

it.each([
  [['false'], 'false: status 1'],
  [['/no/such/program'], '/no/such/program: no such file or directory'],
  [['/proc/self/stat/program'], '/proc/self/stat/program: not a directory'],
  [['/no/such/program -u bob:trout'], '/no/such/program …: no such file or directory'],
  [[process.execPath, '-e', 'process.kill(process.pid)'], `${process.execPath}: killed by SIGTERM`],
])('reports the failure of %j', async (command, message) => {
  await expect(runCommand(command)).rejects.toMatchObject({ code: 'command-failed', message });
});

it('shuts down, reboots and restarts on request, and refuses actions it was not given', async () => {
  const off = join(folder, 'off');
  const asked: string[] = [];
  const power = new Power(state(), {
    shutDown: () => runCommand(['touch', off]),
    reboot: () => runCommand(['false']),
    restart: () => asked.push('restart'),
  });
  await power.change('deep-standby');
  expect(existsSync(off)).toBe(true);
  await expect(power.change('reboot')).rejects.toMatchObject({ code: 'command-failed' });
  expect(power.canRestart).toBe(true);
  await power.change('restart');
  expect([asked, power.standby]).toEqual([['restart'], false]);
  const headless = new Power(state());
  expect(headless.canRestart).toBe(false);
  for (const change of ['deep-standby', 'reboot', 'restart'] as const)
    await expect(headless.change(change)).rejects.toMatchObject({ code: 'not-allowed' });
});

describe('an automatic shutdown', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());

  function open(reasons: (string | undefined)[], shutDown = async () => {}) {
    let times = 0;
    const kept = state();
    const power = new Power(kept, {
      neededFor: async () => reasons.shift(),
      shutDown: async () => {
        times++;
        await shutDown();
      },
    });
    return { power, kept, times: () => times };
  }

  it('waits in standby until the machine is no longer needed', async () => {
    const { power, times } = open(['a recording', 'a timer', undefined]);
    expect(await power.shutDownWhenIdle()).toBe('a recording');
    expect([power.standby, times()]).toEqual([true, 0]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(times()).toBe(0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(times()).toBe(1);
    power.cancelShutdown();
  });

  it('is cancelled when a user wakes the receiver, or by cancelShutdown', async () => {
    const { power, times } = open(['a recording']);
    await power.shutDownWhenIdle();
    await power.change('wake');
    power.scheduleShutdown();
    expect(power.standby).toBe(true);
    power.cancelShutdown();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(times()).toBe(0);
  });

  it('continues after a restart of the receiver, unless a user has woken it', async () => {
    const { power, kept } = open(['a recording', 'a recording']);
    await power.shutDownWhenIdle();
    power.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(new Power(kept).isShutdownScheduled).toBe(true);
    await power.change('wake');
    expect(new Power(kept).isShutdownScheduled).toBe(false);
  });

  it('leaves a receiver that shows a picture when it is switched on again', async () => {
    const { power, kept, times } = open([]);
    await power.change('standby');
    expect(await power.shutDownWhenIdle()).toBeUndefined();
    expect([times(), kept.get().standby]).toEqual([1, false]);
  });

  it('falls back to standby if it fails or is not allowed', async () => {
    const { power } = open([], () => runCommand(['false']));
    expect(await power.shutDownWhenIdle()).toBe('false: status 1');
    expect(power.standby).toBe(true);
    const other = new Power(state());
    expect(await other.shutDownWhenIdle()).toContain('deep-standby');
    expect(other.standby).toBe(true);
    other.scheduleShutdown();
    expect(vi.getTimerCount()).toBe(0);
  });
});
