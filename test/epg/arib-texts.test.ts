/** Texts of ARIB STD-B24: every kanji against Node's ICU, and a capture against aribts, the reader of Mirakurun. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { aribts, type Descriptor, sectionsOf as theirSectionsOf } from '../../bench/aribts.ts';
import { Guide } from '../../src/epg/guide.ts';
import { presentSection } from '../fixtures/eit.ts';
import { sectionsOf } from './eit-sections.ts';

const japanese = { originalNetworkId: 0x7fe0, transportStreamId: 0x7fe0, serviceId: 0x400 };
const start = Date.UTC(2026, 0, 5, 12) / 1000;
const clock = { now: () => start, synchronised: true };
const capture = join(process.env.RECEIVERD_TEST_DATA ?? '', 'ts', 'isdb-arib.ts');

/** The decoded title of an event whose title was sent as these bytes. */
async function read(title: Buffer): Promise<string | undefined> {
  const guide = new Guide({ clock });
  guide.ingestSection(presentSection(japanese, { id: 1, start, duration: 3600, title }));
  await guide.flush();
  return (await guide.byId(japanese, 1))?.title;
}

it('every character of JIS X 0208 reads as in ICU', async () => {
  const decoder = new TextDecoder('euc-jp');
  const rows = Array.from({ length: 84 }, (_, row) => row + 1).filter((row) => row < 9 || row > 15);
  let characters = 0;
  for (const row of rows) {
    const pairs = Array.from({ length: 94 }, (_, cell) => Uint8Array.of(0xa0 + row, 0xa1 + cell));
    const known = pairs
      .map((bytes) => ({ bytes, character: decoder.decode(bytes) }))
      .filter(({ character }) => character.length === 1 && !/[\ufffd\u3000]/u.test(character));
    characters += known.length;
    const title = Buffer.from(known.flatMap(({ bytes }) => [...bytes].map((byte) => byte & 0x7f)));
    expect(await read(title), `row ${row}`).toBe(known.map(({ character }) => character).join(''));
  }
  expect(characters).toBe(6878);
});

describe.skipIf(!existsSync(capture))('a multiplex of Japanese satellites', () => {
  test('all texts of its events equal those of aribts', async () => {
    const guide = new Guide();
    const theirs = new Map<string, string>();
    const ours = new Map<string, string>();
    for (const section of sectionsOf(capture)) guide.ingestSection(section);
    theirSectionsOf(readFileSync(capture), (section) => {
      if (section.getPid() !== 0x12) return;
      const { service_id, events } = section.decode();
      for (const event of events) theirs.set(`${service_id} ${event.event_id}`, textsOf(event.descriptors.decode()));
    });
    await guide.flush();
    const services = (await guide.services()).map(({ service }) => service);
    for (const { service, id, title, shortText, extendedText } of await guide.window(services, 0)) {
      ours.set(`${service.serviceId} ${id}`, [title, shortText, extendedText].join('\n').trim());
    }
    expect(ours.size).toBe(5);
    expect(ours).toEqual(theirs);
  });
});

/** Title, text and items as aribts decodes them. It ends lines with CR and LF, and keeps blanks at the end. */
function textsOf(descriptors: readonly Descriptor[]): string {
  const text = (bytes: Buffer) =>
    new aribts.TsChar(bytes)
      .decode()
      .replaceAll('\r\n', '\n')
      .replace(/[ \u3000\n]+$/, '');
  const of = (tag: number) => descriptors.filter(({ _buffer }) => _buffer[0] === tag).map((one) => one.decode());
  const [short] = of(0x4d);
  const items: { name: Buffer; value: Buffer }[] = [];
  for (const { items: some = [] } of of(0x4e)) {
    for (const { item_description: name, item: value } of some) {
      const last = items.at(-1);
      if (name.length > 0 || last === undefined) items.push({ name, value });
      else last.value = Buffer.concat([last.value, value]);
    }
  }
  const lines = items.map(({ name, value }) => `${text(name)}: ${text(value)}`);
  return [text(short?.event_name ?? Buffer.alloc(0)), text(short?.text ?? Buffer.alloc(0)), ...lines].join('\n').trim();
}
