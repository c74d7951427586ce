/**
 * `/picture/service`, `/picture/event`, `/picture/recording`, `/picture/timeshift` and `/picture/live`: logos of services,
 * pictures of programmes and of recordings, previews of timeshift, and stills of what is on.
 * A client names a service, an event or a recording, never the address of a picture: the receiver fetches only those that
 * lists and guide files name.
 *
 * What has no picture is answered with 204, and what has none yet with 202: neither is an error, and browsers log errors.
 */
import * as Type from 'typebox';
import { ReceiverError } from '../../../base/errors.ts';
import type { RecordingPicture } from '../../../pictures/recording-pictures.ts';
import { isLocked } from '../../../playback/parental-control.ts';
import { guideKey } from '../../../services/guide/guide-key.ts';
import { group } from '../../endpoint/endpoint.ts';
import { type RestResponse, route } from '../../endpoint/route.ts';
import { integer, serviceReference, text, unixTimes } from '../../middleware/parameters.ts';
import { logoFileOf, refreshPicons } from '../../pictures/picons.ts';
import { binary } from '../recordings/recordings.ts';
import { maxSeconds } from '../streams/live.ts';

const caching = 'private, max-age=86400';
const uncached = { 'Cache-Control': 'no-store' };

const nothing: RestResponse = { status: 204, empty: true, headers: uncached };
/** With the seconds after which the client may ask again. */
const later: RestResponse = { status: 202, empty: true, headers: { ...uncached, 'Retry-After': '2' } };

const responsesWith = (types: readonly string[]) => ({
  200: { description: 'the picture', types, schema: binary },
  204: { description: 'there is no picture' },
  206: { description: 'the requested byte range', types, schema: binary },
});
const notYet = {
  202: {
    description: 'the picture is not ready yet',
    headers: { 'Retry-After': { description: 'seconds to wait before the next request', schema: Type.Integer() } },
  },
};
const failures = {
  412: 'the picture does not meet If-Match or If-Unmodified-Since',
  416: 'the range begins after the end',
};
const webTypes = ['image/png', 'image/jpeg', 'image/webp'];

const service = serviceReference('the service').required();

const servicePicture = route({
  path: '/picture/service',
  name: 'servicePicture',
  tag: 'services',
  summary: 'The picon of a service, otherwise its logo from a channel list or guide file.',
  description: 'Unlike `getpicon`, without a default picture.',
  caching,
  parameters: { service_reference: service },
  responses: responsesWith([...webTypes, 'image/svg+xml']),
  failures,
  async run(parts, { service_reference }): Promise<RestResponse> {
    const { services } = parts;
    await refreshPicons(parts);
    const reference = services.resolve(service_reference);
    const file = await logoFileOf(parts, reference, services.nameOf(reference));
    return file === undefined ? nothing : { file };
  },
});

const eventPicture = route({
  path: '/picture/event',
  name: 'eventPicture',
  tag: 'epg',
  summary: 'The picture of an event, if its guide file names one.',
  description: 'The receiver fetches the picture from its address when it is first requested, and keeps it.',
  caching,
  parameters: {
    service_reference: service,
    event_id: integer('event id', { minimum: 0, maximum: 65_535, example: 4711 }).required(),
  },
  responses: { ...responsesWith(webTypes), ...notYet },
  failures,
  async run({ guide, services, webPictures }, { service_reference, event_id }): Promise<RestResponse> {
    const key = guideKey(services, services.resolve(service_reference));
    const address = key && (await guide.pictureOf(key, event_id));
    if (!address) return nothing;
    const file = await webPictures.find(address);
    if (file !== undefined) return { file };
    return webPictures.isPending(address) ? later : nothing;
  },
});

const recordingPicture = route({
  path: '/picture/recording',
  name: 'recordingPicture',
  tag: 'recordings',
  summary: 'A picture of a recording: a frame some minutes in, 480 by 270 pixels.',
  description:
    'Needs ffmpeg on the machine. The picture is made when it is first requested, and kept. With `time`, a preview for the seek bar of a player: the frame at that position, 320 by 180 pixels.',
  caching,
  parameters: {
    file: text('absolute path', { example: '/media/hdd/movie/20260101 1857 - Alpha HD - Ships.ts' }).required(),
    time: integer('seconds from the beginning of the recording; rounded down to a multiple of 10', {
      minimum: 0,
      maximum: maxSeconds,
      example: 60,
    }),
  },
  responses: { ...responsesWith(['image/jpeg']), ...notYet },
  failures: { ...failures, 403: 'the path leads out of the recording folders' },
  async run({ locations, recordings, recorder, recordingPictures }, { file, time }): Promise<RestResponse> {
    const recording = await existing(async () => recordings.find(await locations.resolveExisting(file)));
    // It has just been renamed, moved or deleted.
    if (recording === undefined) return nothing;
    const isRunning = recorder.active.some(({ path }) => path === recording.path);
    // What is running gets its picture at its end: the frame some minutes in is not there yet.
    if (isRunning && time === undefined) return nothing;
    const picture =
      time === undefined
        ? await recordingPictures.find(recording)
        : await recordingPictures.findPreview(recording, time, isRunning);
    return answerOf(picture);
  },
});

const timeshiftPicture = route({
  path: '/picture/timeshift',
  name: 'timeshiftPicture',
  tag: 'recordings',
  summary: 'A preview of timeshift for the seek bar of a player, 320 by 180 pixels.',
  description: 'Needs ffmpeg on the machine. The picture is made when it is first requested, and kept.',
  caching,
  parameters: {
    service_reference: service,
    time: integer('Unix seconds; the picture may be some seconds earlier', unixTimes).required(),
  },
  responses: { ...responsesWith(['image/jpeg']), ...notYet },
  failures,
  async run({ services, timeshifts, recordingPictures }, { service_reference, time }): Promise<RestResponse> {
    const { active } = timeshifts;
    if (!active?.reference.equals(services.resolve(service_reference))) return nothing;
    return answerOf(await recordingPictures.findShifted(active, time));
  },
});

function answerOf(picture: RecordingPicture): RestResponse {
  if (picture === undefined) return nothing;
  return picture === 'later' ? later : { file: picture };
}

const livePicture = route({
  path: '/picture/live',
  name: 'livePicture',
  tag: 'services',
  summary: 'A still of a service that is received anyway, at most some tens of seconds old.',
  description:
    'Needs ffmpeg on the machine. No tuner is tuned or kept on for it, and no stream opened. There is none of a service with the parental lock.',
  caching: 'no-store',
  parameters: { service_reference: service },
  responses: {
    200: { description: 'the picture', types: ['image/jpeg'], schema: binary },
    204: { description: 'there is no picture' },
    ...notYet,
  },
  async run(parts, { service_reference }): Promise<RestResponse> {
    const { services, liveStills } = parts;
    const reference = services.resolve(service_reference);
    if (await isLocked(parts, reference)) return nothing;
    for (const one of services.playable(reference)) {
      const still = await liveStills.find(one);
      if (still !== undefined)
        return still === 'later' ? later : { document: { contentType: 'image/jpeg', body: still } };
    }
    return nothing;
  },
});

/** What `find` finds; undefined if that does not exist. */
async function existing<Found>(find: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof ReceiverError && error.code === 'not-found') return undefined;
    throw error;
  }
}

export const pictureRoutes = group(
  'epg',
  [servicePicture, eventPicture, recordingPicture, timeshiftPicture, livePicture],
  'view',
);
