/** Change notifications of the guide. */
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { Guide } from '../../src/epg/guide.ts';
import { importXmltv, XmltvError } from '../../src/epg/xmltv.ts';
import { eitSections } from '../fixtures/eit.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const now = 1_767_290_400;
const service = { originalNetworkId: 1, transportStreamId: 0x3f3, serviceId: 0x2b66 };
const sections = eitSections(service, now, [{ id: 1, start: now, duration: 600, title: 'News' }]);

let folder: string;
let guide: Guide;
let generations: number[];
beforeEach(() => {
  folder = temporaryFolder();
  guide = new Guide({ clock: { now: () => now, synchronised: true }, history: 0 });
  generations = [];
  guide.onChange((generation) => generations.push(generation));
});

async function* document(text: string) {
  yield Buffer.from(text);
}

const programme = `<tv><programme start="20260101190000 +0000" stop="20260101193000 +0000" channel="one"><title>News</title></programme>`;
const options = { servicesOf: async (asked: readonly unknown[]) => asked.map(() => [service]) };

it('notifies of a broadcast once, when its source calls notifyChange', async () => {
  for (const section of sections) guide.ingestSection(section);
  await guide.flush();
  expect(generations).toEqual([]);
  guide.notifyChange();
  guide.notifyChange();
  expect(generations).toEqual([guide.generation]);
});

it('notifies when the guide is cleared and when it is loaded again', async () => {
  for (const section of sections) guide.ingestSection(section);
  await guide.flush();
  guide.notifyChange();
  await guide.save(join(folder, 'snapshot'));
  await guide.clear();
  expect(generations).toHaveLength(2);
  await guide.load(join(folder, 'snapshot'));
  expect(generations).toHaveLength(3);
  expect(generations.at(-1)).toBe(guide.generation);
  await guide.expire(now + 3600);
  expect(generations).toHaveLength(4);
});

it('notifies of a guide file, even if it is truncated', async () => {
  await importXmltv(guide, document(`${programme}</tv>`), options);
  expect(generations).toHaveLength(1);
  await importXmltv(guide, document(`${programme.replaceAll('19', '18')}<`), options).catch((error: unknown) =>
    expect(error).toBeInstanceOf(XmltvError),
  );
  expect(generations).toHaveLength(2);
});

it('does not notify without a change, or after the listener was removed', async () => {
  await guide.clear();
  expect(generations).toHaveLength(0);
  const other: number[] = [];
  guide.onChange((generation) => other.push(generation))();
  await importXmltv(guide, document(`${programme}</tv>`), options);
  expect(generations).toHaveLength(1);
  expect(other).toHaveLength(0);
});
