/** Export and import of Enigma2's epg.dat: captures, random guides, and invalid files. */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Guide } from '../../src/epg/guide.ts';
import { importGuideFile } from '../../src/epg/guide-file.ts';
import { eitSections } from '../fixtures/eit.ts';
import { sectionsOf } from './eit-sections.ts';

const data = process.env.RECEIVERD_TEST_DATA ?? '';
const present = data !== '' && existsSync(data);
const service = { originalNetworkId: 1, transportStreamId: 1019, serviceId: 12003 };
const noon = Date.UTC(2024, 0, 1, 12) / 1000;
const clock = { now: () => noon, synchronised: true };

let folder = '';
let file = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'receiverd-epg-dat-'));
  file = join(folder, 'epg.dat');
});
afterEach(() => rm(folder, { recursive: true }));

/**
 * All events without the fields that the format lacks: running_status, free_CA_mode, and the language of an event
 * without text.
 */
async function everything(guide: Guide, from = 0, until?: number) {
  const services = (await guide.services()).map((entry) => entry.service);
  const events = await guide.window(services, from, until);
  return events.map((event) => {
    const language = event.title + event.shortText + event.extendedText === '' ? '' : event.language;
    return { ...event, language, runningStatus: 0, freeCa: false };
  });
}

describe.skipIf(!present)('captures', () => {
  test.each([
    ['czech-eit-only', 573],
    ['dtt-france-2019-si', 346],
    ['dtt-italy-rai', 16],
    ['sat-canal-eit', 324],
  ])('%s reads back event for event', async (name, events) => {
    let now = noon;
    const guide = new Guide({ clock: { now: () => now, synchronised: true } });
    for (const section of sectionsOf(join(data, 'ts', `${name}.ts`))) guide.ingestSection(section);
    await guide.flush();
    const all = await everything(guide);
    now = Math.min(...all.map((event) => event.start));
    const ahead = all.filter((event) => event.start < now + 28 * 86_400);
    const exported = await guide.exportEpgDat(file);
    expect(exported).toMatchObject({ cut: 0, collisions: 0 });
    expect(exported.events + exported.leftOut).toBe(ahead.length);
    expect(all).toHaveLength(events);

    const again = new Guide({ clock, history: noon });
    expect(await again.importEpgDat(file)).toEqual({
      version: 8,
      byteOrder: 'little',
      services: exported.services,
      events: exported.events,
      descriptors: exported.descriptors,
      ended: 0,
      malformed: 0,
      missingDescriptors: 0,
      complete: true,
    });
    const back = new Map((await everything(again)).map((event) => [key(event), event]));
    const expected = ahead.filter((event) => back.has(key(event)));
    expect(expected).toHaveLength(exported.events);
    for (const event of expected) expect(back.get(key(event))).toEqual(event);
    expect((await again.statistics()).events).toBe(exported.events);
  });
});

function key(event: { service: object; id: number; start: number }): string {
  return JSON.stringify([event.service, event.id, event.start]);
}

test('an exported file reads back unchanged, in all scripts', async () => {
  const letters = [...'abcdefgh XYZ0123ßäéčżřğΩλжшіدبहिไทยあ漢字한국🎬'];
  const text = (maxLength: number) =>
    fc
      .array(fc.constantFrom(...letters), { maxLength })
      .map((some) => some.join('').trim())
      .map((some) => [...some].slice(0, 60).join(''))
      .map((some) => some.trim());
  const event = fc.record({
    duration: fc.integer({ min: 60, max: 40_000 }),
    gap: fc.constantFrom(0, 0, 600),
    title: text(60),
    shortText: text(60),
    extendedText: text(60),
    language: fc.constantFrom('deu', 'eng', 'tha', 'jpn', 'rus', 'zho'),
    genre: fc.integer({ min: 0, max: 255 }),
    rating: fc.integer({ min: 0, max: 255 }),
    crid: fc.stringMatching(/^crid:\/\/[a-z]{1,20}\.tv\/[A-Z0-9]{1,20}$/),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 30 }), async (sent) => {
      let time = noon;
      const events = sent.map(({ gap, rating, crid, ...rest }, index) => {
        const start = time + gap;
        time = start + rest.duration;
        const extra = { parental: { country: 'DEU', rating }, crids: [{ type: 1 + (index % 2), crid }] };
        return { id: index + 1, start, ...rest, ...extra };
      });
      const guide = new Guide({ clock });
      for (const section of eitSections(service, noon, events)) guide.ingestSection(section);
      await guide.flush();
      const before = await everything(guide);
      expect(before).toHaveLength(events.length);
      await guide.exportEpgDat(file);
      const again = new Guide({ clock });
      await again.importEpgDat(file);
      expect(await everything(again)).toEqual(before);
    }),
    { numRuns: 40 },
  );
});

async function guideOf(events: number): Promise<Guide> {
  const guide = new Guide({ clock });
  const sent = Array.from({ length: events }, (_, index) => ({
    id: index + 1,
    start: noon + index * 1800,
    duration: 1800,
    title: `Programme ${index}`,
  }));
  for (const section of eitSections(service, noon, sent)) guide.ingestSection(section);
  await guide.flush();
  return guide;
}

test('broadcast events replace those from the file, and ended events are left out', async () => {
  const old = await guideOf(10);
  await old.exportEpgDat(file);
  const guide = new Guide({ clock: { now: () => noon + 3 * 3600, synchronised: true }, history: 3600 });
  expect(await guide.importEpgDat(file)).toMatchObject({ events: 6, ended: 4 });
  const sent = { id: 77, start: noon + 3 * 3600, duration: 3600, title: 'Live' };
  for (const section of eitSections(service, noon, [sent])) guide.ingestSection(section);
  await guide.flush();
  expect((await guide.at(service, noon + 3 * 3600))?.title).toBe('Live');
});

test.each([1, 7, 1 << 20])('is recognised plain and gzip-compressed, in chunks of %d bytes', async (size) => {
  await (await guideOf(10)).exportEpgDat(file);
  const plain = await readFile(file);
  for (const bytes of [plain, gzipSync(plain)]) {
    const chunks = async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    };
    const imported = await importGuideFile(new Guide({ clock }), chunks(), { servicesOf: () => [] });
    expect(imported).toMatchObject({ format: 'epg.dat', events: 10 });
  }
});

test('invalid, older and damaged files are refused and change nothing', async () => {
  const guide = await guideOf(3);
  await guide.exportEpgDat(file);
  const whole = await readFile(file);
  const before = await everything(guide);
  const refused = async (content: Uint8Array | undefined, reason: RegExp) => {
    if (content !== undefined) await writeFile(file, content);
    else await rm(file);
    await expect(guide.importEpgDat(file)).rejects.toMatchObject({
      code: 'epg-dat-malformed',
      message: expect.stringMatching(reason),
    });
    expect(await everything(guide)).toEqual(before);
  };
  const version = (text: string) => Buffer.concat([whole.subarray(0, 4), Buffer.from(text), whole.subarray(17)]);
  await refused(Buffer.from('<?xml version="1.0"?>'), /is not an epg\.dat/);
  await refused(new Uint8Array(0), /is not an epg\.dat/);
  await refused(version('ENIGMA_EPG_V6'), /ENIGMA_EPG_V6/);
  await refused(version('UNFINISHED_V8'), /not finished/);
  await refused(whole.subarray(0, whole.length - 40), /cut or damaged at byte \d+/);
  await refused(undefined, /No such file/);
});

test('an export creates the folder, replaces the old file, and leaves no other files behind', async () => {
  const guide = await guideOf(20);
  const path = join(folder, 'etc', 'enigma2', 'epg.dat');
  const results = await Promise.all([1, 2, 3].map(() => guide.exportEpgDat(path)));
  expect(results).toEqual([results[0], results[0], results[0]]);
  expect(await readdir(join(folder, 'etc', 'enigma2'))).toEqual(['epg.dat']);
  expect(await readFile(path)).toHaveLength(results[0]?.bytes ?? -1);
  await expect(guide.exportEpgDat(join(path, 'epg.dat'))).rejects.toMatchObject({ code: 'file-unwritable' });
  expect(await guide.exportEpgDat(path)).toMatchObject({ events: 20, services: 1 });
});
