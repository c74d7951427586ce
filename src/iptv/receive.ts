/** The transport stream of a web address: as the server sends it, or put together from an HLS playlist. */

import { urlOf } from '../base/url.ts';
import { isPlaylist, longestPlaylist, readHls } from './hls.ts';
import { StreamError } from './stream-error.ts';
import type { Get } from './web.ts';

export interface ReceiveOptions {
  readonly get: Get;
  readonly signal: AbortSignal;
  /** Bits per second of the HLS variant that is chosen, at most; 0: no limit. */
  readonly maximumBandwidth: number;
}

/** Packets of 188 bytes, or with 4 or 16 more; three of them lie within this many bytes. */
const distances = [188, 192, 204];
const beginningSize = 1024;

/**
 * Yields what comes, as fast as it is taken. Ends where the server ends it. A playlist that is no HLS names the stream,
 * as one of a radio station does. @throws StreamError
 */
export async function* receiveWeb(url: string, options: ReceiveOptions, isNamed = false): AsyncGenerator<Buffer> {
  const answer = await options.get(url, { signal: options.signal });
  const pieces: AsyncIterator<Buffer> = answer.body[Symbol.asyncIterator]();
  const beginning = await gather(pieces, beginningSize);
  if (isPlaylist(beginning)) {
    const rest = await gather(pieces, longestPlaylist + 1 - beginning.length);
    answer.body.destroy();
    const text = Buffer.concat([beginning, rest]).toString();
    const named = isNamed || text.includes('#EXT-X-') ? undefined : /^[^#\s].*$/m.exec(text)?.[0];
    if (named === undefined) return yield* transportStream(readHls({ source: url, url: answer.url, text }, options));
    const target = urlOf(named, answer.url);
    if (target === undefined) throw new StreamError('a playlist has an invalid address');
    return yield* receiveWeb(target.href, options, true);
  }
  if (beginning.length === 0) throw new StreamError('the server sends nothing');
  if (!isTransportStream(beginning)) {
    answer.body.destroy();
    throw new StreamError('it is neither a transport stream nor a playlist', { isFinal: true });
  }
  yield beginning;
  yield* { [Symbol.asyncIterator]: () => pieces };
}

/** The segments of a playlist, if they are a transport stream. @throws StreamError final if not */
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

/** For the message: fragmented MP4 (ISO/IEC 14496-12 §4.2), packed audio (RFC 8216 §3.4), or empty. */
function kindOf(beginning: Buffer): string {
  if (/^(?:ftyp|styp|sidx|moof|moov|emsg)$/.test(beginning.toString('latin1', 4, 8))) return ' but fragmented MP4';
  return beginning[0] === 0xff || beginning.toString('latin1', 0, 3) === 'ID3' ? ' but packed audio' : '';
}

/** At least so many bytes, unless there are fewer. */
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

/** Three packets begin at their distance, wherever the first of them does. */
function isTransportStream(bytes: Buffer): boolean {
  return distances.some((distance) => {
    for (let at = 0; at < distance; at++) {
      if (bytes[at] === 0x47 && bytes[at + distance] === 0x47 && bytes[at + 2 * distance] === 0x47) return true;
    }
    return false;
  });
}
