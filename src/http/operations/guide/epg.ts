/** The guide: present and following events, and the events of a service or a bouquet. */
import * as Type from 'typebox';
import type { UnixSeconds } from '../../../base/clock.ts';
import type { ServiceReference } from '../../../services/reference.ts';
import { group } from '../../endpoint/endpoint.ts';
import { operation } from '../../endpoint/operation.ts';
import { bouquetReference, integer, serviceReference, unixTimes } from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { EventList, recordsOf } from '../../write/event-shape.ts';
import { exampleOf, recordSchema } from '../../write/record.ts';
import type { WrittenList } from '../../write/written-list.ts';
import { CurrentServiceRecord, currentEvents, currentServiceRecord } from '../current-service.ts';
import {
  EventListResult,
  EventRecord,
  eventListView,
  eventShapes,
  ListedEventRecord,
  SlotListResult,
  type SlotRecord,
} from './event-records.ts';
import {
  type GuideServices,
  guideMoment,
  noServices,
  serviceOf,
  servicesByReferences,
  servicesOf,
} from './guide-entries.ts';

/** Maximum for a span in minutes. A larger number is a Unix time sent by mistake. */
const maxMinutes = 100_000;

const serviceParameter = serviceReference('service').required();
const bouquetParameter = bouquetReference('bouquet or other list of services').required();
const timeParameter = integer('Unix time; absent = now', { ...unixTimes, wrong: 'nearest' });
const minutesParameter = integer('only events that begin within this many minutes after `time`; -1 or absent = all', {
  minimum: -1,
  maximum: maxMinutes,
  wrong: -1,
  example: 1440,
});

/** Lists present, following or both events of services: one entry per service and slot, whether or not an event is known. */
function slots(
  parts: ReceiverParts,
  services: GuideServices,
  asked: 'now' | 'next' | 'nowNext',
  shape: typeof eventShapes.orNull = eventShapes.orNull,
): WrittenList<EventRecord> {
  const time = parts.clock.now();
  return new EventList(parts, services, shape, { asked, from: time }, time);
}

/**
 * Like `slots`, but adds the members of groups of alternatives (`asrefs`). A list without such groups is written by native
 * code.
 */
async function slotsOfList(
  parts: ReceiverParts,
  services: GuideServices,
  asked: 'now' | 'next' | 'nowNext',
): Promise<WrittenList<SlotRecord> | SlotRecord[]> {
  const { entries } = services;
  if (!entries.some(({ reference }) => reference.isAlternatives)) return slots(parts, services, asked);
  const records = await recordsOf(slots(parts, services, asked));
  const recordsPerService = asked === 'nowNext' ? 2 : 1;
  return records.map((record, index) => {
    const reference = entries[Math.floor(index / recordsPerService)]?.reference;
    return reference?.isAlternatives ? { ...record, asrefs: membersOf(parts, reference) } : record;
  });
}

function membersOf({ services }: ReceiverParts, group: ServiceReference): string[] {
  return services.playable(group).map((member) => member.format());
}

/** The end of a span in minutes; undefined if it has none. */
function untilOf(time: UnixSeconds, minutes: number | undefined): UnixSeconds | undefined {
  if (minutes === undefined || minutes < 0) return undefined;
  return time + Math.max(1, minutes * 60);
}

const epgservice = operation({
  name: 'epgservice',
  summary: 'The events of one service: the one running at a given time and those after it.',
  parameters: { sRef: serviceParameter, time: timeParameter, endTime: minutesParameter },
  result: recordSchema({ events: Type.Array(ListedEventRecord), result: true }),
  xml: eventListView,
  run(parts, { sRef, time, endTime }) {
    const now = parts.clock.now();
    const from = time ?? now;
    const question = { asked: 'window', from, until: untilOf(from, endTime) } as const;
    return { events: new EventList(parts, serviceOf(parts, sRef), eventShapes.listed, question, now), result: true };
  },
});

const twoEvents = { events: [exampleOf(EventRecord), exampleOf(EventRecord)] };

/** The differences between the operations for the present event, the following event, and both. */
const slotOperations = [
  { suffix: 'now', asked: 'now', title: 'The present event', entries: 'one entry', example: {} },
  { suffix: 'next', asked: 'next', title: 'The following event', entries: 'one entry', example: {} },
  {
    suffix: 'nownext',
    asked: 'nowNext',
    title: 'The present and following event',
    entries: 'two entries',
    example: twoEvents,
  },
] as const;

/** epgservicenow, epgservicenext and epgservicenownext. */
const slotsOfService = slotOperations.map(({ suffix, asked, title, example }) =>
  operation({
    name: `epgservice${suffix}`,
    summary: `${title} of one service.`,
    parameters: { sRef: serviceParameter },
    result: EventListResult,
    xml: eventListView,
    example: exampleOf(EventListResult, example),
    run(parts, { sRef }) {
      return { events: slots(parts, serviceOf(parts, sRef), asked, eventShapes.orNotAvailable), result: true };
    },
  }),
);

const SlotsAndService = recordSchema({ ...SlotListResult.properties, info: CurrentServiceRecord });

/** epgnow, epgnext and epgnownext. The response of epgnownext contains the current service too, so it is not cached. */
const slotsOfBouquet = slotOperations.map(({ suffix, asked, title, entries, example }) => {
  const withInfo = asked === 'nowNext';
  const result = withInfo ? SlotsAndService : SlotListResult;
  return operation({
    name: `epg${suffix}`,
    summary: `${title} of each service in a bouquet; ${entries} per service, whether or not an event is known.`,
    parameters: { bRef: bouquetParameter },
    result,
    xml: eventListView,
    example: exampleOf(result, example),
    cacheState: async (parts, { bRef }) => (withInfo ? undefined : guideMoment(parts, await servicesOf(parts, bRef))),
    async run(parts, { bRef }) {
      const services = await servicesOf(parts, bRef);
      return {
        events: await slotsOfList(parts, services ?? noServices, asked),
        result: services !== undefined,
        ...(withInfo && { info: currentServiceRecord(parts, await currentEvents(parts)) }),
      };
    },
  });
});

/** The list parameter of two operations that differ only in its name. */
const serviceList = serviceReference(
  'service references, separated by commas; invalid ones are skipped; send more than 16 kB as a POST form',
);
const nowNext = { result: EventListResult, xml: eventListView, example: exampleOf(EventListResult, twoEvents) };

const epgmultichannelnownext = operation({
  name: 'epgmultichannelnownext',
  summary:
    'The present and following event of each given service; two entries per service, whether or not an event is known.',
  parameters: { sRefs: serviceList.alias('sList').required() },
  ...nowNext,
  run: (parts, { sRefs }) => nowNextOf(parts, sRefs),
});

const epgservicelistnownext = operation({
  name: 'epgservicelistnownext',
  summary: 'Like epgmultichannelnownext, but with the list in `sList`.',
  deprecated: 'use epgmultichannelnownext',
  parameters: { sList: serviceList.alias('sRefs').required() },
  ...nowNext,
  run: (parts, { sList }) => nowNextOf(parts, sList),
});

async function nowNextOf(parts: ReceiverParts, references: string) {
  return { events: slots(parts, await servicesByReferences(parts, references), 'nowNext'), result: true };
}

const epgmulti = bouquetEvents('window', {
  name: 'epgmulti',
  summary: 'The events of every service in a bouquet, as in epgservice.',
});

const epgmultigz = bouquetEvents('window', {
  name: 'epgmultigz',
  summary: 'Like epgmulti.',
  deprecated: 'use epgmulti, which is also compressed if the request accepts it',
});

const epgbouquet = bouquetEvents('now', {
  name: 'epgbouquet',
  summary: 'The event running at a given time on each service in a bouquet; with `endTime`, like epgmulti.',
});

/**
 * Defines an operation for the events of the services in a bouquet. `withoutEnd`: what a request without `endTime` gets:
 * all events from the given time on (`window`), or those running at that time (`now`).
 */
function bouquetEvents(
  withoutEnd: 'window' | 'now',
  names: { readonly name: string; readonly summary: string; readonly deprecated?: string },
) {
  return operation({
    ...names,
    parameters: { bRef: bouquetParameter, time: timeParameter, endTime: minutesParameter },
    result: EventListResult,
    xml: eventListView,
    async run(parts, { bRef, time, endTime }) {
      const services = await servicesOf(parts, bRef);
      const from = time ?? parts.clock.now();
      const asked = endTime === undefined ? withoutEnd : 'window';
      const question = asked === 'now' ? { asked, from } : { asked, from, until: untilOf(from, endTime) };
      return {
        events: new EventList(parts, services ?? noServices, eventShapes.plain, question),
        result: services !== undefined,
      };
    },
  });
}

export const epgOperations = group('epg', [
  epgservice,
  ...slotsOfService,
  ...slotsOfBouquet,
  epgmultichannelnownext,
  epgservicelistnownext,
  epgmulti,
  epgmultigz,
  epgbouquet,
]);
