/** Event lists in the responses of operations: which services, which query, which shape of event-records.ts. */
import type { UnixSeconds } from '../../clock.ts';
import type { EventField, EventQuestion } from '../../epg/event-list.ts';
import { columnMark, EventRecords, EventShape, eventMark } from '../event-shape.ts';
import type { ReceiverParts } from '../parts.ts';
import type { AnswerState } from '../prepared-answers.ts';
import type { WrittenList } from '../written-list.ts';
import { EventRecord, FoundEventRecord, ListedEventRecord, missingEvent, unknownEvent } from './event-records.ts';
import { allColumns, type GuideServices, type ServiceColumn } from './guide-entries.ts';
import { listState } from './lists.ts';

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

function shape<T>(
  schema: { readonly properties: object },
  missing?: EventRecord,
  columns?: readonly ServiceColumn[],
): EventShape<T, ServiceColumn> {
  const marks = Object.keys(schema.properties).map((name) => {
    const field = eventFields[name];
    return [name, field === undefined ? columnMark(name) : eventMark(field)];
  });
  return new EventShape(Object.fromEntries(marks), missing, { texts: 'cleaned', columns });
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
  found: shape<FoundEventRecord>(FoundEventRecord, undefined, allColumns),
} as const;

/**
 * Responses for at most this many services are shared by requests within the same second. Longer lists are written as
 * they are sent.
 */
const mostShared = 256;

/**
 * What one event of each service, or a bounded number of hits, depends on besides the request: the guide, the lists,
 * and the current second, because records contain it.
 */
export function guideMoment(parts: ReceiverParts, services?: GuideServices): AnswerState | undefined {
  if (services !== undefined && services.entries.length > mostShared) return undefined;
  return { text: `${parts.clock.now()} ${parts.guide.generation} ${listState(parts).text}`, momentary: true };
}

/** The list of events for a query about services, in the form that a result holds. */
export function events<T>(
  parts: ReceiverParts,
  services: GuideServices,
  shape: EventShape<T, ServiceColumn>,
  question: EventQuestion,
  now: UnixSeconds = parts.clock.now(),
): WrittenList<T> {
  return new EventRecords(parts, services, shape, question, now);
}
