/**
 * M3U playlists of channel lists, of one stream or of one recording. A typed wrapper around native/m3u, which formats
 * names and URLs; the caller decides what the lists contain. All output is UTF-8 with LF.
 */
import { native } from '../base/native.ts';
import { TimeSlice } from '../base/time-slice.ts';

/** Targets of the URLs in a playlist. Both are prefixes without a final slash. */
export interface PlaylistOrigin {
  /** The stream port, for example `http://box:8001` or `http://user:password@box:8001`. */
  readonly streams: string;
  /** The web port, for picons and files: `http://box` or `https://box:8443`. */
  readonly web: string;
  /**
   * Query appended to every URL of the stream port, for transcoding: `?bitrate=1000000&width=1280&height=720`. The line
   * with the program number is then omitted, because a transcoded stream has its own numbers.
   */
  readonly query?: string | undefined;
  /** Ticket in every URL of this receiver, in place of a login; undefined if no login is needed. */
  readonly ticket?: string | undefined;
}

/** One playable entry of a channel list. Must not be a marker or directory. */
export interface PlaylistChannel {
  /**
   * A service reference as text; its name is removed. If its path is a URL (an IPTV entry), the entry points to that
   * URL.
   */
  readonly reference: string;
  /** Display name: any text; control characters are dropped. */
  readonly name: string;
  /** Channel number (`tvg-chno`), such as 7 or 10.1; omitted if undefined or empty. */
  readonly number?: number | string | undefined;
  /** Logo (`tvg-logo`): a path on the web port or a full URL; omitted if undefined. */
  readonly picon?: string | undefined;
  /**
   * Folder in IPTV players (`group-title`): the name of the bouquet in a list of several bouquets; in services.m3u of one
   * bouquet, the marker above a network stream. Omitted if undefined.
   */
  readonly group?: string | undefined;
}

/** The contents of stream.m3u and streamcurrent.m3u. */
export interface PlaylistStream {
  /** Without a reference the URL is the stream port's root. */
  readonly reference?: string | undefined;
  /** Display name; without it the `#EXTINF` line is left out. */
  readonly name?: string | undefined;
}

/** The contents of ts.m3u. */
export interface PlaylistRecording {
  /** Absolute path as clients pass it to `/file?file=`. */
  readonly path: string;
  /** From the recording's `.meta` file; without it the list has only the URL. */
  readonly meta?: { readonly title: string; readonly seconds: number; readonly reference: string } | undefined;
}

/**
 * Formats a channel list (services.m3u) in the given order, on a worker thread; its input is collected in time slices.
 * @throws RangeError if the entries have more than 32 MiB of text in total
 */
export async function channelPlaylist(channels: Iterable<PlaylistChannel>, origin: PlaylistOrigin): Promise<Buffer> {
  return native.m3u.channels(origin.streams, origin.web, origin.query ?? '', origin.ticket ?? '', await pack(channels));
}

/** Formats the playlist of one stream: stream.m3u, streamcurrent.m3u, video.m3u. */
export function streamPlaylist(stream: PlaylistStream, origin: PlaylistOrigin): Buffer {
  return native.m3u.stream(
    origin.streams,
    origin.query ?? '',
    origin.ticket ?? '',
    stream.reference ?? '',
    stream.name ?? '',
  );
}

/** The URL at which a player gets a service: on the stream port, or that of a network stream. */
export function streamAddress(reference: string, origin: PlaylistOrigin): string {
  // The last line is the only one that is not a comment.
  return streamPlaylist({ reference }, origin).toString('utf8').trimEnd().split('\n').at(-1) ?? '';
}

/** Formats the playlist of one recording, which is fetched from the web port: ts.m3u. */
export function recordingPlaylist(recording: PlaylistRecording, origin: PlaylistOrigin): Buffer {
  const { title = '', seconds = -1, reference = '' } = recording.meta ?? {};
  return native.m3u.recording(origin.web, origin.ticket ?? '', recording.path, title, seconds, reference);
}

/** Packs the fields of the channels for the addon, each ended by NUL. Works in time slices. */
async function pack(channels: Iterable<PlaylistChannel>): Promise<Buffer> {
  const slice = new TimeSlice();
  const packed: Buffer[] = [];
  let text = '';
  for (const { reference, name, number, picon, group } of channels) {
    text += `${field(reference)}\0${field(name)}\0${number ?? ''}\0${field(picon)}\0${field(group)}\0`;
    if (!slice.isOver) continue;
    packed.push(Buffer.from(text));
    text = '';
    await slice.next();
  }
  packed.push(Buffer.from(text));
  return Buffer.concat(packed);
}

/** The text of a field without NUL, which would end it. */
function field(text = ''): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text;
}
