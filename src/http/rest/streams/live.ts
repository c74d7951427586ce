/**
 * `/live.ts`, `/live/SREF`, `/recording.ts`, `/recording.m3u8` and `/conversion`: live streams and recordings for the web page, on its
 * port and with its login. They are converted for players that cannot decode what is broadcast.
 */
import { PassThrough, Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { breaksOf, keptSpans } from '../../../recordings/files/breaks.ts';
import type { Recording } from '../../../recordings/files/recording.ts';
import { piecesWithin, recordedPieces, recordedStream } from '../../../recordings/recorded-stream.ts';
import { hlsType, recordingPlaylist } from '../../../timeshift/playlist.ts';
import { callerOf } from '../../endpoint/dispatch.ts';
import { group } from '../../endpoint/endpoint.ts';
import { type RestResponse, route } from '../../endpoint/route.ts';
import { withTicket } from '../../middleware/login.ts';
import { boolean, choice, integer, type ParameterValues, serviceReference, text } from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { field, nullable, recordSchema } from '../../write/record.ts';
import { binary } from '../recordings/recordings.ts';
import { segmentReference } from '../segments.ts';

const streamType = 'video/mp2t';
/** Buffered for each reader of a recording. */
const readAheadBytes = 512 * 1024;

export const conversionParameters = {
  convert: choice(
    'what ffmpeg converts. sound: sound to AAC, pictures unchanged; all: sound to AAC, pictures to H.264; absent = nothing',
    ['sound', 'all'],
  ),
  audio: integer('with `convert`: PID of the audio track; absent = the first', {
    minimum: 0,
    maximum: 8191,
    example: 4352,
  }),
};
export type ConversionValues = ParameterValues<typeof conversionParameters>;

const failures = {
  501: 'this receiver cannot receive or convert it',
  503: 'no tuner is free, or there are too many clients or conversions',
};

/** The description of a response with a transport stream. */
const stream200 = (description: string) => ({ description, types: [streamType], schema: binary });

function answerOf(body: Readable | string, headers: Readonly<Record<string, string>> = {}): RestResponse {
  return { document: { contentType: streamType, body }, headers };
}

/** Opens a pipe that converts a stream if the request says so. @throws ReceiverError as `Converter.start` */
async function openPipe(
  parts: ReceiverParts,
  { convert, audio }: ConversionValues,
  { raw }: FastifyRequest,
): Promise<StreamPipe> {
  if (convert !== undefined)
    return parts.converter.start({ what: convert, audio }, parts.accessControl.peers.clientOf(raw));
  const unconverted = new PassThrough();
  return { input: unconverted, output: unconverted };
}

interface StreamPipe {
  readonly input: Writable;
  readonly output: Readable;
}

const liveFailures = {
  403: 'the service is scrambled, or the address of the network stream is not allowed',
  404: 'no such service',
  ...failures,
  502: 'the network stream fails',
  504: 'nothing is received',
};

const live = route({
  path: '/live.ts',
  name: 'liveStream',
  summary: 'The live stream of a service, as on the stream port; converted on request.',
  parameters: { sRef: serviceReference('the service').required(), ...conversionParameters },
  responses: { 200: stream200('an endless transport stream') },
  failures: liveFailures,
  run: (parts, { sRef, ...conversion }, request) => sendLive(parts, sRef, conversion, request),
});

const liveByPath = route({
  path: '/live/{service_reference}',
  name: 'liveStreamByPath',
  summary: 'Like /live.ts, with the service in the path.',
  description:
    'The address of a live stream in playlists that are fetched by HTTPS while the receiver has no HTTPS port for streams.',
  parameters: { service_reference: segmentReference(), ...conversionParameters },
  responses: { 200: stream200('an endless transport stream') },
  failures: liveFailures,
  run: (parts, { service_reference, ...conversion }, request) =>
    sendLive(parts, service_reference.format(), conversion, request),
});

async function sendLive(
  parts: ReceiverParts,
  sRef: string,
  conversion: ConversionValues,
  request: FastifyRequest,
): Promise<RestResponse> {
  parts.streams.check(sRef, request.raw);
  if (request.method === 'HEAD') return answerOf('');
  const stream = await parts.streams.open(sRef, request.raw);
  try {
    const { input, output } = await openPipe(parts, conversion, request);
    void stream.sendTo(input);
    return answerOf(output);
  } catch (error) {
    stream.leave();
    throw error;
  }
}

/** Limit of positions in a recording: more than eleven days, longer than any recording. */
export const maxSeconds = 1_000_000;

const recordedFile = text('absolute path', {
  example: '/media/hdd/movie/20260101 1857 - Alpha HD - Ships.ts',
}).required();
const recordedFailures = { 403: 'the path leads out of the recording folders', 404: 'no such recording' };

const recorded = route({
  path: '/recording.ts',
  name: 'recordingStream',
  summary: 'A recording as one transport stream, from a position on; converted on request.',
  description:
    'The stream begins with PAT, PMT and the last picture before the position at which a decoder can start. The stream of a recording that is still being written continues until the recording ends.',
  parameters: {
    file: recordedFile,
    time: integer('position at which the stream begins: seconds from the beginning of the recording', {
      minimum: 0,
      maximum: maxSeconds,
    }).or(0),
    until: integer(
      'position at which the stream ends, before the picture with which a stream from there begins; absent = the end of the recording',
      { minimum: 0, maximum: maxSeconds, example: 60 },
    ),
    ...conversionParameters,
  },
  responses: {
    200: {
      ...stream200('the stream'),
      headers: {
        'X-Begin': {
          description: 'position at which the stream begins: seconds from the beginning of the recording',
          schema: Type.Number(),
        },
      },
    },
  },
  failures: { ...recordedFailures, ...failures },
  async run(parts, { file, time, until, ...conversion }, request) {
    const recording = await parts.recordings.find(await parts.locations.resolveExisting(file));
    const isGrowing = () => isBeingWritten(parts, recording);
    const { begin, packets } = await recordedStream(parts.locations, recording, { from: time, until }, isGrowing);
    const headers = { 'X-Begin': begin.toFixed(3) };
    if (request.method === 'HEAD') return answerOf('', headers);
    const { input, output } = await openPipe(parts, conversion, request);
    // The pipeline fails if the client closes the connection early.
    pipeline(Readable.from(packets, { objectMode: false, highWaterMark: readAheadBytes }), input).catch(
      () => undefined,
    );
    return answerOf(output, headers);
  },
});

const isBeingWritten = ({ recorder }: ReceiverParts, recording: Recording) =>
  recorder.active.some(({ path }) => path === recording.path);

const examplePieces = ['/movie/Ships.ts&time=0&until=6', '/movie/Ships.ts&time=6'].map(
  (query) => `recording.ts?file=${query}`,
);

const recordedList = route({
  path: '/recording.m3u8',
  name: 'recordingPlaylist',
  summary: 'A recording as an HTTP Live Streaming playlist (RFC 8216).',
  description:
    'The segments are URLs of /recording.ts, each for six seconds. The playlist grows while the recording is still being written.',
  parameters: { file: recordedFile, cut: boolean('leave out the breaks of the recording').or(false) },
  responses: {
    200: {
      description: 'the playlist',
      types: [hlsType],
      schema: Type.String(),
      example: recordingPlaylist(
        [
          { duration: 6, address: examplePieces[0] ?? '' },
          { duration: 4.2, address: examplePieces[1] ?? '' },
        ],
        true,
      ),
    },
  },
  failures: recordedFailures,
  async run(parts, { file, cut }, request) {
    const recording = await parts.recordings.find(await parts.locations.resolveExisting(file));
    const isGrowing = isBeingWritten(parts, recording);
    const { ticket } = callerOf(request, parts);
    const { length = 0, cuts } = recording;
    const all = await recordedPieces(parts.locations, recording, isGrowing);
    const breaks = cut ? breaksOf(cuts, length) : [];
    const wanted = breaks.length > 0 ? piecesWithin(all, keptSpans(breaks, length), length) : all;
    const pieces = wanted.map(({ from, until, ...piece }) => {
      const query = new URLSearchParams({ file, time: String(from), ...(until && { until: String(until) }) });
      return { ...piece, address: withTicket(`recording.ts?${query}`, ticket) };
    });
    return { document: { contentType: hlsType, body: recordingPlaylist(pieces, !isGrowing) } };
  },
});

const conversion = route({
  path: '/conversion',
  name: 'conversion',
  summary:
    'Whether the parameter `convert` of /live.ts, /recording.ts and /hls works, and how many conversions are running.',
  responses: {
    200: {
      description: 'the state',
      schema: recordSchema({
        result: true,
        encoder: nullable(
          field('libx264', 'the video encoder of ffmpeg that is used; null if nothing can be converted'),
        ),
        running: field(0, 'number of running conversions'),
        maximum: field(2, 'maximum number of concurrent conversions'),
      }),
    },
  },
  async run({ converter }) {
    const { encoder = null, running, maximum } = await converter.state();
    return { body: { result: true, encoder, running, maximum } };
  },
});

export const liveRoutes = group('streams', [live, liveByPath, recorded, recordedList, conversion], 'view');
