/** Event lists in the responses of operations: which services, which question, which shape of event-records.ts. */
import type { UnixSeconds } from '../../clock.ts';
import type { EventQuestion } from '../../epg/event-list.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { EventList, type EventShape } from '../write/event-shape.ts';
import type { GuideServices } from './guide-entries.ts';
import { listState } from './lists.ts';

/**
 * Responses for at most this many services are shared by requests within the same second. Longer lists are written as
 * they are sent.
 */
const mostShared = 256;

/**
 * What one event of each service, or a bounded number of hits, depends on besides the request: the guide, the lists,
 * and the current second, because records contain it.
 */
export function guideMoment(parts: ReceiverParts, services?: GuideServices): string | undefined {
  if (services !== undefined && services.entries.length > mostShared) return undefined;
  return `${parts.clock.now()} ${parts.guide.generation} ${listState(parts)}`;
}

/** The list of events for a query about services, in the form that a result holds. */
export function events<T>(
  parts: ReceiverParts,
  services: GuideServices,
  shape: EventShape<T>,
  question: EventQuestion,
  now: UnixSeconds = parts.clock.now(),
): EventList<T> {
  return new EventList(parts, services, shape, question, now);
}
