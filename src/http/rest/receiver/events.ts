/** `GET /api/events`: streams changes of the receiver's state as they happen, so that apps need not poll. */
import type { Readable } from 'node:stream';
import * as Type from 'typebox';
import { fail, ReceiverError } from '../../../base/errors.ts';
import { type EventType, eventTypes } from '../../../events/events.ts';
import { type RouteDraft, route } from '../../endpoint/route.ts';
import { DetailedError } from '../../middleware/failures.ts';
import { integer, Parameter, type Range, refused, text } from '../../middleware/parameters.ts';
import { type Push, pushedSchemas, type Subscription } from './push.ts';

const eventStreamType = 'text/event-stream; charset=utf-8';

const types = new Parameter<ReadonlySet<EventType> | undefined>(
  `only these events, separated by commas: ${eventTypes.join(', ')}; absent = all`,
  Type.String({ examples: ['service,volume'] }),
  (given, name) => {
    const words = (given ?? '').split(',').flatMap((word) => word.trim() || []);
    const known = words.map((word) => {
      const type = eventTypes.find((one) => one === word);
      if (type === undefined)
        throw fail('parameter-invalid', name, `contains '${word}', which is not one of ${eventTypes.join(', ')}`);
      return type;
    });
    return known.length === 0 ? undefined : new Set(known);
  },
);

/** A parameter for an interval in seconds, with up to three decimals. */
function interval(
  description: string,
  { minimum, maximum, example }: Range & { readonly example: number },
): Parameter<number | undefined> {
  return new Parameter(description, Type.Number({ minimum, maximum, examples: [example] }), (given = '', name) => {
    if (given === '') return undefined;
    const seconds = /^\d{1,4}(\.\d{1,3})?$/.test(given) ? Number(given) : Number.NaN;
    if (!(seconds >= minimum && seconds <= maximum)) {
      throw refused(name, given, `a number from ${minimum} to ${maximum}`);
    }
    return seconds;
  });
}

const noProxyBuffering = {
  // Without this, a reverse proxy would hold back events until its buffer is full.
  'X-Accel-Buffering': 'no',
} as const;

function subscribe(push: Push, subscription: Subscription, client: string): Readable {
  try {
    return push.subscribe(subscription, client);
  } catch (error) {
    if (!(error instanceof ReceiverError)) throw error;
    throw new DetailedError(error, { retryAfter: 30 });
  }
}

/** The event stream route. */
export function eventsRoute(push: Push): RouteDraft {
  return route({
    path: '/api/events',
    name: 'events',
    summary: 'Changes of the receiver’s state as server-sent events.',
    description:
      'Each event has a type, JSON data and an id; `x-events` has the schema of the data by type. A client that sends the last id it received in ' +
      '`Last-Event-ID`, as browsers do when they reconnect, first receives the events it missed. A `reset` event instead means that they are no longer ' +
      'available. A client that does not read its events is disconnected.',
    parameters: {
      types,
      signal: interval('seconds between two `signal` events, 0.5 or more; absent = none', {
        minimum: 0.5,
        maximum: 3600,
        example: 1,
      }),
      tuner: integer('number of the tuner for `signal` events; absent = the tuner in use', {
        minimum: 0,
        maximum: 255,
        example: 0,
      }),
      heartbeat: interval('seconds between two heartbeats; absent = as configured', {
        minimum: 1,
        maximum: 300,
        example: 5,
      }),
      lastEventId: text('replaces the header `Last-Event-ID`, for clients that cannot send it', {
        example: '5f0c2a91-41',
      }),
    },
    responses: {
      200: {
        description: 'an endless stream of events',
        types: [eventStreamType],
        schema: Type.String({
          'x-events': pushedSchemas,
          contentMediaType: 'text/event-stream',
          contentSchema: Type.Union(Object.values(pushedSchemas), { description: 'data of an event' }),
        }),
        example: 'retry: 3000\nid: 5f0c2a91-41\n\nid: 5f0c2a91-42\nevent: volume\ndata: {"level":55,"muted":false}\n\n',
      },
    },
    failures: { 404: 'no such tuner', 503: 'too many clients; Retry-After says when to try again' },
    run({ tuners, accessControl }, { types, signal, tuner, heartbeat, lastEventId }, request) {
      if (tuner !== undefined && tuners.list()[tuner] === undefined) throw fail('not-found', `tuner ${tuner}`);
      const header = request.headers['last-event-id'];
      const lastId = (typeof header === 'string' && header) || lastEventId || undefined;
      const client = accessControl.peers.clientOf(request.raw);
      const body =
        request.method === 'HEAD' ? '' : subscribe(push, { types, signal, tuner, heartbeat, lastId }, client);
      return { headers: noProxyBuffering, document: { contentType: eventStreamType, body } };
    },
  });
}
