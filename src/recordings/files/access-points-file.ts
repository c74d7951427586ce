/**
 * The `.ap` file beside a recording: the points where decoding can start. 16 bytes per entry, big endian: offset in the
 * recording 64, PTS 64 (33 bits, ticks of 90 kHz, as broadcast).
 */

const entrySize = 16;
/**
 * A larger step of the PTS is a jump of the clock, and so is every step back. If more than this follows the last access
 * point, the file is incomplete, as when a recording was copied with interruptions. Ticks of 90 kHz.
 */
export const maxStepTicks = 10 * 90_000;
/** The PTS has 33 bits. */
const clockPeriod = 2 ** 33;

/**
 * Ticks of 90 kHz from the first access point to the end of the recording, excluding clock jumps; 0 for fewer than two
 * points, and if there are none for the end of the recording. What follows the last point is estimated at the average
 * bit rate. An incomplete entry at the end is ignored.
 */
export function lengthByAccessPoints(bytes: Uint8Array, size: number): number {
  let first: AccessPoint | undefined;
  let last: AccessPoint | undefined;
  for (const point of accessPoints(bytes)) {
    first ??= point;
    last = point;
  }
  if (first === undefined || last === undefined || last.offset <= first.offset) return 0;
  const rest = (last.time * (size - last.offset)) / (last.offset - first.offset);
  return rest > maxStepTicks ? 0 : last.time + Math.max(0, rest);
}

export interface AccessPoint {
  /** Bytes from the beginning of the recording. */
  readonly offset: number;
  /** Ticks of 90 kHz from the first access point, excluding clock jumps. Never less than at the previous point. */
  readonly time: number;
}

/** The access points in the order of the file; the first one has the time 0. */
export const accessPointsOf = (bytes: Uint8Array): AccessPoint[] => [...accessPoints(bytes)];

function* accessPoints(bytes: Uint8Array): Generator<AccessPoint> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let time = 0;
  let last: number | undefined;
  for (let at = 0; at + entrySize <= view.byteLength; at += entrySize) {
    const pts = Number(view.getBigUint64(at + 8) & 0x1_ffff_ffffn);
    const step = last === undefined ? 0 : (pts - last + clockPeriod) % clockPeriod;
    if (step <= maxStepTicks) time += step;
    last = pts;
    yield { offset: Number(view.getBigUint64(at)), time };
  }
}
