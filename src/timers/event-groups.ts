/**
 * Event groups of ISDB (ARIB STD-B10 part 2 §6.2.34): where a programme continues on another service, and the event it was before
 * it moved.
 */
import type { DvbTriplet } from '../dvb/triplet.ts';
import type { GuideEvent } from '../epg/event.ts';

/** An event as event groups name it (`ContentIdentifier`). */
export const locatorOf = (service: DvbTriplet, eventId: number) =>
  `dvb://${[service.originalNetworkId, service.transportStreamId, service.serviceId].map(hex).join('.')};${hex(eventId)}`;

const hex = (id: number) => id.toString(16);

/** The events that continue this one, with their locators. */
export function relaysOf({ crids }: GuideEvent) {
  return crids.flatMap(({ type, crid }) => {
    const ids = /^dvb:\/\/([\da-f]+)\.([\da-f]+)\.([\da-f]+);([\da-f]+)$/.exec(crid)?.slice(1);
    if (type !== 'relayed' || ids === undefined) return [];
    const [originalNetworkId = 0, transportStreamId = 0, serviceId = 0, eventId = 0] = ids.map((id) =>
      parseInt(id, 16),
    );
    return [{ locator: crid, service: { originalNetworkId, transportStreamId, serviceId }, eventId }];
  });
}

/** Whether an event is the one with this locator, moved. */
export const isMovedFrom = ({ crids }: GuideEvent, locator: string) =>
  crids.some(({ type, crid }) => type === 'moved' && crid === locator);
