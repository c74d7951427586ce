/**
 * `/hls`: every service as HTTP Live Streaming, at a URL that never changes. For Safari, televisions and other players that
 * support no other kind of stream.
 */
import { open } from 'node:fs/promises';
import * as Type from 'typebox';
import { fail } from '../../../base/errors.ts';
import type { ServiceReference } from '../../../services/reference.ts';
import { segmentName } from '../../../timeshift/folder.ts';
import { type WatchedService, waitForSegment } from '../../../timeshift/live-segments.ts';
import { hlsType, mediaPlaylist } from '../../../timeshift/playlist.ts';
import type { Timeshift } from '../../../timeshift/timeshift.ts';
import { callerOf } from '../../endpoint/dispatch.ts';
import { group } from '../../endpoint/endpoint.ts';
import { route } from '../../endpoint/route.ts';
import { integer } from '../../middleware/parameters.ts';
import { binary } from '../recordings/recordings.ts';
import { segmentReference, segmentText } from '../segments.ts';
import { type ConversionValues, conversionParameters } from './live.ts';

const streamType = 'video/mp2t';

/** The initial target durations, which suit most services. */
const defaultSegmentSeconds = 2;
const defaultPartSeconds = 0.5;
/** The longest segment and the longest part so far of each service, in seconds. */
const maxDurationsOf = new WeakMap<Timeshift, { segment: number; part: number }>();

/**
 * The target durations in seconds, which no segment and no part exceeds. They are as low as possible, because players
 * buffer three times the target duration.
 */
function targetDurations(kept: Timeshift): { readonly segment: number; readonly part: number } {
  const max = maxDurationsOf.get(kept) ?? { segment: defaultSegmentSeconds, part: defaultPartSeconds };
  maxDurationsOf.set(kept, max);
  for (const { duration } of kept.segments) max.segment = Math.max(max.segment, Math.round(duration));
  for (const { parts } of [...kept.segments, kept.growing])
    for (const { duration } of parts) max.part = Math.max(max.part, Math.ceil(duration * 100) / 100);
  return max;
}

const examplePlaylist = [
  '#EXTM3U',
  '#EXT-X-VERSION:6',
  '#EXT-X-INDEPENDENT-SEGMENTS',
  '#EXT-X-TARGETDURATION:2',
  '#EXT-X-MEDIA-SEQUENCE:1767290400',
  '#EXT-X-DISCONTINUITY-SEQUENCE:0',
  '#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.500',
  '#EXT-X-PART-INF:PART-TARGET=0.500',
  '#EXT-X-PROGRAM-DATE-TIME:2026-01-01T18:00:00.250Z',
  '#EXT-X-PART:DURATION=0.44000,INDEPENDENT=YES,URI="1767290400.0.ts"',
  '#EXT-X-PART:DURATION=0.44000,URI="1767290400.1.ts"',
  '#EXT-X-PART:DURATION=0.12000,URI="1767290400.2.ts"',
  '#EXTINF:1.000,',
  '1767290400.ts',
  '#EXT-X-PROGRAM-DATE-TIME:2026-01-01T18:00:01.250Z',
  '#EXT-X-PART:DURATION=0.44000,INDEPENDENT=YES,URI="1767290401.0.ts"',
  '',
].join('\n');

/** `SEQUENCE.ts` is a segment, `SEQUENCE.PART.ts` a part of it. */
const segmentNamePattern = /^(\d{1,15})(?:\.(\d{1,3}))?\.ts$/;
const partName = ({ sequence, part }: { readonly sequence: number; readonly part: number }) => `${sequence}.${part}.ts`;

const service = { service_reference: segmentReference() };

interface HlsRequest extends ConversionValues {
  readonly service_reference: ServiceReference;
}

function watchedServiceOf({ service_reference: reference, convert, audio }: HlsRequest): WatchedService {
  return { reference, conversion: convert && { what: convert, audio } };
}

/** Adds the conversion and the ticket of the request to the segment URLs of a playlist. */
function withQuery(list: string, { convert, audio }: ConversionValues, ticket: string | undefined): string {
  const query = new URLSearchParams();
  if (convert) query.set('convert', convert);
  if (convert && audio !== undefined) query.set('audio', String(audio));
  if (ticket !== undefined) query.set('ticket', ticket);
  return query.size === 0 ? list : list.replace(/\.ts(?="?$)/gm, `.ts?${query}`);
}

const noReference = { 400: 'the path contains no service reference' };

/** A request may wait for a segment this far after the growing one (RFC 8216, second edition, §6.2.5.2). */
const maxSegmentsAhead = 2;

const playlist = route({
  path: '/hls/{service_reference}/index.m3u8',
  name: 'hlsPlaylist',
  summary: 'A live service as an HTTP Live Streaming playlist (RFC 8216), with low latency.',
  description:
    'Every segment begins with PAT, PMT and a picture at which a decoder can start. The first request waits until there are three segments. The service is received as long as the playlist or a segment is requested at least every half minute. The playlist also lists parts of segments, half a second long, for players that support the second edition of RFC 8216; other players ignore them.',
  parameters: {
    ...service,
    ...conversionParameters,
    _HLS_msn: integer('number of a segment: the response waits until the playlist has it', {
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      example: 1767290400,
    }),
    _HLS_part: integer('with `_HLS_msn`, number of a part of that segment: the response waits only for this part', {
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      example: 0,
    }),
  },
  responses: {
    200: { description: 'the playlist', types: [hlsType], schema: Type.String(), example: examplePlaylist },
  },
  failures: {
    ...noReference,
    403: 'the service is scrambled, or the address of the network stream is not allowed',
    404: 'no such service, or a segment too far ahead',
    501: 'it cannot be received or converted here',
    502: 'the network stream fails',
    503: 'no tuner is free, or too many services are being streamed or converted',
    504: 'nothing is received',
  },
  async run(parts, values, request) {
    const { service_reference: reference, _HLS_msn: sequence, _HLS_part: part } = values;
    parts.streams.check(reference.format(), request.raw);
    const kept = await parts.liveSegments.segmentsOf(
      watchedServiceOf(values),
      parts.accessControl.peers.clientOf(request.raw),
    );
    if (sequence !== undefined) {
      const isAhead = sequence > kept.growing.sequence + maxSegmentsAhead;
      if (isAhead) throw fail('not-found', `segment ${sequence}, more than ${maxSegmentsAhead} ahead,`);
      if (!(await waitForSegment(kept, { sequence, part }))) throw fail('no-signal', reference.format());
    }
    const targets = targetDurations(kept);
    const list = mediaPlaylist(kept, {
      ...{ addressOf: segmentName, maxSeconds: targets.segment },
      parts: { addressOf: partName, maxSeconds: targets.part },
    });
    const body = withQuery(list, values, callerOf(request, parts).ticket);
    return { document: { contentType: hlsType, body } };
  },
});

const segment = route({
  path: '/hls/{service_reference}/{segment}',
  name: 'hlsSegment',
  summary: 'A segment of the playlist, or a part of one.',
  parameters: {
    ...service,
    segment: segmentText('`SEGMENT.ts`, or `SEGMENT.PART.ts` for a part of the segment', '1767290400.ts'),
    ...conversionParameters,
  },
  responses: {
    200: { description: 'a transport stream', types: [streamType], schema: binary },
    206: { description: 'the requested byte range of a segment', types: [streamType], schema: binary },
  },
  failures: {
    ...noReference,
    404: 'the segment is not stored, or no longer',
    412: 'the segment does not meet If-Match or If-Unmodified-Since',
    416: 'the range begins after the end',
  },
  async run({ liveSegments }, values) {
    const [, sequence, part] = segmentNamePattern.exec(values.segment) ?? [];
    const position = sequence && { sequence: Number(sequence), part: part === undefined ? part : Number(part) };
    const found = position ? liveSegments.find(watchedServiceOf(values), position) : undefined;
    if (found === undefined) throw fail('not-found', `segment '${values.segment}'`);
    if (found.part === undefined) return { file: found.path };
    const { from, to } = found.part;
    const file = await open(found.path).catch(() => {
      throw fail('not-found', `segment '${values.segment}'`);
    });
    return { document: { contentType: streamType, body: file.createReadStream({ start: from, end: to - 1 }) } };
  },
});

export const hlsRoutes = group('streams', [playlist, segment], 'view');
