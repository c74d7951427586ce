/** The guide: what runs, what follows, lists of one service or of a bouquet, search. */
import Type, { type Static } from 'typebox';
import type { UnixSeconds } from '../../clock.ts';
import type { GuideEvent, ServiceKey } from '../../epg/guide.ts';
import { fail } from '../../errors.ts';
import { guideKey } from '../../services/guide-key.ts';
import type { ServiceEntry } from '../../services/services.ts';
import { localTime } from '../local-time.ts';
import { nullable, operation } from '../operation.ts';
import { bouquetReference, integer, presence, serviceReference, strictInteger, text } from '../parameters.ts';
import type { ReceiverParts } from '../parts.ts';
import { piconPath } from '../picons.ts';
import { each, element } from '../xml.ts';
import { CurrentServiceRecord, currentEvents, currentServiceRecord, exampleCurrentService } from './current-service.ts';
import {
  EventList,
  EventRecord,
  eventListView,
  eventRecord,
  eventView,
  exampleEvent,
  exampleListedEvent,
  ListedEventRecord,
  type ListedService,
  listedEventRecord,
  missingEvent,
} from './event-records.ts';
import { listNamed } from './lists.ts';
import { positionName } from './positions.ts';

const since = '0.1';
const tag = 'epg';

/** Search results and other showings that one answer holds. */
const maximumHits = 128;
/** Services that are asked for in one step, for all their events or for a few: what a few milliseconds of this thread can read. */
const servicesAtOnce = { all: 8, few: 64 } as const;
/** Minutes above this are no span but a Unix time that was sent by mistake. */
const maximumMinutes = 100_000;

const one = serviceReference('service').required();
const bouquet = bouquetReference('bouquet or other list of services').required();
const from = integer('Unix time; absent = now');
const minutes = integer('minutes after `time` in which events begin; -1 or absent = all');

/** An entry of a list that can have events, with the service they are kept under. */
interface GuideEntry extends ListedService {
  readonly key: ServiceKey | undefined;
}

/** The services of a list, markers too; undefined when there is no such list. */
function entriesOf({ services }: ReceiverParts, bRef: string): GuideEntry[] | undefined {
  const list = listNamed(services, bRef);
  return list?.entries
    .filter(({ reference }) => !reference.isDirectory)
    .map((entry) => guideEntry({ services }, entry));
}

function guideEntry({ services }: Pick<ReceiverParts, 'services'>, { reference, name }: ServiceEntry): GuideEntry {
  return { reference, sref: reference.format(), sname: name, key: guideKey(services, reference) };
}

/** One service, shown as it was asked for. */
function entryOf({ services }: ReceiverParts, sRef: string): GuideEntry {
  const reference = services.resolve(sRef);
  return { reference, sref: reference.format(), sname: services.nameOf(reference), key: guideKey(services, reference) };
}

/** Running and following event of every entry, in their order. */
async function nowNextOf({ guide, clock }: ReceiverParts, entries: readonly GuideEntry[], time = clock.now()) {
  const found = await forKeys(entries, (keys) => guide.nowNext(keys, time));
  return entries.map((entry, index) => ({ entry, now: found[index]?.now ?? null, next: found[index]?.next ?? null }));
}

/** Asks the guide for the entries that can have events, some at a time, and puts the answers beside the entries. */
async function forKeys<T>(
  entries: readonly GuideEntry[],
  ask: (keys: readonly ServiceKey[]) => Promise<readonly T[]>,
): Promise<(T | undefined)[]> {
  const keys = entries.flatMap(({ key }) => key ?? []);
  const answers: T[] = [];
  for (let first = 0; first < keys.length; first += servicesAtOnce.few) {
    answers.push(...(await ask(keys.slice(first, first + servicesAtOnce.few))));
  }
  let next = 0;
  return entries.map(({ key }) => (key === undefined ? undefined : answers[next++]));
}

function untilOf(time: UnixSeconds, span: number | undefined): UnixSeconds | undefined {
  if (span === undefined || span < 0 || span > maximumMinutes) return undefined;
  return time + Math.max(1, span * 60);
}

export const epgservice = operation({
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

export const epgservicenow = operation({
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

export const epgservicenext = operation({
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

export const epgservicenownext = operation({
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

export const epgnow = operation({
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

export const epgnext = operation({
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

export const epgnownext = operation({
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

export const epgmultichannelnownext = operation({
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

export const epgservicelistnownext = operation({
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

export const epgmulti = operation({
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

export const epgbouquet = operation({
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
    const byService = new Map<string, GuideEvent[]>();
    for (const event of events) {
      const own = byService.get(keyText(event.service));
      if (own === undefined) byService.set(keyText(event.service), [event]);
      else own.push(event);
    }
    for (const entry of some) {
      const own = entry.key === undefined ? [] : (byService.get(keyText(entry.key)) ?? []);
      for (const event of own) records.push(eventRecord(event, entry, now));
    }
  }
  return records;
}

function keyText({ originalNetworkId, transportStreamId, serviceId }: ServiceKey): string {
  return `${originalNetworkId}:${transportStreamId}:${serviceId}`;
}

const FoundEvent = Type.Object({
  ...ListedEventRecord.properties,
  service_type: Type.String({ description: 'TV, RADIO, SD4, HDTV, UHD, OPT, UNKNOWN' }),
  ns: Type.String({ description: 'DVB-C, DVB-T or the satellite position' }),
});

/** An event in full, as `event` and the search by id give it. */
const EventDetail = Type.Object({
  ...EventRecord.properties,
  begin_str: Type.String(),
  begin: Type.Integer({ description: 'Unix seconds' }),
  end: Type.String(),
  duration: Type.Integer({ description: 'minutes' }),
  channel: Type.String(),
  genreId: Type.Integer(),
  picon: Type.String(),
  timer: nullable(Type.Object({})),
  link: Type.String(),
  recording_margin_before: Type.Integer({ description: 'minutes' }),
  recording_margin_after: Type.Integer({ description: 'minutes' }),
});
type EventDetail = Static<typeof EventDetail>;

const exampleDetail: EventDetail = {
  ...exampleEvent,
  begin_str: '19:00',
  begin: 1767290400,
  end: '19:45',
  duration: 45,
  channel: 'Alpha HD',
  genreId: 35,
  picon: '/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png',
  timer: null,
  link: '',
  recording_margin_before: 3,
  recording_margin_after: 5,
};

/** @throws ReceiverError `event-not-found` */
async function eventDetail(parts: ReceiverParts, sRef: string, id: number): Promise<EventDetail> {
  const entry = entryOf(parts, sRef);
  const event = entry.key === undefined ? null : await parts.guide.byId(entry.key, id);
  if (event === null) throw fail('event-not-found', id, entry.sref);
  const time = localTime(parts.config.timeZone);
  const record = eventRecord(event, entry, parts.clock.now());
  return {
    ...record,
    begin_str: time.clock(event.start),
    begin: event.start,
    end: time.clock(event.start + event.duration),
    duration: Math.floor(event.duration / 60),
    picon: piconPath(parts.picons, entry.reference, entry.sname),
    channel: entry.sname,
    genreId: record.genreid,
    timer: null,
    link: '',
    recording_margin_before: parts.settings.number('config.recording.margin_before'),
    recording_margin_after: parts.settings.number('config.recording.margin_after'),
  };
}

export const epgsearch = operation({
  name: 'epgsearch',
  since,
  tag,
  summary: 'Events whose title holds a text, over all services; or one event by its id.',
  description:
    'Case and accents do not count. At most 128 events, by start. With `eventid` and `sRef` instead of `search` the answer is `{"event": ...}`.',
  parameters: {
    search: text('what to look for, also inside words'),
    endtime: integer('Unix time: only events that begin not later'),
    full: presence('look into the descriptions too'),
    eventid: strictInteger('id of an event, instead of `search`'),
    sRef: serviceReference('service of that event').alias('sref'),
  },
  result: Type.Object({
    events: Type.Optional(Type.Array(FoundEvent)),
    event: Type.Optional(EventDetail),
    result: Type.Boolean(),
  }),
  xml: element(
    'e2eventlist',
    each<{ events?: EventRecord[] | undefined; event?: EventRecord | undefined }, EventRecord>(
      ({ events, event }) => events ?? (event === undefined ? [] : [event]),
      eventView,
    ),
  ),
  example: { events: [{ ...exampleListedEvent, service_type: 'HDTV', ns: '19.2° E' }], result: true },
  async run(parts, { search, endtime, full, eventid, sRef }) {
    if (search === undefined && eventid !== undefined) {
      if (!sRef) throw fail('parameter-empty', 'sRef,sref');
      return { event: await eventDetail(parts, sRef, eventid), result: true };
    }
    if (search === undefined) throw fail('parameter-missing', 'search');
    if (search.trim() === '') throw fail('parameter-empty', 'search');
    const until = endtime === undefined ? {} : { until: endtime + 1 };
    const query = { text: search, within: full ? ('all' as const) : ('title' as const), ...until };
    const hits = await hitsOnKnownServices(parts, (offset, limit) => parts.guide.search({ ...query, offset, limit }));
    return { events: hits, result: true };
  },
});

export const epgsimilar = operation({
  name: 'epgsimilar',
  since,
  tag,
  summary: 'Other showings of the same programme.',
  parameters: { sRef: one, eventid: strictInteger('id of the event').required() },
  result: Type.Object({ events: Type.Array(ListedEventRecord), result: Type.Boolean() }),
  xml: eventListView,
  example: { events: [exampleListedEvent], result: true },
  async run(parts, { sRef, eventid }) {
    const { key } = entryOf(parts, sRef);
    if (key === undefined) return { events: [], result: true };
    const { events } = await parts.guide.similar(key, eventid, { limit: maximumHits });
    return { events: await hitsOnKnownServices(parts, async () => ({ total: 0, events })), result: true };
  },
});

export const event = operation({
  name: 'event',
  since,
  tag,
  summary: 'One event in full.',
  parameters: {
    sref: serviceReference('service').alias('sRef').required(),
    idev: strictInteger('id of the event').required(),
  },
  result: Type.Object({ event: EventDetail, result: Type.Boolean() }),
  xml: element(
    'e2eventlist',
    each<{ event: EventRecord }, EventRecord>((found) => [found.event], eventView),
  ),
  example: { event: exampleDetail, result: true },
  failures: 'status',
  async run(parts, { sref, idev }) {
    return { event: await eventDetail(parts, sref, idev), result: true };
  },
});

type FoundEvent = Static<typeof FoundEvent>;

/**
 * The first hits that are on services of the list, once for every reference that such a service has. Hits on services that no
 * list knows are passed over, so the guide is asked again until there are enough.
 */
async function hitsOnKnownServices(
  parts: ReceiverParts,
  ask: (offset: number, limit: number) => Promise<{ total: number; events: readonly GuideEvent[] }>,
): Promise<FoundEvent[]> {
  const now = parts.clock.now();
  const hits: FoundEvent[] = [];
  for (let offset = 0, total = 1; hits.length < maximumHits && offset < total; offset += maximumHits) {
    const found = await ask(offset, maximumHits);
    total = found.total;
    for (const event of found.events) {
      const { originalNetworkId, transportStreamId, serviceId } = event.service;
      for (const { reference, name } of parts.services.ofMultiplex(originalNetworkId, transportStreamId)) {
        if (reference.serviceId !== serviceId) continue;
        const record = listedEventRecord(parts, event, { reference, sref: reference.format(), sname: name }, now);
        hits.push({
          ...record,
          service_type: serviceTypeName(reference.serviceType),
          ns: positionName(reference.source),
        });
      }
    }
  }
  return hits.slice(0, maximumHits);
}

const serviceTypeNames: Readonly<Record<number, string>> = {
  1: 'TV',
  2: 'RADIO',
  10: 'RADIO',
  22: 'SD4',
  25: 'HDTV',
  31: 'UHD',
  211: 'OPT',
};

function serviceTypeName(type: number): string {
  return serviceTypeNames[type] ?? 'UNKNOWN';
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
  epgsearch,
  epgsimilar,
  event,
];
