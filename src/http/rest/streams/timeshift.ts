/**
 * `/timeshift`: the stored period of the current service. It is available as a playlist of segments, in which players can
 * pause and seek; as one stream from a given position; and it can be saved as a recording.
 */
import { Readable } from 'node:stream';
import * as Type from 'typebox';
import { ClientSlots } from '../../../base/client-slots.ts';
import { fail } from '../../../base/errors.ts';
import { guideKey } from '../../../services/guide/guide-key.ts';
import { recordingFolder, timerFolder } from '../../../timers/timer-specs.ts';
import { sequenceOf } from '../../../timeshift/folder.ts';
import { hlsType, mediaPlaylist } from '../../../timeshift/playlist.ts';
import { readSegmentsFrom } from '../../../timeshift/reading.ts';
import type { Timeshift } from '../../../timeshift/timeshift.ts';
import { callerOf } from '../../endpoint/dispatch.ts';
import { group } from '../../endpoint/endpoint.ts';
import type { RequestContext } from '../../endpoint/operation.ts';
import { route } from '../../endpoint/route.ts';
import { withTicket } from '../../middleware/login.ts';
import { boolean, integer, text, unixTimes } from '../../middleware/parameters.ts';
import { playlistOfUrl, playlistType } from '../../operations/recordings/movie-playlists.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { field, nullable, recordSchema, sampled } from '../../write/record.ts';
import { exampleService } from '../event-record.ts';
import { binary } from '../recordings/recordings.ts';
import { segmentText } from '../segments.ts';

const streamType = 'video/mp2t';
/** Clients of `/timeshift.ts`. Each one reads a file. */
const maxReaders = 64;
/** Buffered for each client. */
const readAheadBytes = 512 * 1024;

/** A year: more than any stored period. */
const maxSecondsBack = 31_536_000;

const notRunning = { 404: 'timeshift is not running' };

function runningTimeshift({ timeshifts }: ReceiverParts): Timeshift {
  if (timeshifts.active === undefined) throw fail('not-found', 'timeshift');
  return timeshifts.active;
}

const State = recordSchema(
  {
    result: true,
    enabled: true,
    bound: field(4000000000, 'maximum bytes on the disk'),
    timeshift: nullable(
      recordSchema({
        reference: field(exampleService.service_reference, 'service reference'),
        name: field(exampleService.service_name, 'name of the service'),
        begin: sampled(Type.Number({ description: 'Unix seconds: begin of the stored period' }), 1767290400.25),
        end: sampled(Type.Number({ description: 'Unix seconds: end of the stored period' }), 1767291000.75),
        bytes: field(286200000, 'bytes on the disk'),
        lost: field(0, 'bytes lost because the disk was too slow'),
        trouble: sampled(
          nullable(Type.String({ description: 'the current problem, human-readable; null if there is none' })),
          null,
        ),
        playlist: field('http://192.0.2.10:8080/timeshift.m3u8', 'URL of the HTTP Live Streaming playlist'),
        stream: field('http://192.0.2.10:8080/timeshift.ts', 'URL of the plain stream'),
      }),
    ),
  },
  { $id: 'Timeshift' },
);

const state = route({
  path: '/timeshift',
  name: 'timeshift',
  summary: 'The stored period of the current service, and where to play it.',
  description: '`/api/tsstart` starts timeshift, and `/api/tsstop` stops it.',
  responses: {
    200: { description: 'the stored period', schema: State },
  },
  run(parts, _values, request) {
    const { active, maxBytes: bound } = parts.timeshifts;
    return {
      body: {
        result: true,
        enabled: active !== undefined,
        bound,
        timeshift: active === undefined ? null : timeshiftRecord(active, callerOf(request, parts)),
      },
    };
  },
});

function timeshiftRecord(timeshift: Timeshift, { origin, ticket }: Pick<RequestContext, 'origin' | 'ticket'>) {
  const { reference, name, begin, end, bytes, lost, trouble = null } = timeshift;
  return {
    reference: reference.format(),
    name,
    begin: rounded(begin),
    end: rounded(end),
    bytes,
    lost,
    trouble,
    playlist: withTicket(`${origin}/timeshift.m3u8`, ticket),
    stream: withTicket(`${origin}/timeshift.ts`, ticket),
  };
}

/** Rounds to milliseconds. */
const rounded = (seconds: number) => Math.round(seconds * 1000) / 1000;

const examplePlaylist = [
  '#EXTM3U',
  '#EXT-X-VERSION:6',
  '#EXT-X-INDEPENDENT-SEGMENTS',
  '#EXT-X-TARGETDURATION:4',
  '#EXT-X-MEDIA-SEQUENCE:1767290400',
  '#EXT-X-DISCONTINUITY-SEQUENCE:0',
  '#EXT-X-PROGRAM-DATE-TIME:2026-01-01T18:00:00.250Z',
  '#EXTINF:3.840,',
  'timeshift/1767290400.ts',
  '',
].join('\n');

const hls = route({
  path: '/timeshift.m3u8',
  name: 'timeshiftPlaylist',
  summary: 'Timeshift as an HTTP Live Streaming playlist (RFC 8216).',
  description: 'Every segment begins with PAT, PMT and a picture at which a decoder can start.',
  responses: {
    200: { description: 'the playlist', types: [hlsType], schema: Type.String(), example: examplePlaylist },
  },
  failures: notRunning,
  run(parts, _values, request) {
    const list = mediaPlaylist(runningTimeshift(parts));
    const { ticket } = callerOf(request, parts);
    const body = ticket === undefined ? list : list.replace(/\.ts$/gm, (end) => withTicket(end, ticket));
    return { document: { contentType: hlsType, body } };
  },
});

const m3u = route({
  path: '/timeshift.m3u',
  name: 'timeshiftEntry',
  summary: 'A playlist with the name of the service and the URL of its timeshift.',
  responses: {
    200: {
      description: 'the playlist',
      types: [playlistType],
      schema: Type.String(),
      example: playlistOfUrl('http://192.0.2.10:8080/timeshift.m3u8', exampleService.service_name),
    },
  },
  failures: notRunning,
  run(parts, _values, request) {
    const name = runningTimeshift(parts).name.replace(/\p{Cc}/gu, ' ');
    const { origin, ticket } = callerOf(request, parts);
    const url = withTicket(`${origin}/timeshift.m3u8`, ticket);
    return { document: { contentType: playlistType, body: playlistOfUrl(url, name) } };
  },
});

const segment = route({
  path: '/timeshift/{segment}',
  name: 'timeshiftSegment',
  summary: 'A segment of the playlist.',
  parameters: { segment: segmentText('number of the segment, followed by `.ts`', '1767290400.ts') },
  responses: {
    200: { description: 'a transport stream', types: [streamType], schema: binary },
    206: { description: 'the requested byte range', types: [streamType], schema: binary },
  },
  failures: {
    404: 'the segment is not stored, or no longer',
    412: 'the segment does not meet If-Match or If-Unmodified-Since',
    416: 'the range begins after the end',
  },
  run(parts, { segment: name }) {
    const sequence = sequenceOf(name);
    const found = sequence === undefined ? undefined : runningTimeshift(parts).segment(sequence);
    if (found === undefined) throw fail('not-found', `segment '${name}'`);
    return { file: found.path };
  },
});

const readers = new WeakMap<ReceiverParts['timeshifts'], ClientSlots>();

/** Opens the stream of a client, which has one of `maxReaders` until it is closed. @throws ReceiverError `too-many-clients` */
function openReader({ timeshifts }: ReceiverParts, timeshift: Timeshift, from: number, client: string): Readable {
  const slots = readers.get(timeshifts) ?? new ClientSlots(maxReaders);
  readers.set(timeshifts, slots);
  const leave = slots.enter(client);
  const stream = Readable.from(readSegmentsFrom(timeshift, from), { objectMode: false, highWaterMark: readAheadBytes });
  return stream.once('close', leave);
}

const stream = route({
  path: '/timeshift.ts',
  name: 'timeshiftStream',
  summary: 'Timeshift as one transport stream, from a given position, continuing live.',
  description:
    'The stream begins with the segment that contains the position, which may be some seconds earlier. A client may pause for any time. If the data after the pause has been deleted, the stream continues with the oldest stored data. The stream ends when timeshift is stopped.',
  parameters: {
    position: integer('seconds relative to now, `-60` = a minute ago; absent = the beginning', {
      minimum: -maxSecondsBack,
      maximum: 0,
      example: -60,
    }),
    time: integer('Unix seconds, instead of `position`', unixTimes),
  },
  responses: {
    200: {
      description: 'an endless transport stream',
      types: [streamType],
      schema: binary,
      headers: { 'X-Begin': { description: 'Unix seconds: begin of the stream', schema: Type.Number() } },
    },
  },
  failures: { ...notRunning, 503: 'too many clients' },
  run(parts, { position = -maxSecondsBack, time }, request) {
    const timeshift = runningTimeshift(parts);
    const from = time ?? timeshift.end + position;
    const { sequence, begin } = timeshift.segmentAt(from);
    const isHead = request.method === 'HEAD';
    return {
      document: {
        contentType: streamType,
        body: isHead ? '' : openReader(parts, timeshift, sequence, parts.accessControl.peers.clientOf(request.raw)),
      },
      headers: { 'X-Begin': begin.toFixed(3) },
    };
  },
});

const Kept = recordSchema({
  result: true,
  path: field('/media/hdd/movie/20260101 1900 - Alpha HD - Ships.ts', 'path of the recording'),
  begin: field(1767290400, 'Unix seconds: begin of the recording'),
});

const keep = route({
  method: 'POST',
  path: '/timeshift/recording',
  name: 'keepTimeshift',
  summary: 'Saves timeshift as a recording.',
  description:
    'The stored data is copied in the background, and is not deleted before that. Title and texts are those of the event at the begin of the recording. With `follow`, the recording continues live without a gap, even if another service is selected, for up to ten hours or until `DELETE /timeshift/recording`.',
  parameters: {
    from: integer('begin of the recording in Unix seconds; absent = begin of the stored period', unixTimes),
    follow: boolean('continue to record live').or(false),
    title: text('title; default: the title of the event, or the name of the service if there is no event', {
      example: 'Ships',
    }),
    folder: text('recording folder; default: the folder for timers', { example: '/media/hdd/movie/' }),
  },
  responses: {
    200: { description: 'the recording has started', schema: Kept },
  },
  failures: { 403: 'the folder is not a recording folder', ...notRunning, 507: 'the disk is full' },
  async run(parts, { from, follow, title, folder }) {
    const { locations, settings, timeshifts } = parts;
    const timeshift = runningTimeshift(parts);
    const spec = {
      ...(await textsAt(parts, timeshift, Math.max(from ?? 0, timeshift.begin), title)),
      tags: [],
      folder: (await timerFolder(locations, folder)) ?? (await recordingFolder(locations, settings)),
    };
    const { path, spec: recording } = await timeshifts.record({ ...spec, from, follow });
    return { body: { result: true, path, begin: recording.begin } };
  },
});

/** The title and texts of a recording that begins at this time. */
async function textsAt({ services, guide }: ReceiverParts, timeshift: Timeshift, time: number, title?: string) {
  const { reference, name } = timeshift;
  const service = guideKey(services, reference);
  const event = service && (await guide.at(service, Math.floor(time)));
  return {
    title: title || event?.title || name,
    description: event?.shortText ?? '',
    extendedDescription: event?.extendedText ?? '',
    ...(event && { eventId: event.id }),
  };
}

const endKept = route({
  method: 'DELETE',
  path: '/timeshift/recording',
  name: 'endKeptTimeshift',
  summary: 'Stops the recordings of timeshift that continue live.',
  responses: {
    200: {
      description: 'the recordings are stopped',
      schema: recordSchema({ result: true, paths: ['/media/hdd/movie/20260101 1900 - Alpha HD - Ships.ts'] }),
    },
  },
  async run({ timeshifts }) {
    const ended = await timeshifts.stopFollowing();
    return { body: { result: true, paths: ended.map(({ path }) => path) } };
  },
});

export const timeshiftRoutes = group('streams', [state, hls, m3u, segment, stream, keep, endKept], 'record');
