/** GET /api/events: events of the receiver as they happen, so that apps need not poll. */
import type { Readable } from 'node:stream';
import * as Type from 'typebox';
import { fail, ReceiverError } from '../../base/errors.ts';
import { type EventType, eventTypes } from '../../events/events.ts';
import { Parameter, refused, text, whole } from '../middleware/parameters.ts';
import { type Push, pushedSchemas, type Subscription } from './push.ts';
import { Refusal, type Route, route } from './route.ts';

const eventStreamType = 'text/event-stream; charset=utf-8';

const types = new Parameter<ReadonlySet<EventType> | undefined>(
  `only these events, separated by commas: ${eventTypes.join(', ')}; absent = all`,
  Type.String({ examples: ['service,volume'] }),
  (given, name) => {
    const words = (given ?? '').split(',').flatMap((word) => word.trim() || []);
    const known = words.map((word) => {
      const type = eventTypes.find((one) => one === word);
      if (type === undefined)
        throw fail('parameter-invalid', name, `contains '${word}', which is not one of ${eventTypes}`);
      return type;
    });
    return known.length === 0 ? undefined : new Set(known);
  },
);

/** Seconds between two things that are sent. */
function pace(description: string, minimum: number, maximum: number): Parameter<number | undefined> {
  return new Parameter(description, Type.Number({ minimum, maximum }), (given = '', name) => {
    if (given === '') return undefined;
    const seconds = /^\d{1,4}(\.\d{1,3})?$/.test(given) ? Number(given) : Number.NaN;
    if (!(seconds >= minimum && seconds <= maximum)) {
      throw refused(name, given, `a number from ${minimum} to ${maximum}`);
    }
    return seconds;
  });
}

const noBuffers = {
  // Otherwise a reverse proxy would hold events back until its buffer is full.
  'X-Accel-Buffering': 'no',
} as const;

function subscribed(push: Push, wanted: Subscription, from: string): Readable {
  try {
    return push.subscribe(wanted, from);
  } catch (error) {
    if (!(error instanceof ReceiverError)) throw error;
    throw new Refusal(error, {}, { 'Retry-After': '30' });
  }
}

/** The event stream route. */
export function eventsRoute(push: Push): Route {
  return route({
    path: '/api/events',
    name: 'events',
    summary: 'Changes of the receiver’s state as server-sent events.',
    description:
      'Each event has a type, JSON data (`x-events` has its schema by type) and an id. A client that sends the last id in `Last-Event-ID`, as browsers do when ' +
      'they reconnect, first gets the events it missed; a `reset` event says that they are no longer available. A client that does ' +
      'not read its events is disconnected.',
    query: {
      types,
      signal: pace('seconds between two `signal` events, 0.5 or more; absent = none', 0.5, 3600),
      tuner: whole('number of the tuner whose signal is wanted; absent = the tuner in use', {
        minimum: 0,
        maximum: 255,
      }),
      heartbeat: pace('seconds between two heartbeats; absent = as configured', 1, 300),
      lastEventId: text('the same as the header `Last-Event-ID`, for clients that cannot send it'),
    },
    responses: {
      200: {
        description: 'an endless stream of events',
        types: [eventStreamType],
        schema: Type.String({
          'x-events': pushedSchemas,
          contentMediaType: 'text/event-stream',
          contentSchema: Type.Union(Object.values(pushedSchemas), { description: 'the data of an event' }),
        }),
        example: 'retry: 3000\nid: 5f0c2a91-41\n\nid: 5f0c2a91-42\nevent: volume\ndata: {"level":55,"muted":false}\n\n',
      },
    },
    failures: { 404: 'there is no such tuner', 503: 'too many clients; Retry-After says when to try again' },
    run({ tuners, accessControl }, { types, signal, tuner, heartbeat, lastEventId }, request) {
      if (tuner !== undefined && tuners.list()[tuner] === undefined) throw fail('not-found', `tuner ${tuner}`);
      const header = request.headers['last-event-id'];
      const lastId = (typeof header === 'string' && header) || lastEventId || undefined;
      const wanted = { types, signal, tuner, heartbeat, lastId };
      const from = accessControl.peers.clientOf(request.raw);
      const body = request.method === 'HEAD' ? '' : subscribed(push, wanted, from);
      return { headers: noBuffers, document: { contentType: eventStreamType, body } };
    },
  });
}
