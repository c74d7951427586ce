/**
 * The packets of HDHomeRun's discovery and control protocols (libhdhomerun, hdhomerun_pkt.h): type and length of 16 bits
 * each, big-endian; the payload; CRC-32 of all before, little-endian. The payload is a list of tags, each with a length of
 * one byte, or two from 128 on.
 */
import { crc32 } from 'node:zlib';
import { fail } from '../../base/errors.ts';

export const packetType = { discoverRequest: 2, discoverReply: 3, getSetRequest: 4, getSetReply: 5 } as const;

export const tag = {
  deviceType: 0x01,
  deviceId: 0x02,
  name: 0x03,
  value: 0x04,
  error: 0x05,
  tunerCount: 0x10,
  lockKey: 0x15,
  lineupUrl: 0x27,
  baseUrl: 0x2a,
  deviceAuth: 0x2b,
} as const;

/** Bytes of the largest packet. */
export const maxPacketBytes = 1460;
const headBytes = 4;
const crcBytes = 4;
/** The first byte of a length of two bytes has this bit, and the low seven bits. */
const longLength = 0x80;

export interface Packet {
  readonly type: number;
  /** Values by tag. Of a repeated tag, the last one. */
  readonly values: ReadonlyMap<number, Buffer>;
}

/** Bytes of the packet that starts here; before its head has arrived, those of the head. */
export const packetLength = (bytes: Buffer): number =>
  bytes.length < headBytes ? headBytes : headBytes + bytes.readUInt16BE(2) + crcBytes;

/** The packets of a connection. @throws Error for one that is too long; ReceiverError `parameter-invalid` */
export async function* packetsOf(socket: AsyncIterable<Buffer>): AsyncGenerator<Packet, void> {
  let pending = Buffer.alloc(0);
  for await (const piece of socket) {
    pending = Buffer.concat([pending, piece]);
    for (let length = packetLength(pending); length <= pending.length; length = packetLength(pending)) {
      yield parsePacket(pending.subarray(0, length));
      pending = pending.subarray(length);
    }
    if (packetLength(pending) > maxPacketBytes) throw new Error('a packet is too long');
  }
}

/** @throws ReceiverError `parameter-invalid` for a damaged packet */
export function parsePacket(bytes: Buffer): Packet {
  const refuse = (why: string) => fail('parameter-invalid', 'packet', why);
  if (bytes.length > maxPacketBytes) throw refuse(`has more than ${maxPacketBytes} bytes`);
  if (packetLength(bytes) !== bytes.length) throw refuse('has another length than it says');
  const end = bytes.length - crcBytes;
  if (bytes.readUInt32LE(end) !== crc32(bytes.subarray(0, end))) throw refuse('has a wrong CRC');
  const values = new Map<number, Buffer>();
  for (let at = headBytes; at < end; ) {
    const first = bytes[at + 1] ?? 0;
    const isLong = first >= longLength;
    const length = isLong ? (first & ~longLength) | ((bytes[at + 2] ?? 0) << 7) : first;
    const start = at + (isLong ? 3 : 2);
    if (start + length > end) throw refuse('ends within a tag');
    values.set(bytes[at] ?? 0, bytes.subarray(start, start + length));
    at = start + length;
  }
  return { type: bytes.readUInt16BE(0), values };
}

/** A tag and its value. A number has 32 bits. */
export type Tagged = readonly [tag: number, value: number | Buffer];

/** REQUIRES: a packet of at most `maxPacketBytes` */
export function formatPacket(type: number, tagged: readonly Tagged[]): Buffer {
  const payload = Buffer.concat(
    tagged.flatMap(([name, value]) => {
      const bytes = typeof value === 'number' ? bytesOf(value) : value;
      const { length } = bytes;
      const head = length < longLength ? [name, length] : [name, (length & 0x7f) | longLength, length >> 7];
      return [Buffer.from(head), bytes];
    }),
  );
  const packet = Buffer.alloc(headBytes + payload.length + crcBytes);
  packet.writeUInt16BE(type, 0);
  packet.writeUInt16BE(payload.length, 2);
  payload.copy(packet, headBytes);
  packet.writeUInt32LE(crc32(packet.subarray(0, headBytes + payload.length)), headBytes + payload.length);
  return packet;
}

function bytesOf(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number >>> 0);
  return bytes;
}

/** The text of a value, which ends with NUL in control packets. */
export function textOf(value: Buffer | undefined): string | undefined {
  return value?.toString('utf8').split('\0', 1)[0];
}

/** A text as control packets have it. */
export const textValue = (text: string) => Buffer.from(`${text}\0`);

/** The number of a value; undefined unless it has 32 bits. */
export const numberOf = (value: Buffer | undefined) => (value?.length === 4 ? value.readUInt32BE() : undefined);
