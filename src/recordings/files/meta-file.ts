/**
 * The `.meta` file beside a recording: ten lines of text. Older files have five to seven.
 *
 *   1  service reference and name of the channel     6  length in ticks of 90 kHz, 0 while unknown
 *   2  title                                          7  size in bytes of the recording when line 6 was written
 *   3  short text                                     8  service data, as in lamedb
 *   4  begin, Unix seconds                            9  bytes per packet, 188 or 192
 *   5  tags, separated by spaces                      10 1 if scrambled
 */
import type { UnixSeconds } from '../../base/clock.ts';
import { decode, encode, Lines, lineEndOf, oneLine } from '../../services/lines.ts';
import { ServiceReference } from '../../services/reference.ts';

/** Ticks per second of the clock used for lengths and positions. */
export const ticksPerSecond = 90_000;
/** Bytes per packet of our recordings. */
const packetSize = 188;

export interface RecordingMeta {
  /** The recorded channel, with its name; undefined if the line has no reference. */
  readonly service: ServiceReference | undefined;
  readonly title: string;
  readonly description: string;
  /** Undefined if missing or 0. */
  readonly begin: UnixSeconds | undefined;
  readonly tags: readonly string[];
  /** The length in seconds, and the size in bytes of the file with that length; undefined if either is missing or 0. */
  readonly length: { readonly seconds: number; readonly size: number } | undefined;
  readonly scrambled: boolean;
}

/** Parses a `.meta` file. Accepts any number of lines with any content. */
export function parseMeta(bytes: Uint8Array): RecordingMeta {
  const lines = new Lines(bytes);
  const text = () => decode(lines.next() ?? '');
  const number = () => {
    const line = text().trim();
    return /^\d{1,15}$/.test(line) ? Number(line) : 0;
  };
  const service = ServiceReference.tryParse(text());
  const title = text();
  const description = text();
  const begin = number();
  const tags = text().split(' ').filter(Boolean);
  const ticks = number();
  const size = number();
  lines.next();
  lines.next();
  return {
    service,
    title,
    description,
    begin: begin === 0 ? undefined : begin,
    tags,
    length: ticks === 0 || size === 0 ? undefined : { seconds: Math.round(ticks / ticksPerSecond), size },
    scrambled: number() === 1,
  };
}

/** The contents of a new recording's `.meta` file. */
export interface NewMeta {
  /** With its name; a path is dropped. */
  readonly service: ServiceReference;
  readonly title: string;
  readonly description: string;
  readonly begin: UnixSeconds;
  readonly tags: readonly string[];
  /** In the format of lamedb. */
  readonly serviceData: string;
}

/** Formats the `.meta` file of a new recording: all ten lines, with an unknown length. */
export function formatMeta({ service, title, description, begin, tags, serviceData }: NewMeta): Uint8Array {
  const { type, flags, fields, name } = service;
  const plain = ServiceReference.of({ type, flags, fields, name });
  const lines = [
    plain.format(),
    title,
    description,
    String(begin),
    tags.map(oneTag).join(' '),
    '0',
    '0',
    serviceData,
    String(packetSize),
    '0',
  ];
  return Buffer.from(lines.map((line) => `${oneLine(line)}\n`).join(''));
}

/** Changes to a `.meta` file; omitted fields stay as they are. */
export interface MetaChanges {
  readonly title?: string;
  readonly description?: string;
  /** Whitespace in a tag becomes `_`. */
  readonly tags?: readonly string[];
  /** Ticks of 90 kHz, and the size in bytes of the file with that length. */
  readonly length?: { readonly ticks: number; readonly size: number };
  readonly scrambled?: boolean;
  /** Problems during the recording, for line 11, which boxes ignore. */
  readonly remark?: string;
}

/** Returns the bytes of a `.meta` file with some lines changed. All other lines are kept, including unknown ones. */
export function editMeta(
  bytes: Uint8Array,
  { title, description, tags, length, scrambled, remark }: MetaChanges,
): Uint8Array {
  const lines = new Lines(bytes);
  const kept: string[] = [];
  while (lines.next() !== undefined) kept.push(lines.taken());
  const end = lineEndOf(kept[0] ?? '');
  const put = (number: number, text: string | undefined) => {
    if (text === undefined) return;
    while (kept.length < number) kept.push(end);
    kept[number - 1] = encode(`${oneLine(text)}${end}`);
  };
  put(2, title);
  put(3, description);
  put(5, tags?.map(oneTag).join(' '));
  put(6, length && String(length.ticks));
  put(7, length && String(length.size));
  put(10, scrambled === undefined ? undefined : scrambled ? '1' : '0');
  put(11, remark);
  return Buffer.from(kept.map((line) => (line.endsWith('\n') ? line : line + end)).join(''), 'latin1');
}

/** Replaces whitespace in a tag, so that it fits a space-separated list. */
export const oneTag = (tag: string) => oneLine(tag).trim().replace(/\s+/g, '_');
