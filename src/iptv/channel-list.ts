/**
 * Reads channel lists of IPTV providers: M3U with the attributes that Kodi made common.
 *
 *   #EXTM3U url-tvg="http://host/guide.xml.gz"
 *   #EXTINF:-1 tvg-id="one.example" tvg-name="One" group-title="News;HD" radio="true",Channel One
 *   #EXTGRP:News                                  outside an entry: the group of all entries that follow
 *   #EXTVLCOPT:http-user-agent=Player/1.0
 *   #EXTHTTP:{"User-Agent":"Player/1.0"}
 *   #KODIPROP:inputstream.adaptive.stream_headers=User-Agent=Player%2F1.0&Referer=http%3A%2F%2Fhost%2F
 *   http://host/one.ts|referer=http%3A//host/     header fields as Kodi writes them
 *
 * It is lenient because such lists are sloppy: no header, values without quotation marks or in single ones, blanks
 * around `=`, any line end, and Latin-1 in lines that are not UTF-8.
 */
import { isUtf8 } from 'node:buffer';
import { ReceiverError } from '../base/errors.ts';
import { checkKind } from '../base/file-kinds.ts';
import { limitBytes } from '../base/limit-bytes.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { urlOf } from '../base/url.ts';
import { maxNameLength } from '../services/compared-name.ts';
import { ServiceReference } from '../services/reference.ts';

/** A channel. Its names and its group have at most 255 UTF-16 units. */
export interface ListedChannel {
  readonly name: string;
  /** `tvg-id`: the channel's id in guide files; empty if the list does not give it, or if it is a reference without numbers. */
  readonly id: string;
  /** The reference that is the `tvg-id` in the list of a receiver (services.m3u); it has the numbers of a service. */
  readonly reference: ServiceReference | undefined;
  /** `tvg-name`: the channel's name in guide files; by default its name. */
  readonly guideName: string;
  /** The first of its groups; empty if it has none. */
  readonly group: string;
  readonly isRadio: boolean;
  /** http, https, udp or rtp, without fragment. */
  readonly url: string;
  /** Header fields that its server requires; empty if it requires none. */
  readonly userAgent: string;
  readonly referer: string;
  /** `tvg-logo`: http or https address of its logo; empty if the list gives none. */
  readonly logo: string;
}

/** An entry that cannot be received. */
export interface SkippedEntry {
  /** Line number of its address, from 1. */
  readonly line: number;
  readonly name: string;
  /** The reason; never the address, which may contain a password. */
  readonly why: string;
}

export interface ChannelList {
  readonly channels: readonly ListedChannel[];
  readonly skipped: { readonly count: number; readonly first: readonly SkippedEntry[] };
  /** http(s) addresses of its guide files. */
  readonly guides: readonly string[];
  /** Some channels have a time shift of their guide (`tvg-shift`), which is not applied. */
  readonly hasShifts: boolean;
}

/** Bounds of a list. */
export const maxListBytes = 50 * 2 ** 20;
const maxChannels = 200_000;
const maxLineBytes = 64 * 2 ** 10;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const maxReportedEntries = 10;
const maxGuides = 20;
/** Characters of a logo's address. */
const maxLogoLength = 255;

/**
 * Reads a channel list as it arrives, in time slices. Entries that cannot be received are counted; the first ten are
 * reported.
 * @throws ReceiverError `too-large` beyond 50 MB or 200,000 channels; `parameter-invalid` if it is the playlist of a
 *   single stream (HLS); `wrong-file` if it is a file of another kind
 */
export async function readChannelList(source: Source): Promise<ChannelList> {
  const { whole } = await checkKind(source, 'channel list');
  const reader = new Reader();
  const slice = new TimeSlice();
  let line = 0;
  for await (const bytes of linesOf(limitBytes(whole, 'the channel list', maxListBytes))) {
    reader.read(bytes, ++line);
    if (slice.isOver) await slice.next();
  }
  return reader;
}

type Source = Parameters<typeof limitBytes>[0];

/** Yields the lines, each valid until the next one. A too long line is cut to one byte more than the maximum. */
async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, undefined> {
  const begun = Buffer.allocUnsafe(maxLineBytes + 1);
  let length = 0;
  const keep = (bytes: Uint8Array) => {
    const fitting = bytes.subarray(0, begun.length - length);
    begun.set(fitting, length);
    length += fitting.length;
  };
  /** The previous line ended with a carriage return: a line feed right after it ends no further line. */
  let isReturn = false;
  for await (const chunk of source) {
    const next = (mark: number, from: number) => (chunk.indexOf(mark, from) + 1 || chunk.length + 1) - 1;
    let [feed, carriage] = [next(lineFeed, 0), next(carriageReturn, 0)];
    for (let from = 0; from < chunk.length; ) {
      const end = Math.min(feed, carriage);
      const isSecond = isReturn && feed === from;
      keep(chunk.subarray(from, end));
      isReturn = end === carriage && end < chunk.length;
      if (end < chunk.length && !isSecond) {
        yield begun.subarray(0, length);
        length = 0;
      }
      from = end + 1;
      if (feed < from) feed = next(lineFeed, from);
      if (carriage < from) carriage = next(carriageReturn, from);
    }
  }
  if (length > 0) yield begun.subarray(0, length);
}

class Reader implements ChannelList {
  readonly channels: ListedChannel[] = [];
  readonly skipped = { count: 0, first: [] as SkippedEntry[] };
  readonly guides: string[] = [];
  hasShifts = false;
  /** Group of entries that name no group. */
  #group = '';
  #entry = new Entry();

  read(bytes: Buffer, line: number): void {
    if (bytes.length > maxLineBytes) {
      this.#skip(line, 'the line is too long');
      return;
    }
    const text = textOf(bytes);
    if (text === '') return;
    const [, directive = '', value = ''] = /^#(EXT[\w-]*|KODIPROP):?(.*)/i.exec(text) ?? [];
    if (directive !== '') this.#readDirective(directive.toUpperCase(), value.trim());
    else if (!text.startsWith('#')) this.#addChannel(text, line);
  }

  #readDirective(directive: string, value: string): void {
    if (directive === 'EXTM3U') this.#readHeader(attributesOf(value));
    else if (directive === 'EXTINF') this.#entry = Entry.of(value, this.#entry);
    else if (directive === 'EXTGRP') {
      if (this.#entry.isNamed) this.#entry.group = value;
      else this.#group = value;
    } else if (directive === 'EXTVLCOPT') this.#entry.setOption(value);
    else if (directive === 'EXTHTTP') this.#entry.setFields(jsonFields(value));
    else if (directive === 'KODIPROP') this.#entry.setFields(kodiFields(value));
    else if (directive === 'EXT-X-TARGETDURATION' || directive === 'EXT-X-STREAM-INF')
      throw new ReceiverError(
        'parameter-invalid',
        'this is the playlist of a single stream (HLS), not a list of channels',
      );
  }

  #readHeader(attributes: Attributes): void {
    const addresses = ['url-tvg', 'x-tvg-url'].flatMap((key) => attributes.get(key)?.split(',') ?? []);
    for (const address of addresses.map((text) => text.trim())) {
      const isNew = /^https?:/i.test(address) && urlOf(address) && !this.guides.includes(address);
      if (isNew && this.guides.length < maxGuides) this.guides.push(address);
    }
    this.hasShifts ||= isShift(attributes);
  }

  #addChannel(text: string, line: number): void {
    const { attributes, ...entry } = this.#entry;
    this.#entry = new Entry();
    const { url, parameters } = splitAddress(text);
    const why = refusalOf(url);
    if (why !== undefined) {
      this.#skip(line, why, entry.name);
      return;
    }
    if (this.channels.length === maxChannels)
      throw new ReceiverError('too-large', `the list has more than ${maxChannels} channels`);
    const [id = '', guideName = '', groups = ''] = ['tvg-id', 'tvg-name', 'group-title'].map((key) =>
      attributes.get(key),
    );
    const name = shortened(entry.name || guideName || id || nameOf(url));
    const written = /^\d+:\d+:/.test(id) ? ServiceReference.tryParse(id) : undefined;
    const reference = written?.flags === 0 && written.dvb !== undefined ? written : undefined;
    const listed = groups || entry.group || this.#group;
    this.hasShifts ||= isShift(attributes);
    this.channels.push({
      name,
      id: written === undefined || reference !== undefined ? id : '',
      reference,
      guideName: shortened(guideName) || name,
      group: shortened(
        listed
          .split(';')
          .find((one) => one.trim() !== '')
          ?.trim() ?? '',
      ),
      isRadio: attributes.get('radio')?.toLowerCase() === 'true' || reference?.isRadio === true,
      url,
      userAgent: parameters.get('user-agent') ?? (entry.userAgent || attributes.get('user-agent')) ?? '',
      referer: parameters.get('referer') ?? (entry.referer || attributes.get('referrer')) ?? '',
      logo: logoOf(attributes.get('tvg-logo')),
    });
  }

  #skip(line: number, why: string, name = ''): void {
    this.skipped.count++;
    if (this.skipped.first.length < maxReportedEntries) this.skipped.first.push({ line, name: shortened(name), why });
  }
}

type Attributes = ReadonlyMap<string, string>;

/** The directives before an address. */
class Entry {
  attributes: Attributes = new Map();
  /** True after #EXTINF. */
  isNamed = false;
  name = '';
  group = '';
  userAgent = '';
  referer = '';

  /** Parses `-1 KEY="VALUE" KEY=VALUE,NAME`. Options before it belong to the same entry. */
  static of(text: string, before: Entry): Entry {
    const entry = before.isNamed ? new Entry() : before;
    const comma = commaOf(text);
    entry.isNamed = true;
    entry.attributes = attributesOf(comma < 0 ? text : text.slice(0, comma));
    entry.name = comma < 0 ? '' : text.slice(comma + 1).trim();
    return entry;
  }

  setOption(text: string): void {
    const [, key = '', value = ''] = /^http-(user-agent|referrer)\s*=(.*)$/i.exec(text) ?? [];
    if (key.toLowerCase() === 'user-agent') this.userAgent = value.trim();
    else if (key !== '') this.referer = value.trim();
  }

  setFields(fields: Attributes): void {
    this.userAgent = fields.get('user-agent') ?? this.userAgent;
    this.referer = fields.get('referer') ?? this.referer;
  }
}

/** Control characters, and those that change the direction of a text or end its line. */
const control = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Control characters become blanks: the texts go to terminals and into files of lines. */
function textOf(bytes: Buffer): string {
  return bytes
    .toString(isUtf8(bytes) ? 'utf8' : 'latin1')
    .replace(control, ' ')
    .trim();
}

/** Cuts a name to its maximum length, without half a surrogate pair at its end. */
function shortened(name: string): string {
  return name.length <= maxNameLength
    ? name
    : name
        .slice(0, maxNameLength)
        .replace(/[\ud800-\udbff]$/, '')
        .trimEnd();
}

/**
 * Returns the index of the comma before the name, or -1: the first one outside quotation marks that is not followed by
 * an attribute, or, with an unpaired mark, the last one. A single mark begins a value only after `=`; elsewhere it is
 * an apostrophe.
 */
function commaOf(text: string): number {
  let mark = '';
  let before = '';
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] as string;
    if (mark !== '') mark = letter === mark ? '' : mark;
    else if (letter === '"' || (letter === "'" && before === '=')) mark = letter;
    else if (letter === ',' && !hasAttributeAt(text, at + 1)) return at;
    if (letter !== ' ') before = letter;
  }
  const last = text.lastIndexOf(',');
  return mark === '' || hasAttributeAt(text, last + 1) ? -1 : last;
}

const attribute = / {0,9}[\w-]{1,40}=["']/y;

/** True if an attribute such as `tvg-id="x"` begins there, which some lists have after a comma. */
function hasAttributeAt(text: string, from: number): boolean {
  attribute.lastIndex = from;
  return attribute.test(text);
}

/** Parses attributes; keys in lower case. The look-behind keeps the time for a long word linear. */
function attributesOf(text: string): Attributes {
  const found = withoutGaps(text).matchAll(/(?<![\w-])([\w-]+)=(?:"([^"]*)"|'([^']*)'|([^\s"]*))/g);
  const pairs = [...found].map(([, key = '', double, single, plain = '']): [string, string] => [
    key.toLowerCase(),
    (double ?? single ?? plain).trim(),
  ]);
  return new Map(pairs);
}

/** Removes blanks around an equals sign before a quotation mark. */
function withoutGaps(text: string): string {
  const parts = text.split('=');
  for (let at = 1; at < parts.length; at++) {
    const value = (parts[at] as string).trimStart();
    if (value[0] !== '"' && value[0] !== "'") continue;
    parts[at - 1] = (parts[at - 1] as string).trimEnd();
    parts[at] = value;
  }
  return parts.join('=');
}

/** Header fields of a JSON object; empty for other texts. */
function jsonFields(text: string): Attributes {
  try {
    const fields: unknown = JSON.parse(text);
    const pairs = typeof fields === 'object' && fields !== null ? Object.entries(fields) : [];
    const texts = pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string');
    return new Map(texts.map(([key, value]) => [key.toLowerCase(), value.replace(control, ' ')]));
  } catch {
    return new Map();
  }
}

/** Header fields of a property of Kodi's inputstream.adaptive; empty for other properties. */
function kodiFields(text: string): Attributes {
  const [, pairs] = /^inputstream\.adaptive\.(?:stream|manifest|common)_headers=(.*)$/i.exec(text) ?? [];
  return fieldsOf(pairs ?? '');
}

/** Parses `User-Agent=X&Referer=Y`, percent-encoded. */
function fieldsOf(text: string): Attributes {
  const pairs = text.split('&').map((pair): [string, string] => {
    const [key = '', ...value] = pair.split('=');
    return [key.toLowerCase(), decoded(value.join('='))];
  });
  return new Map(pairs);
}

const isShift = (attributes: Attributes) => Number(attributes.get('tvg-shift') ?? 0) !== 0;

/** Splits `url|user-agent=X&referer=Y`. The fragment is removed, since header fields follow `#` in a bouquet. */
function splitAddress(text: string): { readonly url: string; readonly parameters: Attributes } {
  const bar = text.indexOf('|');
  const url = bar < 0 ? text : text.slice(0, bar);
  return { url: url.replace(/#.*/, '').trim(), parameters: fieldsOf(bar < 0 ? '' : text.slice(bar + 1)) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text).replace(control, ' ');
  } catch {
    return text;
  }
}

/** Why an address cannot be received; undefined if it can. */
function refusalOf(url: string): string | undefined {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(url) ?? [];
  if (scheme === undefined) return 'no address';
  if (/^rtsp$/i.test(scheme)) return 'rtsp is not supported; a SAT>IP server is a tuner: --tuner satip:HOST';
  if (!/^(?:https?|udp|rtp)$/i.test(scheme)) return `${scheme.slice(0, 20)} is not supported`;
  return /^\w+:\/\//.test(url) && urlOf(url)?.host ? undefined : 'the address is malformed';
}

/** The address of a logo, percent-encoded; empty if it is no web address. */
function logoOf(text = ''): string {
  if (!/^https?:/i.test(text) || text.length > maxLogoLength) return '';
  const href = urlOf(text)?.href ?? '';
  return href.length <= maxLogoLength ? href : '';
}

/** The last part of the path, or the host; never the whole address, which may contain a password. */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return decoded(pathname.slice(pathname.lastIndexOf('/') + 1)).trim() || host;
}
