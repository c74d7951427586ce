/** Playlists: M3U for players that take a URL and nothing else. */

import { fail } from '../../errors.ts';
import { channelPlaylist, type PlaylistChannel, type PlaylistOrigin, streamPlaylist } from '../../m3u/playlist.ts';
import type { ServiceEntry } from '../../services/services.ts';
import { type Caller, documentOperation } from '../operation.ts';
import { bouquetReference, serviceReference, text } from '../parameters.ts';
import type { ReceiverParts } from '../parts.ts';
import { playing, zapTo } from './current.ts';
import { listNamed } from './lists.ts';

const since = '0.1';
const tag = 'streams';
const contentType = 'application/x-mpegurl';

function originOf({ config }: ReceiverParts, { host, origin }: Caller): PlaylistOrigin {
  return { streams: `http://${host}:${config.streamPort}`, web: origin };
}

/** Separators of file names are no part of one. */
function playlistName(name: string | undefined): string | undefined {
  return name ? `${name.replace(/[,;]/g, '_')}.m3u8` : undefined;
}

const servicesm3u = documentOperation({
  name: 'services.m3u',
  since,
  tag,
  summary: 'The playlist of a bouquet, or of all television bouquets.',
  description:
    'Without `bRef` but with `sRef` it zaps to that service and answers the playlist of that one service under `title`: one of two double entries of the interface’s list of operations.',
  parameters: {
    bRef: bouquetReference('the bouquet; absent = every bouquet of the television root'),
    bName: text('name of the file'),
    sRef: serviceReference('zaps to this service, without bRef'),
    title: text('name of that service'),
  },
  changesState: ['sRef'],
  contentType,
  async run(parts, { bRef, bName, sRef, title }, caller) {
    const origin = originOf(parts, caller);
    if (!bRef && sRef) {
      await zapTo(parts, sRef, title);
      const reference = parts.services.resolve(sRef);
      const name = title || parts.services.nameOf(reference);
      return { contentType, body: streamPlaylist({ reference: reference.format(), name }, origin) };
    }
    const body = await channelPlaylist(bRef ? channelsOf(parts, bRef) : allChannels(parts), origin);
    return { contentType, body, fileName: playlistName(bName) };
  },
});

/** @throws ReceiverError `not-found` when there is no such list */
function channelsOf({ services }: ReceiverParts, bRef: string): PlaylistChannel[] {
  const list = listNamed(services, bRef);
  if (list === undefined) throw fail('not-found', 'the bouquet');
  return list.entries.filter(isPlain).map((entry) => channel(entry));
}

function allChannels({ services }: ReceiverParts): PlaylistChannel[] {
  return services
    .allBouquets('tv')
    .flatMap(({ name, entries }) => entries.filter(isPlain).map((entry) => channel(entry, name)));
}

/** No markers, no folders: what can be played as it stands. */
function isPlain({ reference }: ServiceEntry): boolean {
  return reference.flags === 0;
}

function channel({ reference, name, number }: ServiceEntry, group?: string): PlaylistChannel {
  return {
    reference: reference.format(),
    name,
    number: number === 0 ? undefined : number,
    ...(group === undefined ? {} : { group }),
  };
}

const streamm3u = documentOperation({
  name: 'stream.m3u',
  aliases: ['video.m3u'],
  since,
  tag,
  summary: 'The playlist of one service.',
  parameters: {
    ref: serviceReference('the service; absent = the stream port without a service'),
    name: text('shown name'),
    fname: text('name of the file'),
  },
  contentType,
  run(parts, { ref, name, fname }, caller) {
    const reference = ref ? playableReference(parts, ref) : undefined;
    const body = streamPlaylist({ reference, name: name || undefined }, originOf(parts, caller));
    return { contentType, body, fileName: playlistName(fname) };
  },
});

/** Of alternatives the first that can be played. */
function playableReference({ services }: ReceiverParts, ref: string): string {
  const reference = services.resolve(ref);
  return (services.playable(reference)[0] ?? reference).format();
}

const streamcurrentm3u = documentOperation({
  name: 'streamcurrent.m3u',
  since,
  tag,
  summary: 'The playlist of the current service.',
  parameters: { fname: text('name of the file') },
  contentType,
  run(parts, { fname }, caller) {
    if (parts.playback.current === undefined) throw fail('not-found', 'a current service');
    const { reference, name } = playing(parts);
    const body = streamPlaylist({ reference: reference.format(), name }, originOf(parts, caller));
    return { contentType, body, fileName: playlistName(fname) };
  },
});

export const playlistOperations = [servicesm3u, streamm3u, streamcurrentm3u];
