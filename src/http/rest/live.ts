/**
 * `/live.ts`, `/recording.ts`, `/recording.m3u8` and `/conversion`: live streams and recordings for the web page, on the port
 * and with the login of the page, and for those who cannot decode what is broadcast.
 */
import { PassThrough, Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import * as Type from 'typebox';
import { recordedPieces, recordedStream } from '../../recordings/recorded-stream.ts';
import type { Recording } from '../../recordings/recording.ts';
import { hlsType, recordingPlaylist } from '../../timeshift/playlist.ts';
import { callerOf } from '../endpoint/dispatch.ts';
import { withTicket } from '../middleware/login.ts';
import { type ParameterValues, serviceReference, text, whole, word } from '../middleware/parameters.ts';
import type { ReceiverParts } from '../parts/parts.ts';
import { field, nullable, record } from '../write/record.ts';
import { binary } from './recordings.ts';
import { area, type RestAnswer, route } from './route.ts';

const streamType = 'video/mp2t';
/** Bytes buffered for a reader of a recording. */
const readAhead = 512 * 1024;

export const conversionParameters = {
  convert: word(
    'what to convert by ffmpeg: `sound` to AAC, with the pictures as they are; or `all`, pictures to H.264 too',
    ['sound', 'all'],
  ),
  audio: whole('with `convert`: PID of the sound; absent = the first', { minimum: 0, maximum: 8191 }),
};
export type Wanted = ParameterValues<typeof conversionParameters>;

const failures = {
  501: 'it cannot be received or converted here',
  503: 'no tuner is free, or there are too many clients or conversions',
};

/** A response with a transport stream. */
const stream200 = (description: string) => ({ description, types: [streamType], schema: binary });

function answerOf(body: Readable | string, headers: Readonly<Record<string, string>> = {}): RestAnswer {
  return { document: { contentType: streamType, body }, headers };
}

/** Where to write a stream, and where its reader gets it, converted if wanted. @throws ReceiverError as `Converter.start` */
async function way(parts: ReceiverParts, { convert, audio }: Wanted, { raw }: FastifyRequest): Promise<Way> {
  if (convert !== undefined)
    return parts.converter.start({ what: convert, audio }, parts.accessControl.peers.clientOf(raw));
  const both = new PassThrough();
  return { input: both, output: both };
}

interface Way {
  readonly input: Writable;
  readonly output: Readable;
}

const live = route({
  path: '/live.ts',
  name: 'liveStream',
  summary: 'The live stream of a service, as on the stream port; converted if wanted.',
  query: { sRef: serviceReference('the service').required(), ...conversionParameters },
  responses: { 200: stream200('an endless transport stream') },
  failures: {
    403: 'the address of the network stream is not allowed',
    404: 'no such service',
    ...failures,
    502: 'the network stream fails',
    504: 'nothing is received',
  },
  async run(parts, { sRef, ...wanted }, request) {
    parts.streams.check(sRef, request.raw);
    if (request.method === 'HEAD') return answerOf('');
    const stream = await parts.streams.open(sRef, request.raw);
    try {
      const { input, output } = await way(parts, wanted, request);
      void stream.sendTo(input);
      return answerOf(output);
    } catch (error) {
      stream.leave();
      throw error;
    }
  },
});

/** A day and more: longer than any recording. */
const longest = 1_000_000;

const recordedFile = text('absolute path', '/media/hdd/movie/20260101 1857 - Alpha HD - Ships.ts').required();
const recordedFailures = { 403: 'the path leads out of the recording folders', 404: 'no such recording' };

const recorded = route({
  path: '/recording.ts',
  name: 'recordingStream',
  summary: 'A recording as one transport stream from a position on; converted if wanted.',
  description:
    'It begins with PAT, PMT and the picture before the position at which a decoder can start. It follows a recording that is still being written.',
  query: {
    file: recordedFile,
    time: whole('seconds from its beginning', { minimum: 0, maximum: longest }).or(0),
    until: whole(
      'seconds from its beginning: ends before the picture with which it would begin there; absent = the end',
      {
        minimum: 0,
        maximum: longest,
      },
    ),
    ...conversionParameters,
  },
  responses: {
    200: {
      ...stream200('the stream'),
      headers: {
        'X-Begin': {
          description: 'where it begins: seconds from the beginning of the recording',
          schema: Type.Number(),
        },
      },
    },
  },
  failures: { ...recordedFailures, ...failures },
  async run(parts, { file, time, until, ...wanted }, request) {
    const recording = await parts.recordings.find(await parts.locations.existing(file));
    const isGrowing = () => isWritten(parts, recording);
    const { begin, packets } = await recordedStream(parts.locations, recording, { from: time, until }, isGrowing);
    const headers = { 'X-Begin': begin.toFixed(3) };
    if (request.method === 'HEAD') return answerOf('', headers);
    const { input, output } = await way(parts, wanted, request);
    // It ends early when the reader leaves.
    pipeline(Readable.from(packets, { objectMode: false, highWaterMark: readAhead }), input).catch(() => undefined);
    return answerOf(output, headers);
  },
});

const isWritten = ({ recorder }: ReceiverParts, recording: Recording) =>
  recorder.active.some(({ path }) => path === recording.path);

const examplePieces = ['/movie/Ships.ts&time=0&until=6', '/movie/Ships.ts&time=6'].map(
  (one) => `recording.ts?file=${one}`,
);

const recordedList = route({
  path: '/recording.m3u8',
  name: 'recordingPlaylist',
  summary: 'A recording as an HTTP Live Streaming playlist (RFC 8216).',
  description:
    'The segments are pieces of /recording.ts, of six seconds. While the recording is still being written, the playlist grows.',
  query: { file: recordedFile },
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
  async run(parts, { file }, request) {
    const recording = await parts.recordings.find(await parts.locations.existing(file));
    const isGrowing = isWritten(parts, recording);
    const { ticket } = callerOf(request, parts);
    const pieces = (await recordedPieces(recording, isGrowing)).map(({ from, until, duration }) => {
      const query = new URLSearchParams({ file, time: String(from), ...(until && { until: String(until) }) });
      return { duration, address: withTicket(`recording.ts?${query}`, ticket) };
    });
    return { document: { contentType: hlsType, body: recordingPlaylist(pieces, !isGrowing) } };
  },
});

const conversion = route({
  path: '/conversion',
  name: 'conversion',
  summary: 'Whether what a player cannot decode can be converted, by `convert` of /live.ts and /recording.ts.',
  responses: {
    200: {
      description: 'the state',
      schema: record({
        result: true,
        encoder: nullable(field('libx264', 'how pictures are encoded, as ffmpeg calls it; null if nothing can be')),
        running: field(0, 'conversions at present'),
        maximum: field(2, 'most conversions at a time'),
      }),
    },
  },
  async run({ converter }) {
    const { encoder = null, running, maximum } = await converter.state();
    return { body: { result: true, encoder, running, maximum } };
  },
});

export const liveRoutes = area('streams', [live, recorded, recordedList, conversion], 'view');
