/**
 * Parses HLS playlists (RFC 8216), as far as a receiver of transport streams needs them. It accepts sloppy playlists as
 * long as they are unambiguous. docs/dependencies.md says why this is not a library.
 */
import { TimeSlice } from '../base/time-slice.ts';
import { StreamError } from './stream-error.ts';

/** Key of AES-128 in CBC mode, for a whole segment. */
export interface SegmentKey {
  readonly uri: string;
  /** Initialization vector, 16 bytes; undefined: the number of the segment. */
  readonly vector: Buffer | undefined;
}

/** A file on the server, or a range of bytes of it. */
export interface Resource {
  /** Relative to the playlist. */
  readonly uri: string;
  readonly range: { readonly from: number; readonly length: number } | undefined;
  readonly key: SegmentKey | undefined;
}

export interface Segment extends Resource {
  /** Seconds; 0 if unknown. */
  readonly duration: number;
  /** PAT and PMT that a decoder needs before it (RFC 8216 §3.2, §4.3.2.5). */
  readonly map: Resource | undefined;
  /** It does not continue the previous segment (RFC 8216 §4.3.2.3). */
  readonly isDiscontinuous: boolean;
  /** The server does not have it. */
  readonly isGap: boolean;
}

export interface Variant {
  /** Relative to the playlist. */
  readonly uri: string;
  /** Bits per second; 0 if unknown. */
  readonly bandwidth: number;
  /** It has audio only. */
  readonly isAudioOnly: boolean;
  /** Its audio is in another playlist. */
  readonly hasSeparateAudio: boolean;
}

export interface Playlist {
  /** Variants of a master playlist; empty in a media playlist. */
  readonly variants: readonly Variant[];
  /** Seconds, limited to 1 to 60. */
  readonly targetDuration: number;
  /** Number of the first segment; the others are numbered consecutively. */
  readonly firstNumber: number;
  /** True if the playlist has that number (RFC 8216 §4.3.3.2); otherwise it is 0. */
  readonly isNumbered: boolean;
  readonly segments: readonly Segment[];
  /** There will be no more segments. */
  readonly isComplete: boolean;
}

/** Bounds, in bytes unless the name says otherwise. */
export const maxPlaylistBytes = 2 * 1024 * 1024;
export const maxSegmentBytes = 64 * 1024 * 1024;
const maxLineLength = 64 * 1024;
const maxSegments = 10_000;
/** Bytes that are searched for the beginning of a playlist. */
const maxPrefixBytes = 1024;
/** Seconds. */
const minTargetDuration = 1;
const maxTargetDuration = 60;
/** Hexadecimal digits of an initialization vector. */
const vectorDigits = 32;

const audioCodec = /^(?:mp4a|mp3|ac-[34]|ec-3|dts|opus|flac)/i;

/** Error for something that exceeds its bound. */
export const tooLarge = (what: string, maxBytes: number) =>
  new StreamError(`${what} is larger than ${maxBytes} bytes`, { isFinal: true });

const unsupported = (what: string) => new StreamError(`${what} is not supported`, { isFinal: true });

/** True if a document begins with `#EXTM3U`, after an optional byte order mark and blanks. */
export function isPlaylist(beginning: Uint8Array): boolean {
  const text = Buffer.from(beginning.subarray(0, maxPrefixBytes)).toString('latin1');
  return /^[\s\xef\xbb\xbf]*#EXTM3U/.test(text);
}

/**
 * Parses a playlist, in time slices.
 * @throws StreamError final if it needs an unsupported feature (encryption other than AES-128), is larger than 2 MB,
 *   has a line above 64 kB or more than 10,000 segments; not final if it is damaged
 */
export async function parsePlaylist(text: string): Promise<Playlist> {
  if (text.length > maxPlaylistBytes) throw tooLarge('a playlist', maxPlaylistBytes);
  if (!/^\s*#EXTM3U/.test(text)) throw new StreamError('the server did not send a playlist');
  const parser = new Parser();
  const slice = new TimeSlice();
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    if (slice.isOver) await slice.next();
    if (line.length > maxLineLength) throw tooLarge('a line of a playlist', maxLineLength);
    parser.readLine(line.trim());
  }
  return parser.end();
}

/**
 * Chooses the variant with the largest bandwidth up to `maxBandwidth` bits per second (0: no limit), otherwise the one
 * with the smallest. Variants with video precede those with audio only. REQUIRES: at least one variant
 * @throws StreamError final if all of them have their audio in another playlist
 */
export function chooseVariant(variants: readonly Variant[], maxBandwidth: number): Variant {
  const withVideo = variants.filter((variant) => !variant.isAudioOnly);
  const whole = (withVideo.length === 0 ? variants : withVideo).filter((one) => !one.hasSeparateAudio);
  const descending = whole.sort((one, other) => other.bandwidth - one.bandwidth);
  const chosen =
    descending.find(({ bandwidth }) => maxBandwidth === 0 || bandwidth <= maxBandwidth) ?? descending.at(-1);
  if (chosen === undefined) throw unsupported('audio in a separate playlist');
  return chosen;
}

type Attributes = ReadonlyMap<string, string>;

class Parser {
  readonly #segments: Segment[] = [];
  readonly #streams: { readonly uri: string; readonly attributes: Attributes }[] = [];
  /** Groups of audio renditions; true if one of a group is in the variant itself. */
  readonly #audioGroups = new Map<string, boolean>();
  #targetDuration = 0;
  #firstNumber: number | undefined;
  #isComplete = false;
  #key: SegmentKey | undefined;
  #map: Resource | undefined;
  /** Address and end of the last range. */
  #lastRange = { uri: '', end: 0 };

  /** Attributes of the next address, set by the tags before it. */
  #stream: Attributes | undefined;
  #duration = 0;
  #range = '';
  #isGap = false;
  #isDiscontinuous = false;

  /** Reads a line without blanks around it. */
  readLine(line: string): void {
    if (!line.startsWith('#')) {
      if (line !== '') this.#readAddress(line);
      return;
    }
    const [, tag = '', value = ''] = /^#([^:]*):?(.*)$/s.exec(line) ?? [];
    this.#readTag(tag, value.trim());
  }

  end(): Playlist {
    const maxDuration = this.#segments.reduce((max, { duration }) => Math.max(max, duration), 0);
    const target = this.#targetDuration === 0 ? maxDuration : this.#targetDuration;
    return {
      variants: this.#streams.map(({ uri, attributes }) => this.#variant(uri, attributes)),
      targetDuration: Math.min(Math.max(target, minTargetDuration), maxTargetDuration),
      firstNumber: this.#firstNumber ?? 0,
      isNumbered: this.#firstNumber !== undefined,
      segments: this.#segments,
      isComplete: this.#isComplete,
    };
  }

  #readTag(tag: string, value: string): void {
    switch (tag) {
      case 'EXTINF':
        this.#duration = numberOf(value);
        break;
      case 'EXT-X-BYTERANGE':
        this.#range = value;
        break;
      case 'EXT-X-GAP':
        this.#isGap = true;
        break;
      case 'EXT-X-KEY':
        this.#key = keyOf(attributesOf(value));
        break;
      case 'EXT-X-MAP':
        this.#map = this.#mapOf(attributesOf(value));
        break;
      case 'EXT-X-DISCONTINUITY':
        this.#isDiscontinuous = true;
        break;
      case 'EXT-X-TARGETDURATION':
        this.#targetDuration = numberOf(value);
        break;
      case 'EXT-X-MEDIA-SEQUENCE':
        this.#firstNumber = Math.trunc(numberOf(value));
        if (this.#firstNumber > Number.MAX_SAFE_INTEGER - maxSegments) throw damaged('number of a segment');
        break;
      case 'EXT-X-ENDLIST':
        this.#isComplete = true;
        break;
      case 'EXT-X-PLAYLIST-TYPE':
        this.#isComplete ||= value === 'VOD';
        break;
      case 'EXT-X-STREAM-INF':
        this.#stream = attributesOf(value);
        break;
      case 'EXT-X-MEDIA':
        this.#readRendition(attributesOf(value));
        break;
    }
  }

  #readRendition(attributes: Attributes): void {
    if (attributes.get('TYPE') !== 'AUDIO') return;
    const group = attributes.get('GROUP-ID') ?? '';
    this.#audioGroups.set(group, !attributes.has('URI') || this.#audioGroups.get(group) === true);
  }

  #readAddress(uri: string): void {
    if (this.#stream !== undefined) {
      this.#streams.push({ uri, attributes: this.#stream });
      this.#stream = undefined;
      return;
    }
    if (this.#segments.length === maxSegments) throw unsupported(`a playlist of more than ${maxSegments} segments`);
    const range =
      this.#range === '' ? undefined : rangeOf(this.#range, this.#lastRange.uri === uri ? this.#lastRange.end : 0);
    if (range !== undefined) this.#lastRange = { uri, end: range.from + range.length };
    this.#segments.push({
      ...{ uri, range, key: this.#key, map: this.#map },
      ...{ duration: this.#duration, isDiscontinuous: this.#isDiscontinuous, isGap: this.#isGap },
    });
    this.#duration = 0;
    this.#range = '';
    this.#isGap = false;
    this.#isDiscontinuous = false;
  }

  #mapOf(attributes: Attributes): Resource {
    const [uri, range] = [attributes.get('URI'), attributes.get('BYTERANGE')];
    if (uri === undefined) throw damaged('map');
    return { uri, range: range === undefined ? undefined : rangeOf(range, 0), key: this.#key };
  }

  #variant(uri: string, attributes: Attributes): Variant {
    const codecs = attributes.get('CODECS') ?? '';
    return {
      uri,
      bandwidth: numberOf(attributes.get('BANDWIDTH') ?? ''),
      isAudioOnly: !attributes.has('RESOLUTION') && codecs.split(',').every((one) => audioCodec.test(one.trim())),
      hasSeparateAudio: this.#audioGroups.get(attributes.get('AUDIO') ?? '') === false,
    };
  }
}

const damaged = (what: string) => new StreamError(`a playlist is damaged: its ${what} is invalid`);

/** Parses a positive number; 0 for anything else. */
function numberOf(text: string): number {
  const number = Number.parseFloat(text);
  return Number.isFinite(number) && number > 0 ? number : 0;
}

/** Parses a range of bytes. `defaultFrom`: where it begins without an offset. @throws StreamError */
function rangeOf(text: string, defaultFrom: number): { readonly from: number; readonly length: number } {
  const [, size = '', offset] = /^(\d{1,15})(?:@(\d{1,15}))?$/.exec(text) ?? [];
  const length = Number(size);
  if (length === 0) throw damaged('range');
  if (length > maxSegmentBytes) throw tooLarge('a segment', maxSegmentBytes);
  return { from: offset === undefined ? defaultFrom : Number(offset), length };
}

/** Parses `A=1,B="x,y"`. Takes linear time for any text, since a name begins only after a comma. */
function attributesOf(text: string): Attributes {
  const attributes = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of text.matchAll(/(?:^|,)\s*([^\s=,"]+)\s*=\s*(?:"([^"]*)"|([^,]*))/g)) {
    attributes.set(name, quoted ?? plain.trim());
  }
  return attributes;
}

/** @throws StreamError */
function keyOf(attributes: Attributes): SegmentKey | undefined {
  const method = attributes.get('METHOD') ?? '';
  if (method === 'NONE') return undefined;
  const format = attributes.get('KEYFORMAT') ?? 'identity';
  if (method !== 'AES-128') throw unsupported(`encryption by ${printable(method)}`);
  if (format !== 'identity') throw unsupported(`encryption with keys of ${printable(format)}`);
  const uri = attributes.get('URI');
  if (uri === undefined) throw damaged('key');
  return { uri, vector: vectorOf(attributes.get('IV')) };
}

/** Makes a word of the playlist safe for a message. */
const printable = (word: string) => word.replace(/[^\w.:-]/g, '').slice(0, 50);

function vectorOf(text: string | undefined): Buffer | undefined {
  if (text === undefined) return undefined;
  const [, digits] = /^0x([\da-f]{1,32})$/i.exec(text) ?? [];
  if (digits === undefined) throw damaged('initialization vector');
  return Buffer.from(digits.padStart(vectorDigits, '0'), 'hex');
}

/** The initialization vector of a segment whose key has none. */
export function numberVector(number: number): Buffer {
  return Buffer.from(number.toString(16).padStart(vectorDigits, '0'), 'hex');
}
