/**
 * `/hls`: every service as HTTP Live Streaming at an address that does not change, for Safari, televisions and other players
 * that know nothing else.
 */
import { open } from 'node:fs/promises';
import * as Type from 'typebox';
import { fail } from '../../base/errors.ts';
import type { ServiceReference } from '../../services/reference.ts';
import { segmentName } from '../../timeshift/folder.ts';
import { untilThere, type WatchedService } from '../../timeshift/live-segments.ts';
import { hlsType, mediaPlaylist } from '../../timeshift/playlist.ts';
import type { Timeshift } from '../../timeshift/timeshift.ts';
import { callerOf } from '../endpoint/dispatch.ts';
import { whole } from '../middleware/parameters.ts';
import { conversionParameters, type Wanted } from './live.ts';
import { segmentReference, segmentText } from './parameters.ts';
import { binary } from './recordings.ts';
import { area, route } from './route.ts';

const streamType = 'video/mp2t';

/** Seconds that segments, and parts, have at least as their bound: what most services need. */
const usualLength = 2;
const usualPart = 0.5;
/** By what is kept: the longest segment and the longest part so far. */
const longestOf = new WeakMap<Timeshift, { segment: number; part: number }>();

/**
 * The target durations. Players keep three times as much ahead, so they are no longer than they have to be. The last part of
 * a segment may be short, so its length says nothing.
 */
function targetsOf(kept: Timeshift): { readonly segment: number; readonly part: number } {
  const longest = longestOf.get(kept) ?? { segment: usualLength, part: usualPart };
  longestOf.set(kept, longest);
  for (const { duration } of kept.segments) longest.segment = Math.max(longest.segment, Math.round(duration));
  for (const { parts } of [...kept.segments, kept.growing])
    for (const { duration } of parts) longest.part = Math.max(longest.part, Math.ceil(duration * 100) / 100);
  return longest;
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
const placePattern = /^(\d{1,15})(?:\.(\d{1,3}))?\.ts$/;
const nameOf = ({ sequence, part }: { readonly sequence: number; readonly part: number }) => `${sequence}.${part}.ts`;

const service = { service_reference: segmentReference() };
/** What both the playlist and its segments are asked for with. */
const conversion = conversionParameters;

interface Asked extends Wanted {
  readonly service_reference: ServiceReference;
}

function watchedOf({ service_reference: reference, convert, audio }: Asked): WatchedService {
  return { reference, conversion: convert && { what: convert, audio } };
}

/** The addresses in a playlist with what was asked for. */
function withQuery(list: string, { convert, audio }: Wanted, ticket: string | undefined): string {
  const query = new URLSearchParams();
  if (convert) query.set('convert', convert);
  if (convert && audio !== undefined) query.set('audio', String(audio));
  if (ticket !== undefined) query.set('ticket', ticket);
  return query.size === 0 ? list : list.replace(/\.ts(?="?$)/gm, `.ts?${query}`);
}

const noReference = { 400: 'not a service reference' };

/** Segments ahead of the one that grows (RFC 8216, second edition, §6.2.5.2). */
const mostAhead = 2;

const playlist = route({
  path: '/hls/{service_reference}/index.m3u8',
  name: 'hlsPlaylist',
  summary: 'A live service as an HTTP Live Streaming playlist (RFC 8216), with low latency.',
  description:
    'Every segment begins with PAT, PMT and a picture at which a decoder can start. The first request waits until there are three of them. The service is received for as long as somebody asks for the playlist or a segment every half minute. Parts of segments, of half a second, are listed for players that know the second edition of RFC 8216; others ignore them.',
  segments: service,
  query: {
    ...conversion,
    _HLS_msn: whole('answers only when the playlist has this segment', {
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
    }),
    _HLS_part: whole('with `_HLS_msn`: answers as soon as it has this part of the segment', {
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
    }),
  },
  responses: {
    200: { description: 'the playlist', types: [hlsType], schema: Type.String(), example: examplePlaylist },
  },
  failures: {
    ...noReference,
    403: 'the address of the network stream is not allowed',
    404: 'no such service, or a segment too far ahead',
    501: 'it cannot be received or converted here',
    502: 'the network stream fails',
    503: 'no tuner is free, or too many services are watched or converted',
    504: 'nothing is received',
  },
  async run(parts, asked, request) {
    const { service_reference: reference, _HLS_msn: sequence, _HLS_part: part } = asked;
    parts.streams.check(reference.format(), request.raw);
    const kept = await parts.liveSegments.of(watchedOf(asked), parts.accessControl.peers.clientOf(request.raw));
    if (sequence !== undefined) {
      // Nothing is promised of segments farther ahead.
      const isAhead = sequence > kept.growing.sequence + mostAhead;
      if (isAhead) throw fail('not-found', `segment ${sequence}, more than ${mostAhead} ahead,`);
      if (!(await untilThere(kept, { sequence, part }))) throw fail('no-signal', reference.format());
    }
    const targets = targetsOf(kept);
    const list = mediaPlaylist(kept, {
      ...{ addressOf: segmentName, longest: targets.segment },
      parts: { addressOf: nameOf, longest: targets.part },
    });
    const body = withQuery(list, asked, callerOf(request, parts).ticket);
    return { document: { contentType: hlsType, body } };
  },
});

const segment = route({
  path: '/hls/{service_reference}/{segment}',
  name: 'hlsSegment',
  summary: 'A segment of the playlist, or a part of one.',
  segments: {
    ...service,
    segment: segmentText('number of the segment, and of the part if wanted, followed by `.ts`', '1767290400.ts'),
  },
  query: conversion,
  responses: {
    200: { description: 'a transport stream', types: [streamType], schema: binary },
    206: { description: 'the requested byte range of a segment', types: [streamType], schema: binary },
  },
  failures: {
    ...noReference,
    404: 'it is not stored, or no longer',
    412: 'it does not meet If-Match or If-Unmodified-Since',
    416: 'the range begins after the end',
  },
  async run({ liveSegments }, asked) {
    const [, sequence, part] = placePattern.exec(asked.segment) ?? [];
    const place = sequence && { sequence: Number(sequence), part: part === undefined ? part : Number(part) };
    const found = place ? liveSegments.find(watchedOf(asked), place) : undefined;
    if (found === undefined) throw fail('not-found', `segment '${asked.segment}'`);
    if (found.part === undefined) return { file: found.path };
    const { from, to } = found.part;
    const file = await open(found.path).catch(() => {
      throw fail('not-found', `segment '${asked.segment}'`);
    });
    return { document: { contentType: streamType, body: file.createReadStream({ start: from, end: to - 1 }) } };
  },
});

export const hlsRoutes = area('streams', [playlist, segment], 'view');
