/** Searches for events: by text, by id, by similarity. */
import * as Type from 'typebox';
import { fail } from '../../../base/errors.ts';
import { localTime } from '../../../base/local-time.ts';
import type { GuideEvent } from '../../../epg/event.ts';
import type { ListedQuery } from '../../../epg/event-response.ts';
import type { ServiceReference } from '../../../services/reference.ts';
import { occurrencesWithin } from '../../../timers/repeat.ts';
import type { Timer } from '../../../timers/timer.ts';
import { group } from '../../endpoint/endpoint.ts';
import { operation, textOf } from '../../endpoint/operation.ts';
import { contentTypes } from '../../middleware/failures.ts';
import {
  boolean,
  endTimes,
  eventIds,
  integer,
  serviceReference,
  text,
  wholeNumber,
} from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { piconPath } from '../../pictures/picons.ts';
import { EventList, recordsOf } from '../../write/event-shape.ts';
import { exampleOf, field, nullable, oneOf, recordSchema } from '../../write/record.ts';
import type { WrittenList } from '../../write/written-list.ts';
import { each, element, elementWith, leaf, xmlDocument } from '../../write/xml.ts';
import { EventRecord, eventListView, eventRecord, eventShapes, eventView, FoundEventRecord } from './event-records.ts';
import { entryOf, guideMoment, knownServices } from './guide-entries.ts';

/** Maximum number of events in one response, unless the request says otherwise. */
const defaultHits = 128;
/** Maximum number of events that a request can ask for, because the whole response is kept in memory. */
const maxHits = 1000;

/** An event in full, as returned by `event` and the search by id. */
const EventDetail = recordSchema({
  ...EventRecord.properties,
  begin_str: '19:00',
  begin: field(1767290400, 'Unix seconds'),
  end: '19:45',
  duration: field(2700, 'seconds'),
  channel: 'Alpha HD',
  genreId: 35,
  picon: '/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png',
  timer: nullable(
    recordSchema(
      {
        isEnabled: field(1, '0 or 1'),
        isZapOnly: field(0, '0 or 1'),
        basicStatus: oneOf(['timer', 'timer disabled']),
        isAutoTimer: field(0, '0 or 1; -1 = unknown'),
      },
      { description: 'the timer that covers it, null = none' },
    ),
  ),
  link: '',
  recording_margin_before: field(3, 'minutes'),
  recording_margin_after: field(5, 'minutes'),
});
type EventDetail = Type.Static<typeof EventDetail>;

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
    duration: event.duration,
    channel: entry.sname,
    genreId: record.genreid,
    picon: piconPath(parts, entry.reference, entry.sname),
    timer: timerOf(parts, entry.reference, event),
    link: '',
    recording_margin_before: parts.settings.number('config.recording.margin_before'),
    recording_margin_after: parts.settings.number('config.recording.margin_after'),
  };
}

/** Time by which a timer may end before the event and still cover it. */
const coveringToleranceSeconds = 120;

/** Finds the timer with an occurrence that covers the event. Of several, it is the one made for this event. */
function timerOf({ timers, config }: ReceiverParts, reference: ServiceReference, { id, start, duration }: GuideEvent) {
  const end = start + duration;
  const zone = localTime(config.timeZone);
  const covers = (timer: Timer) =>
    timer.state !== 'ended' &&
    timer.reference.equals(reference) &&
    occurrencesWithin(timer, zone, { begin: start, end: Math.max(end, start + 1) }).some(
      (time) => time.begin <= start && time.end >= end - coveringToleranceSeconds,
    );
  const covering = timers.all.filter(covers);
  const timer = covering.find(({ eventId }) => eventId === id) ?? covering[0];
  if (!timer) return null;
  return {
    isEnabled: timer.disabled ? 0 : 1,
    isZapOnly: timer.justPlay ? 1 : 0,
    basicStatus: timer.disabled ? ('timer disabled' as const) : ('timer' as const),
    isAutoTimer: timer.autoTimer ? 1 : 0,
  };
}

interface FoundEvents {
  readonly events?: readonly EventRecord[] | WrittenList<EventRecord> | undefined;
  readonly event?: EventRecord | undefined;
}

const epgsearch = operation({
  name: 'epgsearch',
  summary: 'Finds events on all services by a text in their title, or one event by its id.',
  description:
    'Ignores case and accents. Events are ordered by start. With `eventid` and `sRef` instead of `search`, the response is `{"event": ...}`.',
  parameters: {
    search: text('text to search for, also inside words', { example: 'ships' }),
    endtime: integer('only events that begin no later than this Unix time', { ...endTimes, wrong: 'nearest' }),
    full: boolean('search the descriptions too', { form: 'presence' }),
    eventid: text('id of an event (integer), instead of `search`', { example: '4711' }),
    sRef: serviceReference('service of that event').alias('sref'),
    max: integer('maximum number of events', { minimum: 1, maximum: maxHits, wrong: 'nearest' }).or(defaultHits),
  },
  result: recordSchema({
    events: Type.Optional(Type.Array(FoundEventRecord)),
    event: Type.Optional(EventDetail),
    result: true,
  }),
  xml: element(
    'e2eventlist',
    each<FoundEvents, EventRecord>(({ events, event }) => events ?? (event === undefined ? [] : [event]), eventView),
  ),
  example: { events: [exampleOf(FoundEventRecord)], result: true },
  errorsWithStatus: ['event-not-found'],
  cacheState: (parts) => guideMoment(parts),
  async run(parts, { search, endtime, full, eventid, sRef, max }) {
    if (search === undefined && eventid !== undefined) {
      if (!sRef) throw fail('parameter-empty', 'sRef,sref');
      return { event: await eventDetail(parts, sRef, wholeNumber(eventid, 'eventid', eventIds)), result: true };
    }
    if (search === undefined) throw fail('parameter-missing', 'search');
    if (search.trim() === '') throw fail('parameter-empty', 'search');
    const until = endtime === undefined ? {} : { until: endtime + 1 };
    const query = { text: search, within: full ? ('all' as const) : ('title' as const), ...until };
    return { events: await found(parts, query, max), result: true };
  },
});

interface Feed {
  readonly search: string;
  readonly link: string;
  readonly events: readonly FoundEventRecord[];
}

/** RSS 2.0. */
const feedView = elementWith<Feed>(
  'rss',
  { version: '2.0' },
  element(
    'channel',
    leaf('title', ({ search }) => `EPG Search '${search}'`),
    leaf('link', ({ link }) => link),
    leaf('description', ({ search, events }) => `${events.length} result for '${search}'`),
    leaf('generator', () => 'receiverd'),
    each(
      ({ events }) => events,
      element<FoundEventRecord>(
        'item',
        leaf('title', ({ title, date, begin }) => `${title} (${date} ${begin})`),
        leaf('description', ({ shortdesc, longdesc }) => `${shortdesc}\n${longdesc}`),
        leaf('author', ({ sname }) => sname),
      ),
    ),
  ),
);

const epgsearchrss = operation({
  name: 'epgsearchrss',
  summary: 'Events whose title contains a text, as an RSS feed.',
  parameters: { search: text('text to search for, also inside words', { example: 'ships' }).required() },
  contentType: contentTypes.xml,
  example: textOf(
    xmlDocument(feedView, {
      search: 'Ships',
      link: 'http://receiver:8080/',
      events: [exampleOf(FoundEventRecord)],
    }),
  ),
  async run(parts, { search }, { origin }) {
    if (search.trim() === '') throw fail('parameter-empty', 'search');
    const events = await recordsOf(await found(parts, { text: search, within: 'title' }));
    return { body: xmlDocument(feedView, { search, link: `${origin}/`, events }) };
  },
});

const epgsimilar = operation({
  name: 'epgsimilar',
  summary: 'Other showings of the same programme.',
  parameters: {
    sRef: serviceReference('service').required(),
    eventid: integer('id of the event', { ...eventIds, wrong: 'fails' }).required(),
  },
  result: recordSchema({ events: Type.Array(FoundEventRecord), result: true }),
  xml: eventListView,
  async run(parts, { sRef, eventid }) {
    const { key } = entryOf(parts, sRef);
    if (key === undefined) return { events: [], result: true };
    return { events: await found(parts, { similarTo: { service: key, id: eventid } }), result: true };
  },
});

const event = operation({
  name: 'event',
  summary: 'One event in full.',
  parameters: {
    sref: serviceReference('service').alias('sRef').required(),
    idev: integer('id of the event', { ...eventIds, wrong: 'fails' }).required(),
  },
  result: recordSchema({ event: EventDetail, result: true }),
  xml: element(
    'e2eventlist',
    each<{ event: EventRecord }, EventRecord>((found) => [found.event], eventView),
  ),
  errorsWithStatus: 'all',
  async run(parts, { sref, idev }) {
    return { event: await eventDetail(parts, sref, idev), result: true };
  },
});

/** Searches for events. Each is listed once for every reference that its service has in the service list. */
async function found(
  parts: ReceiverParts,
  query: ListedQuery,
  limit = defaultHits,
): Promise<EventList<FoundEventRecord>> {
  const question = { asked: 'search', query, limit } as const;
  return new EventList(parts, await knownServices(parts), eventShapes.found, question);
}

export const searchOperations = group('epg', [epgsearch, epgsearchrss, epgsimilar, event]);
