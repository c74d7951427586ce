/** XMLTV through its typed wrapper: import, export, and failures. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DvbTriplet } from '../../src/dvb/triplet.ts';
import { genreNames } from '../../src/epg/genres.ts';
import { Guide, type GuideEvent, genreText } from '../../src/epg/guide.ts';
import { importGuideFile } from '../../src/epg/guide-file.ts';
import {
  exportXmltv,
  importXmltv,
  type XmltvChannel,
  XmltvError,
  type XmltvImportOptions,
  type XmltvProgress,
} from '../../src/epg/xmltv.ts';
import { eitSections, presentSection } from '../fixtures/eit.ts';

const service: DvbTriplet = { originalNetworkId: 1, transportStreamId: 2, serviceId: 3 };
const other: DvbTriplet = { ...service, serviceId: 4 };
const morning = 1_767_225_600;
const clock = { now: () => morning, synchronised: true };

async function* inPieces(document: string | Uint8Array, size = 1 << 20): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(document);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const first: XmltvImportOptions = { servicesOf: (channels) => channels.map(({ id }) => (id === 'x' ? [service] : [])) };

async function exported(guide: Guide, services = [{ service, id: 'x', name: 'X' }]): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of exportXmltv(guide, services)) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

const programme = (hour: number, inside: string, channel = 'x') =>
  `<programme start="202601010${hour}0000 +0000" stop="202601010${hour + 1}0000 +0000" channel="${channel}">${inside}</programme>`;

test('a document becomes events of the chosen services', async () => {
  const guide = new Guide({ clock, languages: ['deu'] });
  const asked: XmltvChannel[] = [];
  const progress: XmltvProgress[] = [];
  const statistics = await importXmltv(
    guide,
    inPieces(
      `<tv><channel id="x"><display-name>X</display-name></channel><channel id="y"/>${programme(
        1,
        '<title lang="en">News</title><title lang="de">Nachrichten</title><desc>Um eins</desc><category>Tagesschau</category>' +
          '<category>Nachrichten</category><rating system="FSK"><value>12</value></rating>',
      )}${programme(2, '<title>Nowhere</title>', 'y')}</tv>`,
    ),
    {
      servicesOf(channels) {
        asked.push(...channels);
        return channels.map(({ id }) => (id === 'x' ? [service, other] : []));
      },
      onProgress: (now) => progress.push(now),
    },
  );
  expect(asked).toEqual([
    { id: 'x', names: ['X'] },
    { id: 'y', names: [] },
  ]);
  expect(statistics).toMatchObject({
    programmes: 2,
    imported: 1,
    programmesWithoutService: 1,
    channels: { matched: 1, unmatched: 1 },
    unmatched: [{ id: 'y', name: '', programmes: 1 }],
  });
  expect(progress.at(-1)).toMatchObject({ programmes: 2, bytes: statistics.bytes });
  for (const one of [service, other]) {
    expect(await guide.at(one, morning + 3600)).toMatchObject({
      title: 'Nachrichten',
      language: 'deu',
      extendedText: 'Um eins',
      duration: 3600,
      genres: [{ level1: 2, level2: 0 }],
      parental: [{ country: 'DEU', rating: 9 }],
    });
  }
});

/** The document of the next tests, compressed with `xz -9`. */
const xzipped = Buffer.from(
  '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4AB5AFVdAB4dCsPg9/m4Aa1dKgUdy5ajn4Ot2n+cswYGrokTH901KT+a84Dk3Zch3m8l' +
    'tM0YEyzj7Ralv7ur+nmqOutPGTCDsIuYU3mFH8H1Yz9TRkzmA73LAAAAAAAAoRwqpHrMzWYAAXF6vmVyph+2830BAAAAAARZWg==',
  'base64',
);

test('xz is detected by content, in chunks of any size, and damage is reported', async () => {
  for (const size of [1, 7, 1 << 20]) {
    const guide = new Guide({ clock });
    expect(await importGuideFile(guide, inPieces(xzipped, size), first)).toMatchObject({ imported: 1 });
    expect(await guide.at(service, morning + 3600)).toMatchObject({ title: 'Packed' });
  }
  const spoilt = Buffer.from(xzipped);
  spoilt[60] = (spoilt[60] ?? 0) ^ 0xff;
  for (const bytes of [xzipped.subarray(0, 60), spoilt])
    await expect(importGuideFile(new Guide({ clock }), inPieces(bytes), first)).rejects.toMatchObject({
      code: 'xmltv-malformed',
    });
  async function* failing() {
    yield xzipped.subarray(0, 40);
    throw new Error('the disk is gone');
  }
  await expect(importGuideFile(new Guide({ clock }), failing(), first)).rejects.toThrow('the disk is gone');
});

test.skipIf(spawnSync('xz', ['--version']).status !== 0)('a large xz file is imported whole', async () => {
  const many = Array.from({ length: 40_000 }, (_, n) => {
    const at = (hours: number) => new Date((morning + 3600 * hours) * 1000).toISOString().replace(/[-:T]|\..*/g, '');
    return `<programme start="${at(n)} +0000" stop="${at(n + 1)} +0000" channel="x"><title>Show ${n}</title></programme>`;
  });
  const { stdout } = spawnSync('xz', ['-c'], { input: `<tv>${many.join('')}</tv>`, maxBuffer: 1 << 28 });
  const guide = new Guide({ clock });
  expect(await importGuideFile(guide, inPieces(stdout, 5000), first)).toMatchObject({ imported: many.length });
});

test.each([
  ['bzip2', [0x42, 0x5a, 0x68, 0x39]],
  ['zip', [0x50, 0x4b, 3, 4]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
])('%s is named, since it is not read', async (name, magic) => {
  const bytes = Buffer.from([...magic, ...Array(20).fill(0)]);
  await expect(importGuideFile(new Guide({ clock }), inPieces(bytes), first)).rejects.toMatchObject({
    code: 'unsupported',
    message: `a guide file compressed with ${name} (only gzip and xz can be read) is not supported`,
  });
});

test('gzip is detected by content, in chunks of any size', async () => {
  const packed = gzipSync(`<tv>${programme(1, '<title>Packed</title>')}</tv>`);
  for (const size of [1, 7, 1 << 20]) {
    const guide = new Guide({ clock });
    expect(await importGuideFile(guide, inPieces(packed, size), first)).toMatchObject({ imported: 1 });
  }
  await expect(importGuideFile(new Guide({ clock }), inPieces(packed.subarray(0, 40)), first)).rejects.toMatchObject({
    code: 'xmltv-malformed',
  });
});

test('damage is reported with its position, and everything before it is imported', async () => {
  const guide = new Guide({ clock });
  const document = `<tv>\n${programme(1, '<title>Good</title>')}\n  <programme start="2026"></tv>`;
  const error: unknown = await importXmltv(guide, inPieces(document, 10), first).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(XmltvError);
  expect(error).toMatchObject({ code: 'xmltv-malformed', line: 3, statistics: { programmes: 2, imported: 1 } });
  expect(String(error)).toContain('</tv> found where </programme> is expected');
  expect((await guide.statistics()).events).toBe(1);
});

test('an invalid document, maxBytes, a signal and a failing source end the import', async () => {
  const run = (source: AsyncIterable<Uint8Array>, options: Partial<XmltvImportOptions> = {}) =>
    importXmltv(new Guide({ clock }), source, { ...first, ...options });
  await expect(run(inPieces(''))).rejects.toThrow('the document is empty');
  await expect(run(inPieces('<html/>'))).rejects.toThrow('not XMLTV');
  await expect(run(inPieces('<tv></tv>'), { maxBytes: 8 })).rejects.toMatchObject({ code: 'too-large' });
  await expect(run(inPieces('<tv></tv>'), { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow(
    'enough',
  );
  const failing = async function* () {
    yield Buffer.from('<tv>');
    throw new Error('the disk is gone');
  };
  await expect(run(failing())).rejects.toThrow('the disk is gone');
  const failingPacked = async function* () {
    yield gzipSync('<tv></tv>').subarray(0, 12);
    throw new Error('the disk is gone');
  };
  await expect(importGuideFile(new Guide({ clock }), failingPacked(), first)).rejects.toThrow('the disk is gone');
});

test('programmes older than the history are left out', async () => {
  const guide = new Guide({ clock: { ...clock, now: () => morning + 4 * 3600 }, history: 3600 });
  const document = `<tv>${[1, 2, 3].map((hour) => programme(hour, `<title>${hour}</title>`)).join('')}</tv>`;
  expect(await importXmltv(guide, inPieces(document), first)).toMatchObject({ imported: 1, ended: 2 });
});

test('categories stand for genres that have a name', () => {
  const first = new Map([...genreNames()].reverse().map(([name, genre]) => [genre, name]));
  const seen = new Set<string>();
  for (const [name, genre] of genreNames()) {
    expect(genreText(genre >> 4, genre & 15)).toBe(first.get(genre));
    expect(name.trim(), name).not.toBe('');
    expect(seen.has(name.toLowerCase()), `${name} twice`).toBe(false);
    seen.add(name.toLowerCase());
  }
});

/** Texts that XMLTV can represent: it collapses runs of whitespace, and drops leading and trailing whitespace. */
const line = fc.string({ unit: 'binary', maxLength: 60 }).map((text) =>
  text
    .replace(/[\p{Cc}\ufffe\uffff]/gu, '')
    .replace(/\s+/gu, ' ')
    .trim(),
);
const event = fc.record({
  gap: fc.nat(7200),
  duration: fc.integer({ min: 1, max: 86_400 }),
  title: line,
  shortText: line,
  extendedText: fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\n').trim()),
  language: fc.constantFrom('', 'deu', 'eng', 'gsw'),
  genres: fc.uniqueArray(fc.constantFrom(...new Set([...genreNames()].map(([, genre]) => genre))), { maxLength: 5 }),
  ages: fc.array(fc.integer({ min: 4, max: 18 }), { maxLength: 3 }),
  picture: fc.constantFrom(undefined, 'https://x.example/a.png?b=1&c=2'),
});

test('an export can be imported again', async () => {
  const sample = fc.array(event, { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(sample, fc.integer({ min: 1, max: 5000 }), async (events, size) => {
      const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      const time = (seconds: number) =>
        `${new Date(seconds * 1000)
          .toISOString()
          .replace(/[-:T]|\..*/g, '')
          .slice(0, 14)} +0000`;
      let start = morning;
      const document = events.map(
        ({ gap, duration, title, shortText, extendedText, language, genres, ages, picture }) => {
          const lang = language === '' ? '' : ` lang="${language}"`;
          const begin = start + gap;
          start = begin + duration;
          return [
            `<programme start="${time(begin)}" stop="${time(start)}" channel="x">`,
            `<title${lang}>${escaped(title)}</title><sub-title${lang}>${escaped(shortText)}</sub-title>`,
            `<desc${lang}>${escaped(extendedText)}</desc>`,
            ...genres.map((genre) => `<category>${escaped(genreText(genre >> 4, genre & 15))}</category>`),
            picture ? `<icon src="${escaped(picture)}"/>` : '',
            ...ages.map((age) => `<rating system="DEU"><value>${age}</value></rating>`),
            '</programme>',
          ].join('');
        },
      );
      const guide = new Guide({ clock });
      await importXmltv(guide, inPieces(`<tv>${document.join('')}</tv>`, size), first);
      const read = await guide.window([service], 0);
      const texts = ({ title, shortText, extendedText }: Pick<GuideEvent, 'title' | 'shortText' | 'extendedText'>) => ({
        title,
        shortText,
        extendedText,
      });
      expect(read.map(texts)).toEqual(events.map(texts));
      const again = new Guide({ clock });
      const written = await exported(guide);
      expect(written.split('<icon ').length).toBe(document.join('').split('<icon ').length);
      await importXmltv(again, inPieces(written, size), first);
      expect(await again.window([service], 0)).toEqual(read);
      expect(await exported(again)).toBe(written);
    }),
    { numRuns: 60 },
  );
});

test('an export of thousands of events comes in chunks, and ends when its reader stops', async () => {
  const guide = new Guide({ clock });
  const one = (day: number, hour: number) => {
    const time = new Date((morning + day * 86_400 + hour * 3600) * 1000)
      .toISOString()
      .replace(/[-:T]/g, '')
      .slice(0, 10);
    return `<programme start="${time}" channel="x"><title>${day} ${hour}</title><desc>${'text '.repeat(40)}</desc></programme>`;
  };
  const hours = Array.from({ length: 24 * 60 }, (_, hour) => one(Math.floor(hour / 24), hour % 24));
  await importXmltv(guide, inPieces(`<tv>${hours.join('')}</tv>`), first);
  const sizes: number[] = [];
  for await (const piece of exportXmltv(guide, [{ service, id: 'x', name: 'X' }])) sizes.push(piece.length);
  expect(sizes.length).toBeGreaterThan(3);
  expect(Math.max(...sizes)).toBeLessThan(100_000);
  for await (const piece of exportXmltv(guide, [{ service, id: 'x', name: 'X' }])) {
    expect(piece.length).toBeGreaterThan(0);
    break;
  }
});

const file = join(process.env.RECEIVERD_TEST_DATA ?? '/nonexistent', 'guide', 'xmltv-nz.xml.gz');

describe('on a channel with a broadcast guide', () => {
  const hour = (n: number) => morning + n * 3600;
  const broadcast = async (guide: Guide, ...events: { id: number; start: number; title: string }[]) => {
    for (const section of eitSections(
      service,
      morning,
      events.map((one) => ({ ...one, duration: 3600 })),
    ))
      guide.ingestSection(section);
    await guide.flush();
    return listed(guide);
  };
  const importOf = async (guide: Guide, ...programmes: string[]) => {
    await importXmltv(guide, inPieces(`<tv>${programmes.join('')}</tv>`), first);
    return listed(guide);
  };
  const listed = async (guide: Guide) =>
    (await guide.window([service], morning, hour(24))).map(({ id, title, extendedText }) => [id, title, extendedText]);
  const film = { id: 7, start: hour(1), title: 'Film' };
  const imported = programme(1, '<title>Film</title><desc>Imported</desc>');

  test('an import replaces the schedule, and a new section of the schedule the import', async () => {
    const guide = new Guide({ clock });
    expect(await broadcast(guide, film)).toEqual([[7, 'Film', '']]);
    expect(await importOf(guide, programme(1, '<title>Other</title><desc>Imported</desc>'))).toEqual([
      [7, 'Other', 'Imported'],
    ]);
    // The same section again is dropped; one with another event is new.
    expect(await broadcast(guide, film)).toEqual([[7, 'Other', 'Imported']]);
    expect(await broadcast(guide, film, { id: 8, start: hour(2), title: 'News' })).toEqual([
      [7, 'Film', ''],
      [8, 'News', ''],
    ]);
  });

  test('an imported long text stays if the broadcast event has the id and title of the programme', async () => {
    const guide = new Guide({ clock });
    await broadcast(guide, film);
    expect(await importOf(guide, imported)).toEqual([[7, 'Film', 'Imported']]);
    expect(await broadcast(guide, film, { id: 8, start: hour(2), title: 'News' })).toEqual([
      [7, 'Film', 'Imported'],
      [8, 'News', ''],
    ]);
    const other = new Guide({ clock });
    await importOf(other, imported);
    expect(await broadcast(other, film)).toEqual([[7, 'Film', '']]);
  });

  test('an import adds only a missing long text to the present event, and what is not broadcast stays', async () => {
    const guide = new Guide({ clock });
    for (const section of [presentSection(service, { ...film, duration: 3600 })]) guide.ingestSection(section);
    await guide.flush();
    const late = programme(5, '<title>Late</title>');
    expect(await importOf(guide, imported, late)).toEqual([
      [7, 'Film', 'Imported'],
      [expect.any(Number), 'Late', ''],
    ]);
    expect((await importOf(guide, programme(1, '<title>Other</title>')))[0]).toEqual([7, 'Film', 'Imported']);
    const all = await broadcast(guide, { id: 9, start: hour(2), title: 'News' });
    expect(all.map(([, title]) => title)).toEqual(['Film', 'News', 'Late']);
  });
});

test.each([
  ['xmltv_ns alone', '<episode-num system="xmltv_ns">1.4.0/2</episode-num>', 'S2 E5 (1)', ''],
  [
    'onscreen before xmltv_ns',
    '<episode-num system="onscreen">Ep 5</episode-num><episode-num system="xmltv_ns">1.4.</episode-num>',
    'Ep 5',
    '',
  ],
  [
    'in the long text beside a sub-title',
    '<sub-title>Sub</sub-title><episode-num>Ep 5</episode-num><date>2019</date>',
    'Sub',
    'Ep 5 · 2019',
  ],
  ['other systems', '<episode-num system="dd_progid">EP01</episode-num>', '', ''],
  [
    'credits',
    '<credits><writer>W</writer><actor role="Ada">A</actor><actor>B</actor><director>D</director></credits>',
    '',
    'Director: D\nCast: A (Ada), B\nWriter: W',
  ],
  [
    'credits of all kinds',
    `<credits>${['producer', 'adapter', 'composer', 'writer', 'editor', 'presenter', 'commentator', 'guest', 'extra']
      .map((kind, n) => `<${kind}>P${n}</${kind}>`)
      .join('')}</credits>`,
    '',
    'Writer: P1, P3\nProducer: P0\nMusic: P2\nEditor: P4\nPresenter: P5\nCommentator: P6\nGuests: P7',
  ],
])('an episode and credits: %s', async (_, inside, shortText, extendedText) => {
  const guide = new Guide({ clock });
  await importXmltv(guide, inPieces(`<tv>${programme(1, `<title>T</title>${inside}`)}</tv>`), first);
  expect(await guide.at(service, morning + 3600)).toMatchObject({ shortText, extendedText });
});

test('names of characters in HTML and times of ISO 8601 are read', async () => {
  const guide = new Guide({ clock });
  const iso = programme(
    1,
    '<title>Caf&eacute; &laquo;Zwei&hellip;&raquo; &#8211; Tom & Jerry &amp;uuml;</title>',
  ).replace(/(start|stop)="(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d) \+0000"/g, '$1="$2-$3-$4T$5:$6:$7.000+00:00"');
  expect(iso).toContain('.000+00:00"');
  expect(await importXmltv(guide, inPieces(`<tv>${iso}</tv>`), first)).toMatchObject({
    imported: 1,
    unknownEntities: 1,
  });
  expect(await guide.at(service, morning + 3600)).toMatchObject({ title: 'Café «Zwei…» – Tom & Jerry &uuml;' });
});

describe.skipIf(!existsSync(file))('a real guide file', () => {
  test('is imported programme for programme', async () => {
    const text = gunzipSync(readFileSync(file)).toString('utf8');
    const guide = new Guide({ clock: { ...clock, now: () => 0 }, maxEvents: 100_000 });
    const numbers = new Map<string, number>();
    const statistics = await importGuideFile(guide, inPieces(readFileSync(file), 5000), {
      servicesOf: (channels) =>
        channels.map(({ id }) => {
          numbers.set(id, numbers.size + 1);
          return [{ ...service, serviceId: numbers.size }];
        }),
    });
    const programmes = text.split('<programme ').length - 1;
    expect(statistics).toMatchObject({
      bytes: Buffer.byteLength(text),
      programmes,
      imported: programmes,
      malformed: 0,
      unknownEntities: 0,
      brokenTexts: 0,
      ended: 0,
    });
    const everything = await guide.window(
      [...numbers.values()].map((serviceId) => ({ ...service, serviceId })),
      0,
    );
    expect(everything.filter(({ title }) => title === '')).toEqual([]);
    const plain = (title = '') => title.replaceAll('&amp;', '&').replace(/\s+/g, ' ').trim();
    const titles = [...text.matchAll(/<title[^>]*>([^<]*)<\/title>/g)].map(([, title]) => plain(title));
    expect(new Set(everything.map(({ title }) => title))).toEqual(new Set(titles));
  });
});
