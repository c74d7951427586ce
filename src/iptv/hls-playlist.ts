/**
 * Playlists of HLS (RFC 8216): what a receiver of transport streams needs of them. Sloppy ones are read as far as they
 * make sense. Our own, since libraries do worse with hostile ones: see docs/dependencies.md.
 */
import { TimeSlice } from '../base/time-slice.ts';
import { StreamError } from './stream-error.ts';

/** AES-128 in CBC mode, over a whole segment. */
export interface SegmentKey {
  readonly uri: string;
  /** 16 bytes; undefined: the number of the segment. */
  readonly vector: Buffer | undefined;
}

/** Bytes of a server. */
export interface Resource {
  /** Relative to the playlist. */
  readonly uri: string;
  readonly range: { readonly from: number; readonly length: number } | undefined;
  readonly key: SegmentKey | undefined;
}

export interface Segment extends Resource {
  /** Seconds; 0: unknown. */
  readonly duration: number;
  /** What a decoder needs before it: PAT and PMT (RFC 8216 §3.2, §4.3.2.5). */
  readonly map: Resource | undefined;
  /** It does not continue the segment before (RFC 8216 §4.3.2.3). */
  readonly isDiscontinuous: boolean;
  /** It is missing at the server. */
  readonly isGap: boolean;
}

export interface Variant {
  /** Relative to the playlist. */
  readonly uri: string;
  /** Bits per second; 0: unknown. */
  readonly bandwidth: number;
  readonly isSound: boolean;
  /** Its sound comes from another playlist. */
  readonly isApart: boolean;
}

export interface Playlist {
  /** Of a master playlist, which has nothing else. */
  readonly variants: readonly Variant[];
  /** Seconds, 1 to 60 whatever the playlist says. */
  readonly targetDuration: number;
  /** Of the first segment; the others follow one by one. */
  readonly firstNumber: number;
  /** The playlist says that number (RFC 8216 §4.3.3.2); else it is 0. */
  readonly isNumbered: boolean;
  readonly segments: readonly Segment[];
  /** There will be no more segments. */
  readonly isComplete: boolean;
}

/** Bytes. */
export const longestPlaylist = 2 * 1024 * 1024;
export const longestSegment = 64 * 1024 * 1024;
const longestLine = 64 * 1024;
const mostSegments = 10_000;
/** Bytes that are searched for the beginning of a playlist. */
const longestBlank = 1024;
/** Seconds. */
const shortestTarget = 1;
const longestTarget = 60;
/** Bits. */
const vectorSize = 128;

const soundCodec = /^(?:mp4a|mp3|ac-[34]|ec-3|dts|opus|flac)/i;

/** Of what is larger than we take. */
export const tooLarge = (what: string, bound: number) =>
  new StreamError(`${what} is larger than ${bound} bytes`, { isFinal: true });

const unsupported = (what: string) => new StreamError(`${what} is not supported`, { isFinal: true });

/** True if a document is a playlist, whatever its type: `#EXTM3U`, after a byte order mark and blanks. */
export function isPlaylist(beginning: Uint8Array): boolean {
  const text = Buffer.from(beginning.subarray(0, longestBlank)).toString('latin1');
  return /^[\s\xef\xbb\xbf]*#EXTM3U/.test(text);
}

/**
 * Reads a playlist, in turns.
 * @throws StreamError final if it needs what we do not have (encryption but AES-128) or is larger than
 *   2 MB, has a line above 64 kB or more than 10,000 segments; else if it is damaged
 */
export async function parsePlaylist(text: string): Promise<Playlist> {
  if (text.length > longestPlaylist) throw tooLarge('a playlist', longestPlaylist);
  if (!/^\s*#EXTM3U/.test(text)) throw new StreamError('what should be a playlist is none');
  const parser = new Parser();
  const slice = new TimeSlice();
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    if (slice.isOver) await slice.next();
    if (line.length > longestLine) throw tooLarge('a line of a playlist', longestLine);
    parser.take(line.trim());
  }
  return parser.end();
}

/**
 * The variant with the largest bandwidth up to `maximum` bits per second (0: no limit), else that with the smallest.
 * Pictures are better than sound alone. `variants` has one at least.
 * @throws StreamError final if pictures and sound come apart in all of them
 */
export function chooseVariant(variants: readonly Variant[], maximum: number): Variant {
  const pictures = variants.filter((one) => !one.isSound);
  const whole = (pictures.length === 0 ? variants : pictures).filter((one) => !one.isApart);
  const descending = whole.sort((one, other) => other.bandwidth - one.bandwidth);
  const chosen = descending.find(({ bandwidth }) => maximum === 0 || bandwidth <= maximum) ?? descending.at(-1);
  if (chosen === undefined) throw unsupported('audio and video come apart, which');
  return chosen;
}

type Attributes = ReadonlyMap<string, string>;

class Parser {
  readonly #segments: Segment[] = [];
  readonly #streams: { readonly uri: string; readonly attributes: Attributes }[] = [];
  /** Groups of renditions with sound: true if one of them is in the variant itself. */
  readonly #soundGroups = new Map<string, boolean>();
  #targetDuration = 0;
  #firstNumber: number | undefined;
  #isComplete = false;
  #key: SegmentKey | undefined;
  #map: Resource | undefined;
  /** Where the last range ended, of which address. */
  #last = { uri: '', end: 0 };

  /** Of the next address. */
  #stream: Attributes | undefined;
  #duration = 0;
  #range = '';
  #isGap = false;
  #isDiscontinuous = false;

  /** A line without blanks around it. */
  take(line: string): void {
    if (!line.startsWith('#')) {
      if (line !== '') this.#takeAddress(line);
      return;
    }
    const [, tag = '', value = ''] = /^#([^:]*):?(.*)$/s.exec(line) ?? [];
    this.#takeTag(tag, value.trim());
  }

  end(): Playlist {
    const longest = this.#segments.reduce((most, { duration }) => Math.max(most, duration), 0);
    const target = this.#targetDuration === 0 ? longest : this.#targetDuration;
    return {
      variants: this.#streams.map(({ uri, attributes }) => this.#variant(uri, attributes)),
      targetDuration: Math.min(Math.max(target, shortestTarget), longestTarget),
      firstNumber: this.#firstNumber ?? 0,
      isNumbered: this.#firstNumber !== undefined,
      segments: this.#segments,
      isComplete: this.#isComplete,
    };
  }

  #takeTag(tag: string, value: string): void {
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
        if (this.#firstNumber > Number.MAX_SAFE_INTEGER - mostSegments) throw damaged('number of a segment');
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
        this.#takeRendition(attributesOf(value));
        break;
    }
  }

  #takeRendition(attributes: Attributes): void {
    if (attributes.get('TYPE') !== 'AUDIO') return;
    const group = attributes.get('GROUP-ID') ?? '';
    this.#soundGroups.set(group, !attributes.has('URI') || this.#soundGroups.get(group) === true);
  }

  #takeAddress(uri: string): void {
    if (this.#stream !== undefined) {
      this.#streams.push({ uri, attributes: this.#stream });
      this.#stream = undefined;
      return;
    }
    if (this.#segments.length === mostSegments) throw unsupported(`a playlist of more than ${mostSegments} segments`);
    const range = this.#range === '' ? undefined : rangeOf(this.#range, this.#last.uri === uri ? this.#last.end : 0);
    if (range !== undefined) this.#last = { uri, end: range.from + range.length };
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
      isSound: !attributes.has('RESOLUTION') && codecs.split(',').every((one) => soundCodec.test(one.trim())),
      isApart: this.#soundGroups.get(attributes.get('AUDIO') ?? '') === false,
    };
  }
}

const damaged = (what: string) => new StreamError(`a playlist is damaged: its ${what} makes no sense`);

/** Not negative; 0 for what is no number. */
function numberOf(text: string): number {
  const number = Number.parseFloat(text);
  return Number.isFinite(number) && number > 0 ? number : 0;
}

/** `previous`: where it begins unless it says so. @throws StreamError */
function rangeOf(text: string, previous: number): { readonly from: number; readonly length: number } {
  const [, size = '', offset] = /^(\d{1,15})(?:@(\d{1,15}))?$/.exec(text) ?? [];
  const length = Number(size);
  if (length === 0) throw damaged('range');
  if (length > longestSegment) throw tooLarge('a segment', longestSegment);
  return { from: offset === undefined ? previous : Number(offset), length };
}

/** Those of `A=1,B="x,y"`. In linear time, whatever the text: a name begins only after a comma. */
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
  if (method !== 'AES-128') throw unsupported(`encryption by ${plainly(method)}`);
  if (format !== 'identity') throw unsupported(`encryption with keys of ${plainly(format)}`);
  const uri = attributes.get('URI');
  if (uri === undefined) throw damaged('key');
  return { uri, vector: vectorOf(attributes.get('IV')) };
}

/** Of a word that is meant for a message. */
const plainly = (word: string) => word.replace(/[^\w.:-]/g, '').slice(0, 50);

function vectorOf(text: string | undefined): Buffer | undefined {
  if (text === undefined) return undefined;
  const [, digits] = /^0x([\da-f]{1,32})$/i.exec(text) ?? [];
  if (digits === undefined) throw damaged('initialization vector');
  return Buffer.from(digits.padStart(vectorSize / 4, '0'), 'hex');
}

/** That of a segment whose key has none. */
export function numberVector(number: number): Buffer {
  return Buffer.from(number.toString(16).padStart(vectorSize / 4, '0'), 'hex');
}
