/** Volume, power, stored state and facts about the machine. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { isTemporary } from '../../src/base/files.ts';
import { Disks, interfaces as networkInterfaces, WriteCheck } from '../../src/device/host.ts';
import { Power } from '../../src/device/power.ts';
import { DeviceState } from '../../src/device/state.ts';
import { Volume } from '../../src/device/volume.ts';
import { irreplaceable } from '../fixtures/irreplaceable.ts';
import { until } from '../fixtures/waits.ts';
import { withResolvers } from '../fixtures/with-resolvers.ts';

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'receiverd-device-')), 'state.json');
});

describe('volume', () => {
  it('is clamped, keeps its value while muted and survives a restart', async () => {
    const state = new DeviceState(path);
    const volume = new Volume(state);
    volume.set(130);
    expect(volume.level).toBe(100);
    volume.step('down');
    volume.step('down');
    volume.toggleMute();
    expect(volume.level).toBe(90);
    await state.flush();
    const later = new Volume(new DeviceState(path));
    expect([later.level, later.muted]).toEqual([90, true]);
    later.set(-3);
    expect(later.level).toBe(0);
  });

  it('notifies of each change, but not if nothing changes', () => {
    const volume = new Volume(new DeviceState(path));
    const seen: unknown[] = [];
    const off = volume.onChange(() => seen.push([volume.level, volume.muted]));
    volume.set(40);
    volume.set(40);
    volume.toggleMute();
    off();
    volume.step('up');
    expect(seen).toEqual([
      [40, false],
      [40, true],
    ]);
  });
});

it('says why a state file cannot be read', () => {
  const reasons: string[] = [];
  mkdirSync(path);
  expect(new DeviceState(path, { onDamage: (reason) => reasons.push(reason) }).get().volume).toBe(100);
  expect(reasons).toEqual(['is not a regular file']);
});

describe('a state file that is damaged', () => {
  it.each(['{', '{"volume": 101}'])('%s is reported, and the receiver starts with the defaults', (text) => {
    const reasons: string[] = [];
    const onDamage = (reason: string) => reasons.push(reason);
    expect(new DeviceState(path, { onDamage }).get().volume).toBe(100);
    expect(reasons).toEqual([]);
    writeFileSync(path, text);
    expect(new DeviceState(path, { onDamage }).get().volume).toBe(100);
    expect(reasons).toEqual(['is damaged']);
  });
});

describe('power', () => {
  it('notifies of each change once and survives a restart', async () => {
    const state = new DeviceState(path);
    const power = new Power(state);
    const seen: boolean[] = [];
    const off = power.onChange((standby) => seen.push(standby));
    await power.change('standby');
    await power.change('standby');
    await state.flush();
    expect(new Power(new DeviceState(path)).standby).toBe(true);
    await power.change('wake');
    off();
    await power.change('toggle-standby');
    expect(seen).toEqual([true, false]);
  });

  it('refuses to shut the machine down', async () => {
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

  it('is read back as stored', async () => {
    const state = fc.record({
      volume: fc.nat(100),
      muted: fc.boolean(),
      standby: fc.boolean(),
      retiring: fc.boolean(),
      currentService: fc.string({ unit: 'grapheme' }),
      sleepTimer: fc.record({
        enabled: fc.boolean(),
        minutes: fc.nat(999),
        action: fc.constantFrom('standby' as const, 'shutdown' as const),
        end: fc.nat(),
      }),
      wakeUp: fc.record({ alarm: fc.nat(), begin: fc.nat() }),
    });
    await fc.assert(
      fc.asyncProperty(state, async (one) => {
        const stored = new DeviceState(path);
        stored.set(one);
        await stored.flush();
        expect(new DeviceState(path).get()).toEqual(one);
      }),
      { numRuns: 30 },
    );
  });

  it('leaves no temporary file behind', async () => {
    const state = new DeviceState(path);
    state.set({ volume: 7 });
    await state.flush();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ volume: 7 });
    expect(readdirSync(dirname(path)).filter(isTemporary)).toEqual([]);
  });

  it('is written in the background, followed by changes made in the meantime', async () => {
    const state = new DeviceState(path);
    for (let volume = 0; volume < 50; volume++) state.set({ volume });
    expect(() => readFileSync(path)).toThrow();
    const flushed = state.flush();
    await until(() => expect(readFileSync(path, 'utf8')).toContain('49'));
    state.set({ muted: true });
    await flushed;
    await state.flush();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ volume: 49, muted: true });
  });

  it('reports if it cannot be written, stays in memory and is written as soon as possible', async () => {
    const errors: Error[] = [];
    const state = new DeviceState(path, { onError: (error) => errors.push(error) });
    const end = irreplaceable(path);
    state.set({ volume: 9 });
    await until(() => expect(errors).toHaveLength(1));
    expect(state.get().volume).toBe(9);
    end?.();
    await state.flush();
    expect(new DeviceState(path).get().volume).toBe(9);
  });
});

describe('host', () => {
  it('always has an interface with a valid MAC address', async () => {
    const interfaces = await networkInterfaces();
    expect(interfaces.length).toBeGreaterThan(0);
    for (const one of interfaces) expect(one.mac).toMatch(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/);
  });

  it('lists each disk of the locations once, even if a folder does not exist yet', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'receiverd-disk-'));
    const disks = await new Disks([`${folder}/`, join(folder, 'not', 'yet/')]).all();
    expect(disks).toHaveLength(1);
    expect(disks[0]?.capacity).toBeGreaterThan(disks[0]?.free ?? Number.POSITIVE_INFINITY);
    expect(folder.startsWith(disks[0]?.mount ?? 'none')).toBe(true);
  });

  it('leaves out a disk that hangs, queries it only once, and lists it once it responds', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'receiverd-disk-'));
    const hung = join(folder, 'hung');
    const size = { blocks: 10, bsize: 4096, bavail: 5 };
    const asked: string[] = [];
    const { promise: answered, resolve: answer } = withResolvers();
    const disks = new Disks([hung, folder], {
      timeoutMs: 10,
      calls: {
        access: async (path) => {
          asked.push(path);
          if (path === hung) await answered;
        },
        statfs: async (path) => (path === hung ? { ...size, blocks: 20 } : size),
      },
    });
    for (let times = 0; times < 3; times++) {
      expect((await disks.all()).map(({ capacity }) => capacity)).toEqual([10 * 4096]);
    }
    expect(asked.filter((path) => path === hung)).toHaveLength(1);
    answer();
    // Both folders are on one disk, listed once.
    await until(async () => expect((await disks.all()).map(({ capacity }) => capacity)).toEqual([20 * 4096]));
  });

  it('reports whether a folder can be written to, and queries a disk that hangs only once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'receiverd-disk-'));
    expect(await new WriteCheck().trouble(folder)).toBe('');
    expect(await new WriteCheck().trouble(join(folder, 'x'))).toBe(`${join(folder, 'x')}: no such file or directory`);
    let asked = 0;
    let bavail = 0;
    const { promise: answered, resolve: answer } = withResolvers();
    const check = new WriteCheck({
      timeoutMs: 10,
      calls: {
        access: async () => {
          asked++;
          await answered;
        },
        statfs: async () => ({ blocks: 10, bsize: 4096, bavail }),
      },
    });
    for (let times = 0; times < 3; times++) expect(await check.trouble('/hung')).toBe('/hung does not respond');
    expect(asked).toBe(1);
    answer();
    await until(async () => expect(await check.trouble('/hung')).toBe('no space is left in /hung'));
    bavail = 1;
    await until(async () => expect(await check.trouble('/hung')).toBe(''));
  });
});
