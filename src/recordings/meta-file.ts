/**
 * The `.meta` file beside a recording: ten lines of text, of which older files have five to seven.
 *
 *   1  service reference and name of the channel     6  length in ticks of 90 kHz, 0 while it is not known
 *   2  title                                          7  size of the recording in bytes for which line 6 holds
 *   3  short text                                     8  service data, as in lamedb
 *   4  begin, Unix seconds                            9  bytes of a packet, 188 or 192
 *   5  tags, with blanks between                      10 1 when it is scrambled
 */
import type { UnixSeconds } from '../clock.ts';
import { decode, encode, Lines, lineEndOf, oneLine } from '../services/lines.ts';
import { ServiceReference } from '../services/reference.ts';

/** Ticks of the clock in which lengths and positions are written. */
export const ticksPerSecond = 90_000;
/** Bytes, of what is recorded here. */
const packetSize = 188;

export interface RecordingMeta {
  /** The recorded channel, with its name; undefined where the line has no reference. */
  readonly service: ServiceReference | undefined;
  readonly title: string;
  readonly description: string;
  /** Undefined where it is missing or 0. */
  readonly begin: UnixSeconds | undefined;
  readonly tags: readonly string[];
  /** Seconds, and the size in bytes of the file that lasts so long; undefined where either is missing or 0. */
  readonly length: { readonly seconds: number; readonly size: number } | undefined;
  readonly scrambled: boolean;
}

/** Reads a `.meta` file. Any number of lines of anything will do. */
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

/** What a `.meta` file says of a recording that begins. */
export interface NewMeta {
  /** With its name; a path is left out. */
  readonly service: ServiceReference;
  readonly title: string;
  readonly description: string;
  readonly begin: UnixSeconds;
  readonly tags: readonly string[];
  /** As lamedb writes it. */
  readonly serviceData: string;
}

/** The bytes of the `.meta` file of a recording that begins: all ten lines, its length not known yet. */
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

/** What can be written to a `.meta` file; what is left out stays as it is. */
export interface MetaChanges {
  readonly title?: string;
  readonly description?: string;
  /** Blanks in a tag become `_`. */
  readonly tags?: readonly string[];
  /** Ticks of 90 kHz, and the size in bytes of the file that lasts so long. */
  readonly length?: { readonly ticks: number; readonly size: number };
  readonly scrambled?: boolean;
  /** What went wrong while it was recorded: a line behind those that a box writes. */
  readonly remark?: string;
}

/** The bytes of a `.meta` file with some lines changed; every other one is kept, those that no reader knows too. */
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

/** A tag as it may stand in a list with blanks between. */
export const oneTag = (tag: string) => oneLine(tag).trim().replace(/\s+/g, '_');
