/** Writes EIT sections (EN 300 468 §5.2.4) for tests: schedule actual, one event a section. */
import type { ServiceKey } from '../../src/epg/guide.ts';

export interface SectionEvent {
  readonly id: number;
  /** Unix seconds. */
  readonly start: number;
  /** Seconds. */
  readonly duration: number;
  readonly title: string;
  readonly shortText?: string;
  readonly extendedText?: string;
  /** The byte of a content descriptor: both nibbles. */
  readonly content?: number;
  /** stream_content and component_type of a component descriptor. */
  readonly component?: readonly [streamContent: number, componentType: number];
}

/** The sections of one service, in one table. */
export function eitSections(service: ServiceKey, events: readonly SectionEvent[]): Buffer[] {
  return events.map((event, index) => section(service, event, index * 8, (events.length - 1) * 8));
}

function section(service: ServiceKey, event: SectionEvent, number: number, last: number): Buffer {
  const descriptors = Buffer.concat([shortEvent(event), extendedEvent(event), component(event), content(event)]);
  const mjd = Math.floor(event.start / 86400) + 40587;
  const body = Buffer.concat([
    word(service.serviceId),
    Buffer.from([0xc1, number, last]),
    word(service.transportStreamId),
    word(service.originalNetworkId),
    Buffer.from([number, 0x50]),
    word(event.id),
    word(mjd),
    bcd(event.start % 86400),
    bcd(event.duration),
    word(descriptors.length),
    descriptors,
  ]);
  const length = body.length + 4;
  const start = Buffer.concat([Buffer.from([0x50, 0xf0 | (length >> 8), length & 0xff]), body]);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(start));
  return Buffer.concat([start, crc]);
}

/** Text with the selection byte of UTF-8 (Annex A.2); line breaks as U+008A. */
function text(value: string): Buffer {
  return value === '' ? Buffer.alloc(0) : Buffer.from(`\u0015${value.replaceAll('\n', '\u008a')}`);
}

function counted(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

function shortEvent({ title, shortText = '' }: SectionEvent): Buffer {
  const body = Buffer.concat([Buffer.from('deu'), counted(text(title)), counted(text(shortText))]);
  return Buffer.concat([Buffer.from([0x4d]), counted(body)]);
}

function extendedEvent({ extendedText = '' }: SectionEvent): Buffer {
  if (extendedText === '') return Buffer.alloc(0);
  const body = Buffer.concat([Buffer.from([0x00]), Buffer.from('deu'), Buffer.from([0]), counted(text(extendedText))]);
  return Buffer.concat([Buffer.from([0x4e]), counted(body)]);
}

function content({ content: byte }: SectionEvent): Buffer {
  return byte === undefined ? Buffer.alloc(0) : Buffer.from([0x54, 2, byte, 0]);
}

function component({ component: kind }: SectionEvent): Buffer {
  return kind === undefined ? Buffer.alloc(0) : Buffer.from([0x50, 6, 0xf0 | kind[0], kind[1], 0, 0x64, 0x65, 0x75]);
}

function word(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}

function bcd(seconds: number): Buffer {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return Buffer.from(parts.map((part) => (Math.floor(part / 10) << 4) | (part % 10)));
}

/** CRC_32 of ISO/IEC 13818-1 Annex A. */
function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  }
  return crc >>> 0;
}
