/** Multiplexes from an independent encoder (make-multiplex): the guide holds exactly the current events sent. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Tuner } from '../../src/dvb/tuner.ts';
import { Guide, type GuideEvent } from '../../src/epg/guide.ts';
import { canMakeMultiplex, makeMultiplex, type Truth } from '../fixtures/made-multiplex.ts';
import { eventually } from '../fixtures/waits.ts';
import { isWholeRun } from '../fixtures/whole-run.ts';
import { sectionsOf } from './eit-sections.ts';

/** Three days of guide, at a bit rate that transmits them within seconds. */
const threeDays = ['--days', '3', '--rate', '12000000'];

/** A line for each event with all its data that was sent. */
function expected(truth: Truth): Set<string> {
  return new Set(
    truth.events
      .filter((event) => event.start + event.duration > truth.time)
      .map((event) =>
        JSON.stringify([
          [truth.original_network_id, truth.transport_stream_id, event.service_id, event.event_id],
          [event.start, event.duration, event.title, event.short, event.description, event.language],
          event.genre === 0 ? [] : [event.genre],
          event.rating === 0 ? [] : [`GBR ${event.rating}`],
          event.crid === '' ? [] : [`programme ${event.crid}`],
        ]),
      ),
  );
}

function line(event: GuideEvent): string {
  const { originalNetworkId, transportStreamId, serviceId } = event.service;
  return JSON.stringify([
    [originalNetworkId, transportStreamId, serviceId, event.id],
    [event.start, event.duration, event.title, event.shortText, event.extendedText, event.language],
    event.genres.map((genre) => genre.level1 * 16 + genre.level2),
    event.parental.map((rating) => `${rating.country} ${rating.rating + 3}`),
    event.crids.map((crid) => `${crid.type} ${crid.crid}`),
  ]);
}

async function shown(guide: Guide, truth: Truth, from = 0): Promise<Set<string>> {
  await guide.flush();
  await guide.expire(truth.time);
  const services = (await guide.services()).map((entry) => entry.service);
  return new Set((await guide.window(services, from)).map(line));
}

const without = (all: Set<string>, some: Set<string>) => [...all].filter((entry) => !some.has(entry));

describe.skipIf(!canMakeMultiplex)('a multiplex and its truth', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'receiverd-truth-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function make(name: string, ...options: string[]): Promise<{ sections: Buffer[]; truth: Truth }> {
    const file = join(folder, `${name}.ts`);
    const truth = await makeMultiplex(file, ...threeDays, ...options);
    const sections = sectionsOf(file);
    await rm(file);
    return { sections, truth };
  }

  /** The whole path from packets over sections to the guide, on the tuner's own thread. */
  async function received(tuner: Tuner, guide: Guide, truth: Truth, wanted: Set<string>): Promise<Set<string>> {
    tuner.start();
    return eventually(async () => {
      // Between expiry and query the tuner may bring another ended event, so only events that have not ended are
      // queried.
      const guided = await shown(guide, truth, truth.time);
      expect(without(guided, wanted)).toEqual([]);
      return guided.size === wanted.size ? guided : undefined;
    }, 'every event of the multiplex');
  }

  test.each([
    ['a clean file', '0'],
    ['a file with losses, looped', '0.001'],
  ])('through a tuner: %s', async (_, lossy) => {
    const file = join(folder, 'tuner.ts');
    const truth = await makeMultiplex(file, ...threeDays, '--seconds', '8', '--seed', '77', '--lossy', lossy);
    const wanted = expected(truth);
    const guide = new Guide({ history: 0 });
    const tuner = new Tuner({ kind: 'file', path: file, loop: true, paced: false }, { guide: guide.native });
    try {
      const guided = await received(tuner, guide, truth, wanted);
      expect(without(wanted, guided)).toEqual([]);
    } finally {
      await tuner.stop();
    }
  });

  const charsets = 'mix cyrillic greek korean gb2312 big5'.split(' ');
  /** The mix contains each of these; each alone is tested in the full test run. */
  const mixed = 'latin turkish latin2 latin9 latin1 ucs2 utf8'.split(' ');
  for (const [index, charset] of [...charsets, ...mixed].entries()) {
    test.skipIf(mixed.includes(charset) && !isWholeRun)(`every event with identical texts: ${charset}`, async () => {
      const seed = String(index + 1);
      const { sections, truth } = await make(charset, '--charset', charset, '--seed', seed, '--seconds', '5');
      const guide = new Guide({ history: 0 });
      for (const section of sections) guide.ingestSection(section);
      const guided = await shown(guide, truth);
      const wanted = expected(truth);
      expect(without(wanted, guided)).toEqual([]);
      expect(without(guided, wanted)).toEqual([]);
      expect(wanted.size).toBeGreaterThan(100);
      const statistics = await guide.statistics();
      expect(statistics.decoder).toMatchObject({ malformedEvents: 0, malformedDescriptors: 0, malformedTexts: 0 });
      expect(statistics.sections.repeated).toBeGreaterThan(0);
    });
  }

  test('with losses the guide has no wrong events, and further rounds of the carousel fill the gaps', async () => {
    const { sections, truth } = await make('lossy', '--lossy', '0.01', '--seed', '42', '--seconds', '40');
    const wanted = expected(truth);
    const guide = new Guide({ history: 0 });
    const rounds = 4;
    let missing = 0;
    for (let round = 0; round < rounds; round++) {
      const part = sections.slice(
        (sections.length * round) / rounds,
        Math.floor((sections.length * (round + 1)) / rounds),
      );
      for (const section of part) guide.ingestSection(section);
      const guided = await shown(guide, truth);
      expect(without(guided, wanted)).toEqual([]);
      missing = without(wanted, guided).length;
    }
    expect(missing).toBe(0);
    expect((await guide.statistics()).sections.malformed).toBeGreaterThan(0);
  });
});
