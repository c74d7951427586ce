import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { runCommand } from '../../src/device/machine.ts';
import { Power } from '../../src/device/power.ts';
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
  [['/no/such/program'], '/no/such/program: spawn /no/such/program ENOENT'],
  [[process.execPath, '-e', 'process.kill(process.pid)'], `${process.execPath}: ended by SIGTERM`],
])('says that %j did not work', async (command, message) => {
  await expect(runCommand(command)).rejects.toMatchObject({ code: 'command-failed', message });
});

it('shuts down, reboots and restarts as it is told, and refuses what it was not given', async () => {
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
