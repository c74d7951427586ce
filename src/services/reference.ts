/**
 * Service references: the text that identifies a service, bouquet, marker, stream or recording in the Enigma2 world.
 *
 *   type ":" flags ":" d0 ":" d1 ":" ... ":" d7 ":" [ path ] [ ":" name ]
 *
 *   type, flags   decimal, may be negative
 *   d0 ... d7     hexadecimal, unsigned 32 bit: service type, service id, transport stream id, original network id,
 *                 namespace, parent service id, parent transport stream id, source id (as used for a DVB service)
 *   path, name    text; ":" "%" and bytes below 0x20 as %xx, everything else raw; in a file path also a "%" that
 *                 starts no escape
 *
 * Two references are equal if type, d0 to d7 and path are: `identity` combines these in one string. Flags and name
 * affect how an entry is displayed, not what it is. The guide is keyed by `dvb` alone (service, transport stream and
 * network id).
 */

import { fail } from '../base/errors.ts';
import { urlOf } from '../base/url.ts';
import { type DvbTriplet, isTriplet, type PlacedService } from '../dvb/triplet.ts';

/** The eight data fields d0 to d7, each an unsigned 32-bit number. */
export type ReferenceFields = readonly [number, number, number, number, number, number, number, number];

/** Bits of the second field; they add up. */
export const referenceFlags = {
  directory: 1,
  mustDescend: 2,
  canDescend: 4,
  marker: 64,
  group: 128,
  numberedMarker: 256,
  hidden: 512,
} as const;

/** Values of the first field that matter to a receiver. */
export const referenceTypes = {
  dvb: 1,
  fileSystem: 2,
  mediaPlayer: 4097,
} as const;

/** Types played by a media player: GStreamer, its relatives, ServiceApp and two other firmware families. */
const playerTypes: ReadonlySet<number> = new Set([4097, 4098, 4112, 4114, 5001, 5002, 5003, 8193, 8739]);

/** Service types (d0) of television and radio, as in the root queries of the Enigma2 world. */
export const televisionTypes: ReadonlySet<number> = new Set([1, 17, 22, 25, 31, 32, 134, 195]);
export const radioTypes: ReadonlySet<number> = new Set([2, 10]);

/** Values of namespace >> 16 that are not an orbital position. */
export const namespaceSources = { cable: 0xffff, terrestrial: 0xeeee } as const;

/** Parts of a reference. Absent parts are 0 or empty, the type 1. */
export interface ReferenceParts {
  readonly type?: number;
  readonly flags?: number;
  readonly fields?: ReferenceFields;
  readonly path?: string;
  readonly name?: string;
  readonly provider?: string;
}

const noFields: ReferenceFields = [0, 0, 0, 0, 0, 0, 0, 0];
const bullet = '\u2022';
const urlStart = /^[a-z][a-z0-9+.-]*:\/\//i;

export class ServiceReference {
  readonly type: number;
  readonly flags: number;
  readonly fields: ReferenceFields;
  /** Decoded: a stream's URL, a recording's file, a bouquet's query; otherwise empty. */
  readonly path: string;
  /** Decoded display name of this entry, without provider; empty if it has none. */
  readonly name: string;
  /** Provider given with the name (`Name•Provider`), otherwise empty. */
  readonly provider: string;
  #identity: string | undefined;

  private constructor(parts: ReferenceParts) {
    this.type = parts.type ?? referenceTypes.dvb;
    this.flags = parts.flags ?? 0;
    this.fields = parts.fields ?? noFields;
    this.path = withoutNul(parts.path ?? '');
    const { name = '', provider = '' } = parts;
    const title = withoutNul(provider === '' ? name : `${name}${bullet}${provider}`);
    const split = title.indexOf(bullet);
    this.name = split < 0 ? title : title.slice(0, split);
    this.provider = split < 0 ? '' : title.slice(split + 1);
  }

  /** Builds a reference from its parts. Numbers must fit their fields (32 bit); NUL characters in texts are dropped. */
  static of(parts: ReferenceParts): ServiceReference {
    return new ServiceReference(parts);
  }

  /** Returns the reference of a broadcast service. */
  static service(serviceType: number, dvb: DvbTriplet, namespace: number): ServiceReference {
    const { serviceId, transportStreamId, originalNetworkId } = dvb;
    return new ServiceReference({
      fields: [serviceType, serviceId, transportStreamId, originalNetworkId, namespace >>> 0, 0, 0, 0],
    });
  }

  /** Returns the reference of a bouquet, given the name of its file in the Enigma2 folder. */
  static bouquet(file: string): ServiceReference {
    const { canDescend, mustDescend, directory } = referenceFlags;
    return new ServiceReference({
      flags: canDescend | mustDescend | directory,
      fields: [file.endsWith('.radio') ? 2 : 1, 0, 0, 0, 0, 0, 0, 0],
      path: `FROM BOUQUET "${file}" ORDER BY bouquet`,
    });
  }

  /**
   * Parses a reference: the full form with or without its final colon, one cut short after any number (missing ones are
   * 0), the short form `type:flags:d0:d1:d2:d3:path:name`, or a bare URL (`http://host/x Name`, which becomes type
   * 4097).
   * @throws ReceiverError `invalid-reference`: empty, type -1, a field that is not a number or does not fit 32 bits
   */
  static parse(text: string): ServiceReference {
    const reference = ServiceReference.tryParse(text);
    if (reference === undefined) throw fail('invalid-reference', text);
    return reference;
  }

  /** Like `parse`, but returns undefined if the text is not a reference. */
  static tryParse(text: string): ServiceReference | undefined {
    const scan = scanPlainNumbers(text) ?? (urlStart.test(text) ? undefined : scanNumbers(text));
    if (scan === undefined && urlStart.test(text)) return fromUrl(text);
    if (scan === undefined) return undefined;
    const { type, flags, fields, rest } = scan;
    if (type === -1) return undefined;
    if (rest === '') return new ServiceReference({ type, flags, fields });
    return new ServiceReference({ type, flags, fields, ...splitPathAndName(rest) });
  }

  /**
   * Parses a reference in a path segment of the REST family (already percent-decoded once): the full form, or the ten
   * numbers separated by ":", "_" or "-", with or without a final separator.
   * @throws ReceiverError `invalid-reference`
   */
  static parsePathSegment(segment: string): ServiceReference {
    const plain = tenNumbers.exec(segment);
    if (plain) return ServiceReference.parse(segment.replaceAll(plain[1] as string, ':'));
    if (!fullForm.test(segment)) throw fail('invalid-reference', segment);
    return ServiceReference.parse(segment);
  }

  get serviceType(): number {
    return this.fields[0];
  }
  get serviceId(): number {
    return this.fields[1];
  }
  get transportStreamId(): number {
    return this.fields[2];
  }
  get originalNetworkId(): number {
    return this.fields[3];
  }
  /** Unsigned 32 bit: source (orbital position, cable, terrestrial) in the upper half, sub-network in the lower. */
  get namespace(): number {
    return this.fields[4];
  }
  /**
   * Upper half of the namespace: orbital position in tenths of a degree east (0 to 3599), or one of `namespaceSources`.
   */
  get source(): number {
    return this.fields[4] >>> 16;
  }

  /** `dvb` with the namespace, which distinguishes feeds with the same identifiers. */
  get placed(): PlacedService | undefined {
    const { dvb, namespace } = this;
    return dvb && { ...dvb, namespace };
  }

  /**
   * The key of the guide. Undefined for markers, folders and anything else without DVB identifiers, which have 16 bits
   * each and are not all 0.
   */
  get dvb(): DvbTriplet | undefined {
    if (this.isMarker || this.isDirectory || this.type === referenceTypes.fileSystem) return undefined;
    const { originalNetworkId, transportStreamId, serviceId } = this;
    const dvb = { originalNetworkId, transportStreamId, serviceId };
    return isTriplet(dvb) ? dvb : undefined;
  }

  /** Key for equality: the written form with flags 0 and without name. */
  get identity(): string {
    this.#identity ??= `${this.type}:0:${this.#writtenFields(':')}:${encode(this.path)}`;
    return this.#identity;
  }

  equals(other: ServiceReference): boolean {
    return this === other || this.identity === other.identity;
  }

  /** A heading in a bouquet, numbered or not. */
  get isMarker(): boolean {
    return (this.flags & referenceFlags.marker) !== 0;
  }
  /** A marker that takes a channel number. */
  get isNumberedMarker(): boolean {
    return this.isMarker && (this.flags & referenceFlags.numberedMarker) !== 0;
  }
  get isHidden(): boolean {
    return (this.flags & referenceFlags.hidden) !== 0;
  }
  /** A bouquet, a container query, alternatives or a folder: it has entries. */
  get canDescend(): boolean {
    return (this.flags & referenceFlags.canDescend) !== 0;
  }
  /** A group of services with the same programme; playing it plays one of them. */
  get isAlternatives(): boolean {
    return (this.flags & referenceFlags.group) !== 0;
  }
  /** A bouquet, container query or folder, but not alternatives: it cannot be played. */
  get isDirectory(): boolean {
    const { mustDescend, canDescend } = referenceFlags;
    return (this.flags & (mustDescend | canDescend)) !== 0 && !this.isAlternatives;
  }
  /** A URL to play, by any player. */
  get isStream(): boolean {
    return !this.canDescend && urlStart.test(this.path);
  }
  /** The name of a stream for messages: its own, otherwise its host. Its address may contain a password. */
  get streamName(): string {
    return this.name || urlOf(this.path)?.host || 'without a name';
  }
  /** A file on a disk: a recording of a DVB service, or a file for the media player. */
  get isFile(): boolean {
    return this.path.startsWith('/') && this.type !== referenceTypes.fileSystem && !this.canDescend;
  }
  /** A transport-stream recording (type 1 with a file). */
  get isRecording(): boolean {
    return this.isFile && this.type === referenceTypes.dvb;
  }
  /** A service received by a tuner. */
  get isBroadcast(): boolean {
    return this.type === referenceTypes.dvb && this.path === '' && this.serviceId !== 0 && this.dvb !== undefined;
  }
  /** Played by a media player on a box (GStreamer and others): all types in use except 1, 2, 3 and 257. */
  get isMediaPlayer(): boolean {
    return playerTypes.has(this.type);
  }
  get isRadio(): boolean {
    return radioTypes.has(this.serviceType);
  }

  /**
   * A stream's URL for a player: blanks and control characters that came from decoding are percent-encoded again, and
   * the options after "#" are cut off. Undefined if this is not a stream.
   */
  get url(): string | undefined {
    if (!this.isStream) return undefined;
    const hash = this.path.indexOf('#');
    const url = hash < 0 ? this.path : this.path.slice(0, hash);
    return url.replace(/[\0-\x20\x7f]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
  }

  /** File name without extension of a picon for exactly this reference: the ten numbers joined by "_". */
  get piconName(): string {
    return `${this.type}_${this.flags}_${this.#writtenFields('_')}`;
  }

  withName(name: string, provider = ''): ServiceReference {
    return new ServiceReference({ ...this.#parts(), name, provider });
  }
  withoutName(): ServiceReference {
    return this.name === '' && this.provider === '' ? this : new ServiceReference({ ...this.#parts() });
  }

  /** Returns the canonical text: upper-case hex, always a colon after the tenth number, a name only if there is one. */
  format(): string {
    const start = `${this.type}:${this.flags}:${this.#writtenFields(':')}:${encode(this.path)}`;
    const title = this.provider === '' ? this.name : `${this.name}${bullet}${this.provider}`;
    return title === '' ? start : `${start}:${encodeName(title)}`;
  }

  toString(): string {
    return this.format();
  }
  toJSON(): string {
    return this.format();
  }

  #writtenFields(separator: string): string {
    let text = '';
    for (const value of this.fields) {
      if (text !== '') text += separator;
      text += value < 10 ? value : value.toString(16);
    }
    return text.toUpperCase();
  }

  #parts(): ReferenceParts {
    return { type: this.type, flags: this.flags, fields: this.fields, path: this.path };
  }
}

/** Ten numbers and nothing else, with one separator throughout. */
const tenNumbers = /^\d+([:_-])\d+(?:\1[0-9a-f]{1,8}){8}\1?$/i;
/** Ten numbers followed by a path or name, or a URL. */
const fullForm = /^(?:-?\d+:-?\d+(?::[0-9a-f]{1,8}){8}:|[a-z][a-z0-9+.-]*:\/\/)/i;

function fromUrl(text: string): ServiceReference {
  const blank = text.indexOf(' ');
  const path = blank < 0 ? text : text.slice(0, blank);
  const name = blank < 0 ? text : text.slice(blank + 1);
  return ServiceReference.of({ type: referenceTypes.mediaPlayer, path: decode(path), name: decode(name) });
}

/** The numbers of a reference, missing ones as 0, and the text after them. */
interface ScannedNumbers {
  readonly type: number;
  readonly flags: number;
  readonly fields: ReferenceFields;
  readonly rest: string;
}

/** Fast path for nearly every reference: all ten numbers, digits and colons only. Undefined for any other form. */
function scanPlainNumbers(text: string): ScannedNumbers | undefined {
  const fields: [number, number, number, number, number, number, number, number] = [0, 0, 0, 0, 0, 0, 0, 0];
  let type = 0;
  let flags = 0;
  let count = 0;
  let value = 0;
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x3a) {
      if (digits === 0) return undefined;
      if (count === 0) type = value;
      else if (count === 1) flags = value;
      else fields[count - 2] = value;
      if (++count === 10) return { type, flags, fields, rest: text.slice(i + 1) };
      value = 0;
      digits = 0;
      continue;
    }
    const digit = code - 0x30;
    const letter = (code | 0x20) - 0x61;
    const isDecimal = count < 2;
    if (++digits > 8) return undefined;
    if (digit >= 0 && digit < 10) value = value * (isDecimal ? 10 : 16) + digit;
    else if (!isDecimal && letter >= 0 && letter < 6) value = value * 16 + letter + 10;
    else return undefined;
  }
  return undefined;
}

const decimal = /^\s*[+-]?\d+\s*$/;
const hexadecimal = /^\s*(?:0x)?[0-9a-f]{1,8}\s*$/i;

/**
 * Scans numbers up to the tenth colon, or up to the end. In the short form a path may follow the sixth colon; a numeric
 * field there counts as the next number, since no path is a number.
 */
function scanNumbers(text: string): ScannedNumbers | undefined {
  const numbers: number[] = [];
  let from = 0;
  while (numbers.length < 10) {
    const colon = text.indexOf(':', from);
    const field = colon < 0 ? text.slice(from) : text.slice(from, colon);
    const value = numbers.length < 2 ? readDecimal(field) : readHexadecimal(field);
    if (value === undefined) {
      if (from === text.length && numbers.length >= 2) return scanned(numbers, '');
      return numbers.length === 6 ? scanned(numbers, text.slice(from)) : undefined;
    }
    numbers.push(value);
    if (colon < 0) return numbers.length < 2 ? undefined : scanned(numbers, '');
    from = colon + 1;
  }
  return scanned(numbers, text.slice(from));
}

function scanned(numbers: readonly number[], rest: string): ScannedNumbers {
  const [type = 0, flags = 0, d0 = 0, d1 = 0, d2 = 0, d3 = 0, d4 = 0, d5 = 0, d6 = 0, d7 = 0] = numbers;
  return { type, flags, fields: [d0, d1, d2, d3, d4, d5, d6, d7], rest };
}

function readDecimal(field: string): number | undefined {
  if (!decimal.test(field)) return undefined;
  const value = Number(field);
  return value >= -0x80000000 && value <= 0x7fffffff ? value : undefined;
}

function readHexadecimal(field: string): number | undefined {
  return hexadecimal.test(field) ? Number.parseInt(field, 16) : undefined;
}

function splitPathAndName(text: string): ReferenceParts {
  // Clients send the path of a file unencoded: a `%` that does not start an escape belongs to it.
  const rest = text.startsWith('/') ? text.replace(/%(?![0-9a-f]{2})/gi, '%25') : text;
  const colon = rest.indexOf(':');
  if (colon < 0) return { path: decode(rest) };
  if (rest.startsWith('://', colon)) {
    const blank = rest.indexOf(' ');
    if (blank < 0) return { path: decode(rest) };
    return { path: decode(rest.slice(0, blank)), name: decode(rest.slice(blank + 1)) };
  }
  return { path: decode(rest.slice(0, colon)), name: decode(rest.slice(colon + 1)) };
}

function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text;
}

/** Encodes ":", "%" and characters below 0x20 as %xx. */
function encode(text: string): string {
  let out = '';
  let kept = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x20 && code !== 0x25 && code !== 0x3a) continue;
    out += `${text.slice(kept, i)}%${code.toString(16).padStart(2, '0')}`;
    kept = i + 1;
  }
  return kept === 0 ? text : out + text.slice(kept);
}

/** Escapes "//" at the start of a name: with the colon before it, it would form "://" and parse as a URL. */
function encodeName(name: string): string {
  const text = encode(name);
  return text.startsWith('//') ? `%2f${text.slice(1)}` : text;
}

/** Percent-decodes like Enigma2: %00 and bad digits yield nothing, a truncated escape ends the text. UTF-8. */
function decode(text: string): string {
  if (!text.includes('%')) return text;
  const bytes = Buffer.from(text, 'utf8');
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i] as number;
    if (byte === 0x25) {
      if (i + 2 >= bytes.length) break;
      const value = Number.parseInt(bytes.toString('latin1', i + 1, i + 3), 16);
      byte = /^[0-9a-f]{2}$/i.test(bytes.toString('latin1', i + 1, i + 3)) ? value : 0;
      i += 2;
    }
    if (byte !== 0) bytes[length++] = byte;
  }
  return bytes.toString('utf8', 0, length);
}
