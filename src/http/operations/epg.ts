/** The guide: present and following events, lists of one service or of a bouquet. */
import * as Type from 'typebox';
import type { UnixSeconds } from '../../base/clock.ts';
import type { ServiceReference } from '../../services/reference.ts';
import { area, operation } from '../endpoint/operation.ts';
import { bouquetReference, integer, integerElse, serviceReference, text, unixTimes } from '../middleware/parameters.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { EventList, recordsOf } from '../write/event-shape.ts';
import { exampleOf, record } from '../write/record.ts';
import type { WrittenList } from '../write/written-list.ts';
import { CurrentServiceRecord, currentEvents, currentServiceRecord } from './current-service.ts';
import {
  EventListResult,
  EventRecord,
  eventListView,
  eventShapes,
  ListedEventRecord,
  SlotListResult,
  type SlotRecord,
} from './event-records.ts';
import { type GuideServices, guideMoment, noServices, serviceOf, servicesNamed, servicesOf } from './guide-entries.ts';

/** A larger number of minutes is not a span but a Unix time sent by mistake. */
const maximumMinutes = 100_000;

const one = serviceReference('service').required();
const bouquet = bouquetReference('bouquet or other list of services').required();
const from = integer('Unix time; absent = now', unixTimes);
const minutes = integerElse('only events that begin within this many minutes after `time`; -1 or absent = all', -1, {
  minimum: -1,
  maximum: maximumMinutes,
});

/** Present, following or both events of services; one entry per service and slot, known or not. */
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
 * The same for a list of services, with the members of groups of alternatives. Lists without groups are written
 * natively.
 */
async function slotsOfList(
  parts: ReceiverParts,
  services: GuideServices,
  asked: 'now' | 'next' | 'nowNext',
): Promise<WrittenList<SlotRecord> | SlotRecord[]> {
  const { entries } = services;
  if (!entries.some(({ reference }) => reference.isAlternatives)) return slots(parts, services, asked);
  const records = await recordsOf(slots(parts, services, asked));
  const ofEach = asked === 'nowNext' ? 2 : 1;
  return records.map((record, index) => {
    const reference = entries[Math.floor(index / ofEach)]?.reference;
    return reference?.isAlternatives ? { ...record, asrefs: membersOf(parts, reference) } : record;
  });
}

function membersOf({ services }: ReceiverParts, group: ServiceReference): string[] {
  return services.playable(group).map((member) => member.format());
}

function untilOf(time: UnixSeconds, span: number | undefined): UnixSeconds | undefined {
  if (span === undefined || span < 0) return undefined;
  return time + Math.max(1, span * 60);
}

const epgservice = operation({
  name: 'epgservice',
  summary: 'The events of one service: the one running at a given time and those after it.',
  parameters: { sRef: one, time: from, endTime: minutes },
  result: record({ events: Type.Array(ListedEventRecord), result: true }),
  xml: eventListView,
  run(parts, { sRef, time, endTime }) {
    const now = parts.clock.now();
    const from = time ?? now;
    const question = { asked: 'window', from, until: untilOf(from, endTime) } as const;
    return { events: new EventList(parts, serviceOf(parts, sRef), eventShapes.listed, question, now), result: true };
  },
});

const twoEvents = { events: [exampleOf(EventRecord), exampleOf(EventRecord)] };

/** What differs between the operations about the present and the following event. */
const slotKinds = [
  { suffix: 'now', asked: 'now', said: 'The present event', entries: 'one entry', example: {} },
  { suffix: 'next', asked: 'next', said: 'The following event', entries: 'one entry', example: {} },
  {
    suffix: 'nownext',
    asked: 'nowNext',
    said: 'The present and following event',
    entries: 'two entries',
    example: twoEvents,
  },
] as const;

/** epgservicenow, epgservicenext and epgservicenownext. */
const slotsOfService = slotKinds.map(({ suffix, asked, said, example }) =>
  operation({
    name: `epgservice${suffix}`,
    summary: `${said} of one service.`,
    parameters: { sRef: one },
    result: EventListResult,
    xml: eventListView,
    example: exampleOf(EventListResult, example),
    run(parts, { sRef }) {
      return { events: slots(parts, serviceOf(parts, sRef), asked, eventShapes.orNotAvailable), result: true };
    },
  }),
);

const SlotsAndService = record({ ...SlotListResult.properties, info: CurrentServiceRecord });

/** epgnow, epgnext and epgnownext. The last one has the current service too, so other requests cannot share it. */
const slotsOfBouquet = slotKinds.map(({ suffix, asked, said, entries, example }) => {
  const withInfo = asked === 'nowNext';
  const result = withInfo ? SlotsAndService : SlotListResult;
  return operation({
    name: `epg${suffix}`,
    summary: `${said} of each service in a bouquet; ${entries} per service, known or not.`,
    parameters: { bRef: bouquet },
    result,
    xml: eventListView,
    example: exampleOf(result, example),
    sameWhile: async (parts, { bRef }) => (withInfo ? undefined : guideMoment(parts, await servicesOf(parts, bRef))),
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

/** Two operations of the interface differ only in the name of the list parameter. */
const someServices = text(
  'service references, separated by commas; invalid ones are skipped; more than 16 kB as a POST form',
);
const nowNext = { result: EventListResult, xml: eventListView, example: exampleOf(EventListResult, twoEvents) };

const epgmultichannelnownext = operation({
  name: 'epgmultichannelnownext',
  summary: 'The present and following event of each given service; two entries per service, known or not.',
  parameters: { sRefs: someServices.alias('sList').required() },
  ...nowNext,
  run: (parts, { sRefs }) => nowNextOf(parts, sRefs),
});

const epgservicelistnownext = operation({
  name: 'epgservicelistnownext',
  summary: 'The same as epgmultichannelnownext, with the list in `sList`.',
  deprecated: 'use epgmultichannelnownext',
  parameters: { sList: someServices.alias('sRefs').required() },
  ...nowNext,
  run: (parts, { sList }) => nowNextOf(parts, sList),
});

async function nowNextOf(parts: ReceiverParts, references: string) {
  return { events: slots(parts, await servicesNamed(parts, references), 'nowNext'), result: true };
}

const epgmulti = bouquetEvents('window', {
  name: 'epgmulti',
  summary: 'The events of every service in a bouquet, as in epgservice.',
});

const epgmultigz = bouquetEvents('window', {
  name: 'epgmultigz',
  summary: 'The same as epgmulti.',
  deprecated: 'use epgmulti, which is also compressed if the request accepts it',
});

const epgbouquet = bouquetEvents('now', {
  name: 'epgbouquet',
  summary: 'The event running at a given time on each service in a bouquet; with `endTime`, the same as epgmulti.',
});

/** The events of the services in a bouquet: until the end or, if there is none, all or those running at the time. */
function bouquetEvents(
  withoutEnd: 'window' | 'now',
  names: { readonly name: string; readonly summary: string; readonly deprecated?: string },
) {
  return operation({
    ...names,
    parameters: { bRef: bouquet, time: from, endTime: minutes },
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

export const epgOperations = area('epg', [
  epgservice,
  ...slotsOfService,
  ...slotsOfBouquet,
  epgmultichannelnownext,
  epgservicelistnownext,
  epgmulti,
  epgmultigz,
  epgbouquet,
]);
