/** `/current_event`: the present event of the current service or of any other. */
import { basename } from 'node:path';
import * as Type from 'typebox';
import { fail } from '../../../base/errors.ts';
import type { PlayedRecording } from '../../../playback/current-service.ts';
import { recordedEvent } from '../../../recordings/files/recorded-event.ts';
import { guideKey } from '../../../services/guide/guide-key.ts';
import type { ServiceReference } from '../../../services/reference.ts';
import { group } from '../../endpoint/endpoint.ts';
import { errorKeys, exampleError, type RestResponse, route } from '../../endpoint/route.ts';
import { DetailedError } from '../../middleware/failures.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { cleaned } from '../../write/cleaned-text.ts';
import { field, nullable, recordSchema, sampled } from '../../write/record.ts';
import { eventKeys, eventRecord, exampleNextEvent, exampleService } from '../event-record.ts';
import { urlPath } from '../recordings/recordings.ts';
import { segmentInteger, segmentReference } from '../segments.ts';

const CurrentEventSchema = recordSchema(
  {
    ...eventKeys,
    ...exampleService,
    path: sampled(
      nullable(Type.String({ description: 'URL path of the recording that is playing; null for a live service' })),
      null,
    ),
    current_time: field(1767291000, 'the receiver’s clock'),
    remaining: field(2100, 'seconds until the event ends'),
    position: Type.Optional(Type.Integer({ description: 'playback position in the recording, in seconds' })),
    length: Type.Optional(Type.Integer({ description: 'length of the recording in seconds; 0 = unknown' })),
    next: nullable(sampled(Type.Object(eventKeys, { description: 'the following event' }), exampleNextEvent)),
  },
  { $id: 'CurrentEvent' },
);

const NoEventSchema = Type.Object(
  {
    ...errorKeys,
    service_reference: Type.Optional(Type.String({ description: 'absent when nothing is playing' })),
  },
  { $id: 'NoCurrentEvent' },
);

/** Roughly how long it takes to receive the present and following events of a service. */
const retryAfterSeconds = 30;

const eventResponse = { description: 'the present event and the following one', schema: CurrentEventSchema };
const noEventResponse = {
  description: 'nothing is playing, or no present event is known',
  schema: NoEventSchema,
  headers: { 'Retry-After': { description: 'seconds to wait before the next request', schema: Type.Integer() } },
};
const notPlaying = exampleError('not-playing', 'nothing is playing', { path: '/current_event', method: 'GET' });
const { service_reference } = exampleService;
const noEvent = exampleError(
  'no-event',
  `the guide has no present event for ${service_reference}`,
  { path: `/current_event/${service_reference}`, method: 'GET' },
  { service_reference },
);

const currentEvent = route({
  path: '/current_event',
  name: 'currentEvent',
  summary: 'The present event of the current service.',
  responses: { 200: eventResponse, 503: { ...noEventResponse, example: notPlaying } },
  run(parts) {
    const { current } = parts.playback;
    if (current === undefined) throw new DetailedError(fail('not-playing'), { retryAfter: retryAfterSeconds });
    if (current.played) return recordingResponse(parts, current.played);
    return liveEventResponse(parts, current.reference, current.name);
  },
});

const currentEventOf = route({
  path: '/current_event/{service_reference}',
  name: 'currentEventOf',
  summary: 'The present event of any service, tuned or not.',
  parameters: { service_reference: segmentReference() },
  responses: { 200: eventResponse, 503: { ...noEventResponse, example: noEvent } },
  failures: { 400: 'the path contains no service reference' },
  run: (parts, { service_reference }) => liveEventResponse(parts, service_reference),
});

const currentEventItem = route({
  path: '/current_event/{service_reference}/{item}',
  name: 'currentEventItem',
  summary: 'Like /current_event/{service_reference}. The item is always 0.',
  parameters: { service_reference: segmentReference(), item: segmentInteger('0', 0) },
  responses: { 200: eventResponse, 503: { ...noEventResponse, example: noEvent } },
  failures: {
    400: 'a segment is not a valid service reference, or the item is not a number',
    404: 'an item other than 0',
  },
  run(parts, { service_reference, item }) {
    if (item !== 0) throw fail('not-found', `item ${item}`);
    return liveEventResponse(parts, service_reference);
  },
});

export const currentEventRoutes = group('events', [currentEvent, currentEventOf, currentEventItem]);

async function liveEventResponse(
  { services, guide, clock }: ReceiverParts,
  reference: ServiceReference,
  shownName?: string,
): Promise<RestResponse> {
  const time = clock.now();
  const service_reference = reference.withoutName().format();
  const key = guideKey(services, reference);
  const [{ now, next } = { now: null, next: null }] = key === undefined ? [] : await guide.nowNext([key], time);
  if (now === null)
    throw new DetailedError(fail('no-event', service_reference), {
      keys: { service_reference },
      retryAfter: retryAfterSeconds,
    });
  return {
    body: {
      ...eventRecord(now),
      service_reference,
      service_name: cleaned(shownName ?? services.nameOf(reference)),
      path: null,
      current_time: time,
      remaining: Math.max(0, now.start + now.duration - time),
      next: next === null ? null : eventRecord(next),
    },
  };
}

/** Shown if the metadata of a recording names no service. */
const unknownService = { reference: '-1:0:0:0:0:0:0:0:0:0:', name: 'NONAME' } as const;

function recordingResponse(
  { clock, locations }: ReceiverParts,
  { recording, position, length = 0 }: PlayedRecording,
): RestResponse {
  const { service, serviceName, path, event, described } = recording;
  const hasMetadata = event !== null || described;
  const shownEvent = recordedEvent(recording);
  return {
    body: {
      ...eventRecord(hasMetadata ? shownEvent : { ...shownEvent, start: 0, duration: 0, title: basename(path) }),
      service_reference: service?.withoutName().format() ?? unknownService.reference,
      service_name: cleaned(serviceName || unknownService.name),
      path: urlPath(locations, path),
      current_time: clock.now(),
      remaining: Math.max(0, length - position),
      next: null,
      position,
      length,
    },
  };
}
