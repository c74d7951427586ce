/**
 * `/picture/event` and `/picture/recording`: pictures of programmes and of recordings. A client names an event or a
 * recording, never the address of a picture: the receiver fetches only those that guide files name.
 */
import { fail } from '../../base/errors.ts';
import { guideKey } from '../../services/guide-key.ts';
import { group } from '../endpoint/endpoint.ts';
import { integer, serviceReference, text } from '../middleware/parameters.ts';
import { binary } from './recordings.ts';
import { Refusal, type RestAnswer, route } from './route.ts';

const caching = 'private, max-age=86400';
/** Bytes of a picture. */
const responsesWith = (types: readonly string[]) => ({
  200: { description: 'the picture', types, schema: binary },
  206: { description: 'the requested byte range', types, schema: binary },
});
const fileFailures = {
  412: 'the picture does not meet If-Match or If-Unmodified-Since',
  416: 'the range begins after the end',
};

/** Seconds after which a client may ask again for a picture that is being made. */
const retryAfterSeconds = 2;

const eventPicture = route({
  path: '/picture/event',
  name: 'eventPicture',
  tag: 'epg',
  summary: 'The picture of an event, if its guide file names one.',
  description:
    'The receiver fetches the picture from its address when it is first requested. The first requests may be answered with 404 until it has arrived.',
  caching,
  query: {
    service_reference: serviceReference('the service').required(),
    event_id: integer('event id', { minimum: 0, maximum: 65_535, example: 4711 }).required(),
  },
  responses: responsesWith(['image/png', 'image/jpeg', 'image/webp']),
  failures: { ...fileFailures, 404: 'no such event, or it has no picture' },
  async run({ guide, services, webPictures }, { service_reference, event_id }): Promise<RestAnswer> {
    const key = guideKey(services, services.resolve(service_reference));
    const address = key && (await guide.pictureOf(key, event_id));
    const path = address && (await webPictures.find(address));
    if (!path) throw fail('not-found', 'the picture');
    return { file: path };
  },
});

const recordingPicture = route({
  path: '/picture/recording',
  name: 'recordingPicture',
  tag: 'recordings',
  summary: 'A picture of a recording: a frame some minutes in, 480 by 270 pixels.',
  description: 'Needs ffmpeg on the machine. The picture is made when it is first requested.',
  caching,
  query: {
    file: text('absolute path', { example: '/media/hdd/movie/20260101 1857 - Alpha HD - Ships.ts' }).required(),
  },
  responses: responsesWith(['image/jpeg']),
  failures: {
    ...fileFailures,
    403: 'the path leads out of the recording folders',
    404: 'no such recording, or no picture can be made of it',
    503: 'the picture is being made; Retry-After says when to ask again',
  },
  async run({ locations, recordings, recorder, recordingPictures }, { file }): Promise<RestAnswer> {
    const recording = await recordings.find(await locations.resolveExisting(file));
    // What is running gets its picture at its end: the frame some minutes in is not there yet.
    const isRunning = recorder.active.some(({ path }) => path === recording.path);
    const picture = isRunning ? undefined : await recordingPictures.find(recording);
    if (picture === 'later')
      throw new Refusal(fail('picture-not-ready'), {}, { 'Retry-After': String(retryAfterSeconds) });
    if (picture === undefined) throw fail('not-found', 'the picture');
    return { file: picture };
  },
});

export const pictureRoutes = group('epg', [eventPicture, recordingPicture], 'view');
