/**
 * Reads the segments of an HLS playlist (RFC 8216) with MPEG-TS.
 *
 * Servers may be hostile: an attempt that yields no bytes is followed by a pause, and reading ends after a few target
 * durations without data. `EXT-X-START` and the parts of low-latency HLS are ignored: a receiver plays the live edge
 * and can wait for whole segments.
 */
import { createDecipheriv } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { systemReason } from '../base/errors.ts';
import { urlOf } from '../base/url.ts';
import {
  chooseVariant,
  maxPlaylistBytes,
  maxSegmentBytes,
  numberVector,
  type Playlist,
  parsePlaylist,
  type Resource,
  type Segment,
  tooLarge,
} from './hls-playlist.ts';
import { StreamError } from './stream-error.ts';
import type { Get } from './web.ts';

export { isPlaylist, maxPlaylistBytes } from './hls-playlist.ts';

export interface HlsOptions {
  readonly get: Get;
  readonly signal: AbortSignal;
  /** Bits per second: variants above it are not chosen. 0: no limit. */
  readonly maxBandwidth: number;
  /** Waits; tests replace it together with the clock. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Returns milliseconds since any moment; tests replace it. */
  readonly now?: () => number;
}

interface PlaylistDocument {
  /** The address before redirects. Reloads use it, since a redirect may change, such as one with a token. */
  readonly source: string;
  /** The address after redirects: relative addresses refer to it. */
  readonly url: string;
  readonly text: string;
}

/** Milliseconds between two attempts, and between two requests for a playlist. */
const minPauseMs = 1000;
const attemptsPerSegment = 3;
/** In target durations: distance from the end of a live playlist to the first segment read. */
const liveDistance = 3;
/** In target durations: time without data after which reading fails. */
const noDataTimeout = 5;
/** Failed loads of a variant that is gone before the master playlist is loaded again. */
const maxGoneLoads = 3;
const keyBytes = 16;
const maxKeys = 16;
const emptyPlaylist: Playlist = {
  variants: [],
  targetDuration: 1,
  firstNumber: 0,
  isNumbered: false,
  segments: [],
  isComplete: false,
};

/**
 * Yields the transport stream of a playlist as fast as it is read, one segment after another, each while it arrives.
 * Ends with the playlist; a live one has no end. After an error, a segment is requested again from its start.
 * @throws StreamError, and the reason of the signal
 */
export async function* readHls(first: PlaylistDocument, options: HlsOptions): AsyncGenerator<Buffer> {
  try {
    yield* new HlsReader(options).read(first);
  } catch (error) {
    options.signal.throwIfAborted();
    throw troubleOf(error);
  }
}

const nameOf = ({ uri, range }: Segment) => `${range?.from ?? ''} ${uri}`;

/** Returns how many segments `after` begins later than `before`, negative if earlier; undefined if they share none. */
function stepBetween(before: readonly string[], after: readonly string[]): number | undefined {
  const [first = ''] = after;
  if (before.includes(first)) return before.indexOf(first);
  const [old = ''] = before;
  // A cache may return an older list.
  if (after.includes(old)) return -after.indexOf(old);
  // The queries may contain a new token each time, unless only they distinguish the segments.
  const [paths, others] = [before, after].map((names) => names.map((name) => name.split('?', 1)[0] ?? ''));
  const areDistinct = (names: readonly string[] = []) => names.length > 1 && new Set(names).size === names.length;
  const haveQueries = paths?.join() !== before.join();
  return haveQueries && areDistinct(paths) && areDistinct(others) ? stepBetween(paths ?? [], others ?? []) : undefined;
}

/** Converts an error of a connection or a cipher. */
const troubleOf = (error: unknown) => (error instanceof StreamError ? error : new StreamError(systemReason(error)));

/** True if the address no longer exists, or its token has expired: another playlist may have a valid one. */
const isGone = ({ status = 0 }: StreamError) => [401, 403, 404, 410].includes(status);

/** @throws StreamError */
function resolve(uri: string, base: string): string {
  const url = urlOf(uri, base);
  if (url === undefined) throw new StreamError('a playlist has an invalid address');
  return url.href;
}

/** Reads up to `maxBytes` into one buffer, since a hostile server may send single bytes. */
async function beginningOf(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(maxBytes);
  let size = 0;
  for await (const part of body) {
    size += part.copy(bytes, size);
    if (size === maxBytes) break;
  }
  return bytes.subarray(0, size);
}

/** Returns the number of the first segment to read. */
function startOf({ segments, firstNumber, isComplete, targetDuration }: Playlist): number {
  let index = isComplete ? 0 : segments.length;
  for (let left = liveDistance * targetDuration; left > 0 && index > 0; index--) {
    left -= segments[index - 1]?.duration || targetDuration;
  }
  return firstNumber + index;
}

class HlsReader {
  readonly #get: Get;
  readonly #signal: AbortSignal;
  readonly #maxBandwidth: number;
  readonly #pause: NonNullable<HlsOptions['pause']>;
  readonly #now: () => number;

  /** Address of the master playlist; undefined if there is none. */
  #master: string | undefined;
  /** Addresses of the media playlist, before and after redirects. */
  #source = '';
  #url = '';
  #list: Playlist = emptyPlaylist;
  /** Time of its last request. */
  #loaded: number;
  /** It had new segments when it was last loaded. */
  #isFresh = true;
  #goneLoads = 0;
  /** Number of the next segment; infinite until there is one. */
  #next = Number.POSITIVE_INFINITY;
  #hasRead = false;
  /** The map read since the last discontinuity; empty if none was. */
  #map = '';
  /** Time at which the last data was read. */
  #lastRead: number;
  /** The last error since the playlist was loaded. */
  #trouble: StreamError | undefined;
  readonly #keys = new Map<string, Buffer>();

  constructor({ get, signal, maxBandwidth, pause, now }: HlsOptions) {
    this.#get = get;
    this.#signal = signal;
    this.#maxBandwidth = maxBandwidth;
    this.#pause = pause ?? ((milliseconds) => setTimeout(milliseconds, undefined, { signal }));
    this.#now = now ?? (() => performance.now());
    this.#loaded = this.#now();
    this.#lastRead = this.#now();
  }

  async *read(first: PlaylistDocument): AsyncGenerator<Buffer> {
    this.#accept(await this.#open(first));
    for (;;) {
      this.#signal.throwIfAborted();
      const { firstNumber, segments, isComplete, targetDuration } = this.#list;
      const number = Math.max(this.#next, firstNumber);
      const segment = segments[number - firstNumber];
      if (segment !== undefined) {
        this.#next = number + 1;
        if (segment.isDiscontinuous) this.#map = '';
        if (segment.isGap || (yield* this.#readSegment(segment, number))) continue;
        // The segment may have expired, and others with it.
        if (isComplete) await this.#waitBeforeRetry(minPauseMs);
        else await this.#reload(minPauseMs);
      } else if (isComplete) {
        if (this.#trouble !== undefined && !this.#hasRead) throw this.#trouble;
        return;
      } else {
        await this.#reload(targetDuration * (this.#isFresh ? 1000 : 500));
      }
    }
  }

  // Playlists

  /** Returns the media playlist: this one, or that of the chosen variant. */
  async #open(document: PlaylistDocument): Promise<Playlist> {
    const playlist = await parsePlaylist(document.text);
    if (playlist.variants.length === 0) {
      this.#source = document.source;
      this.#url = document.url;
      return playlist;
    }
    this.#source = resolve(chooseVariant(playlist.variants, this.#maxBandwidth).uri, document.url);
    this.#master = document.source;
    return await this.#load();
  }

  async #load(): Promise<Playlist> {
    const document = await this.#fetch(this.#source);
    this.#url = document.url;
    const playlist = await parsePlaylist(document.text);
    if (playlist.variants.length > 0) throw new StreamError('the playlist of a variant has variants');
    return playlist;
  }

  /** Loads the playlist again, `intervalMs` milliseconds after the last load, and at least one second after it. */
  async #reload(intervalMs: number): Promise<void> {
    await this.#waitBeforeRetry(Math.max(intervalMs, minPauseMs) - (this.#now() - this.#loaded));
    this.#loaded = this.#now();
    try {
      const isLost = this.#master !== undefined && this.#goneLoads >= maxGoneLoads;
      if (isLost) this.#goneLoads = 0;
      this.#accept(isLost ? await this.#open(await this.#fetch(this.#master ?? '')) : await this.#load());
    } catch (error) {
      const trouble = this.#note(error);
      this.#goneLoads = isGone(trouble) ? this.#goneLoads + 1 : 0;
      this.#isFresh = false;
    }
  }

  #accept(loaded: Playlist): void {
    const list = loaded.isNumbered ? loaded : this.#numbered(loaded);
    this.#list = list;
    this.#goneLoads = 0;
    this.#trouble = undefined;
    const count = list.segments.length;
    const end = list.firstNumber + count;
    // A cache may return an older list. A list far behind the next segment comes from a restarted encoder.
    if (count > 0 && end + count < this.#next) this.#next = startOf(list);
    this.#isFresh = end > this.#next;
  }

  /** Numbers the segments of a playlist without numbers: known segments keep theirs, new ones continue from there. */
  #numbered(loaded: Playlist): Playlist {
    const { segments, firstNumber } = this.#list;
    if (loaded.segments.length === 0) return { ...loaded, segments, firstNumber };
    const step = stepBetween(segments.map(nameOf), loaded.segments.map(nameOf)) ?? segments.length;
    return { ...loaded, firstNumber: firstNumber + step };
  }

  async #fetch(source: string): Promise<PlaylistDocument> {
    const answer = await this.#get(source, { signal: this.#signal });
    const bytes = await beginningOf(answer.body, maxPlaylistBytes + 1);
    if (bytes.length > maxPlaylistBytes) throw tooLarge('a playlist', maxPlaylistBytes);
    return { source, url: answer.url, text: bytes.toString() };
  }

  // Segments

  /** Yields the segment, preceded by its map unless that was read already. Returns false if either is incomplete. */
  async *#readSegment(segment: Segment, number: number): AsyncGenerator<Buffer, boolean> {
    const { map } = segment;
    const name = map === undefined ? '' : JSON.stringify([map.uri, map.range]);
    if (map !== undefined && name !== this.#map) {
      if (!(yield* this.#readResource(map, number))) return false;
      this.#map = name;
    }
    return yield* this.#readResource(segment, number);
  }

  async *#readResource(resource: Resource, number: number): AsyncGenerator<Buffer, boolean> {
    const url = resolve(resource.uri, this.#url);
    let taken = 0;
    for (let attempt = 1; attempt <= attemptsPerSegment; attempt++) {
      if (attempt > 1) await this.#waitBeforeRetry(minPauseMs);
      let position = 0;
      try {
        for await (const part of this.#bytesOf(resource, url, number)) {
          const fresh = part.subarray(Math.max(0, taken - position));
          position += part.length;
          if (fresh.length === 0) continue;
          taken += fresh.length;
          this.#hasRead = true;
          yield fresh;
          this.#lastRead = this.#now();
        }
        return taken > 0;
      } catch (error) {
        if (isGone(this.#note(error))) return false;
      }
    }
    return false;
  }

  async *#bytesOf({ key, range }: Resource, url: string, number: number): AsyncGenerator<Buffer> {
    const decipher =
      key && createDecipheriv('aes-128-cbc', await this.#keyFrom(key.uri), key.vector ?? numberVector(number));
    const { body } = await this.#get(url, { signal: this.#signal, ...(range && { range }) });
    const maxBytes = range?.length ?? maxSegmentBytes;
    let size = 0;
    for await (const part of body as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > maxBytes) throw tooLarge('a segment', maxBytes);
      yield decipher === undefined ? part : decipher.update(part);
    }
    if (decipher !== undefined) yield decipher.final();
  }

  async #keyFrom(uri: string): Promise<Buffer> {
    const url = resolve(uri, this.#url);
    const known = this.#keys.get(url);
    if (known !== undefined) return known;
    const { body } = await this.#get(url, { signal: this.#signal });
    const key = await beginningOf(body, keyBytes + 1);
    if (key.length !== keyBytes) throw new StreamError(`a key does not have ${keyBytes} bytes`);
    if (this.#keys.size === maxKeys) this.#keys.clear();
    this.#keys.set(url, key);
    return key;
  }

  // Errors

  /** Remembers an error that a later attempt may avoid. @throws StreamError one that is final */
  #note(error: unknown): StreamError {
    this.#signal.throwIfAborted();
    const trouble = troubleOf(error);
    if (trouble.isFinal) throw trouble;
    this.#trouble = trouble;
    return trouble;
  }

  /** Waits after each failed attempt. @throws StreamError after too long without data */
  async #waitBeforeRetry(pauseMs: number): Promise<void> {
    const idleSeconds = (this.#now() - this.#lastRead) / 1000;
    if (idleSeconds >= noDataTimeout * this.#list.targetDuration) {
      const reason = this.#trouble === undefined ? '' : `: ${this.#trouble.message}`;
      throw new StreamError(`no new segment for ${Math.round(idleSeconds)} s${reason}`);
    }
    if (pauseMs > 0) await this.#pause(pauseMs, this.#signal);
  }
}
