/** The device id of an HDHomeRun: seven hexadecimal digits and a check digit (libhdhomerun). */
import { createHash } from 'node:crypto';

const table = [0xa, 0x5, 0xf, 0x6, 0x7, 0xc, 0x1, 0xb, 0x9, 0x2, 0x8, 0xd, 0x4, 0x3, 0xe, 0x0];

/** XOR of all digits; every second one is looked up in the table first. 0 for a valid id. */
function checksum(id: number): number {
  let sum = 0;
  for (let shift = 28; shift >= 0; shift -= 8) {
    sum ^= (table[(id >>> shift) & 0xf] ?? 0) ^ ((id >>> (shift - 4)) & 0xf);
  }
  return sum;
}

export const isValidDeviceId = (id: number) => id !== 0 && id !== 0xffffffff && checksum(id) === 0;

/** The id for an identity that never changes. Always the same, and valid. */
export function deviceIdOf(identity: string): number {
  // 1 is the first digit of real tuners.
  const start = (0x10000000 | (createHash('sha256').update(identity).digest().readUInt32BE() & 0x0ffffff0)) >>> 0;
  return (start | checksum(start)) >>> 0;
}

export const formatDeviceId = (id: number) => id.toString(16).toUpperCase().padStart(8, '0');
