/** Exports of the guide as epg.dat for many readers, including some that stall. */
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { EpgDatExports } from '../../src/epg/epg-dat-exports.ts';
import { Guide } from '../../src/epg/guide.ts';
import { importXmltv } from '../../src/epg/xmltv.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { until } from '../fixtures/waits.ts';

const service = { originalNetworkId: 1, transportStreamId: 2, serviceId: 3 };
const clock = { now: () => Date.UTC(2026, 0, 1) / 1000, synchronised: true };

let folder: string;
let guide: Guide;
let exports: EpgDatExports;
beforeEach(() => {
  folder = join(temporaryFolder(), 'tmp');
  mkdirSync(folder);
  vi.stubEnv('TMPDIR', folder);
  guide = new Guide({ clock });
  exports = new EpgDatExports(guide);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

/** Adds an event. */
async function add(hour: number, title: string): Promise<void> {
  const time = (at: number) => `202601${String(10 + Math.floor(at / 24))}${String(at % 24).padStart(2, '0')}0000 +0000`;
  const document = `<tv><channel id="a"/><programme channel="a" start="${time(hour)}" stop="${time(hour + 1)}"><title>${title}</title></programme></tv>`;
  const source = (async function* () {
    yield Buffer.from(document);
  })();
  await importXmltv(guide, source, { servicesOf: () => [[service]] });
}

/** Exported files that still take space: deleted but open. */
function files(): number {
  expect(readdirSync(folder)).toEqual([]);
  const open = readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
  return open.filter((path) => path.startsWith(folder)).length;
}

const textOf = async (reader: Readable) => (await buffer(reader)).toString('latin1');

it('is one file shared by readers that stall, which is freed with the last of them', async () => {
  await add(0, 'Ships');
  const whole = join(folder, 'whole.dat');
  await guide.exportEpgDat(whole);
  const wanted = readFileSync(whole);
  rmSync(whole);
  const readers = await Promise.all(Array.from({ length: 8 }, () => exports.open()));
  expect(files()).toBe(1);
  const [first, ...others] = readers as [Readable, ...Readable[]];
  first.destroy();
  for (const other of others) expect((await buffer(other)).equals(wanted)).toBe(true);
  await until(() => expect(files()).toBe(0));
});

it('has the current guide, in at most two files', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  await add(0, 'First');
  const first = await exports.open();
  await add(2, 'Second');
  const second = await exports.open();
  await add(4, 'Third');
  // Within a minute the newer one is shared.
  expect(await textOf(await exports.open())).toContain('Second');
  expect(files()).toBe(2);

  vi.advanceTimersByTime(61_000);
  const aborted = expect(textOf(first)).rejects.toThrow('a newer export');
  const third = await exports.open();
  await aborted;
  expect(files()).toBe(2);
  expect(await textOf(second)).not.toContain('Third');
  expect(await textOf(third)).toContain('Third');
  await until(() => expect(files()).toBe(0));
});

it('is exported again for the next reader once it has no reader', async () => {
  await add(0, 'First');
  expect(await textOf(await exports.open())).not.toContain('Second');
  await add(2, 'Second');
  expect(await textOf(await exports.open())).toContain('Second');
  await until(() => expect(files()).toBe(0));
});
