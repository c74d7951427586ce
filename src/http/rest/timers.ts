/** `/timers`: the timers of all services, of one service, or a single one; creating, changing and deleting timers. */
import * as Type from 'typebox';
import { fail } from '../../base/errors.ts';
import type { ServiceReference } from '../../services/reference.ts';
import { afterEvents, type Timer, type TimerSpec, timerStates } from '../../timers/timer.ts';
import { TimerConflict } from '../../timers/timer-list.ts';
import { recordable, specOfEvent, specOfTime, type TimerOptions } from '../../timers/timer-specs.ts';
import { tagOf } from '../middleware/entity-tag.ts';
import {
  defined,
  eventIds,
  type ParameterValues,
  serviceReference,
  text,
  toggle,
  unixTimes,
  whole,
  word,
} from '../middleware/parameters.ts';
import { timerOfEvent } from '../operations/timer-changes.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { exampleOf, record } from '../write/record.ts';
import { exampleService } from './event-record.ts';
import { segmentReference, segmentText } from './parameters.ts';
import { area, errorKeys, exampleError, Refusal, type RestAnswer, route } from './route.ts';
import { exampleManual, exampleTimer, itemsOf, named, TimerSchema } from './timer-record.ts';

const List = record(
  {
    result: true,
    service_reference: Type.Optional(Type.String({ description: 'if one was requested' })),
    item_id: Type.Optional(Type.Union([Type.Integer(), Type.String()], { description: 'if one was requested' })),
    items: Type.Array(TimerSchema),
  },
  { $id: 'Timers' },
);

const Conflict = Type.Object(
  {
    ...errorKeys,
    conflicts: Type.Array(TimerSchema, { description: 'the timer that gets no tuner, and those in its way' }),
  },
  { $id: 'TimerConflict' },
);

const caching = 'no-cache';
const query = {
  state: word('only timers in this state; ended timers are shown only on request', timerStates),
  all: toggle('include ended timers').or(false),
};
const { service_reference } = exampleService;
const exampleItem = exampleOf(List, { service_reference, item_id: 4711 });
const response = { description: 'the timers, in order of creation', schema: List };
const item = 'event id of the timer, or `t` and its `timer_id`: t7';
const segments = { service_reference: segmentReference(), item: segmentText(item, '4711') };

const timers = route({
  path: '/timers',
  name: 'timers',
  summary: 'The timers of all services.',
  caching,
  query,
  responses: { 200: response },
  run: (parts, shown) => answer(parts, filtered(parts.timers.all, shown)),
});

const timersOf = route({
  path: '/timers/{service_reference}',
  name: 'timersOf',
  summary: 'The timers of one service.',
  caching,
  segments: { service_reference: segmentReference() },
  query,
  responses: { 200: { ...response, example: exampleOf(List, { service_reference }) } },
  failures: { 400: 'the path contains no service reference, or an invalid parameter' },
  run: (parts, { service_reference, ...shown }) =>
    answer(parts, filtered(ofService(parts, service_reference), shown), {
      service_reference: named(service_reference),
    }),
});

const timerItem = route({
  path: '/timers/{service_reference}/{item}',
  name: 'timerItem',
  summary: 'One timer, whatever its state.',
  caching,
  segments,
  responses: {
    200: { description: 'the timer', schema: List, example: exampleItem },
    404: { description: 'no such timer: `items` is empty', schema: List, example: { ...exampleItem, items: [] } },
  },
  failures: { 400: 'the path contains no service reference or number' },
  async run(parts, { service_reference, item }) {
    const found = find(parts, service_reference, item);
    if (found === undefined) return { status: 404, body: await bodyOf(parts, [], asked(service_reference, item)) };
    return answer(parts, [found], asked(service_reference, item));
  },
});

const timerDelete = route({
  method: 'DELETE',
  path: '/timers/{service_reference}/{item}',
  name: 'timerDelete',
  summary: 'Deletes a timer; its recording stops, and the file stays.',
  segments,
  responses: { 200: { description: 'the deleted timer', schema: List, example: exampleItem } },
  failures: {
    400: 'the path contains no service reference or number',
    404: 'no such timer',
    500: 'the list cannot be written',
  },
  async run(parts, { service_reference, item }) {
    const removed = await parts.timers.remove(existing(parts, service_reference, item).id);
    if (!removed) throw fail('not-found', `timer ${item}`);
    return { body: await bodyOf(parts, [removed], asked(service_reference, item)) };
  },
});

const timerRestore = route({
  method: 'POST',
  path: '/timers/restore',
  name: 'timerRestore',
  summary: 'Takes the deletion of a timer back: it is as it was, and goes on recording if its time is not over.',
  description: 'Possible for the last 20 deletions, until the receiver restarts.',
  fields: { timer_id: whole('`timer_id` of the deleted timer', { minimum: 1, maximum: 1_000_000_000 }).required() },
  responses: { 200: { description: 'the timer', schema: List } },
  failures: {
    400: 'something is missing or invalid',
    404: 'no such timer was deleted',
    500: 'the list cannot be written',
    507: 'the maximum number of timers has been reached',
  },
  async run(parts, { timer_id }) {
    const timer = await parts.timers.restore(timer_id);
    if (!timer) throw fail('not-found', `deleted timer ${timer_id}`);
    return { body: await bodyOf(parts, [timer], {}) };
  },
});

/** A DELETE for all timers of a service is probably a truncated URL. */
const timersDelete = route({
  method: 'DELETE',
  path: '/timers/{service_reference}',
  name: 'timersDelete',
  summary: 'Always refused: timers are deleted one at a time.',
  segments: { service_reference: segmentReference() },
  responses: {},
  failures: { 400: 'always' },
  run(_, { service_reference }) {
    throw fail('bad-path', `${named(service_reference)} without a timer`);
  },
});

const period = {
  start_time: whole('Unix seconds', unixTimes),
  end_time: whole('Unix seconds', unixTimes),
};
const wishes = {
  title: text('title'),
  shortinfo: text('short text'),
  disabled: toggle('does nothing'),
  justplay: toggle('shows the service and records nothing'),
  zapbeforerecord: toggle('also shows the service that it records'),
  afterevent: word('what the receiver does after the end; default of a new timer: auto', afterEvents),
  repeat_mask: whole('weekdays: bit 0 Monday to bit 6 Sunday', { minimum: 0, maximum: 127 }),
  dirname: text('folder'),
  tags: text('separated by spaces'),
};
type TimerFields = ParameterValues<typeof wishes>;

const newTimer = { id: whole('event id', eventIds), ...period, ...wishes };

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
  500: 'the list cannot be written',
  503: 'no tuner can receive the service',
};

const timerPost = route({
  method: 'POST',
  path: '/timers',
  name: 'timerPost',
  summary: 'Creates a timer, for a period or for an event in the guide.',
  description:
    'For an event, give `id` and no times: it gets the configured margins. If the service has a timer for the same time, or for ' +
    'the same event with wider margins, the response is that timer, with status 200.',
  fields: {
    service_reference: serviceReference('service').required(),
    ...newTimer,
  },
  responses: { 200: { description: 'it already exists', schema: List }, ...changed },
  failures: {
    ...failures,
    501: 'the service cannot be recorded',
    507: 'the maximum number of timers has been reached',
  },
  async run(parts, { service_reference, ...given }) {
    const reference = recordable(parts.services, service_reference, { justPlay: given.justplay ?? false });
    const order = await newOrder(parts, reference, given);
    const { timer, added } = await refusing(parts, () => parts.timers.add(order));
    const body = await bodyOf(parts, [timer], {});
    return added ? { status: 201, headers: { Location: pathOf(timer) }, body } : { body };
  },
});

const timerPut = route({
  method: 'PUT',
  path: '/timers/{service_reference}/{item}',
  name: 'timerPut',
  summary: 'Changes a timer; fields that are not given stay as they are.',
  description: 'For a running timer, only a new end takes effect at once.',
  segments,
  fields: { service: serviceReference('another service'), ...period, ...wishes },
  responses: { 200: { description: 'the changed timer', schema: List, example: exampleItem }, 409: changed[409] },
  failures,
  async run(parts, { service_reference, item, service, start_time, end_time, ...given }) {
    const old = existing(parts, service_reference, item);
    const reference = service
      ? recordable(parts.services, service, { justPlay: given.justplay ?? old.justPlay })
      : old.reference;
    const times = { begin: start_time ?? old.begin, end: Math.max(start_time ?? old.begin, end_time ?? old.end) };
    const moved = times.begin !== old.begin || times.end !== old.end || !reference.equals(old.reference);
    const { folder, ...chosen } = chosenOf(given);
    const name = given.title || old.name;
    // The new time may cover another event, or the same event with other margins.
    const fresh = await specOfTime(
      parts,
      { reference, ...times, name },
      defined({ folder, ...chosen, eventId: old.eventId }),
    );
    const order: TimerSpec = {
      ...old,
      reference,
      ...times,
      ...chosen,
      name,
      folder: folder === undefined ? old.folder : fresh.folder,
      ...(moved && { eventId: fresh.eventId, event: fresh.event }),
    };
    const timer = await refusing(parts, () => parts.timers.change(old.id, order));
    if (!timer) throw fail('not-found', `timer ${item}`);
    return { body: await bodyOf(parts, [timer], asked(service_reference, item)) };
  },
});

export const timerRoutes = area(
  'timers',
  [timers, timersOf, timerItem, timerDelete, timerRestore, timersDelete, timerPost, timerPut],
  'record',
);

/** Only the values set by the request. */
function chosenOf({ justplay, zapbeforerecord, afterevent, repeat_mask, tags, ...given }: TimerFields) {
  return defined({
    description: given.shortinfo,
    disabled: given.disabled,
    justPlay: justplay,
    alwaysZap: zapbeforerecord,
    afterEvent: afterevent,
    repeated: repeat_mask,
    folder: given.dirname,
    tags: tags?.split(/\s+/).filter((word) => word !== ''),
  }) satisfies TimerOptions;
}

async function newOrder(
  parts: ReceiverParts,
  reference: ServiceReference,
  { id, start_time: begin, end_time: end, ...given }: ParameterValues<typeof newTimer>,
): Promise<TimerSpec> {
  const chosen = chosenOf(given);
  if (begin === undefined && id !== undefined) {
    const order = await specOfEvent(parts, reference, id, chosen);
    return { ...order, name: given.title || order.name, description: given.shortinfo ?? order.description };
  }
  if (begin === undefined) throw fail('parameter-missing', 'start_time');
  if (end === undefined) throw fail('parameter-missing', 'end_time');
  if (!given.title) throw fail('parameter-missing', 'title');
  const time = { reference, begin, end: Math.max(begin, end), name: given.title };
  return specOfTime(parts, time, defined({ ...chosen, eventId: id }));
}

/** Adds the timers concerned to a conflict. */
async function refusing<Result>(parts: ReceiverParts, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof TimerConflict)) throw error;
    const times = error.conflicts.map(({ timer, begin, end }) => ({ ...timer, begin, end }));
    throw new Refusal(error, { conflicts: await itemsOf(parts, times) });
  }
}

const asked = (reference: ServiceReference, item: string) => ({
  service_reference: named(reference),
  item_id: /^\d+$/.test(item) ? Number(item) : item,
});

const pathOf = ({ reference, id }: Timer) => `/timers/${encodeURIComponent(named(reference))}/t${id}`;

const ofService = ({ timers }: ReceiverParts, reference: ServiceReference) =>
  timers.all.filter((timer) => timer.reference.equals(reference));

function filtered(all: readonly Timer[], { state, all: endedToo }: ParameterValues<typeof query>): Timer[] {
  if (state !== undefined) return all.filter((timer) => timer.state === state);
  return endedToo ? [...all] : all.filter((timer) => timer.state !== 'ended');
}

/** @throws ReceiverError `bad-path` */
function find(parts: ReceiverParts, reference: ServiceReference, item: string): Timer | undefined {
  const match = /^(t?)(\d{1,9})$/.exec(item);
  if (!match) throw fail('bad-path', `with '${item}' in place of a timer`);
  const number = Number(match[2]);
  const own = ofService(parts, reference);
  if (match[1] === 't') return own.find(({ id }) => id === number);
  return number === 0 ? undefined : timerOfEvent(own, number);
}

/** @throws ReceiverError `bad-path`, `not-found` */
function existing(parts: ReceiverParts, reference: ServiceReference, item: string): Timer {
  const found = find(parts, reference, item);
  if (!found) throw fail('not-found', `timer ${item}`);
  return found;
}

async function answer(parts: ReceiverParts, shown: readonly Timer[], more: object = {}): Promise<RestAnswer> {
  const body = await bodyOf(parts, shown, more);
  return { etag: tagOf(body), body };
}

async function bodyOf(parts: ReceiverParts, shown: readonly Timer[], more: object) {
  return { result: true, ...more, items: await itemsOf(parts, shown) };
}
