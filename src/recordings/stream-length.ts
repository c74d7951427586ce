/**
 * The duration of a transport stream, from the programme clock reference (ISO/IEC 13818-1 §2.4.3.5) at both ends. For
 * recordings whose length is not stored elsewhere, or that are still being written.
 */
import type { FileHandle } from 'node:fs/promises';

/** Bytes read at each end. A PCR comes at least every 0.1 s. */
const reach = 512 * 1024;
const ticksPerSecond = 90_000;
/** The base of a PCR has 33 bits. */
const clockPeriod = 2 ** 33;
/** Bytes per packet, without and with a leading time stamp. */
const packetSizes = [188, 192] as const;

interface ClockReference {
  readonly pid: number;
  /** Ticks of 90 kHz. */
  readonly base: number;
}

/** Seconds, up to 26 hours; undefined without a PCR at both ends, or if the two cannot belong to one stream. */
export async function streamLength(file: FileHandle, size: number): Promise<number | undefined> {
  const first = clockReferences(await read(file, 0, Math.min(size, reach))).at(0);
  if (first === undefined) return undefined;
  const begin = Math.max(0, size - reach);
  const last = clockReferences(await read(file, begin, size - begin)).findLast(({ pid }) => pid === first.pid);
  if (last === undefined) return undefined;
  const seconds = ((last.base - first.base + clockPeriod) % clockPeriod) / ticksPerSecond;
  // After a clock jump in between, the difference is meaningless: no broadcast is that slow or that fast.
  const rate = (size * 8) / Math.max(seconds, 1);
  return rate < 8_000 || rate > 400_000_000 ? undefined : Math.round(seconds);
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function clockReferences(bytes: Buffer): ClockReference[] {
  const found: ClockReference[] = [];
  const packets = firstPacket(bytes);
  if (packets === undefined) return found;
  for (let at = packets.offset; at + 188 <= bytes.length; at += packets.size) {
    if (bytes[at] !== syncByte) break;
    const hasClock =
      ((bytes[at + 3] ?? 0) & 0x20) !== 0 && (bytes[at + 4] ?? 0) >= 7 && ((bytes[at + 5] ?? 0) & 0x10) !== 0;
    if (!hasClock) continue;
    const base = bytes.readUInt32BE(at + 6) * 2 + ((bytes[at + 10] ?? 0) >> 7);
    found.push({ pid: bytes.readUInt16BE(at + 1) & 0x1fff, base });
  }
  return found;
}

const syncByte = 0x47;

/** The offset of the first packet and the distance between packets. */
function firstPacket(bytes: Buffer): { readonly offset: number; readonly size: number } | undefined {
  for (const size of packetSizes) {
    for (let offset = 0; offset < size && offset + 3 * size < bytes.length; offset++) {
      if ([0, 1, 2, 3].every((n) => bytes[offset + n * size] === syncByte)) return { offset, size };
    }
  }
  return undefined;
}
