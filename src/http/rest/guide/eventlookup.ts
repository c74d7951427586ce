/**
 * `/api/eventlookup`: the events of a service at, before or after a time, in a period, or by event id.
 *
 * The parameters have grown over time and overlap. A pure function, `planLookup`, turns them into a query of the guide.
 */
import * as Type from 'typebox';
import type { UnixSeconds } from '../../../base/clock.ts';
import { fail, ReceiverError } from '../../../base/errors.ts';
import type { DvbTriplet } from '../../../dvb/triplet.ts';
import type { EventQuestion } from '../../../epg/event-response.ts';
import { guideKey } from '../../../services/guide/guide-key.ts';
import type { ServiceReference } from '../../../services/reference.ts';
import { errorKeys, exampleError } from '../../endpoint/route.ts';
import { asInteger, eventIds, Parameter, type ParameterValues, unixTimes } from '../../middleware/parameters.ts';
import type { QueryLists } from '../../middleware/query.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { cleaned } from '../../write/cleaned-text.ts';
import { EventList, ListedServices } from '../../write/event-shape.ts';
import { compactForm } from '../../write/json.ts';
import { nullable } from '../../write/record.ts';
import { exampleEvent, exampleService } from '../event-record.ts';
import {
  eventsSchema,
  firstNumber,
  firstText,
  guideNumber,
  guideRoute,
  queryListsOf,
  rowFields,
  rowLimit,
} from './event-list.ts';
import { rowTexts } from './fields.ts';

/** The values of `querytype`. */
const queryTypes = { before: -1, at: 0, after: 1, byId: 2 } as const;

/** Ten years, more than any guide covers. */
const maxMinutes = 5_256_000;

const query = {
  service_reference: new Parameter<readonly string[]>(
    'the service; may be given several times',
    Type.Array(Type.String({ examples: [exampleService.service_reference] })),
    (_, name, all = []) => {
      const given = all.filter((text) => text !== '');
      if (given.length === 0) throw new ReceiverError('parameter-missing', `${name} is missing`);
      return given;
    },
    { mandatory: true, takes: 'texts' },
  ),
  // Any other number is no error: clients rely on that.
  querytype: new Parameter<number | undefined>(
    '2: the event with an id; -1: the last event that starts before begin; 0: the event that runs at begin; 1: the first event that starts ' +
      'after begin. With any other number, minutes=0 finds nothing. Default: 2 if event_id or a begin below 65536 is given, otherwise 0',
    Type.Unsafe<number>({ type: 'integer', enum: Object.values(queryTypes) }),
    (given) => asInteger(given),
  ),
  begin: guideNumber('Unix seconds, -1 or absent = now; with querytype 2, the event id', {
    minimum: -1,
    maximum: unixTimes.maximum,
    example: 1767290400,
  }),
  minutes: guideNumber(
    'length of the range in minutes; -1 or absent = no end, 0 = exactly one event; with querytype 2 and no begin, the event id',
    { minimum: -1, maximum: maxMinutes, example: 120 },
  ),
  event_id: guideNumber('event id', eventIds),
  flags: rowFields({ clock: true }),
  max_rows: rowLimit('maximum number of rows; the first ones are returned', 0),
};
type Values = ParameterValues<typeof query>;
type LookupRequest = Partial<Pick<Values, 'querytype' | 'begin' | 'minutes' | 'event_id'>>;

/**
 * Turns the parameters into a query of the guide.
 *
 * - Type 2 takes the id from `event_id`, else from `begin`, else from `minutes`. Returns undefined if all are absent.
 * - Without a type, a request with `event_id`, or with a `begin` that can be an event id (16 bits), has type 2. Any other
 *   has type 0.
 * - With any other type, `minutes` other than 0 requests a range. -1, the default, is a range without end.
 * - Without any parameter, the result is the running event and all events after it.
 * - An unknown type or event id finds nothing.
 */
export function planLookup(request: LookupRequest, now: UnixSeconds): EventQuestion | undefined {
  const { begin, minutes, event_id: eventId } = request;
  const hasEventId = eventId !== undefined || (begin !== undefined && begin >= 0 && begin <= 0xffff);
  const querytype = request.querytype ?? (hasEventId ? queryTypes.byId : queryTypes.at);
  if (querytype === queryTypes.byId) {
    const id = eventId ?? begin ?? minutes;
    if (id === undefined) return undefined;
    return id >= eventIds.minimum && id <= eventIds.maximum ? { asked: 'id', id } : noEvents;
  }
  const from = begin === undefined || begin === -1 ? now : begin;
  if (minutes !== 0) {
    const isOpenEnded = minutes === undefined || minutes < 0;
    return { asked: 'window', from, until: isOpenEnded ? undefined : from + 60 * minutes };
  }
  if (querytype === queryTypes.before) return { asked: 'before', from };
  if (querytype === queryTypes.at) return { asked: 'now', from, endInclusive: true };
  return querytype === queryTypes.after ? { asked: 'next', from } : noEvents;
}

const noEvents: EventQuestion = { asked: 'window', from: 0, until: 0 };

const MangledParameters = Type.Object(
  {
    flags: nullable(Type.String()),
    service_reference: nullable(Type.String({ description: 'the first value given' })),
    service_references: Type.Optional(Type.Array(Type.String(), { description: 'all values, if several were given' })),
    querytype: nullable(Type.Integer()),
    max_rows: nullable(Type.Integer()),
    begin: nullable(Type.Integer()),
    minutes: nullable(Type.Integer()),
    event_id: Type.Optional(Type.Integer({ description: 'if given' })),
  },
  { description: 'the parameters as understood; null = not given' },
);

const exampleRequest = { path: '/api/eventlookup', method: 'GET' } as const;

const LookupSchema = eventsSchema('EventLookup', MangledParameters);

function understood(given: QueryLists) {
  const references = given.get('service_reference') ?? [];
  const id = firstNumber(given, 'event_id');
  return {
    flags: firstText(given, 'flags'),
    service_reference: references[0] ?? null,
    ...(references.length > 1 && { service_references: references }),
    querytype: firstNumber(given, 'querytype'),
    max_rows: firstNumber(given, 'max_rows'),
    begin: firstNumber(given, 'begin'),
    minutes: firstNumber(given, 'minutes'),
    ...(id !== null && { event_id: id }),
  };
}

const nothingGiven = understood(new Map());

export const eventlookup = guideRoute(understood, {
  path: '/api/eventlookup',
  name: 'eventlookup',
  tag: 'events',
  summary: 'Events of services: at, before or after a time, over a period, or one by its event id.',
  description:
    'Unless minutes=0, the response covers a range: the event that runs at begin, and all events that start before begin + minutes. ' +
    'Rows are in the order of the references, then by start. Of a reference, only service id, network id and transport stream id ' +
    'count; for alternatives, the events of their first member are returned.',
  parameters: query,
  responses: {
    200: {
      description: 'the rows; empty for a service without guide data',
      schema: LookupSchema,
      example: {
        errors: [],
        result: true,
        len: 1,
        mangled_parameters: { ...nothingGiven, service_reference: exampleService.service_reference, minutes: 0 },
        events: [{ ...exampleEvent, ...exampleService }],
      },
    },
    400: {
      description: 'a missing or invalid service reference, an invalid parameter, or querytype 2 without an event id',
      schema: eventsSchema('EventLookupError', MangledParameters, errorKeys),
      example: exampleError('parameter-missing', 'service_reference is missing', exampleRequest, {
        errors: ['service_reference is missing'],
        len: 0,
        events: [],
        mangled_parameters: nothingGiven,
      }),
    },
  },
  run(parts, values, request) {
    const { flags, max_rows: limit } = values;
    const { shape } = flags;
    const now = parts.clock.now();
    const rows = requestedServices(parts.services, values.service_reference);
    const plan = planLookup(values, now);
    if (plan === undefined) throw fail('parameter-missing', 'event_id');
    const len = new EventList(parts, rows, shape, { ...plan, limit }, now).count(compactForm);
    const events = new EventList(parts, rows, shape, { ...plan, limit: len }, now);
    return { body: { errors: [], result: true, len, mangled_parameters: understood(queryListsOf(request)), events } };
  },
});

interface RequestedService {
  /** The reference as in the request; the rows return it unchanged. */
  readonly text: string;
  readonly reference: ServiceReference;
  readonly key: DvbTriplet | undefined;
}

/** Resolves the references of a request. @throws ReceiverError `invalid-reference` */
function requestedServices(
  services: ReceiverParts['services'],
  given: readonly string[],
): ListedServices<RequestedService> {
  const asked = given.map((text) => {
    const reference = services.resolve(text);
    return { text, reference, key: guideKey(services, reference) };
  });
  return new ListedServices(asked, rowTexts.length, ({ text, reference }) => {
    const name = services.nameOf(reference);
    const shortName = (reference.name === '' && services.find(reference)?.shortName) || name;
    return [text, cleaned(name), cleaned(shortName)];
  });
}
