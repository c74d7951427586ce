/**
 * `/api/eventlookup`: the events of a service at, before or after a time, in a period, or by event id.
 *
 * The parameters have grown over time, so a pure function (`planLookup`) turns them into a query, separate from running
 * it.
 */
import Type from 'typebox';
import type { UnixSeconds } from '../../clock.ts';
import type { DvbTriplet } from '../../dvb/triplet.ts';
import type { EventQuestion } from '../../epg/event-list.ts';
import { fail, ReceiverError } from '../../errors.ts';
import { guideKey } from '../../services/guide-key.ts';
import type { ServiceReference } from '../../services/reference.ts';
import { cleaned } from '../cleaned-text.ts';
import { EventList, ListedServices } from '../event-shape.ts';
import { compactForm } from '../json.ts';
import { nullable } from '../operation.ts';
import { eventIds, integer, unixTimes } from '../parameters.ts';
import type { ReceiverParts } from '../parts.ts';
import { boundedRows, errorList, eventsSchema, flagsParameter, maximumRows } from './event-list.ts';
import { exampleEvent, exampleService } from './event-record.ts';
import { presetFlags, rowForm, rowTexts } from './fields.ts';
import { integerWith } from './parameters.ts';
import { errorKeys, exampleError, Refusal, route } from './route.ts';

/** The given parameters; undefined = absent. */
export interface LookupRequest {
  readonly querytype?: number | undefined;
  readonly begin?: number | undefined;
  readonly minutes?: number | undefined;
  readonly eventId?: number | undefined;
}

/** A guide query. */
export type LookupPlan =
  | { readonly kind: 'id'; readonly id: number }
  /** At most one event. */
  | { readonly kind: 'before' | 'at' | 'after'; readonly time: UnixSeconds }
  /**
   * From the event running at `from` (otherwise the next) to the last that begins before `until`; undefined =
   * open-ended.
   */
  | { readonly kind: 'range'; readonly from: UnixSeconds; readonly until: UnixSeconds | undefined }
  /** A query type that does not exist yields no rows. */
  | { readonly kind: 'nothing' };

/** Query types of the interface: by event id, the event before, at or after a time. */
const queryTypes = { byId: 2, before: -1, at: 0, after: 1 } as const;

/**
 * Turns the parameters into a query.
 *
 * - Query type 2 takes the id from `event_id`, else from `begin`, else from `minutes`. The result is undefined if all
 *   are absent.
 * - Without a type, `event_id`, or a `begin` that can be an event id (16 bit), means type 2. Otherwise type 0 applies.
 * - `minutes` other than 0 makes every other type a range. -1, the default, makes it open-ended.
 * - Without any parameter the result is the running event and all that follow.
 */
export function planLookup(request: LookupRequest, now: UnixSeconds): LookupPlan | undefined {
  const { begin, minutes, eventId } = request;
  const namesEvent = eventId !== undefined || (begin !== undefined && begin >= 0 && begin <= 0xffff);
  const querytype = request.querytype ?? (namesEvent ? queryTypes.byId : queryTypes.at);
  if (querytype === queryTypes.byId) {
    const id = eventId ?? begin ?? minutes;
    return id === undefined ? undefined : { kind: 'id', id };
  }
  const time = begin === undefined || begin === -1 ? now : begin;
  if (minutes !== 0) {
    const open = minutes === undefined || minutes < 0;
    return { kind: 'range', from: time, until: open ? undefined : time + 60 * minutes };
  }
  if (querytype === queryTypes.before) return { kind: 'before', time };
  if (querytype === queryTypes.at) return { kind: 'at', time };
  if (querytype === queryTypes.after) return { kind: 'after', time };
  return { kind: 'nothing' };
}

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

const nothingGiven = {
  flags: null,
  service_reference: null,
  querytype: null,
  max_rows: null,
  begin: null,
  minutes: null,
};
const request = { path: '/api/eventlookup', method: 'GET' } as const;

const LookupSchema = eventsSchema('EventLookup', MangledParameters);

/** Ten years, more than any guide covers. */
const mostMinutes = 5_256_000;

export const eventlookup = route({
  method: 'GET',
  path: '/api/eventlookup',
  name: 'eventlookup',
  tag: 'events',
  summary: 'Events of services: at, before or after a time, over a period, or one by its event id.',
  description:
    'Unless minutes=0, the response covers a range: the event running at begin and all that start before begin + minutes. ' +
    'Rows are in the order of the references, then by start. Only the service id, network id and transport stream id of a ' +
    'reference count; alternatives are looked up as their first member.',
  caching: 'no-store',
  lists: {
    service_reference: {
      description: 'service to look up; may be given several times',
      required: true,
      example: exampleService.service_reference,
    },
  },
  query: {
    querytype: integerWith(
      '2 by event id, -1 the event that starts last before begin, 0 the one running at begin, 1 the first that starts after ' +
        'begin. Default: 2 if event_id or a begin below 65536 is given, otherwise 0',
      { enum: Object.values(queryTypes).sort((a, b) => a - b) },
    ),
    begin: integer('Unix seconds, -1 = now; with querytype 2, the event id', {
      default: -1,
      minimum: -1,
      maximum: unixTimes.maximum,
    }),
    minutes: integer(
      'length of the range; -1 = no end, 0 = exactly one event; with querytype 2 and no begin, the event id',
      { default: -1, minimum: -1, maximum: mostMinutes },
    ),
    event_id: integer('event id', eventIds, 'kept'),
    flags: flagsParameter(),
    max_rows: integerWith('maximum number of rows, keeping the first ones; 0 = the upper limit', {
      default: 0,
      minimum: 0,
      maximum: maximumRows,
    }),
  },
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
      description:
        'a missing or invalid service reference, an unknown letter in flags, or querytype 2 without an event id',
      schema: eventsSchema('EventLookupError', MangledParameters, errorKeys),
      example: exampleError('parameter-missing', 'service_reference is missing', request, {
        errors: ['service_reference is missing'],
        len: 0,
        events: [],
        mangled_parameters: nothingGiven,
      }),
    },
  },
  failures: {},
  run(parts, values) {
    const { services, clock } = parts;
    const { service_reference: given, querytype, begin, minutes, event_id: eventId, flags, max_rows: maxRows } = values;
    const mangled_parameters = {
      flags: flags ?? null,
      service_reference: given[0] ?? null,
      ...(given.length > 1 && { service_references: given }),
      querytype: querytype ?? null,
      max_rows: maxRows ?? null,
      begin: begin ?? null,
      minutes: minutes ?? null,
      ...(eventId !== undefined && { event_id: eventId }),
    };
    const now = clock.now();
    const plan = planLookup({ querytype, begin, minutes, eventId }, now);
    const asked = readReferences(services, given);
    const problems = [
      ...asked.problems,
      ...(plan === undefined ? [fail('parameter-missing', 'event_id')] : []),
      ...(isEventId(eventId) ? [] : [fail('parameter-invalid', 'event_id', 'must be a number from 0 to 65535')]),
      ...complaint(() => rowForm(flags || presetFlags, { clock: true })),
    ];
    const [first] = problems;
    if (first !== undefined || plan === undefined) {
      throw new Refusal(first ?? fail('internal'), {
        errors: errorList(problems),
        len: 0,
        events: [],
        mangled_parameters,
      });
    }
    const { shape } = rowForm(flags || presetFlags, { clock: true });
    const rows = listedAs(services, asked.references);
    const limit = boundedRows(maxRows);
    const len = new EventList(parts, rows, shape, questionOf(plan, limit), now).count(compactForm);
    const events = new EventList(parts, rows, shape, questionOf(plan, len), now);
    return { body: { errors: [], result: true, len, mangled_parameters, events } };
  },
});

const isEventId = (id = 0) => id >= eventIds.minimum && id <= eventIds.maximum;

interface AskedService {
  /** As given, which is also how the rows show it. */
  readonly text: string;
  readonly reference: ServiceReference;
  readonly key: DvbTriplet | undefined;
}

function readReferences(services: ReceiverParts['services'], given: readonly string[]) {
  const references: AskedService[] = [];
  const problems: ReceiverError[] = [];
  const texts = given.filter((text) => text !== '');
  if (texts.length === 0) problems.push(new ReceiverError('parameter-missing', 'service_reference is missing'));
  for (const text of texts) {
    try {
      const reference = services.resolve(text);
      references.push({ text, reference, key: guideKey(services, reference) });
    } catch (error) {
      if (!(error instanceof ReceiverError)) throw error;
      problems.push(error);
    }
  }
  return { references, problems };
}

/** The error that a check throws, if any. */
function complaint(check: () => void): ReceiverError[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof ReceiverError) return [error];
    throw error;
  }
}

/** The guide query; `limit` counts rows. */
function questionOf(plan: LookupPlan, limit: number): EventQuestion {
  switch (plan.kind) {
    case 'id':
      return plan.id >= 0 && plan.id <= 0xffff ? { asked: 'id', id: plan.id, limit } : nothing(limit);
    case 'before':
      return { asked: 'before', from: plan.time, limit };
    case 'at':
      return { asked: 'now', from: plan.time, endInclusive: true, limit };
    case 'after':
      return { asked: 'next', from: plan.time, limit };
    case 'range':
      return { asked: 'window', from: plan.from, until: plan.until, limit };
    case 'nothing':
      return nothing(limit);
  }
}

/** A query that matches no event. */
function nothing(limit: number): EventQuestion {
  return { asked: 'window', from: 0, until: 0, limit };
}

function listedAs(services: ReceiverParts['services'], asked: readonly AskedService[]): ListedServices<AskedService> {
  return new ListedServices(asked, rowTexts.length, ({ text, reference }) => {
    const name = services.nameOf(reference);
    const shortName = (reference.name === '' && services.find(reference)?.shortName) || name;
    return [text, cleaned(name), cleaned(shortName)];
  });
}
