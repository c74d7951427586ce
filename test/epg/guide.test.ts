/** The guide through its typed wrapper, on captures: contents and queries. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Guide, genreText } from '../../src/epg/guide.ts';
import { sectionsOf } from './eit-sections.ts';

const data = process.env.RECEIVERD_TEST_DATA ?? '';
const present = data !== '' && existsSync(data);

async function guideOf(name: string, options?: ConstructorParameters<typeof Guide>[0]): Promise<Guide> {
  const guide = new Guide(options);
  for (const section of sectionsOf(join(data, 'ts', `${name}.ts`))) guide.ingestSection(section);
  await guide.flush();
  return guide;
}

async function everything(guide: Guide) {
  return guide.window(
    (await guide.services()).map((entry) => entry.service),
    0,
  );
}

describe.skipIf(!present)('captures', () => {
  test.each([
    ['czech-eit-only', 573],
    ['dtt-france-2019-si', 346],
    ['dtt-italy-rai', 16],
    ['sat-canal-eit', 324],
    ['uk-freesat-huffman', 2],
    ['isdb-arib', 5],
    ['arte-2019-av', 0],
    ['big-buck-bunny', 0],
  ])('%s has %i events', async (name, events) => {
    const guide = await guideOf(name);
    const statistics = await guide.statistics();
    expect(statistics.events).toBe(events);
    expect(statistics.decoder).toMatchObject({ malformedEvents: 0, malformedDescriptors: 0, undefinedCharacters: 0 });
    expect(await everything(guide)).toHaveLength(events);
  });

  test('texts are decoded correctly', async () => {
    const texts = async (name: string) =>
      (await everything(await guideOf(name))).map(
        (event) => `${event.title}\n${event.shortText}\n${event.extendedText}`,
      );
    const czech = (await texts('czech-eit-only')).join('\n');
    expect(czech).toContain('Kočka není pes');
    expect(czech).toContain('Dvojprogram k 50. výročí úmrtí Jana Palacha');
    const french = (await texts('dtt-france-2019-si')).join('\n');
    expect(french).toContain('Météo');
    expect(french).toContain('à la guerre de Trente');
    // Text without a selection byte that is not in the default table of the standard.
    const satellite = (await texts('sat-canal-eit')).join('\n');
    expect(satellite).toContain('Série jeunesse américaine');
    expect(satellite).toContain('Nationalité');
    for (const text of [czech, french, satellite]) expect(text).not.toMatch(/[\u0080-\u009fØŁĦŦ\ufffd]/u);
    expect((await texts('isdb-arib')).join('\n')).toContain('[二]＜BSフジ4Kシアター＞ 映画 『ジュマンジ』');
  });

  test('compressed texts need their tables; without these they are only counted', async () => {
    const statistics = await (await guideOf('uk-freesat-huffman')).statistics();
    expect(statistics.decoder.textsWithoutDecoder).toBe(2);
  });

  test('now, next and the rest at the time of the capture', async () => {
    const time = Date.UTC(2019, 0, 22, 12, 51) / 1000;
    const guide = await guideOf('dtt-france-2019-si', { clock: { now: () => time, synchronised: true } });
    const service = { originalNetworkId: 8442, transportStreamId: 1, serviceId: 257 };
    const services = (await guide.services()).map((entry) => entry.service);
    const known = services.find((entry) => entry.serviceId === service.serviceId) ?? service;
    const now = await guide.at(known, time);
    const [next] = await guide.events([known], { asked: 'next', from: time });
    expect(now?.title).toBe('Météo 2');
    expect(now?.start).toBeLessThanOrEqual(time);
    expect((now?.start ?? 0) + (now?.duration ?? 0)).toBeGreaterThan(time);
    expect(next?.start).toBeGreaterThan(time);
    const unknown = { originalNetworkId: 1, transportStreamId: 1, serviceId: 1 };
    expect(await guide.nowNext([unknown, known])).toEqual([
      { now: null, next: null },
      { now, next },
    ]);
    expect(await guide.events([known, unknown], { asked: 'now', from: time })).toEqual([now, null]);
    expect(await guide.byId(known, now?.id ?? -1)).toEqual(now);
    expect(await guide.byId(known, 1)).toBeNull();
    expect(await guide.events([known], { asked: 'before', from: next?.start ?? 0 })).toEqual([now]);
    expect(await guide.window([known], time, next?.start)).toEqual([now]);
    const end = (now?.start ?? 0) + (now?.duration ?? 0);
    const [atEnd] = await guide.events([known], { asked: 'now', from: end, endInclusive: true });
    expect(atEnd?.id).toBe(next?.start === end ? next.id : now?.id);

    expect(genreText(now?.genres[0]?.level1 ?? 0, now?.genres[0]?.level2 ?? 0)).toBe('News/weather');
    expect(now?.parental).toEqual([{ country: 'fra', rating: 0 }]);

    const generation = guide.generation;
    expect(await guide.expire()).toBeGreaterThan(0);
    expect(guide.generation).toBeGreaterThan(generation);
    expect(await guide.at(known, time)).toEqual(now);
    expect(await guide.clear()).toBeGreaterThan(0);
    expect(await guide.at(known, time)).toBeNull();
  });

  test('search, similar and suggest', async () => {
    const guide = await guideOf('czech-eit-only', {
      clock: { now: () => Date.UTC(2019, 0, 19, 16) / 1000, synchronised: true },
    });
    const titles = async (query: Parameters<Guide['search']>[0]) =>
      (await guide.search(query)).events.map((event) => event.title);
    expect(await titles({ text: 'KOCKA neni' })).toEqual(['Kočka není pes, Návrat za minulými případy']);
    expect(await titles({ text: 'KOCKA', caseSensitive: true })).toEqual([]);
    expect(await titles({ text: ['pes', 'navrat'] })).toHaveLength(1);
    const news = await guide.search({ text: 'zpravy', match: 'exact', limit: 5 });
    expect(news.total).toBe(79);
    expect(news.events).toHaveLength(5);
    expect(news.events.map((event) => event.start)).toEqual(news.events.map((event) => event.start).toSorted());
    const [first] = news.events;
    expect(first).toBeDefined();
    if (first === undefined) return;
    expect((await guide.search({ text: 'zpravy', match: 'exact', services: [first.service] })).total).toBeLessThan(79);
    const similar = await guide.search({ similarTo: first });
    expect(similar.total).toBe(3);
    expect(similar.events.every((event) => event.title === first.title && event !== first)).toBe(true);
    const [suggestion] = await guide.suggest('udalosti v');
    expect(suggestion?.title).toBe('Události v kultuře');
    await expect(guide.search({ text: 'x', match: 'nonsense' as 'word' })).rejects.toThrow(/nonsense/);
  });
});

test('invalid sections are counted and change nothing', async () => {
  const guide = new Guide();
  for (const size of [0, 1, 17, 5000]) guide.ingestSection(new Uint8Array(size).fill(0x50));
  await guide.flush();
  expect((await guide.statistics()).sections.malformed).toBe(4);
  expect(await everything(guide)).toEqual([]);
});

test('genres have names', () => {
  expect(genreText(2, 3)).toBe('Documentary');
  expect(genreText(2, 0)).toBe('News/current affairs');
  expect(genreText(4, 15)).toBe('Sports');
  expect(genreText(0, 0)).toBe('Undefined content');
  expect(genreText(15, 1)).toBe('');
});
