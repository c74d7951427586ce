/** The guide: what runs, what follows, lists of one service or of a bouquet. */
import Type from 'typebox';
import type { UnixSeconds } from '../../clock.ts';
import { tripletKey } from '../../dvb/triplet.ts';
import type { GuideEvent } from '../../epg/guide.ts';
import { operation } from '../operation.ts';
import { bouquetReference, integer, serviceReference, text } from '../parameters.ts';
import type { ReceiverParts } from '../parts.ts';
import { CurrentServiceRecord, currentEvents, currentServiceRecord, exampleCurrentService } from './current-service.ts';
import {
  EventList,
  EventRecord,
  eventListView,
  eventRecord,
  exampleEvent,
  exampleListedEvent,
  ListedEventRecord,
  listedEventRecord,
  missingEvent,
} from './event-records.ts';
import { entriesOf, entryOf, forKeys, type GuideEntry, servicesAtOnce } from './guide-entries.ts';

const since = '0.1';
const tag = 'epg';
/** Minutes above this are no span but a Unix time that was sent by mistake. */
const maximumMinutes = 100_000;

const one = serviceReference('service').required();
const bouquet = bouquetReference('bouquet or other list of services').required();
const from = integer('Unix time; absent = now');
const minutes = integer('minutes after `time` in which events begin; -1 or absent = all');

/** Running and following event of every entry, in their order. */
async function nowNextOf({ guide, clock }: ReceiverParts, entries: readonly GuideEntry[], time = clock.now()) {
  const found = await forKeys(entries, (keys) => guide.nowNext(keys, time));
  return entries.map((entry, index) => ({ entry, now: found[index]?.now ?? null, next: found[index]?.next ?? null }));
}

function untilOf(time: UnixSeconds, span: number | undefined): UnixSeconds | undefined {
  if (span === undefined || span < 0 || span > maximumMinutes) return undefined;
  return time + Math.max(1, span * 60);
}

const epgservice = operation({
  name: 'epgservice',
  since,
  tag,
  summary: 'The events of one service: the one that runs at a time and those after it.',
  parameters: { sRef: one, time: from, endTime: minutes },
  result: Type.Object({ events: Type.Array(ListedEventRecord), result: Type.Boolean() }),
  xml: eventListView,
  example: { events: [exampleListedEvent], result: true },
  async run(parts, { sRef, time, endTime }) {
    const now = parts.clock.now();
    const start = time ?? now;
    const entry = entryOf(parts, sRef);
    const events = entry.key === undefined ? [] : await parts.guide.window([entry.key], start, untilOf(start, endTime));
    return { events: events.map((event) => listedEventRecord(parts, event, entry, now)), result: true };
  },
});

const epgservicenow = operation({
  name: 'epgservicenow',
  since,
  tag,
  summary: 'The event that runs on one service.',
  parameters: { sRef: one },
  result: EventList,
  xml: eventListView,
  example: { events: [exampleEvent], result: true },
  async run(parts, { sRef }) {
    const [{ entry, now }] = await nowNextOfOne(parts, sRef);
    return { events: [eventOrMissing(parts, now, entry)], result: true };
  },
});

const epgservicenext = operation({
  name: 'epgservicenext',
  since,
  tag,
  summary: 'The event that follows on one service.',
  parameters: { sRef: one },
  result: EventList,
  xml: eventListView,
  example: { events: [exampleEvent], result: true },
  async run(parts, { sRef }) {
    const [{ entry, next }] = await nowNextOfOne(parts, sRef);
    return { events: [eventOrMissing(parts, next, entry)], result: true };
  },
});

const epgservicenownext = operation({
  name: 'epgservicenownext',
  since,
  tag,
  summary: 'The event that runs on one service and the one that follows.',
  parameters: { sRef: one },
  result: EventList,
  xml: eventListView,
  example: { events: [exampleEvent, exampleEvent], result: true },
  async run(parts, { sRef }) {
    const [{ entry, now, next }] = await nowNextOfOne(parts, sRef);
    return { events: [now, next].map((event) => eventOrMissing(parts, event, entry)), result: true };
  },
});

async function nowNextOfOne(parts: ReceiverParts, sRef: string) {
  type Found = Awaited<ReturnType<typeof nowNextOf>>[number];
  return (await nowNextOf(parts, [entryOf(parts, sRef)])) as [Found];
}

function eventOrMissing({ clock }: ReceiverParts, event: GuideEvent | null, entry: GuideEntry): EventRecord {
  return event === null ? missingEvent(entry) : eventRecord(event, entry, clock.now());
}

const epgnow = operation({
  name: 'epgnow',
  since,
  tag,
  summary: 'What runs on each service of a bouquet; one event a service, known or not.',
  parameters: { bRef: bouquet },
  result: EventList,
  xml: eventListView,
  example: { events: [exampleEvent], result: true },
  async run(parts, { bRef }) {
    const entries = entriesOf(parts, bRef);
    const time = parts.clock.now();
    const events = await nowNextOf(parts, entries ?? [], time);
    return {
      events: events.map(({ entry, now }) => eventRecord(now, entry, time)),
      result: entries !== undefined,
    };
  },
});

const epgnext = operation({
  name: 'epgnext',
  since,
  tag,
  summary: 'What follows on each service of a bouquet; one event a service, known or not.',
  parameters: { bRef: bouquet },
  result: EventList,
  xml: eventListView,
  example: { events: [exampleEvent], result: true },
  async run(parts, { bRef }) {
    const entries = entriesOf(parts, bRef);
    const time = parts.clock.now();
    const events = await nowNextOf(parts, entries ?? [], time);
    return {
      events: events.map(({ entry, next }) => eventRecord(next, entry, time)),
      result: entries !== undefined,
    };
  },
});

const epgnownext = operation({
  name: 'epgnownext',
  since,
  tag,
  summary: 'What runs and what follows on each service of a bouquet; two events a service, known or not.',
  parameters: { bRef: bouquet },
  result: Type.Object({ events: Type.Array(EventRecord), result: Type.Boolean(), info: CurrentServiceRecord }),
  xml: eventListView,
  example: { events: [exampleEvent, exampleEvent], result: true, info: exampleCurrentService },
  async run(parts, { bRef }) {
    const entries = entriesOf(parts, bRef);
    return {
      events: await nowAndNextRecords(parts, entries ?? []),
      result: entries !== undefined,
      info: currentServiceRecord(parts, await currentEvents(parts)),
    };
  },
});

const epgmultichannelnownext = operation({
  name: 'epgmultichannelnownext',
  since,
  tag,
  summary: 'What runs and what follows on each of some services; two events a service, known or not.',
  parameters: { sRefs: text('service references, joined by commas').alias('sList').required() },
  result: EventList,
  xml: eventListView,
  example: { events: [exampleEvent, exampleEvent], result: true },
  async run(parts, { sRefs }) {
    return { events: await nowAndNextRecords(parts, entriesOfList(parts, sRefs)), result: true };
  },
});

const epgservicelistnownext = operation({
  name: 'epgservicelistnownext',
  since,
  tag,
  summary: 'As epgmultichannelnownext, with the list in `sList`.',
  parameters: { sList: text('service references, joined by commas').alias('sRefs').required() },
  result: EventList,
  xml: eventListView,
  example: { events: [exampleEvent, exampleEvent], result: true },
  async run(parts, { sList }) {
    return { events: await nowAndNextRecords(parts, entriesOfList(parts, sList)), result: true };
  },
});

function entriesOfList(parts: ReceiverParts, list: string): GuideEntry[] {
  const references = list.split(',').filter((reference) => reference.trim() !== '');
  return references.map((reference) => entryOf(parts, reference.trim()));
}

async function nowAndNextRecords(parts: ReceiverParts, entries: readonly GuideEntry[]): Promise<EventRecord[]> {
  const time = parts.clock.now();
  const found = await nowNextOf(parts, entries, time);
  return found.flatMap(({ entry, now, next }) => [eventRecord(now, entry, time), eventRecord(next, entry, time)]);
}

const epgmulti = operation({
  name: 'epgmulti',
  aliases: ['epgmultigz'],
  since,
  tag,
  summary: 'The events of every service of a bouquet, as epgservice gives them.',
  parameters: { bRef: bouquet, time: from, endTime: minutes },
  result: EventList,
  xml: eventListView,
  example: { events: [exampleEvent], result: true },
  async run(parts, { bRef, time, endTime }) {
    const entries = entriesOf(parts, bRef);
    const start = time ?? parts.clock.now();
    return {
      events: await eventsOfMany(parts, entries ?? [], start, untilOf(start, endTime)),
      result: entries !== undefined,
    };
  },
});

const epgbouquet = operation({
  name: 'epgbouquet',
  since,
  tag,
  summary: 'What runs at a time on each service of a bouquet; with `endTime` the same as epgmulti.',
  parameters: { bRef: bouquet, time: from, endTime: minutes },
  result: EventList,
  xml: eventListView,
  example: { events: [exampleEvent], result: true },
  async run(parts, { bRef, time, endTime }) {
    const known = entriesOf(parts, bRef);
    const entries = known ?? [];
    const result = known !== undefined;
    const now = parts.clock.now();
    const start = time ?? now;
    if (endTime !== undefined) {
      return { events: await eventsOfMany(parts, entries, start, untilOf(start, endTime)), result };
    }
    const found = await forKeys(entries, (keys) => parts.guide.atMany(keys, start));
    const events = entries.flatMap((entry, index) => {
      const event = found[index];
      return event ? [eventRecord(event, entry, now)] : [];
    });
    return { events, result };
  },
});

/** Events of many services, a few services at a time so that the answer of thousands never holds this thread for long. */
async function eventsOfMany(
  { guide, clock }: ReceiverParts,
  entries: readonly GuideEntry[],
  start: UnixSeconds,
  until: UnixSeconds | undefined,
): Promise<EventRecord[]> {
  const now = clock.now();
  const records: EventRecord[] = [];
  for (let first = 0; first < entries.length; first += servicesAtOnce.all) {
    const some = entries.slice(first, first + servicesAtOnce.all);
    const events = await guide.window(
      some.flatMap(({ key }) => key ?? []),
      start,
      until,
    );
    const byService = new Map<number, GuideEvent[]>();
    for (const event of events) {
      const own = byService.get(tripletKey(event.service));
      if (own === undefined) byService.set(tripletKey(event.service), [event]);
      else own.push(event);
    }
    for (const entry of some) {
      const own = entry.key === undefined ? [] : (byService.get(tripletKey(entry.key)) ?? []);
      for (const event of own) records.push(eventRecord(event, entry, now));
    }
  }
  return records;
}

export const epgOperations = [
  epgservice,
  epgservicenow,
  epgservicenext,
  epgservicenownext,
  epgnow,
  epgnext,
  epgnownext,
  epgmultichannelnownext,
  epgservicelistnownext,
  epgmulti,
  epgbouquet,
];
