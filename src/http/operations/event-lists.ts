/** Lists of events in the answers of operations: which services, which question, which of the shapes of event-records.ts. */
import type { UnixSeconds } from '../../clock.ts';
import type { EventField, EventQuestion } from '../../epg/event-list.ts';
import { columnMark, EventRecords, EventShape, eventMark } from '../event-shape.ts';
import type { ReceiverParts } from '../parts.ts';
import type { WrittenList } from '../written-list.ts';
import { EventRecord, FoundEventRecord, ListedEventRecord, missingEvent, unknownEvent } from './event-records.ts';
import type { GuideServices, ServiceColumn } from './guide-entries.ts';

/** Which field of an event a property of a record is. The others are texts of the service. */
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

function shape<T>(schema: { readonly properties: object }, missing?: EventRecord): EventShape<T, ServiceColumn> {
  const marks = Object.keys(schema.properties).map((name) => {
    const field = eventFields[name];
    return [name, field === undefined ? columnMark(name) : eventMark(field)];
  });
  return new EventShape(Object.fromEntries(marks), missing);
}

const markedService = { sref: columnMark('sref'), sname: columnMark('sname') };

export const eventShapes = {
  /** Known events only. */
  plain: shape<EventRecord>(EventRecord),
  /** All null (`None` in XML) where no event is known. */
  orNull: shape<EventRecord>(EventRecord, { ...unknownEvent, ...markedService }),
  /** Zeros and `N/A` where no event is known. */
  orNotAvailable: shape<EventRecord>(EventRecord, missingEvent(markedService)),
  listed: shape<ListedEventRecord>(ListedEventRecord),
  found: shape<FoundEventRecord>(FoundEventRecord),
} as const;

/** The answer to a question about services, to stand in a result where its list of events stands. */
export function events<T>(
  parts: ReceiverParts,
  services: GuideServices,
  shape: EventShape<T, ServiceColumn>,
  question: EventQuestion,
  now: UnixSeconds = parts.clock.now(),
): WrittenList<T> {
  return new EventRecords(parts, services, shape, question, now);
}
