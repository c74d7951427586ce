import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { Host } from '../../src/device/host.ts';
import { Power } from '../../src/device/power.ts';
import { DeviceState } from '../../src/device/state.ts';
import { Volume } from '../../src/device/volume.ts';

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'receiverd-device-')), 'state.json');
});

describe('volume', () => {
  it('is clamped, keeps its value while muted and survives a restart', () => {
    const volume = new Volume(new DeviceState(path));
    volume.set(130);
    expect(volume.level).toBe(100);
    volume.step('down');
    volume.step('down');
    volume.toggleMute();
    expect(volume.level).toBe(90);
    const later = new Volume(new DeviceState(path));
    expect([later.level, later.muted]).toEqual([90, true]);
    later.set(-3);
    expect(later.level).toBe(0);
  });
});

describe('power', () => {
  it('tells each change once and survives a restart', async () => {
    const power = new Power(new DeviceState(path));
    const seen: boolean[] = [];
    const off = power.onChange((standby) => seen.push(standby));
    await power.change('standby');
    await power.change('standby');
    expect(new Power(new DeviceState(path)).standby).toBe(true);
    await power.change('wake');
    off();
    await power.change('toggle-standby');
    expect(seen).toEqual([true, false]);
  });

  it('refuses to end the machine', async () => {
    await expect(new Power(new DeviceState(path)).change('deep-standby')).rejects.toMatchObject({
      code: 'not-allowed',
    });
  });
});

describe('state', () => {
  it.each(['', '{', '[]', '{"volume": "loud"}', '{"volume": 400}'])(
    'starts from the defaults when the file holds %j',
    (text) => {
      writeFileSync(path, text);
      expect(new DeviceState(path).get().volume).toBe(100);
    },
  );

  it('leaves no temporary file behind', () => {
    new DeviceState(path).set({ volume: 7 });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ volume: 7 });
    expect(() => readFileSync(`${path}.writing`)).toThrow();
  });
});

describe('host', () => {
  it('always has an interface with a valid MAC address', async () => {
    const interfaces = await new Host([]).interfaces();
    expect(interfaces.length).toBeGreaterThan(0);
    for (const one of interfaces) expect(one.mac).toMatch(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/);
  });

  it('names each disk of the locations once, also when a folder is not there yet', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'receiverd-disk-'));
    const disks = await new Host([`${folder}/`, join(folder, 'not', 'yet/')]).disks();
    expect(disks).toHaveLength(1);
    expect(disks[0]?.capacity).toBeGreaterThan(disks[0]?.free ?? Number.POSITIVE_INFINITY);
    expect(folder.startsWith(disks[0]?.mount ?? 'none')).toBe(true);
  });
});
