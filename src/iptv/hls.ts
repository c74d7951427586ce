/**
 * Follows an HLS playlist (RFC 8216) whose segments are MPEG-TS.
 *
 * Everything that comes is hostile, so whatever leads to no bytes pauses, and ends after a few target durations.
 * `EXT-X-START` and the parts of low-latency HLS are ignored: a receiver wants the live picture, and can wait for it.
 */
import { createDecipheriv } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { systemReason } from '../base/errors.ts';
import { urlOf } from '../base/url.ts';
import {
  chooseVariant,
  longestPlaylist,
  longestSegment,
  numberVector,
  type Playlist,
  parsePlaylist,
  type Resource,
  type Segment,
  tooLarge,
} from './hls-playlist.ts';
import { StreamError } from './stream-error.ts';
import type { Get } from './web.ts';

export { isPlaylist, longestPlaylist } from './hls-playlist.ts';

export interface HlsOptions {
  readonly get: Get;
  readonly signal: AbortSignal;
  /** Bits per second: variants above it are not chosen. 0: no limit. */
  readonly maximumBandwidth: number;
  /** Milliseconds; tests replace it, and then the clock as well. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds since any moment. */
  readonly now?: () => number;
}

interface PlaylistDocument {
  /** Loaded again from here: a redirect may lead elsewhere then (RFC 9110 §15.4.3), as one with a token does. */
  readonly source: string;
  /** After redirects: relative addresses refer to it. */
  readonly url: string;
  readonly text: string;
}

/** Milliseconds between two attempts, and between two requests for a playlist. */
const shortestPause = 1000;
const attemptsForSegment = 3;
/** Target durations: from the end of a live playlist to where reading begins, and without a segment until it fails. */
const distance = 3;
const patience = 5;
/** How often a variant has to be gone until the master playlist is asked for another. */
const timesGone = 3;
const keySize = 16;
const mostKeys = 16;
const nothing: Playlist = {
  variants: [],
  targetDuration: 1,
  firstNumber: 0,
  isNumbered: false,
  segments: [],
  isComplete: false,
};

/**
 * Yields the transport stream of a playlist, at the pace at which it is taken: one segment after another, each while it
 * comes. Ends with the playlist; one that is live has no end. What is to be repeated after an error begins anew.
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

/** How many segments the second of two lists begins after the first, or if negative before; undefined if they share none. */
function stepBetween(before: readonly string[], after: readonly string[]): number | undefined {
  const [first = ''] = after;
  if (before.includes(first)) return before.indexOf(first);
  const [old = ''] = before;
  // A cache may have an older list.
  if (after.includes(old)) return -after.indexOf(old);
  // The queries may have another token each time, if they are not what tells the segments apart.
  const [paths, others] = [before, after].map((names) => names.map((name) => name.split('?', 1)[0] ?? ''));
  const isTold = (names: readonly string[] = []) => names.length > 1 && new Set(names).size === names.length;
  const haveQueries = paths?.join() !== before.join();
  return haveQueries && isTold(paths) && isTold(others) ? stepBetween(paths ?? [], others ?? []) : undefined;
}

/** What a connection or a cipher threw. */
const troubleOf = (error: unknown) => (error instanceof StreamError ? error : new StreamError(systemReason(error)));

/** An address of another playlist may be right: this one has gone, or its token has expired. */
const isGone = ({ status = 0 }: StreamError) => [401, 403, 404, 410].includes(status);

/** @throws StreamError */
function resolve(uri: string, base: string): string {
  const url = urlOf(uri, base);
  if (url === undefined) throw new StreamError('a playlist has an invalid address');
  return url.href;
}

/** Into one piece of memory: a hostile server may send each byte by itself. */
async function beginningOf(body: AsyncIterable<Buffer>, bound: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(bound);
  let size = 0;
  for await (const part of body) {
    size += part.copy(bytes, size);
    if (size === bound) break;
  }
  return bytes.subarray(0, size);
}

/** The number of the segment to begin with. */
function startOf({ segments, firstNumber, isComplete, targetDuration }: Playlist): number {
  let index = isComplete ? 0 : segments.length;
  for (let left = distance * targetDuration; left > 0 && index > 0; index--) {
    left -= segments[index - 1]?.duration || targetDuration;
  }
  return firstNumber + index;
}

class HlsReader {
  readonly #get: Get;
  readonly #signal: AbortSignal;
  readonly #maximumBandwidth: number;
  readonly #pause: NonNullable<HlsOptions['pause']>;
  readonly #now: () => number;

  /** Of the master playlist; undefined if there is none. */
  #master: string | undefined;
  /** Where the playlist that is followed is loaded from, and where that led. */
  #source = '';
  #url = '';
  #list: Playlist = nothing;
  /** When it was asked for. */
  #loaded: number;
  /** It had segments that were not read yet. */
  #isFresh = true;
  #timesGone = 0;
  /** Of the next segment; infinite until there is one. */
  #next = Number.POSITIVE_INFINITY;
  #hasRead = false;
  /** The map that was read since the last discontinuity; empty: none. */
  #map = '';
  /** When the last byte was taken. */
  #lastRead: number;
  /** What went wrong since the playlist was loaded. */
  #trouble: StreamError | undefined;
  readonly #keys = new Map<string, Buffer>();

  constructor({ get, signal, maximumBandwidth, pause, now }: HlsOptions) {
    this.#get = get;
    this.#signal = signal;
    this.#maximumBandwidth = maximumBandwidth;
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
        // It has expired perhaps, and others with it.
        if (isComplete) await this.#rest(shortestPause);
        else await this.#reload(shortestPause);
      } else if (isComplete) {
        if (this.#trouble !== undefined && !this.#hasRead) throw this.#trouble;
        return;
      } else {
        await this.#reload(targetDuration * (this.#isFresh ? 1000 : 500));
      }
    }
  }

  // Playlists

  /** The playlist that is to be followed: this one, or that of a variant. */
  async #open(document: PlaylistDocument): Promise<Playlist> {
    const playlist = await parsePlaylist(document.text);
    if (playlist.variants.length === 0) {
      this.#source = document.source;
      this.#url = document.url;
      return playlist;
    }
    this.#source = resolve(chooseVariant(playlist.variants, this.#maximumBandwidth).uri, document.url);
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

  /** Loads the playlist again, `interval` milliseconds after the last time: at least a second. */
  async #reload(interval: number): Promise<void> {
    await this.#rest(Math.max(interval, shortestPause) - (this.#now() - this.#loaded));
    this.#loaded = this.#now();
    try {
      const isLost = this.#master !== undefined && this.#timesGone >= timesGone;
      if (isLost) this.#timesGone = 0;
      this.#accept(isLost ? await this.#open(await this.#fetch(this.#master ?? '')) : await this.#load());
    } catch (error) {
      const trouble = this.#note(error);
      this.#timesGone = isGone(trouble) ? this.#timesGone + 1 : 0;
      this.#isFresh = false;
    }
  }

  #accept(loaded: Playlist): void {
    const list = loaded.isNumbered ? loaded : this.#numbered(loaded);
    this.#list = list;
    this.#timesGone = 0;
    this.#trouble = undefined;
    const count = list.segments.length;
    const end = list.firstNumber + count;
    // A cache may have an older list. One that has been passed long ago comes from an encoder that was started again.
    if (count > 0 && end + count < this.#next) this.#next = startOf(list);
    this.#isFresh = end > this.#next;
  }

  /** A playlist without numbers, with those that its segments had before; new ones go on from there. */
  #numbered(loaded: Playlist): Playlist {
    const { segments, firstNumber } = this.#list;
    if (loaded.segments.length === 0) return { ...loaded, segments, firstNumber };
    const step = stepBetween(segments.map(nameOf), loaded.segments.map(nameOf)) ?? segments.length;
    return { ...loaded, firstNumber: firstNumber + step };
  }

  async #fetch(source: string): Promise<PlaylistDocument> {
    const answer = await this.#get(source, { signal: this.#signal });
    const bytes = await beginningOf(answer.body, longestPlaylist + 1);
    if (bytes.length > longestPlaylist) throw tooLarge('a playlist', longestPlaylist);
    return { source, url: answer.url, text: bytes.toString() };
  }

  // Segments

  /** Yields the segment, behind its map unless that was read already. Returns false if anything of them is missing. */
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
    for (let attempt = 1; attempt <= attemptsForSegment; attempt++) {
      if (attempt > 1) await this.#rest(shortestPause);
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
    const bound = range?.length ?? longestSegment;
    let size = 0;
    for await (const part of body as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > bound) throw tooLarge('a segment', bound);
      yield decipher === undefined ? part : decipher.update(part);
    }
    if (decipher !== undefined) yield decipher.final();
  }

  async #keyFrom(uri: string): Promise<Buffer> {
    const url = resolve(uri, this.#url);
    const known = this.#keys.get(url);
    if (known !== undefined) return known;
    const { body } = await this.#get(url, { signal: this.#signal });
    const key = await beginningOf(body, keySize + 1);
    if (key.length !== keySize) throw new StreamError(`a key does not have ${keySize} bytes`);
    if (this.#keys.size === mostKeys) this.#keys.clear();
    this.#keys.set(url, key);
    return key;
  }

  // Trouble

  /** Keeps what may be better next time; throws what cannot be. */
  #note(error: unknown): StreamError {
    this.#signal.throwIfAborted();
    const trouble = troubleOf(error);
    if (trouble.isFinal) throw trouble;
    this.#trouble = trouble;
    return trouble;
  }

  /** Everything that fails comes by here. @throws StreamError if nothing has come for too long */
  async #rest(milliseconds: number): Promise<void> {
    const idle = (this.#now() - this.#lastRead) / 1000;
    if (idle >= patience * this.#list.targetDuration) {
      const reason = this.#trouble === undefined ? '' : `: ${this.#trouble.message}`;
      throw new StreamError(`no new segment for ${Math.round(idle)} s${reason}`);
    }
    if (milliseconds > 0) await this.#pause(milliseconds, this.#signal);
  }
}
