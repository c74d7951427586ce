/** Event lists written by native code: the same bytes as schemas and views write from records, at any length. */

import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import compress from '@fastify/compress';
import fc from 'fast-check';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { localTime } from '../../../src/base/local-time.ts';
import type { DvbTriplet } from '../../../src/dvb/triplet.ts';
import type { EventQuestion } from '../../../src/epg/event-response.ts';
import { Guide, type GuideEvent } from '../../../src/epg/guide.ts';
import {
  eventListView,
  eventRecord,
  eventShapes,
  type FoundEventRecord,
  type ListedEventRecord,
  missingEvent,
} from '../../../src/http/operations/guide/event-records.ts';
import { type GuideEntry, guideServices, serviceColumns } from '../../../src/http/operations/guide/guide-entries.ts';
import type { ReceiverParts } from '../../../src/http/parts/parts.ts';
import { EventList } from '../../../src/http/write/event-shape.ts';
import { jsonDocument } from '../../../src/http/write/json.ts';
import { documentBytes, sendPieces } from '../../../src/http/write/replies.ts';
import { xmlDocument } from '../../../src/http/write/xml.ts';
import { Logos } from '../../../src/pictures/logos.ts';
import { Picons } from '../../../src/services/picons.ts';
import { ServiceReference } from '../../../src/services/reference.ts';
import { eitSections, type SentEvent } from '../../fixtures/eit.ts';
import { push } from '../push-options.ts';

const midnight = 1767225600;
const timeZone = 'Europe/Berlin';
const hour = 3600;

async function inBothFormats(list: Parameters<typeof eventListView.write>[0]['events']): Promise<[string, string]> {
  const value = { events: list, result: true };
  return [
    (await documentBytes(xmlDocument(eventListView, value))).toString(),
    (await documentBytes(jsonDocument(value))).toString(),
  ];
}

async function partsWith(guide: Guide, now: number): Promise<ReceiverParts> {
  const parts: Pick<ReceiverParts, 'guide' | 'clock' | 'config' | 'picons' | 'logos'> = {
    guide,
    clock: { now: () => now, synchronised: true },
    config: {
      timeZone,
      httpPort: 80,
      streamPort: 8001,
      secureStreamPort: 0,
      hsts: false,
      enigma2Dir: '',
      tuners: [],
      origins: ['*'],
      hostNames: [],
      push,
      evil: true,
    },
    picons: await Picons.read([]),
    logos: await Logos.read('/none'),
  };
  return parts as ReceiverParts;
}

const services: readonly DvbTriplet[] = [1, 2, 3].map((serviceId) => ({
  originalNetworkId: 1,
  transportStreamId: 0x3f3,
  serviceId,
}));

/** All of Unicode, with an emphasis on characters that XML or JSON treat specially. */
const anyText = (maxLength: number) =>
  fc
    .oneof(
      fc.string({ unit: 'grapheme', maxLength }),
      fc.string({ unit: 'binary', maxLength }),
      fc
        .array(
          fc.constantFrom(
            '&',
            '<',
            '>',
            '"',
            "'",
            '\\',
            '\u008a',
            '\u0086',
            '\ufffe',
            '\u0000',
            '\ue000',
            '\n',
            'é',
            '😀',
          ),
          { maxLength },
        )
        .map((all) => all.join('')),
    )
    .map((text) => Buffer.from(text).toString());

/** Truncated so that an event fits into its descriptors. */
function short(text: string, bytes: number): string {
  let kept = '';
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > bytes) break;
    kept += character;
  }
  return kept;
}

const sentEvents = fc
  .array(
    fc.record({
      title: anyText(30).map((text) => short(text, 80)),
      shortText: anyText(30).map((text) => short(text, 80)),
      extendedText: anyText(60).map((text) => short(text, 200)),
      genre: fc.option(fc.integer({ min: 0, max: 255 }), { nil: undefined }),
      minutes: fc.integer({ min: 1, max: 200 }),
      gap: fc.integer({ min: 0, max: 90 }),
    }),
    { maxLength: 12 },
  )
  .map((all) => {
    let start = midnight;
    return all.map(({ minutes, gap, genre, ...texts }, id): SentEvent => {
      const begin = start + gap * 60;
      start = begin + minutes * 60;
      return { ...texts, ...(genre === undefined ? {} : { genre }), id, start: begin, duration: minutes * 60 };
    });
  });

const entries = fc.array(fc.record({ of: fc.integer({ min: -1, max: 2 }), sname: anyText(30), name: anyText(10) }), {
  maxLength: 6,
});

function entryOf({ of, sname, name }: { of: number; sname: string; name: string }): GuideEntry {
  const key = services[of];
  const reference =
    key === undefined ? ServiceReference.parse('1:64:0:0:0:0:0:0:0:0:') : ServiceReference.service(1, key, 0xc00000);
  return { key, reference, sref: `${reference.format()}${name}`, sname };
}

function listed(parts: ReceiverParts, event: GuideEvent, entry: GuideEntry, now: number): ListedEventRecord {
  const time = localTime(timeZone);
  return {
    ...eventRecord(event, entry, now),
    date: time.weekdayAndDate(event.start),
    begin: time.clock(event.start),
    end: time.clock(event.start + event.duration),
    duration: Math.floor(event.duration / 60),
    picon: serviceColumns.picon(parts, entry),
  };
}

function found(parts: ReceiverParts, event: GuideEvent, entry: GuideEntry, now: number): FoundEventRecord {
  return {
    ...listed(parts, event, entry, now),
    service_type: serviceColumns.service_type(parts, entry),
    ns: serviceColumns.ns(parts, entry),
  };
}

describe('lists of events', () => {
  it('have exactly the bytes that views and schemas write', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(sentEvents, sentEvents, sentEvents),
        entries.map((all) => all.map(entryOf)),
        fc.integer({ min: -2, max: 24 }),
        async (sent, list, hours) => {
          const guide = new Guide();
          for (const [index, own] of sent.entries()) {
            const service = services[index];
            if (service === undefined || own.length === 0) continue;
            for (const section of eitSections(service, midnight, own)) guide.ingestSection(section);
          }
          await guide.flush();
          const now = midnight + hours * hour + 17;
          const parts = await partsWith(guide, now);
          const prepared = guideServices(parts, list);
          const ask = (shape: keyof typeof eventShapes, question: EventQuestion) =>
            inBothFormats(new EventList(parts, prepared, eventShapes[shape], question, now));

          const slots = await Promise.all(
            list.map(async ({ key }) => (key === undefined ? undefined : (await guide.nowNext([key], now))[0])),
          );
          const slot = (entry: GuideEntry, event: GuideEvent | null | undefined) =>
            event ? eventRecord(event, entry, now) : missingEvent(entry);
          expect(await ask('orNull', { asked: 'nowNext', from: now })).toEqual(
            await inBothFormats(
              list.flatMap((entry, i) =>
                [slots[i]?.now, slots[i]?.next].map((event) => eventRecord(event, entry, now)),
              ),
            ),
          );
          expect(await ask('orNotAvailable', { asked: 'now', from: now })).toEqual(
            await inBothFormats(list.map((entry, i) => slot(entry, slots[i]?.now))),
          );
          expect(await ask('orNotAvailable', { asked: 'next', from: now })).toEqual(
            await inBothFormats(list.map((entry, i) => slot(entry, slots[i]?.next))),
          );

          const windows = await Promise.all(
            list.map(async ({ key }) => (key === undefined ? [] : guide.window([key], now, now + 9 * hour))),
          );
          const window = { asked: 'window', from: now, until: now + 9 * hour } as const;
          const records = <T>(write: (event: GuideEvent, entry: GuideEntry) => T) =>
            list.flatMap((entry, i) => (windows[i] ?? []).map((event) => write(event, entry)));
          expect(await ask('plain', window)).toEqual(
            await inBothFormats(records((event, entry) => eventRecord(event, entry, now))),
          );
          expect(await ask('listed', window)).toEqual(
            await inBothFormats(records((event, entry) => listed(parts, event, entry, now))),
          );
          expect(await ask('found', window)).toEqual(
            await inBothFormats(records((event, entry) => found(parts, event, entry, now))),
          );
        },
      ),
      { numRuns: 150 },
    );
  });

  it('of many services, written in several pieces, equal those of few', async () => {
    const guide = new Guide();
    const many = Array.from({ length: 1000 }, (_, index) => ({ ...services[0], serviceId: index + 1 }) as DvbTriplet);
    for (const service of many.filter(({ serviceId }) => serviceId % 3 !== 0)) {
      const own = [0, 600].map((begin) => ({
        id: begin,
        start: midnight + begin,
        duration: 600,
        title: `Event ${begin} of ${service.serviceId}`,
      }));
      for (const section of eitSections(service, midnight, own)) guide.ingestSection(section);
    }
    await guide.flush();
    const parts = await partsWith(guide, midnight);
    const listed = (some: readonly DvbTriplet[]) => {
      const entries = some.map((key) => ({ ...entryOf({ of: 0, sname: `Service ${key.serviceId}`, name: '' }), key }));
      return new EventList(
        parts,
        guideServices(parts, entries),
        eventShapes.orNull,
        { asked: 'nowNext', from: midnight },
        midnight,
      );
    };
    const few = Array.from({ length: 10 }, (_, n) => many.slice(n * 100, (n + 1) * 100));
    const all = await inBothFormats(listed(many));
    const [xml, json] = all.map((text) => text.replaceAll('\n', ''));
    for (const some of few) {
      const [xmlOfSome = '', jsonOfSome = ''] = (await inBothFormats(listed(some))).map((text) =>
        text.replaceAll('\n', ''),
      );
      const between = (text: string, begin: string, end: string) =>
        text.slice(text.indexOf(begin), text.lastIndexOf(end) + end.length);
      expect(xml).toContain(between(xmlOfSome, '<e2event>', '</e2event>'));
      expect(json).toContain(between(jsonOfSome, '{   "id"', '  }'));
    }
    const { events: written } = JSON.parse(all[1]) as { events: { sname: string }[] };
    expect(written.map(({ sname }) => sname)).toEqual(
      many.flatMap(({ serviceId }) => [`Service ${serviceId}`, `Service ${serviceId}`]),
    );
    expect(xml).toMatch(/<\/e2event><\/e2eventlist>$/);
  });

  it('are complete at any length', async () => {
    const guide = new Guide();
    const count = 400;
    const many = Array.from({ length: 60 }, (_, index) => ({ ...services[0], serviceId: index + 1 }) as DvbTriplet);
    for (const service of many) {
      const own = Array.from({ length: count }, (_, id) => ({
        id,
        start: midnight + id * 600,
        duration: 600,
        title: `Event ${id} of ${service.serviceId}`,
      }));
      for (const section of eitSections(service, midnight, own)) guide.ingestSection(section);
      await guide.flush();
    }
    const parts = await partsWith(guide, midnight);
    const prepared = guideServices(
      parts,
      many
        .map((key) => entryOf({ of: 0, sname: `Service ${key.serviceId}`, name: '' }))
        .map((entry, i) => ({ ...entry, key: many[i] })),
    );
    const [xml, json] = await inBothFormats(
      new EventList(parts, prepared, eventShapes.plain, { asked: 'window', from: midnight }, midnight),
    );
    const { events: all } = JSON.parse(json) as { events: { title: string; sname: string }[] };
    expect(all.map(({ title, sname }) => `${title} ${sname}`)).toEqual(
      many.flatMap(({ serviceId }) =>
        Array.from({ length: count }, (_, id) => `Event ${id} of ${serviceId} Service ${serviceId}`),
      ),
    );
    expect(xml.match(/<e2event>/g)).toHaveLength(many.length * count);
    expect(xml.endsWith('\t</e2event>\n</e2eventlist>\n')).toBe(true);

    // The memory of its pieces is reused while slow clients and a compressor still have to read some of them.
    const app = Fastify();
    await app.register(compress, { threshold: 0 });
    const list = () => new EventList(parts, prepared, eventShapes.plain, { asked: 'window', from: midnight }, midnight);
    app.get('/', (_, reply) => sendPieces(reply.type('text/xml'), xmlDocument(eventListView, { events: list() })));
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    const encodings = ['identity', 'gzip', 'identity', 'gzip', 'identity'];
    const replies = await Promise.all(
      encodings.map((encoding) => fetch(url, { headers: { 'Accept-Encoding': encoding } })),
    );
    // By now their sockets are full.
    for (let turn = 0; turn < 50; turn++) await setImmediate();
    for (const reply of replies) expect((await reply.text()) === xml).toBe(true);

    // Memory that is still in use is not released by clients that disconnect meanwhile.
    const leaving = async (turns: number) => {
      const [reply] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage];
      for (let turn = 0; turn < turns; turn++) await setImmediate();
      reply.destroy();
    };
    const staying = async () => expect((await (await fetch(url)).text()) === xml).toBe(true);
    await Promise.all(Array.from({ length: 12 }, (_, n) => (n % 3 === 0 ? staying() : leaving(n * 7))));
    await app.close();
  });
});

describe('the offsets of a zone', () => {
  it.each(['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Africa/Casablanca', 'UTC'])(
    'of %s are the same from the list of changes as one by one',
    (zone) => {
      const time = localTime(zone);
      const changes = time.changes(midnight);
      const offsetBy = (utc: number) => {
        let offset = changes[1];
        for (let i = 0; i < changes.length && (changes[i] ?? 0) <= utc; i += 2) offset = changes[i + 1];
        return offset;
      };
      fc.assert(
        fc.property(fc.integer({ min: midnight - 300 * 86_400, max: midnight + 730 * 86_400 }), (utc) => {
          expect(offsetBy(utc)).toBe(time.offset(utc));
        }),
      );
      for (let i = 2; i < changes.length; i += 2) {
        const change = changes[i] ?? 0;
        expect([offsetBy(change - 1), offsetBy(change)]).toEqual([time.offset(change - 1), time.offset(change)]);
      }
    },
  );
});
