/**
 * `/hls`: every service as HTTP Live Streaming at an address that does not change, for Safari, televisions and other players
 * that know nothing else.
 */
import Type from 'typebox';
import { plainAddress } from '../../discovery/network.ts';
import { fail } from '../../errors.ts';
import { sequenceOf } from '../../timeshift/folder.ts';
import { hlsType, mediaPlaylist } from '../../timeshift/playlist.ts';
import type { Timeshift } from '../../timeshift/timeshift.ts';
import { callerOf } from '../faces/dispatch.ts';
import { withTicket } from '../gate/login.ts';
import { segmentReference, segmentText } from './parameters.ts';
import { binary } from './recordings.ts';
import { area, route } from './route.ts';

const streamType = 'video/mp2t';

/** Seconds that segments have at least as their bound: what most services need. */
const usualLength = 2;
/** By what is kept: the longest segment so far. */
const longestOf = new WeakMap<Timeshift, number>();

/** The target duration. Players keep three times as much ahead, so it is no longer than it has to be. */
function targetOf(kept: Timeshift): number {
  const seen = kept.segments.map(({ duration }) => Math.round(duration));
  const longest = Math.max(usualLength, longestOf.get(kept) ?? 0, ...seen);
  longestOf.set(kept, longest);
  return longest;
}

const examplePlaylist = [
  '#EXTM3U',
  '#EXT-X-VERSION:6',
  '#EXT-X-INDEPENDENT-SEGMENTS',
  '#EXT-X-TARGETDURATION:2',
  '#EXT-X-MEDIA-SEQUENCE:1767290400',
  '#EXT-X-DISCONTINUITY-SEQUENCE:0',
  '#EXT-X-PROGRAM-DATE-TIME:2026-01-01T18:00:00.250Z',
  '#EXTINF:2.000,',
  '1767290400.ts',
  '',
].join('\n');

const noReference = { 400: 'not a service reference' };

const playlist = route({
  path: '/hls/{service_reference}/index.m3u8',
  name: 'hlsPlaylist',
  summary: 'A live service as an HTTP Live Streaming playlist (RFC 8216).',
  description:
    'Every segment begins with PAT, PMT and a picture at which a decoder can start. The first request waits until there are two of them. The service is received for as long as somebody asks for the playlist or a segment every half minute.',
  segments: { service_reference: segmentReference() },
  responses: {
    200: { description: 'the playlist', types: [hlsType], schema: Type.String(), example: examplePlaylist },
  },
  failures: {
    ...noReference,
    403: 'the address of the network stream is not allowed',
    404: 'no such service',
    501: 'it cannot be received here',
    502: 'the network stream fails',
    503: 'no tuner is free, or too many services are watched',
    504: 'nothing is received',
  },
  async run(parts, { service_reference: reference }, request) {
    parts.streams.check(reference.format(), request.raw);
    const kept = await parts.liveSegments.of(reference, plainAddress(request.raw.socket.remoteAddress));
    const { ticket } = callerOf(request, parts);
    const addressOf = (sequence: number) => `${sequence}.ts`;
    const list = mediaPlaylist(kept, { addressOf, longest: targetOf(kept) });
    const body = ticket === undefined ? list : list.replace(/\.ts$/gm, (end) => withTicket(end, ticket));
    return { document: { contentType: hlsType, body } };
  },
});

const segment = route({
  path: '/hls/{service_reference}/{segment}',
  name: 'hlsSegment',
  summary: 'A segment of the playlist.',
  segments: {
    service_reference: segmentReference(),
    segment: segmentText('number of the segment, followed by `.ts`', '1767290400.ts'),
  },
  responses: {
    200: { description: 'a transport stream', types: [streamType], schema: binary },
    206: { description: 'the requested byte range', types: [streamType], schema: binary },
  },
  failures: {
    ...noReference,
    404: 'it is not stored, or no longer',
    412: 'it does not meet If-Match or If-Unmodified-Since',
    416: 'the range begins after the end',
  },
  run({ liveSegments }, { service_reference: reference, segment: name }) {
    const sequence = sequenceOf(name);
    const found = sequence === undefined ? undefined : liveSegments.segment(reference, sequence);
    if (found === undefined) throw fail('not-found', `segment '${name}'`);
    return { file: found.path };
  },
});

export const hlsRoutes = area('streams', [playlist, segment], 'view');
