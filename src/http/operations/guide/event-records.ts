/**
 * Guide events in the epg operations: one record for JSON and XML, and one view. Native code writes lists of them, from the
 * definitions here. A new property needs a schema, a field of the event, and an element of the view.
 *
 * A service without an event still has an entry in present/following lists, in one of two forms that clients know: all null
 * (`None` in XML) in lists of a bouquet, zeros and `N/A` in responses about one service.
 */
import * as Type from 'typebox';
import type { UnixSeconds } from '../../../base/clock.ts';
import type { EventField } from '../../../base/native.ts';
import { type GuideEvent, genreText } from '../../../epg/guide.ts';
import { cleaned } from '../../write/cleaned-text.ts';
import { EventShape } from '../../write/event-shape.ts';
import { blankOf, field, nullable, recordSchema } from '../../write/record.ts';
import { Slot, type WrittenList } from '../../write/written-list.ts';
import { each, element, leaf, type View } from '../../write/xml.ts';
import { type ShownService, serviceColumns } from './guide-entries.ts';

/** An event on one service. */
export const EventRecord = recordSchema({
  id: nullable(field(4711)),
  begin_timestamp: nullable(field(1767290400, 'Unix seconds')),
  duration_sec: nullable(field(2700)),
  title: nullable(field('Ships & Harbours')),
  shortdesc: nullable(field('Episode 3')),
  longdesc: nullable(field('The pilot boats of a large river.')),
  sref: '1:0:19:2B66:3F3:1:C00000:0:0:0:',
  sname: 'Alpha HD',
  now_timestamp: nullable(field(1767291000, 'Unix seconds')),
  remaining: nullable(field(2100, 'seconds to its end; before it begins, its duration')),
  genre: 'Documentary',
  genreid: field(35, 'content_nibble_level_1 * 16 + content_nibble_level_2, 0 = none'),
});
export type EventRecord = Type.Static<typeof EventRecord>;

/** An event in lists of one service: with local times of the receiver. */
export const ListedEventRecord = recordSchema({
  ...EventRecord.properties,
  date: field('Thu 01.01.2026', 'Thu 01.01.2026'),
  begin: field('19:00', '20:15'),
  end: field('19:45', '21:45'),
  duration: field(45, 'minutes'),
  picon: field('/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png', 'path on this server'),
});
export type ListedEventRecord = Type.Static<typeof ListedEventRecord>;

/** An event found by a search: with the kind of its service. */
export const FoundEventRecord = recordSchema({
  ...ListedEventRecord.properties,
  service_type: field('HDTV', 'TV, RADIO, SD4, HDTV, UHD, OPT, UNKNOWN'),
  ns: field('19.2° E', 'DVB-C, DVB-T or the satellite position'),
});
export type FoundEventRecord = Type.Static<typeof FoundEventRecord>;

/** An event in present/following lists of a bouquet: with the members of a group of alternatives. */
export const SlotRecord = recordSchema({
  ...EventRecord.properties,
  asrefs: Type.Optional(Type.Array(Type.String(), { description: 'the members; only for a group of alternatives' })),
});
export type SlotRecord = Type.Static<typeof SlotRecord>;

export const SlotListResult = recordSchema({ events: Type.Array(SlotRecord), result: true });

export const EventListResult = recordSchema({ events: Type.Array(EventRecord), result: true });

/** The event field behind each property of a record. The other properties are texts of the service. */
const eventFields: Readonly<Record<string, EventField>> = {
  id: 'id',
  begin_timestamp: 'start',
  duration_sec: 'duration',
  title: 'title',
  shortdesc: 'shortText',
  longdesc: 'extendedText',
  now_timestamp: 'now',
  remaining: 'remaining',
  genre: 'genre',
  genreid: 'genreId',
  date: 'date',
  begin: 'begin',
  end: 'end',
  duration: 'minutes',
};

const serviceSlot = (name: string) => new Slot(Object.keys(serviceColumns).indexOf(name));

function shape<T>(schema: { readonly properties: object }, missing?: object): EventShape<T> {
  const slots = Object.keys(schema.properties).map((name) => {
    const field = eventFields[name];
    return [name, field === undefined ? serviceSlot(name) : new Slot(field)];
  });
  return new EventShape(Object.fromEntries(slots), missing);
}

const shownService = { sref: serviceSlot('sref'), sname: serviceSlot('sname') };

/** The record of an event; all null without an event. */
export function eventRecord(
  event: GuideEvent | null | undefined,
  service: ShownService,
  now: UnixSeconds,
): EventRecord {
  const { sref, sname } = service;
  if (event === null || event === undefined) return { ...unknownEvent, sref, sname };
  const { genre, genreid } = genreOf(event);
  return {
    id: event.id,
    begin_timestamp: event.start,
    duration_sec: event.duration,
    title: cleaned(event.title),
    shortdesc: cleaned(event.shortText),
    longdesc: cleaned(event.extendedText),
    sref,
    sname,
    now_timestamp: now,
    remaining: now < event.start ? event.duration : Math.max(0, event.start + event.duration - now),
    genre,
    genreid,
  };
}

/** A missing event in lists of a bouquet. */
const unknownEvent = blankOf(EventRecord);

/** A missing event in responses about one service. */
export function missingEvent(service: ShownService): EventRecord {
  return {
    ...unknownEvent,
    begin_timestamp: 0,
    duration_sec: 0,
    title: 'N/A',
    shortdesc: '',
    longdesc: '',
    now_timestamp: 0,
    remaining: 0,
    sref: service.sref,
    sname: service.sname,
  };
}

export const eventShapes = {
  /** Known events only. */
  plain: shape<EventRecord>(EventRecord),
  /** All null (`None` in XML) where no event is known. */
  orNull: shape<EventRecord>(EventRecord, { ...unknownEvent, ...shownService }),
  /** Zeros and `N/A` where no event is known. */
  orNotAvailable: shape<EventRecord>(EventRecord, { ...missingEvent({ sref: '', sname: '' }), ...shownService }),
  listed: shape<ListedEventRecord>(ListedEventRecord),
  found: shape<FoundEventRecord>(FoundEventRecord),
} as const;

/** A genre counts only if it has a group: group 0 is `undefined content` (EN 300 468 §6.2.9). */
function genreOf({ genres }: GuideEvent): { readonly genre: string; readonly genreid: number } {
  const [first] = genres;
  if (first === undefined || first.level1 === 0) return { genre: '', genreid: 0 };
  return { genre: genreText(first.level1, first.level2), genreid: first.level1 * 16 + first.level2 };
}

function orNone(value: string | number | null): string | number {
  return value ?? 'None';
}

export const eventView: View<EventRecord> = element(
  'e2event',
  leaf('e2eventid', ({ id }) => orNone(id)),
  leaf('e2eventstart', (event) => orNone(event.begin_timestamp)),
  leaf('e2eventduration', (event) => orNone(event.duration_sec)),
  leaf('e2eventcurrenttime', (event) => orNone(event.now_timestamp)),
  leaf('e2eventtitle', ({ title }) => orNone(title)),
  leaf('e2eventdescription', ({ shortdesc }) => orNone(shortdesc)),
  leaf('e2eventdescriptionextended', ({ longdesc }) => orNone(longdesc)),
  leaf('e2eventservicereference', ({ sref }) => sref),
  leaf('e2eventservicename', ({ sname }) => sname),
  leaf('e2eventgenre', ({ genre }) => genre, { id: ({ genreid }) => genreid }),
);

export const eventListView: View<{
  readonly events: Iterable<EventRecord> | WrittenList<EventRecord>;
}> = element(
  'e2eventlist',
  each((list) => list.events, eventView),
);
