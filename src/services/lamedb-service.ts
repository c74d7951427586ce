/** One service of lamedb: its numbers, its name, and the entries after them, each marked by a letter. */
import { hex } from '../dvb/transponder.ts';
import { type ChannelNumber, entryNumber, splitNumber } from './channel-number.ts';
import { decode, encode, oneLine, withoutEmphasis } from './lines.ts';
import type { Queried } from './query.ts';
import { ServiceReference } from './reference.ts';
import type { Service } from './service-list.ts';

/** All numbers that Enigma2 compares to find the same service in the database. */
export interface ServiceIdentity {
  readonly serviceId: number;
  readonly namespace: number;
  readonly transportStreamId: number;
  readonly originalNetworkId: number;
  readonly serviceType: number;
  readonly sourceId: number;
}

export interface LamedbService extends ServiceIdentity {
  /** 0 in every file written by Enigma2. */
  readonly number: number;
  /** As in the file, with U+0086 and U+0087 around a short name, and ATSC's number before it (channel-number.ts). */
  readonly name: string;
  readonly provider: string;
  /** Bits of `serviceFlags`. */
  readonly flags: number;
  /** Values that a box has cached for the service: PIDs and codec settings. */
  readonly cache: readonly CacheEntry[];
  /** CA_system_id values. */
  readonly caSystems: readonly number[];
  /** Entries with other letters, `x:text`. */
  readonly others: readonly string[];
}

/**
 * `c:IIVVVV`; ids: 0 video PID, 1 MPEG audio, 2 teletext, 3 PCR, 4 AC-3, 5 video type, 9 subtitles, 16 PMT and more.
 */
export interface CacheEntry {
  readonly id: number;
  readonly value: number;
}

export const serviceFlags = {
  ignoreSdt: 0x1,
  hidden: 0x2,
  keepName: 0x8,
  newFound: 0x40,
  /** Set by a box at run time: cleared on reading, never written. */
  parentalProtected: 0x100,
} as const;

type Entries = Pick<LamedbService, 'provider' | 'flags' | 'cache' | 'caSystems' | 'others'>;

/** Bytes of a line without its end: Enigma2 reads version 4 with a buffer of 256 bytes, version 5 with 1024. */
const maxLineBytes = 254;
const maxLineBytes5 = 1022;

const none: readonly never[] = [];

/**
 * Key of a service in the list: equal for the same identity. Not for display: its characters are the halves of the
 * numbers, which is much faster than formatting them.
 */
export function serviceKey(identity: ServiceIdentity): string {
  const { serviceId, transportStreamId, originalNetworkId, namespace, serviceType, sourceId } = identity;
  return String.fromCharCode(
    serviceId >>> 16,
    serviceId,
    transportStreamId >>> 16,
    transportStreamId,
    originalNetworkId >>> 16,
    originalNetworkId,
    namespace >>> 16,
    namespace,
    serviceType >>> 16,
    serviceType,
    sourceId >>> 16,
    sourceId,
  );
}

/** A service of a list. Its texts are decoded on first use, since most services of a long list are never used. */
export class ServiceRecord implements Service, Queried {
  readonly kind = 'service';
  readonly identity: ServiceIdentity;
  readonly #number: number;
  readonly #bytes: string;
  readonly #entries: string;
  #value: LamedbService | undefined;
  #reference: ServiceReference | undefined;
  #named: readonly [number: ChannelNumber, name: string] | undefined;

  /** `name` and `entries` are the bytes of a file, held as Latin-1. */
  constructor(identity: ServiceIdentity, number: number, name: string, entries: string) {
    this.identity = identity;
    this.#number = number;
    this.#bytes = name;
    this.#entries = entries;
  }

  static of(value: LamedbService): ServiceRecord {
    const record = new ServiceRecord(value, value.number, encode(value.name), '');
    record.#value = value;
    return record;
  }

  get value(): LamedbService {
    this.#value ??= {
      ...this.identity,
      number: this.#number,
      name: decode(this.#bytes),
      ...readEntries(decode(this.#entries)),
    };
    return this.#value;
  }

  get reference(): ServiceReference {
    this.#reference ??= referenceOf(this.identity);
    return this.#reference;
  }

  get name(): string {
    return this.#split()[1];
  }

  get channel(): ChannelNumber {
    return this.#split()[0] || entryNumber(this.value.others);
  }

  #split() {
    this.#named ??= splitNumber(this.identity, withoutEmphasis(decode(this.#bytes)));
    return this.#named;
  }

  get shortName(): string {
    const marked = decode(this.#bytes).matchAll(/\u0086([^\u0087]*)/g);
    return Array.from(marked, ([, text]) => text).join('') || this.name;
  }

  get provider(): string {
    return this.value.provider;
  }

  get isEncrypted(): boolean {
    return this.value.caSystems.length > 0;
  }

  get flags(): number {
    return this.value.flags;
  }
}

/** Returns the reference of a service in the list: without name, flags 0. */
export function referenceOf(service: ServiceIdentity): ServiceReference {
  const { serviceType, serviceId, transportStreamId, originalNetworkId, namespace, sourceId } = service;
  return ServiceReference.of({
    fields: [serviceType, serviceId, transportStreamId, originalNetworkId, namespace, 0, 0, sourceId],
  });
}

/**
 * Parses `p:Provider,c:001234,C:0500,f:40`. A text without a colon as its second character is a provider as a whole, as
 * in very old files. A piece without one after the provider is the rest of a provider with a comma.
 */
function readEntries(text: string): Entries {
  if (text !== '' && text[1] !== ':') return { provider: text, flags: 0, cache: none, caSystems: none, others: none };
  let provider = '';
  let flags = 0;
  const cache: CacheEntry[] = [];
  const caSystems: number[] = [];
  const others: string[] = [];
  let letter = '';
  for (const piece of text.split(',')) {
    if (piece[1] !== ':') {
      if (letter === 'p') provider += `,${piece}`;
      continue;
    }
    letter = piece[0] as string;
    const value = piece.slice(2);
    if (letter === 'p') provider = value;
    else if (letter === 'f' && hexadecimal.test(value)) flags = Number.parseInt(value, 16) >>> 0;
    else if (letter === 'C' && hexadecimal.test(value)) caSystems.push(Number.parseInt(value, 16));
    else if (letter === 'c' && cached.test(value)) {
      cache.push({ id: Number(value.slice(0, 2)), value: Number.parseInt(value.slice(2), 16) });
    } else others.push(piece);
  }
  return {
    provider,
    flags: (flags & ~serviceFlags.parentalProtected) >>> 0,
    cache: cache.length === 0 ? none : cache,
    caSystems: caSystems.length === 0 ? none : caSystems,
    others: others.length === 0 ? none : others,
  };
}

const hexadecimal = /^[0-9a-f]{1,8}$/i;
const cached = /^\d\d[0-9a-f]{1,8}$/i;

/**
 * Formats the three lines of version 4, each of at most 254 bytes. Entries that do not fit are omitted: CA systems
 * first, the end of a name last.
 */
export function formatServiceLines(service: LamedbService): string[] {
  const fits = (line: string) => Buffer.byteLength(line) <= maxLineBytes;
  const provider = `p:${writtenProvider(service.provider)}`;
  const cache = service.cache.map(({ id, value }) => `c:${String(id).padStart(2, '0')}${hex(value, 4)}`);
  const ca = service.caSystems.map((system) => `C:${hex(system, 4)}`);
  const rest = [...(service.flags === 0 ? [] : [`f:${hex(service.flags, 1)}`]), ...service.others.map(oneLine)];
  const line = () => [provider, ...cache, ...ca, ...rest].join(',');
  while (ca.length > 0 && !fits(line())) ca.pop();
  while (cache.length > 0 && !fits(line())) cache.pop();
  while (rest.length > 0 && !fits(line())) rest.pop();
  return [
    numbers(service),
    cut(oneLine(service.name), maxLineBytes),
    fits(line()) ? line() : cut(provider, maxLineBytes),
  ];
}

/**
 * Formats the line of version 5. A quotation mark in the name becomes an apostrophe, since the format has no escape.
 */
export function formatService5(service: LamedbService): string {
  const name = cut(oneLine(service.name).replaceAll('"', "'"), 500);
  const provider = service.provider === '' ? [] : [`p:${cut(writtenProvider(service.provider), 300)}`];
  const flags = service.flags === 0 ? [] : [`f:${hex(service.flags, 1)}`];
  const optional = [
    ...service.cache.map(({ id, value }) => `c:${String(id).padStart(2, '0')}${hex(value, 1)}`),
    ...service.caSystems.map((system) => `C:${hex(system, 1)}`),
    ...service.others.map(oneLine),
  ];
  const line = () => [`s:${numbers(service)}`, `"${name}"`, ...provider, ...optional, ...flags].join(',');
  while (optional.length > 0 && Buffer.byteLength(line()) > maxLineBytes5) optional.pop();
  return line();
}

function numbers(service: LamedbService): string {
  const { serviceId, namespace, transportStreamId, originalNetworkId } = service;
  const ids = `${hex(serviceId, 4)}:${hex(namespace, 8)}:${hex(transportStreamId, 4)}:${hex(originalNetworkId, 4)}`;
  return `${ids}:${service.serviceType}:${service.number}:${hex(service.sourceId, 1)}`;
}

/** Replaces commas, which would end the provider's entry. */
function writtenProvider(provider: string): string {
  return oneLine(provider).replaceAll(',', ' ');
}

/** Cuts a text to a number of UTF-8 bytes at a character boundary. */
function cut(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const cutText = Buffer.from(text).subarray(0, bytes).toString('utf8');
  return cutText.replace(/(?<!\ufffd)\ufffd+$/, '');
}
