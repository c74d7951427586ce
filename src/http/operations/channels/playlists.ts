/** Playlists for players that accept only a URL: M3U and XSPF. Also the PIDs of the current service. */

import { fail } from '../../../base/errors.ts';
import { zapForStreams } from '../../../config/enigma2-setting-keys.ts';
import {
  channelPlaylist,
  type PlaylistChannel,
  type PlaylistOrigin,
  streamAddress,
  streamPlaylist,
} from '../../../m3u/playlist.ts';
import { shownNumber } from '../../../services/service-list.ts';
import type { ServiceEntry } from '../../../services/services.ts';
import { group } from '../../endpoint/endpoint.ts';
import { operation, type RequestContext, textOf } from '../../endpoint/operation.ts';
import { boolean, bouquetReference, choice, integer, serviceReference, text } from '../../middleware/parameters.ts';
import type { ReceiverParts } from '../../parts/parts.ts';
import { ownPiconPath, piconPath } from '../../pictures/picons.ts';
import { field, recordSchema } from '../../write/record.ts';
import { element, elementWith, leaf, rows, type View, xmlDocument } from '../../write/xml.ts';
import { findList, picturedListState } from '../lists.ts';
import { playing, zapTo } from '../playback/current.ts';
import { playlistOf, playlistType } from '../recordings/movie-playlists.ts';

const Pids = recordSchema({
  ppid: field('64', 'PMT PID, hexadecimal; 0 if there is none'),
  vpid: field('1ff', 'video PID'),
  apid: field('280', 'PID of the selected audio track'),
  host: field('receiver', 'the receiver, as named in the request'),
  result: true,
});

const getpid = operation({
  name: 'getpid',
  summary: 'The PIDs of the current service, in hexadecimal.',
  description: 'For the streaming program of old receivers (port 31339), which does not exist here.',
  deprecated: 'use stream.m3u, or the live stream port',
  result: Pids,
  text: {
    type: 'text/html; charset=utf-8',
    write: ({ host, ppid, vpid, apid }) => `http://${host}:31339/0,${ppid},${vpid},${apid}\n`,
  },
  run({ playback }, _values, { host }) {
    const { pmt, video, audio } = playback.current?.pids ?? {};
    return { ppid: hexadecimal(pmt), vpid: hexadecimal(video), apid: hexadecimal(audio), host, result: true };
  },
});

function hexadecimal(pid = 0): string {
  return pid.toString(16);
}

const exampleStream = [
  '#EXTM3U ',
  '#EXTVLCOPT:http-reconnect=true ',
  '#EXTINF:-1,Alpha HD',
  '#EXTVLCOPT:program=11110',
  'http://receiver:8001/1:0:19:2B66:3F3:1:C00000:0:0:0:',
  '',
].join('\n');

export const isSecure = ({ origin }: Pick<RequestContext, 'origin'>) => origin.startsWith('https:');

export function originOf(
  { config }: ReceiverParts,
  context: Pick<RequestContext, 'host' | 'origin' | 'ticket'>,
): PlaylistOrigin {
  const { host, origin, ticket } = context;
  const { streamPort, secureStreamPort } = config;
  const address = { web: origin, ticket };
  if (!isSecure(context)) return { ...address, streams: `http://${host}:${streamPort}` };
  // Without a stream port for HTTPS, the web port has the streams, also behind a proxy. A ticket must not be sent by HTTP.
  return { ...address, streams: secureStreamPort === 0 ? `${origin}/live` : `https://${host}:${secureStreamPort}` };
}

const transcodingParameters = {
  device: choice('`phone` = transcoded', ['etc', 'phone'], { wrong: 'first' }),
  port: integer('stream port to use instead of the default', { minimum: 1, maximum: 65_535, wrong: 0, example: 8001 }),
};

/** The port on which boxes with an encoder serve its output, and the encoder's defaults. */
const transcodedPort = 8002;
const transcodingDefaults = { bitrate: 1_000_000, width: 720, height: 576 } as const;

/**
 * Like `originOf`, but with another port or a transcoder if the request says so. An invalid port counts as absent. Other
 * ports have HTTP, so a client of HTTPS gets no ticket for them.
 */
function streamOriginOf(
  parts: ReceiverParts,
  context: RequestContext,
  { device, port = 0 }: { readonly device: string; readonly port: number | undefined },
): PlaylistOrigin {
  const origin = originOf(parts, context);
  const atPort = (number: number) => ({
    streams: `http://${context.host}:${number}`,
    ticket: isSecure(context) ? undefined : origin.ticket,
  });
  const given = port === 0 ? undefined : port;
  if (device !== 'phone') return given === undefined ? origin : { ...origin, ...atPort(given) };
  const setting = (name: string, defaultValue: number) =>
    parts.settings.number(`config.plugins.transcodingsetup.${name}`) || defaultValue;
  const query = Object.entries(transcodingDefaults).map(([name, value]) => `${name}=${setting(name, value)}`);
  return { ...origin, ...atPort(given ?? setting('port', transcodedPort)), query: `?${query.join('&')}` };
}

/** The file name of a playlist, without the characters that separate file names in headers. */
function playlistName(name: string | undefined, ending = 'm3u8'): string | undefined {
  return name ? `${name.replace(/[,;]/g, '_')}.${ending}` : undefined;
}

const servicesm3u = operation({
  name: 'services.m3u',
  summary: 'The playlist of a bouquet, or of all television bouquets.',
  cacheState: (parts) => picturedListState(parts, { picon: true }),
  description:
    'With `sRef` and without `bRef`, it zaps to that service and returns a playlist of it alone, with the name `title`. The interface of Enigma2 has two operations with this name.',
  parameters: {
    bRef: bouquetReference('the bouquet; absent = every bouquet of the television root'),
    bName: text('file name', { example: 'Favourites' }),
    unique: boolean('1 = each service once, in the first of the bouquets that have it', { form: 'bit' }),
    sRef: serviceReference('zap to this service; only without bRef').outdated('use zap'),
    title: text('name of that service', { example: 'Ships' }).outdated('use zap'),
  },
  changesState: ['sRef'],
  contentType: playlistType,
  example: [
    '#EXTM3U ',
    '#EXTVLCOPT:http-reconnect=true',
    '#EXTINF:-1 tvg-chno="1" tvg-logo="http://receiver:8080/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png" tvg-id="1:0:19:2B66:3F3:1:C00000:0:0:0:" tvg-name="Alpha HD",Alpha HD',
    '#EXTVLCOPT:program=11110',
    'http://receiver:8001/1:0:19:2B66:3F3:1:C00000:0:0:0:',
    '',
    '',
  ].join('\n'),
  errorsWithStatus: ['not-found'],
  async run(parts, { bRef, bName, unique = false, sRef, title }, context) {
    const origin = originOf(parts, context);
    if (!bRef && sRef) {
      await zapTo(parts, sRef, title);
      const reference = parts.services.resolve(sRef);
      const name = title || parts.services.nameOf(reference);
      return { body: streamPlaylist({ reference: reference.format(), name }, origin) };
    }
    const listed = bRef ? channels(parts, await entriesOf(parts, bRef)) : await allChannels(parts);
    const body = await channelPlaylist(unique ? once(listed) : listed, origin);
    return { body, fileName: playlistName(bName) };
  },
});

/** @throws ReceiverError `not-found` if there is no such list */
async function entriesOf({ services }: ReceiverParts, bRef: string): Promise<readonly ServiceEntry[]> {
  const list = await findList(services, bRef);
  if (list === undefined) throw fail('not-found', 'the bouquet');
  return list.entries;
}

/**
 * Yields the channels while the list is being written. In the list of one bouquet, which has no `group`, the group of a
 * network stream is the marker above it: an imported list keeps its groups.
 */
function* channels(parts: ReceiverParts, entries: Iterable<ServiceEntry>, group?: string): Generator<PlaylistChannel> {
  let marker: string | undefined;
  for (const entry of entries) {
    // A semicolon separates groups.
    if (entry.reference.isMarker) marker = entry.name.replaceAll(';', ',') || undefined;
    if (isPlain(entry)) yield channel(parts, entry, group ?? (entry.reference.isStream ? marker : undefined));
  }
}

async function allChannels(parts: ReceiverParts): Promise<Generator<PlaylistChannel>> {
  const bouquets = await parts.services.allBouquetsInSlices('tv');
  return (function* () {
    for (const { name, entries } of bouquets) yield* channels(parts, entries, name);
  })();
}

/** The first channel of each reference. */
function* once(channels: Iterable<PlaylistChannel>): Generator<PlaylistChannel> {
  const seen = new Set<string>();
  for (const channel of channels) {
    if (!seen.has(channel.reference)) yield channel;
    seen.add(channel.reference);
  }
}

/** True for entries that can be played directly: neither markers nor folders. */
function isPlain({ reference }: ServiceEntry): boolean {
  return reference.flags === 0;
}

/** A channel without a picon gets no logo, so that players show one of their own, from a guide or a collection. */
function channel(parts: ReceiverParts, entry: ServiceEntry, group?: string): PlaylistChannel {
  const { reference, name } = entry;
  return {
    reference: reference.format(),
    name,
    number: shownNumber(entry),
    picon: ownPiconPath(parts, reference, name),
    ...(group === undefined ? {} : { group }),
  };
}

interface Playlist {
  readonly title: string;
  readonly tracks: Iterable<Track>;
}
interface Track {
  readonly title: string;
  readonly image: string;
  readonly location: string;
}

/** XSPF version 1, whose specification requires the title before the list. */
const playlistView: View<Playlist> = elementWith(
  'playlist',
  { version: '1', xmlns: 'http://xspf.org/ns/0/' },
  leaf('title', ({ title }) => title),
  element(
    'trackList',
    rows(({ tracks }) => tracks, 'track', { title: 'title', image: 'image', location: 'location' }),
  ),
);

const servicesxspf = operation({
  name: 'services.xspf',
  summary: 'The playlist of a bouquet, or of all television bouquets, as XSPF.',
  cacheState: (parts) => picturedListState(parts, { picon: true }),
  parameters: {
    bRef: bouquetReference('the bouquet; absent = every bouquet of the television root'),
    bName: text('name of the playlist and the file', { example: 'Favourites' }),
  },
  contentType: 'application/xspf+xml',
  example: textOf(
    xmlDocument(playlistView, {
      title: 'Favourites (TV)',
      tracks: [
        {
          title: 'Alpha HD',
          image: 'http://receiver:8080/picon/1_0_19_2B66_3F3_1_C00000_0_0_0.png',
          location: 'http://receiver:8001/1:0:19:2B66:3F3:1:C00000:0:0:0:',
        },
      ],
    }),
  ),
  async run(parts, { bRef, bName }, context) {
    const { services } = parts;
    const reference = bRef ? services.resolve(bRef) : services.root('tv');
    const entries = bRef
      ? await entriesOf(parts, bRef)
      : (await services.allBouquetsInSlices('tv')).flatMap(({ entries }) => entries);
    const playlist = {
      title: bName || services.nameOf(reference),
      tracks: tracks(parts, entries, originOf(parts, context)),
    };
    return { body: xmlDocument(playlistView, playlist), fileName: playlistName(bName, 'xspf') };
  },
});

/** Tracks are built one by one while the list is sent. */
function* tracks(parts: ReceiverParts, entries: Iterable<ServiceEntry>, origin: PlaylistOrigin): Generator<Track> {
  for (const entry of entries) {
    if (!isPlain(entry)) continue;
    const { reference, name } = entry;
    const image = `${origin.web}${piconPath(parts, reference, name)}`;
    yield { title: name, image, location: streamAddress(reference.format(), origin) };
  }
}

const streamm3u = operation({
  name: 'stream.m3u',
  aliases: ['video.m3u'],
  summary: 'The playlist of one service.',
  parameters: {
    ref: serviceReference('the service; absent = the stream port’s URL without a service'),
    name: text('name to show', { example: 'Ships' }),
    fname: text('file name', { example: 'Alpha HD' }),
    zap: boolean('zap to the service first; absent = as set by zapstream, for clients with the permission `control`', {
      wrong: false,
    }),
    ...transcodingParameters,
  },
  changesState: ['zap'],
  contentType: playlistType,
  example: exampleStream,
  async run(parts, { ref, name, fname, zap, ...transcoding }, context) {
    const reference = ref ? playableReference(parts, ref) : undefined;
    const zaps = zap || (parts.settings.isOn(zapForStreams) && context.mayChange);
    if (ref && zaps) await zapTo(parts, ref);
    const origin = streamOriginOf(parts, context, transcoding);
    const body = streamPlaylist({ reference, name: name || undefined }, origin);
    return { body, fileName: playlistName(fname) };
  },
});

/** The first playable member of a group of alternatives. */
function playableReference({ services }: ReceiverParts, ref: string): string {
  const reference = services.resolve(ref);
  return (services.playable(reference)[0] ?? reference).format();
}

const streamcurrentm3u = operation({
  name: 'streamcurrent.m3u',
  summary: 'The playlist of the current service, or of the recording being played.',
  parameters: {
    name: text('name to show; absent = the service’s name', { example: 'Ships' }),
    fname: text('file name', { example: 'Alpha HD' }),
    ...transcodingParameters,
  },
  contentType: playlistType,
  example: exampleStream,
  run(parts, { name: shown, fname, ...transcoding }, context) {
    if (parts.playback.current === undefined) throw fail('not-found', 'a current service');
    const { reference, name, played } = playing(parts);
    if (played) return { body: playlistOf(played.recording, context), fileName: playlistName(fname) };
    const origin = streamOriginOf(parts, context, transcoding);
    const body = streamPlaylist({ reference: reference.format(), name: shown || name }, origin);
    return { body, fileName: playlistName(fname) };
  },
});

export const playlistOperations = group('streams', [getpid, servicesm3u, servicesxspf, streamm3u, streamcurrentm3u]);
