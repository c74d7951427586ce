/** `/timers`: lists, creates, changes and deletes timers. */
import * as Type from 'typebox';
import { fail, ReceiverError } from '../../../base/errors.ts';
import type { ServiceReference } from '../../../services/reference.ts';
import {
  afterEvents,
  marginsOf,
  type Timer,
  type TimerMargins,
  type TimerSpec,
  timerStates,
} from '../../../timers/timer.ts';
import { TimerConflict } from '../../../timers/timer-list.ts';
import {
  recordingMargins,
  resolveRecordable,
  specOfEventId,
  specOfTime,
  type TimerOptions,
} from '../../../timers/timer-specs.ts';
import { group } from '../../endpoint/endpoint.ts';
import { errorKeys, exampleError, type RestResponse, route } from '../../endpoint/route.ts';
import { tagOf } from '../../middleware/entity-tag.ts';
import { DetailedError } from '../../middleware/failures.ts';
import {
  boolean,
  choice,
  defined,
  endTimes,
  eventIds,
  integer,
  type ParameterValues,
  serviceReference,
  text,
  unixTimes,
} from '../../middleware/parameters.ts';
import { timerOfEvent } from '../../operations/timers/timer-changes.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { exampleOf, recordSchema } from '../../write/record.ts';
import { exampleService } from '../event-record.ts';
import { segmentReference, segmentText } from '../segments.ts';
import { exampleManual, exampleTimer, itemsOf, referenceText, TimerSchema } from './timer-record.ts';

const List = recordSchema(
  {
    result: true,
    service_reference: Type.Optional(Type.String({ description: 'the service in the path, if any' })),
    item_id: Type.Optional(
      Type.Union([Type.Integer(), Type.String()], { description: 'the item in the path, if any' }),
    ),
    items: Type.Array(TimerSchema),
  },
  { $id: 'Timers' },
);

const Conflict = Type.Object(
  {
    ...errorKeys,
    conflicts: Type.Array(TimerSchema, {
      description: 'the timer that gets no tuner, and the timers that it is in conflict with',
    }),
  },
  { $id: 'TimerConflict' },
);

const caching = 'no-cache';
const pathAdvice = 'a timer is at /timers/SERVICE/EVENT or, by its timer_id, at /timers/SERVICE/t7';
const query = {
  state: choice('only timers in this state; absent = all but ended timers', timerStates),
  all: boolean('without `state`: include ended timers').or(false),
};
const { service_reference } = exampleService;
const exampleItem = exampleOf(List, { service_reference, item_id: 4711 });
const response = { description: 'the timers, in order of creation', schema: List };
const segments = {
  service_reference: segmentReference(pathAdvice),
  item: segmentText('event id of the timer, or `t` and its `timer_id`: t7', '4711'),
};

const timers = route({
  path: '/timers',
  name: 'timers',
  summary: 'The timers of all services.',
  caching,
  parameters: query,
  responses: { 200: response },
  run: (parts, shown) => responseOf(parts, filtered(parts.timers.all, shown)),
});

const timersOf = route({
  path: '/timers/{service_reference}',
  name: 'timersOf',
  summary: 'The timers of one service.',
  caching,
  parameters: { service_reference: segmentReference(pathAdvice), ...query },
  responses: { 200: { ...response, example: exampleOf(List, { service_reference }) } },
  failures: { 400: 'the path contains no service reference, or an invalid parameter' },
  run: (parts, { service_reference, ...shown }) =>
    responseOf(parts, filtered(ofService(parts, service_reference), shown), {
      service_reference: referenceText(service_reference),
    }),
});

const timerItem = route({
  path: '/timers/{service_reference}/{item}',
  name: 'timerItem',
  summary: 'One timer, whatever its state.',
  caching,
  parameters: segments,
  responses: {
    200: { description: 'the timer', schema: List, example: exampleItem },
    404: { description: 'no such timer: `items` is empty', schema: List, example: { ...exampleItem, items: [] } },
  },
  failures: { 400: 'the path contains no service reference or no valid item' },
  async run(parts, { service_reference, item }) {
    const found = find(parts, service_reference, item);
    if (found === undefined)
      return { status: 404, body: await bodyOf(parts, [], requestKeys(service_reference, item)) };
    return responseOf(parts, [found], requestKeys(service_reference, item));
  },
});

const timerDelete = route({
  method: 'DELETE',
  path: '/timers/{service_reference}/{item}',
  name: 'timerDelete',
  summary: 'Deletes a timer. If it is recording, the recording stops, and its file stays.',
  parameters: segments,
  responses: { 200: { description: 'the deleted timer', schema: List, example: exampleItem } },
  failures: {
    400: 'the path contains no service reference or no valid item',
    404: 'no such timer',
    500: 'the timers cannot be written',
  },
  async run(parts, { service_reference, item }) {
    const removed = await parts.timers.remove(existing(parts, service_reference, item).id);
    if (!removed) noTimer(service_reference, item);
    return { body: await bodyOf(parts, [removed], requestKeys(service_reference, item)) };
  },
});

const timerRestore = route({
  method: 'POST',
  path: '/timers/restore',
  name: 'timerRestore',
  summary: 'Restores a deleted timer. If its time is not over, it continues to record.',
  description: 'Only the last 20 deleted timers can be restored, until the receiver restarts.',
  parameters: {
    timer_id: integer('`timer_id` of the deleted timer', { minimum: 1, maximum: 1_000_000_000, example: 7 }).required(),
  },
  responses: { 200: { description: 'the timer', schema: List } },
  failures: {
    400: 'something is missing or invalid',
    404: 'there is no such deleted timer',
    500: 'the timers cannot be written',
    507: 'the maximum number of timers has been reached',
  },
  async run(parts, { timer_id }) {
    const timer = await parts.timers.restore(timer_id);
    if (!timer) throw fail('not-found', `deleted timer ${timer_id}`);
    return { body: await bodyOf(parts, [timer], {}) };
  },
});

/** Rejects a DELETE for all timers of a service: its URL is probably truncated. */
const timersDelete = route({
  method: 'DELETE',
  path: '/timers/{service_reference}',
  name: 'timersDelete',
  summary: 'Always rejected: timers are deleted one at a time.',
  parameters: { service_reference: segmentReference(pathAdvice) },
  responses: {},
  failures: { 400: 'always' },
  run(_, { service_reference }) {
    throw fail('bad-path', `${referenceText(service_reference)} without a timer`);
  },
});

const period = {
  start_time: integer('Unix seconds', unixTimes),
  end_time: integer('Unix seconds', endTimes),
};
const margin = { minimum: 0, maximum: 86_400, example: 180 };
const optionFields = {
  title: text('title', { example: 'Ships' }),
  shortinfo: text('short text', { example: 'Episode 3' }),
  disabled: boolean('the timer is kept but does nothing'),
  justplay: boolean('only show the service, without recording'),
  zapbeforerecord: boolean('also show the service that is recorded'),
  afterevent: choice('what the receiver does after the timer has ended; default for a new timer: auto', afterEvents),
  repeat_mask: integer('weekdays: bit 0 Monday to bit 6 Sunday', { minimum: 0, maximum: 127, example: 31 }),
  dirname: text('recording folder', { example: '/media/hdd/movie/' }),
  tags: text('tags, separated by spaces', { example: 'News' }),
  margin_before: integer(
    'seconds before the programme: with `id`, for which the timer starts earlier; with times, which of them are the margin',
    margin,
  ),
  margin_after: integer('seconds after the programme; like `margin_before`', margin),
};
type TimerFields = ParameterValues<typeof optionFields>;

const newTimerFields = { id: integer('event id', eventIds), ...period, ...optionFields };

const changed = {
  201: {
    description: 'the timer',
    schema: List,
    headers: { Location: { description: 'path of the timer', schema: Type.String() } },
  },
  409: {
    description: 'there are not enough tuners',
    schema: Conflict,
    example: exampleError(
      'timer-conflict',
      'Conflicting Timer(s) detected! Ships',
      { path: '/timers', method: 'POST' },
      { conflicts: [exampleTimer, exampleManual] },
    ),
  },
};
const failures = {
  400: 'something is missing or invalid',
  403: 'the folder is not a recording folder',
  404: 'no such service or event',
  500: 'the timers cannot be written',
  503: 'no tuner can receive the service',
};

const timerPost = route({
  method: 'POST',
  path: '/timers',
  name: 'timerPost',
  summary: 'Creates a timer, for a period or for an event in the guide.',
  description:
    'For a period, send `title`, `start_time` and `end_time`; for an event, `id` without times: the timer gets the configured margins, or those in the request. If the service already has a timer for the same period, or ' +
    'for the same event with wider margins, the response is that timer, with status 200.',
  parameters: {
    service_reference: serviceReference('service').required(),
    ...newTimerFields,
  },
  responses: { 200: { description: 'the timer already exists', schema: List }, ...changed },
  failures: {
    ...failures,
    501: 'the service cannot be recorded',
    507: 'the maximum number of timers has been reached',
  },
  async run(parts, { service_reference, ...given }) {
    const reference = resolveRecordable(parts.services, service_reference, { justPlay: given.justplay ?? false });
    const spec = await newTimerSpec(parts, reference, given);
    const { timer, added } = await withConflicts(parts, () => parts.timers.add(spec));
    const body = await bodyOf(parts, [timer], {});
    return added ? { status: 201, headers: { Location: pathOf(timer) }, body } : { body };
  },
});

const timerPut = route({
  method: 'PUT',
  path: '/timers/{service_reference}/{item}',
  name: 'timerPut',
  summary: 'Changes a timer; absent fields stay as they are.',
  description: 'While the timer is running, only a new end takes effect immediately.',
  parameters: {
    ...segments,
    service: serviceReference('another service'),
    ...period,
    ...optionFields,
  },
  responses: { 200: { description: 'the changed timer', schema: List, example: exampleItem }, 409: changed[409] },
  failures,
  async run(parts, { service_reference, item, service, start_time, end_time, ...given }) {
    const old = existing(parts, service_reference, item);
    const reference = service
      ? resolveRecordable(parts.services, service, { justPlay: given.justplay ?? old.justPlay })
      : old.reference;
    const margins = knownMargins(old);
    const { margin_before: before = margins.before, margin_after: after = margins.after } = given;
    // A new margin moves a time that is not given itself.
    const begin = start_time ?? old.begin + margins.before - before;
    const times = { begin, end: Math.max(begin, end_time ?? old.end - margins.after + after) };
    const moved = times.begin !== old.begin || times.end !== old.end || !reference.equals(old.reference);
    const { folder, ...options } = optionsOf(given, margins);
    const name = given.title || old.name;
    // The new period may cover another event, or the same event with other margins.
    const specOfPeriod = await specOfTime(
      parts,
      { reference, ...times, name },
      defined({ folder, ...options, eventId: old.eventId }),
    );
    const changes = {
      reference,
      ...times,
      ...options,
      name,
      ...(folder !== undefined && { folder: specOfPeriod.folder }),
      ...(moved && { eventId: specOfPeriod.eventId, event: specOfPeriod.event }),
    };
    const timer = await withConflicts(parts, () => parts.timers.change(old.id, changes));
    if (!timer) noTimer(service_reference, item);
    return { body: await bodyOf(parts, [timer], requestKeys(service_reference, item)) };
  },
});

export const timerRoutes = group(
  'timers',
  [timers, timersOf, timerItem, timerDelete, timerRestore, timersDelete, timerPost, timerPut],
  'record',
);

const noMargins: TimerMargins = { before: 0, after: 0 };

/** The margins of a timer; 0 where neither its event nor its client has set them. */
function knownMargins(timer: Timer): TimerMargins {
  const { event, begin, end } = timer;
  const ofEvent = event && { before: Math.max(0, event.start - begin), after: Math.max(0, end - event.end) };
  return marginsOf(timer) ?? ofEvent ?? noMargins;
}

/** The options that the request contains. A margin that it does not contain is the default one. */
function optionsOf(
  { justplay, zapbeforerecord, afterevent, repeat_mask, tags, ...given }: TimerFields,
  defaultMargins: TimerMargins,
) {
  const { margin_before: before, margin_after: after } = given;
  return defined({
    description: given.shortinfo,
    disabled: given.disabled,
    justPlay: justplay,
    alwaysZap: zapbeforerecord,
    afterEvent: afterevent,
    repeated: repeat_mask,
    folder: given.dirname,
    tags: tags?.split(/\s+/).filter((word) => word !== ''),
    margins:
      before === undefined && after === undefined
        ? undefined
        : { before: before ?? defaultMargins.before, after: after ?? defaultMargins.after },
  }) satisfies TimerOptions;
}

async function newTimerSpec(
  parts: ReceiverParts,
  reference: ServiceReference,
  { id, start_time: begin, end_time: end, ...given }: ParameterValues<typeof newTimerFields>,
): Promise<TimerSpec> {
  const isForEvent = begin === undefined && id !== undefined;
  const options = optionsOf(given, isForEvent ? recordingMargins(parts.settings) : noMargins);
  if (isForEvent) {
    const spec = await specOfEventId(parts, reference, id, options);
    return { ...spec, name: given.title || spec.name, description: given.shortinfo ?? spec.description };
  }
  if (begin === undefined) throw fail('parameter-missing', 'start_time');
  if (end === undefined) throw fail('parameter-missing', 'end_time');
  if (!given.title) throw fail('parameter-missing', 'title');
  const time = { reference, begin, end: Math.max(begin, end), name: given.title };
  return specOfTime(parts, time, defined({ ...options, eventId: id }));
}

/** Runs an action. If it fails because of a conflict, the error response has the timers in conflict. */
async function withConflicts<Result>(parts: ReceiverParts, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof TimerConflict)) throw error;
    const times = error.conflicts.map(({ timer, begin, end }) => ({ ...timer, begin, end }));
    throw new DetailedError(error, { keys: { conflicts: await itemsOf(parts, times) } });
  }
}

const requestKeys = (reference: ServiceReference, item: string) => ({
  service_reference: referenceText(reference),
  item_id: /^\d+$/.test(item) ? Number(item) : item,
});

const pathOf = ({ reference, id }: Timer) => `/timers/${encodeURIComponent(referenceText(reference))}/t${id}`;

const ofService = ({ timers }: ReceiverParts, reference: ServiceReference) =>
  timers.all.filter((timer) => timer.reference.equals(reference));

function filtered(all: readonly Timer[], { state, all: endedToo }: ParameterValues<typeof query>): Timer[] {
  if (state !== undefined) return all.filter((timer) => timer.state === state);
  return endedToo ? [...all] : all.filter((timer) => timer.state !== 'ended');
}

/** @throws ReceiverError `bad-path` */
function find(parts: ReceiverParts, reference: ServiceReference, item: string): Timer | undefined {
  const match = /^(t?)(\d{1,9})$/.exec(item);
  if (!match)
    throw fail('bad-path', `with '${item}' in place of a timer, which is an event id or t and its timer_id (t7),`);
  const number = Number(match[2]);
  const timers = ofService(parts, reference);
  if (match[1] === 't') return timers.find(({ id }) => id === number);
  return number === 0 ? undefined : timerOfEvent(timers, number);
}

/** @throws ReceiverError `bad-path`, `not-found` */
function existing(parts: ReceiverParts, reference: ServiceReference, item: string): Timer {
  return find(parts, reference, item) ?? noTimer(reference, item);
}

/** @throws ReceiverError `not-found` */
function noTimer(reference: ServiceReference, item: string): never {
  const what = item.startsWith('t') ? `with timer_id ${item.slice(1)}` : `for event ${item}`;
  const text = `no timer ${what} on ${referenceText(reference)}`;
  throw new ReceiverError('not-found', `${text}; GET /timers lists all timers, and ${pathAdvice}`);
}

async function responseOf(parts: ReceiverParts, shown: readonly Timer[], more: object = {}): Promise<RestResponse> {
  const body = await bodyOf(parts, shown, more);
  return { etag: tagOf(body), body };
}

async function bodyOf(parts: ReceiverParts, shown: readonly Timer[], more: object) {
  return { result: true, ...more, items: await itemsOf(parts, shown) };
}
