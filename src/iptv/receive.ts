/** Receives the transport stream of a web address: as the server sends it, or from the segments of an HLS playlist. */

import { urlOf } from '../base/url.ts';
import { isPlaylist, maxPlaylistBytes, readHls } from './hls.ts';
import { StreamError } from './stream-error.ts';
import type { Get } from './web.ts';

export interface ReceiveOptions {
  readonly get: Get;
  readonly signal: AbortSignal;
  /** Maximum bits per second of an HLS variant; 0: no limit. */
  readonly maxBandwidth: number;
}

/** Packet sizes: 188 bytes, or 4 or 16 bytes more. `beginningSize` bytes contain three packets. */
const packetSizes = [188, 192, 204];
const beginningSize = 1024;

/**
 * Yields the stream as fast as it is read, until the server ends it. A playlist that is not HLS contains the address of
 * the stream, as radio stations have it. `isNamed`: the address comes from such a playlist. @throws StreamError
 */
export async function* receiveWeb(url: string, options: ReceiveOptions, isNamed = false): AsyncGenerator<Buffer> {
  const answer = await options.get(url, { signal: options.signal });
  const pieces: AsyncIterator<Buffer> = answer.body[Symbol.asyncIterator]();
  const beginning = await gather(pieces, beginningSize);
  if (isPlaylist(beginning)) {
    const rest = await gather(pieces, maxPlaylistBytes + 1 - beginning.length);
    answer.body.destroy();
    const text = Buffer.concat([beginning, rest]).toString();
    const named = isNamed || text.includes('#EXT-X-') ? undefined : /^[^#\s].*$/m.exec(text)?.[0];
    if (named === undefined) return yield* transportStream(readHls({ source: url, url: answer.url, text }, options));
    const target = urlOf(named, answer.url);
    if (target === undefined) throw new StreamError('a playlist has an invalid address');
    return yield* receiveWeb(target.href, options, true);
  }
  if (beginning.length === 0) throw new StreamError('the server sends nothing', { status: 200 });
  if (!isTransportStream(beginning)) {
    answer.body.destroy();
    throw new StreamError('it is neither a transport stream nor a playlist', { isFinal: true });
  }
  yield beginning;
  yield* { [Symbol.asyncIterator]: () => pieces };
}

/** Yields the segments of a playlist. @throws StreamError final if they are not a transport stream */
async function* transportStream(segments: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    const beginning = await gather(segments, beginningSize);
    if (beginning.length === 0) throw new StreamError('the server sends nothing');
    if (!isTransportStream(beginning)) {
      throw new StreamError(`its segments are not a transport stream${kindOf(beginning)}`, { isFinal: true });
    }
    yield beginning;
    yield* segments;
  } finally {
    await segments.return(undefined);
  }
}

/** Names the format for the message: fragmented MP4 (ISO/IEC 14496-12 §4.2), packed audio (RFC 8216 §3.4), or empty. */
function kindOf(beginning: Buffer): string {
  if (/^(?:ftyp|styp|sidx|moof|moov|emsg)$/.test(beginning.toString('latin1', 4, 8))) return ' but fragmented MP4';
  return beginning[0] === 0xff || beginning.toString('latin1', 0, 3) === 'ID3' ? ' but packed audio' : '';
}

/** Reads at least `size` bytes, unless the stream ends before. */
async function gather(pieces: AsyncIterator<Buffer>, size: number): Promise<Buffer> {
  const gathered: Buffer[] = [];
  for (let left = size; left > 0; ) {
    const { done, value } = await pieces.next();
    if (done) break;
    gathered.push(value);
    left -= value.length;
  }
  return Buffer.concat(gathered);
}

/** True if three consecutive sync bytes are found at the distance of one of the packet sizes. */
function isTransportStream(bytes: Buffer): boolean {
  return packetSizes.some((packetSize) => {
    for (let at = 0; at < packetSize; at++) {
      if (bytes[at] === 0x47 && bytes[at + packetSize] === 0x47 && bytes[at + 2 * packetSize] === 0x47) return true;
    }
    return false;
  });
}
