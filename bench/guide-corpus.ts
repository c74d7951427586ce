/**
 * A guide to measure with: real events when RECEIVERD_TEST_DATA has them (guide/events.jsonl.gz), else invented ones; and the
 * same events as EIT sections, as a broadcaster sends them (EN 300 468 §5.2.4).
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface CorpusEvent {
  readonly service: number;
  readonly id: number;
  /** Unix seconds. */
  readonly start: number;
  /** Seconds. */
  readonly duration: number;
  readonly title: string;
  readonly text: string;
}

const minute = 60;
const longestText = 240;

/** At most `limit` events, by service and time, none overlapping, each of at most a day. */
export function loadCorpus(limit: number): { events: CorpusEvent[]; source: string } {
  const file = join(process.env.RECEIVERD_TEST_DATA ?? '', 'guide', 'events.jsonl.gz');
  if (!process.env.RECEIVERD_TEST_DATA || !existsSync(file))
    return { events: invented(limit), source: 'invented events' };
  const byChannel = new Map<string, { s: number; e: number; t: string; d?: string }[]>();
  for (const line of gunzipSync(readFileSync(file)).toString('utf8').split('\n')) {
    if (line === '') continue;
    const event = JSON.parse(line) as { ch: string; s: number; e: number; t: string; d?: string };
    const list = byChannel.get(event.ch);
    if (list) list.push(event);
    else byChannel.set(event.ch, [event]);
  }
  const events: CorpusEvent[] = [];
  let service = 0;
  for (const list of byChannel.values()) {
    if (events.length >= limit) break;
    service++;
    let free = 0;
    for (const { s, e, t, d = '' } of list.sort((a, b) => a.s - b.s)) {
      if (s < free || e <= s || e - s > 86_400 || s % minute !== 0 || e % minute !== 0) continue;
      free = e;
      const title = shown(t);
      const text = cut(shown(d), longestText - Buffer.byteLength(title));
      if (title === '' || Buffer.byteLength(title) > longestText / 2) continue;
      events.push({ service, id: events.length & 0xffff, start: s, duration: e - s, title, text });
    }
  }
  return { events: events.slice(0, limit), source: 'real events' };
}

function invented(count: number): CorpusEvent[] {
  const words = [
    'News',
    'Café',
    'Über',
    'Night',
    'Mañana',
    'Sport',
    'Film',
    'Garden',
    'Weather',
    'Star',
    'Ocean',
    'Doctor',
  ];
  const word = (n: number) => words[n % words.length] ?? '';
  return Array.from({ length: count }, (_, n) => ({
    service: 1 + Math.floor(n / 336),
    id: n & 0xffff,
    start: 1_787_000_400 + (n % 336) * 30 * minute,
    duration: 30 * minute,
    title: `${word(n * 7)} ${word(n * 5 + 3)} ${n % 997}`,
    text: `${word(n)} ${word(n * 3)} ${word(n * 11)} and ${word(n * 13)}, part ${n}.`,
  }));
}

function shown(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ').trim();
}

/** The longest beginning of at most `bytes` bytes that ends between characters. */
function cut(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  if (encoded.length <= bytes) return text;
  let end = Math.max(0, bytes);
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end--;
  return encoded.subarray(0, end).toString('utf8').trim();
}

/** EIT schedule sections of all services, `table_id` 0x50 and on, UTF-8 texts. Services have at most 16 * 256 sections. */
export function eitSections(events: readonly CorpusEvent[]): Buffer[] {
  const sections: Buffer[] = [];
  for (let begin = 0, end = 0; begin < events.length; begin = end) {
    const service = events[begin]?.service ?? 0;
    while (events[end]?.service === service) end++;
    const bodies: Buffer[][] = [[]];
    let room = maximumBody;
    for (const event of events.slice(begin, end).map(encode)) {
      if (event.length > room) {
        bodies.push([]);
        room = maximumBody;
      }
      bodies.at(-1)?.push(event);
      room -= event.length;
    }
    const lastTable = 0x50 + ((bodies.length - 1) >> 8);
    for (const [index, body] of bodies.entries()) {
      const table = 0x50 + (index >> 8);
      const last = table === lastTable ? (bodies.length - 1) & 0xff : 0xff;
      sections.push(section(service, table, index & 0xff, last, lastTable, Buffer.concat(body)));
    }
  }
  return sections;
}

const maximumBody = 4096 - 14 - 4;

function section(
  service: number,
  table: number,
  number: number,
  last: number,
  lastTable: number,
  body: Buffer,
): Buffer {
  const bytes = Buffer.alloc(14 + body.length + 4);
  bytes[0] = table;
  bytes.writeUInt16BE(0xf000 | (bytes.length - 3), 1);
  bytes.writeUInt16BE(service, 3);
  bytes.set([0xc1, number, last], 5);
  bytes.writeUInt16BE(1 + (service >> 12), 8);
  bytes.writeUInt16BE(1, 10);
  bytes.set([last, lastTable], 12);
  body.copy(bytes, 14);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
}

function encode({ id, start, duration, title, text }: CorpusEvent): Buffer {
  const name = Buffer.from(`\x15${title}`);
  const about = text === '' ? Buffer.alloc(0) : Buffer.from(`\x15${text}`);
  const bytes = Buffer.alloc(12 + 2 + 3 + 1 + name.length + 1 + about.length);
  bytes.writeUInt16BE(id, 0);
  bytes.writeUInt16BE(Math.floor(start / 86_400) + 40_587, 2); // modified Julian date, annex C
  for (const [at, seconds] of [
    [4, start % 86_400],
    [7, duration],
  ] as const) {
    bytes.set(
      [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((n) => bcd(Math.floor(n))),
      at,
    );
  }
  bytes.writeUInt16BE(bytes.length - 12, 10);
  bytes.set([0x4d, bytes.length - 14], 12);
  bytes.write('eng', 14, 'latin1');
  bytes[17] = name.length;
  name.copy(bytes, 18);
  bytes[18 + name.length] = about.length;
  about.copy(bytes, 19 + name.length);
  return bytes;
}

function bcd(number: number): number {
  return (Math.floor(number / 10) << 4) | (number % 10);
}

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let crc = index << 24;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc < 0 ? 0x04c11db7 : 0);
  return crc;
});

/** CRC_32 of ISO/IEC 13818-1 annex A. */
function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) crc = (crc << 8) ^ (crcTable[((crc >>> 24) ^ byte) & 0xff] ?? 0);
  return crc >>> 0;
}
