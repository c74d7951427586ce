/**
 * M3U playlists: channel lists, one stream, one recording. A typed wrapper around native/m3u, which formats names and
 * URLs; the caller decides on the contents. All output is UTF-8 with LF.
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
   * Appended to every URL of the stream port, for transcoding: `?bitrate=1000000&width=1280&height=720`. The
   * programme line is left out then, since a transcoded stream has its own numbers.
   */
  readonly query?: string | undefined;
  /** Stands for a login in every URL of the receiver itself; absent: none is needed. */
  readonly ticket?: string | undefined;
}

/** One playable entry of a channel list. Must not be a marker or directory. */
export interface PlaylistChannel {
  /**
   * A service reference in written form, whose name is cut off. If its path is a URL (an IPTV entry), the entry points
   * to that URL itself.
   */
  readonly reference: string;
  /** Display name: any text; control characters are dropped. */
  readonly name: string;
  /** Channel number, `tvg-chno`; left out if undefined. */
  readonly number?: number | undefined;
  /** `tvg-logo`, a path on the web port or a full URL; left out if undefined. */
  readonly picon?: string | undefined;
  /**
   * `group-title`, by which IPTV players sort channels into folders. Left out if undefined: services.m3u of one bouquet
   * has none; a list of several bouquets has the bouquet's name here.
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
 * The list of services.m3u, in the order given. Built on a worker thread; its input is collected in turns. Rejects with
 * a RangeError if the entries have over 32 MiB of text in total.
 */
export async function channelPlaylist(channels: Iterable<PlaylistChannel>, origin: PlaylistOrigin): Promise<Buffer> {
  return native.m3u.channels(origin.streams, origin.web, origin.query ?? '', origin.ticket ?? '', await pack(channels));
}

/** One stream: stream.m3u, streamcurrent.m3u, video.m3u. */
export function streamPlaylist(stream: PlaylistStream, origin: PlaylistOrigin): Buffer {
  return native.m3u.stream(
    origin.streams,
    origin.query ?? '',
    origin.ticket ?? '',
    stream.reference ?? '',
    stream.name ?? '',
  );
}

/** The address at which a player gets a service: the stream port, or for a network stream its own. */
export function streamAddress(reference: string, origin: PlaylistOrigin): string {
  // The only line that is not a comment.
  return streamPlaylist({ reference }, origin).toString('utf8').trimEnd().split('\n').at(-1) ?? '';
}

/** One recording, fetched from the web port: ts.m3u. */
export function recordingPlaylist(recording: PlaylistRecording, origin: PlaylistOrigin): Buffer {
  const { title = '', seconds = -1, reference = '' } = recording.meta ?? {};
  return native.m3u.recording(origin.web, origin.ticket ?? '', recording.path, title, seconds, reference);
}

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

/** NUL ends a field, so it is dropped from the text. */
function field(text = ''): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text;
}
