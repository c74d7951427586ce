/**
 * The duration of a transport stream, from its programme clock reference (PCR, ISO/IEC 13818-1 §2.4.2.2). For recordings
 * whose length is not stored elsewhere, or that are still being written.
 *
 * The clock may jump anywhere (§2.4.3.5, §2.7.2). So it is read at several places. Stretches that take far longer or
 * shorter than their bytes suggest are halved until so little is left that all clock references can be read.
 */
import type { FileHandle } from 'node:fs/promises';

/** Bytes read at each place. A PCR comes at least every 0.1 s. */
const reach = 512 * 1024;
const ticksPerSecond = 90_000;
/** The base of a PCR has 33 bits. */
const clockPeriod = 2 ** 33;
/** Ticks; a larger step between two clock references is a jump. */
const longestStep = 10 * ticksPerSecond;
/** Bytes of a stretch in which each clock reference is read. */
const walkedSize = 1024 * 1024;
/** Stretches at first. */
const mostParts = 8;
/** How often a stretch is halved or walked. A jump takes 12 of them in a file of 10 GB. */
const mostLooks = 64;
/** A stretch whose time is this many times longer or shorter than its bytes suggest is looked at more closely. */
const usualVariation = 1.5;
/** If its time is still this many times longer or shorter after all looks, what its bytes suggest counts. */
const largestVariation = 10;
/** Bytes per packet, without and with a leading time stamp. */
const packetSizes = [188, 192] as const;

interface ClockReference {
  readonly pid: number;
  /** Ticks of 90 kHz. */
  readonly base: number;
  /** Bytes from the beginning of the file. */
  readonly offset: number;
}

interface Stretch {
  readonly from: ClockReference;
  readonly to: ClockReference;
  readonly ticks: number;
  /** Nothing would be gained by looking closer. */
  readonly isExact: boolean;
}

/** Seconds, up to 26 hours between two of the places; undefined without a PCR at both ends. Reads 64 MB at most. */
export async function streamLength(file: FileHandle, size: number): Promise<number | undefined> {
  const parts = Math.min(mostParts, Math.max(1, Math.ceil(size / walkedSize)));
  const places: ClockReference[] = [];
  const read: Stretch[] = [];
  for (let n = 0; n <= parts; n++) {
    const isEnd = n === parts;
    const begin = isEnd ? Math.max(0, size - reach) : Math.floor((n * size) / parts);
    const found = await references(file, begin, Math.min(size, begin + reach), places[0]?.pid);
    const place = isEnd ? found.at(-1) : found[0];
    if (place === undefined && (n === 0 || isEnd)) return undefined;
    if (place !== undefined) places.push(place);
    const [first, last] = [found[0], found.at(-1)];
    if (first && last) read.push({ ...stretch(first, last), ticks: walked(found) });
  }
  const stretches = stretchesOf(places);
  return Math.round((await measured(file, stretches, usualPace([...stretches, ...read]))) / ticksPerSecond);
}

/** Ticks per byte: the median. */
function usualPace(stretches: readonly Stretch[]): number {
  const paces = stretches.filter(({ from, to }) => to.offset > from.offset).map((one) => one.ticks / bytesOf(one));
  return paces.sort((a, b) => a - b)[paces.length >> 1] ?? 0;
}

const bytesOf = ({ from, to }: Stretch) => to.offset - from.offset;

const stretchesOf = (places: readonly ClockReference[]): Stretch[] =>
  places.slice(1).map((to, n) => stretch(places[n] as ClockReference, to));

const stretch = (from: ClockReference, to: ClockReference): Stretch => ({
  from,
  to,
  ticks: (to.base - from.base + clockPeriod) % clockPeriod,
  isExact: false,
});

/** Ticks of all stretches. The stretch farthest from what `pace` suggests is looked at first. */
async function measured(file: FileHandle, stretches: Stretch[], pace: number): Promise<number> {
  const usual = (one: Stretch) => bytesOf(one) * pace;
  const differs = (one: Stretch, variation: number) =>
    one.ticks > usual(one) * variation || one.ticks * variation < usual(one);
  const error = (one: Stretch) => (one.isExact || !differs(one, usualVariation) ? 0 : Math.abs(one.ticks - usual(one)));
  for (let looks = 0; looks < mostLooks; looks++) {
    const errors = stretches.map(error);
    const largest = Math.max(...errors);
    if (largest <= longestStep) break;
    const at = errors.indexOf(largest);
    stretches.splice(at, 1, ...(await lookedAt(file, stretches[at] as Stretch)));
  }
  const ticks = (one: Stretch) => (!one.isExact && differs(one, largestVariation) ? usual(one) : one.ticks);
  return stretches.reduce((sum, one) => sum + ticks(one), 0);
}

/** Its halves, or the same one with the sum of its steps. */
async function lookedAt(file: FileHandle, whole: Stretch): Promise<readonly Stretch[]> {
  const { from, to } = whole;
  if (bytesOf(whole) > walkedSize) {
    const middle = Math.floor((from.offset + to.offset) / 2);
    const [place] = await references(file, middle, Math.min(to.offset, middle + reach), from.pid);
    return place === undefined ? [{ ...whole, isExact: true }] : stretchesOf([from, place, to]);
  }
  const all = await references(file, from.offset, to.offset + Math.max(...packetSizes), from.pid);
  return [{ ...whole, ticks: walked(all), isExact: true }];
}

/** Ticks from the first clock reference to the last, without jumps. */
function walked(references: readonly ClockReference[]): number {
  const steps = stretchesOf(references).map(({ ticks }) => ticks);
  return steps.reduce((sum, step) => sum + (step > longestStep ? 0 : step), 0);
}

/** Those between two offsets, of one PID: `preferred` if there are any. */
async function references(file: FileHandle, begin: number, end: number, preferred = -1): Promise<ClockReference[]> {
  const length = end - begin;
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, begin);
  const all = clockReferences(buffer.subarray(0, bytesRead), begin);
  const pid = all.some((one) => one.pid === preferred) ? preferred : all[0]?.pid;
  return all.filter((one) => one.pid === pid);
}

function clockReferences(bytes: Buffer, begin: number): ClockReference[] {
  const found: ClockReference[] = [];
  const packets = firstPacket(bytes);
  if (packets === undefined) return found;
  for (let at = packets.offset; at + 188 <= bytes.length; at += packets.size) {
    if (bytes[at] !== syncByte) break;
    const hasClock =
      ((bytes[at + 3] ?? 0) & 0x20) !== 0 && (bytes[at + 4] ?? 0) >= 7 && ((bytes[at + 5] ?? 0) & 0x10) !== 0;
    if (!hasClock) continue;
    const base = bytes.readUInt32BE(at + 6) * 2 + ((bytes[at + 10] ?? 0) >> 7);
    found.push({ pid: bytes.readUInt16BE(at + 1) & 0x1fff, base, offset: begin + at });
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
