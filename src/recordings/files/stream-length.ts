/**
 * The duration of a transport stream, from its programme clock reference (PCR, ISO/IEC 13818-1 §2.4.2.2). For
 * recordings whose length is not stored elsewhere, or that are still being written.
 *
 * The clock may jump anywhere (§2.4.3.5, §2.7.2), so it is read at several places. A stretch whose duration differs
 * widely from what its bytes suggest is halved until it is so small that each clock reference in it is read.
 */
import type { FileHandle } from 'node:fs/promises';

/** Bytes read at each place. A PCR is sent at least every 0.1 s. */
const readBytes = 512 * 1024;
const ticksPerSecond = 90_000;
/** The base of a PCR has 33 bits. */
const clockPeriod = 2 ** 33;
/** Ticks; a larger step between two clock references is a jump. */
const maxStepTicks = 10 * ticksPerSecond;
/** Bytes of a stretch up to which each clock reference in it is read. */
const maxScannedBytes = 1024 * 1024;
/** Stretches before any is halved. */
const maxInitialStretches = 8;
/** Number of times that a stretch is halved or scanned. Finding a jump in a file of 10 GB takes 12. */
const maxRefinements = 64;
/** A stretch is refined if its duration is this many times longer or shorter than its bytes suggest. */
const maxUsualVariation = 1.5;
/**
 * If it still is this many times longer or shorter after all refinements, the duration that its bytes suggest is used.
 */
const maxVariation = 10;
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
  /** Whether refining it would not change `ticks`. */
  readonly isExact: boolean;
}

/**
 * The duration in seconds; undefined without a PCR at both ends. Between two of the places it is at most 26 hours,
 * after which the PCR wraps. Reads at most 64 MB.
 */
export async function streamLength(file: FileHandle, size: number): Promise<number | undefined> {
  const parts = Math.min(maxInitialStretches, Math.max(1, Math.ceil(size / maxScannedBytes)));
  const places: ClockReference[] = [];
  const read: Stretch[] = [];
  for (let n = 0; n <= parts; n++) {
    const isEnd = n === parts;
    const begin = isEnd ? Math.max(0, size - readBytes) : Math.floor((n * size) / parts);
    const found = await references(file, begin, Math.min(size, begin + readBytes), places[0]?.pid);
    const place = isEnd ? found.at(-1) : found[0];
    if (place === undefined && (n === 0 || isEnd)) return undefined;
    if (place !== undefined) places.push(place);
    const [first, last] = [found[0], found.at(-1)];
    if (first && last) read.push({ ...stretch(first, last), ticks: scannedTicks(found) });
  }
  const stretches = stretchesOf(places);
  return Math.round((await measure(file, stretches, usualTicksPerByte([...stretches, ...read]))) / ticksPerSecond);
}

/** The median of ticks per byte. */
function usualTicksPerByte(stretches: readonly Stretch[]): number {
  const ratios = stretches.filter(({ from, to }) => to.offset > from.offset).map((one) => one.ticks / bytesOf(one));
  return ratios.sort((a, b) => a - b)[ratios.length >> 1] ?? 0;
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

/** Ticks of all stretches. Refines the one first whose ticks differ most from those that its bytes suggest. */
async function measure(file: FileHandle, stretches: Stretch[], ticksPerByte: number): Promise<number> {
  const usual = (one: Stretch) => bytesOf(one) * ticksPerByte;
  const differs = (one: Stretch, variation: number) =>
    one.ticks > usual(one) * variation || one.ticks * variation < usual(one);
  const error = (one: Stretch) =>
    one.isExact || !differs(one, maxUsualVariation) ? 0 : Math.abs(one.ticks - usual(one));
  for (let count = 0; count < maxRefinements; count++) {
    const errors = stretches.map(error);
    const largest = Math.max(...errors);
    if (largest <= maxStepTicks) break;
    const at = errors.indexOf(largest);
    stretches.splice(at, 1, ...(await refined(file, stretches[at] as Stretch)));
  }
  const ticks = (one: Stretch) => (!one.isExact && differs(one, maxVariation) ? usual(one) : one.ticks);
  return stretches.reduce((sum, one) => sum + ticks(one), 0);
}

/** The halves of a stretch, or the stretch itself with the sum of its steps. */
async function refined(file: FileHandle, whole: Stretch): Promise<readonly Stretch[]> {
  const { from, to } = whole;
  if (bytesOf(whole) > maxScannedBytes) {
    const middle = Math.floor((from.offset + to.offset) / 2);
    const [place] = await references(file, middle, Math.min(to.offset, middle + readBytes), from.pid);
    return place === undefined ? [{ ...whole, isExact: true }] : stretchesOf([from, place, to]);
  }
  const all = await references(file, from.offset, to.offset + Math.max(...packetSizes), from.pid);
  return [{ ...whole, ticks: scannedTicks(all), isExact: true }];
}

/** Ticks from the first clock reference to the last, without jumps. */
function scannedTicks(references: readonly ClockReference[]): number {
  const steps = stretchesOf(references).map(({ ticks }) => ticks);
  return steps.reduce((sum, step) => sum + (step > maxStepTicks ? 0 : step), 0);
}

/** The clock references between two offsets, all of one PID: of `preferred` if it has any. */
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
