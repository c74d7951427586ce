/** A guide that moves into its file, as after an import, while it is read and during the next import. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { native } from '../../src/base/native.ts';
import { askEvents, type EventQuestion, serviceList, wholeResponse } from '../../src/epg/event-response.ts';
import { genreTexts } from '../../src/epg/genres.ts';
import { Guide } from '../../src/epg/guide.ts';
import { GuideStore } from '../../src/epg/guide-store.ts';
import type { GuideQuery } from '../../src/epg/query.ts';
import { importXmltv } from '../../src/epg/xmltv.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { until } from '../fixtures/waits.ts';

const now = 1_800_000_000;
const clock = { now: () => now, synchronised: true };
const log = pino({ level: 'silent' });
const services = Array.from({ length: 40 }, (_, n) => ({
  originalNetworkId: 1,
  transportStreamId: 2,
  serviceId: n + 1,
}));
const perService = 200;
const vocabulary = ['ships', 'harbour', 'news', 'weather', 'Москва', 'Ärger', 'football', 'river', '東京', 'quiz'];

/** A guide file. Each `edition` has other texts, and some programmes at other times. */
function guideFile(edition: number): string {
  const lines: string[] = [];
  for (const { serviceId } of services) {
    for (let n = 0; n < perService; n++) {
      const start = now + n * 1800 + (n % 3 === 0 ? edition * 60 : 0);
      const word = (by: number) => vocabulary[(n * by + serviceId + edition) % vocabulary.length];
      const texts = `<title>${word(3)} ${n % 50}</title><desc>${`${word(7)} ${word(9)} ${edition} `.repeat(8)}</desc>`;
      lines.push(
        `<programme channel="${serviceId}" start="${xmltvTime(start)}" stop="${xmltvTime(start + 1740)}">${texts}</programme>`,
      );
    }
  }
  return `<tv>${lines.join('\n')}</tv>`;
}

const xmltvTime = (time: number) => new Date(time * 1000).toISOString().replace(/\.\d+Z|[-:T]/g, '');

async function importEdition(guide: Guide, edition: number): Promise<void> {
  const bytes = Buffer.from(guideFile(edition));
  const { imported } = await importXmltv(guide, pieces(bytes), {
    servicesOf: (channels) => channels.map(({ id }) => services.filter(({ serviceId }) => serviceId === Number(id))),
  });
  expect(imported).toBe(services.length * perService);
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 64 * 1024) yield bytes.subarray(at, at + 64 * 1024);
}

const searches: readonly GuideQuery[] = [
  { text: ['e'], limit: 500 },
  { text: ['ships 1'], match: 'words' },
  { text: ['москва'], within: 'all', order: 'title', limit: 300 },
  { text: ['weather', 'quiz'], within: 'all', order: 'relevance' },
  { services: services.slice(3, 9), from: now + 86_400 },
];

const questions: readonly EventQuestion[] = [
  { asked: 'window', from: now },
  { asked: 'search', query: { text: ['e'], within: 'all' }, limit: 100_000 },
  { asked: 'search', query: { text: ['ships'], within: 'title' }, limit: 100_000 },
];

const template = new native.EventTemplate({
  escape: 'json',
  event: [{ of: 'record' }],
  missing: ['null'],
  separator: ',',
  genres: genreTexts,
});
const list = serviceList(
  services.map((key) => ({ key })),
  [],
  0,
);
const ask = (guide: Guide, question: EventQuestion) =>
  askEvents(guide, list, template, question, { now, zone: new Float64Array() });
/** A hash of all events, because a failure that lists their texts would be too long to read. */
async function everything(guide: Guide) {
  const bytes = await wholeResponse(await ask(guide, { asked: 'window', from: 0 }));
  return { bytes: bytes.length, digest: createHash('sha256').update(bytes).digest('hex') };
}

/** A response whose first piece has been taken. */
async function begin(guide: Guide, question: EventQuestion) {
  const response = await ask(guide, question);
  const bytes = response.bytes();
  const taken: Buffer[] = [];
  const take = async () => {
    const { done, value } = await bytes.next();
    if (!done) taken.push(Buffer.from(value));
    return done === true;
  };
  await take();
  const finish = async () => {
    while (!(await take()));
    await response.end();
    return Buffer.concat(taken).toString();
  };
  return { take, finish, leave: () => response.end() };
}

describe('a guide that moves into its file', () => {
  let path: string;
  let guide: Guide;
  let store: GuideStore;
  beforeEach(async () => {
    path = join(temporaryFolder(), 'guide.snapshot');
    guide = new Guide({ clock });
    store = new GuideStore({ guide, log }, { path, saveIntervalSeconds: 0 });
    await importEdition(guide, 1);
    return () => store.stop();
  });
  /** Whether the guide has moved into its file. */
  const isThere = () => readFileSync('/proc/self/maps', 'utf8').includes(path);
  const move = async () => guide.moveInto(path, await store.save());

  it('after an import completes the answers that are being read', async () => {
    const whole = await Promise.all(
      questions.map(async (question) => (await wholeResponse(await ask(guide, question))).toString()),
    );
    const begun = await Promise.all([...questions, ...questions].map((one) => begin(guide, one)));
    expect(isThere()).toBe(false);
    store.saveSoon();
    // Some answers are continued during the move, the others afterwards.
    const meanwhile = await Promise.all(begun.slice(0, questions.length).map(({ finish }) => finish()));
    await until(() => expect(isThere()).toBe(true));
    const afterwards = await Promise.all(begun.slice(questions.length).map(({ finish }) => finish()));
    expect(meanwhile).toEqual(whole);
    expect(afterwards).toEqual(whole);
    expect(
      await Promise.all(questions.map(async (one) => (await wholeResponse(await ask(guide, one))).toString())),
    ).toEqual(whole);
  });

  it('repeatedly gives continuous searches the same results', async () => {
    const before = await Promise.all(searches.map((query) => guide.search(query)));
    expect(before.every(({ total }) => total > 0)).toBe(true);
    const answered = searches.map(() => 0);
    let isOver = false;
    const readers = searches.map(async (query, n) => {
      for (; !isOver; answered[n] = (answered[n] ?? 0) + 1) expect(await guide.search(query)).toEqual(before[n]);
    });
    const { generation } = guide;
    for (let round = 1; round <= 5; round++) {
      expect(await move()).toBe(true);
      await until(() => expect(Math.min(...answered)).toBeGreaterThanOrEqual(round));
    }
    isOver = true;
    await Promise.all(readers);
    expect(isThere()).toBe(true);
    expect(guide.generation).toBe(generation);
    expect(await Promise.all(searches.map((query) => guide.search(query)))).toEqual(before);
  });

  it('releases readers that are aborted before, during or after the move', async () => {
    const whole = await everything(guide);
    const [early, busy, late] = await Promise.all([1, 2, 3].map(() => begin(guide, { asked: 'window', from: 0 })));
    await early?.leave();
    const moving = move();
    const piece = busy?.take();
    await busy?.leave();
    await piece;
    expect(await moving).toBe(true);
    await late?.leave();
    expect(await everything(guide)).toEqual(whole);
  });

  it('has the events of the next import, whether or not it has moved', async () => {
    const other = new Guide({ clock });
    await importEdition(other, 1);
    let isOver = false;
    const totals = new Set<number>();
    const reader = (async () => {
      while (!isOver) totals.add((await guide.search({ text: ['ships'], limit: 1 })).total);
    })();
    for (let edition = 2; edition <= 6; edition++) {
      const saved = await store.save();
      const importing = importEdition(guide, edition);
      const moved = await guide.moveInto(path, saved);
      await importing;
      await importEdition(other, edition);
      expect(await everything(guide), `edition ${edition}, moved: ${moved}`).toEqual(await everything(other));
      for (const query of searches) expect(await guide.search(query)).toEqual(await other.search(query));
    }
    isOver = true;
    await reader;
    expect(totals.has(0)).toBe(false);
    expect(await move()).toBe(true);
    expect(await everything(guide)).toEqual(await everything(other));
  });
});
