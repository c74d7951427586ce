/** Extracts the sections of one PID from a transport stream file; minimal, for the tests of the guide. */
import { readFileSync } from 'node:fs';

const packetSize = 188;

/** Complete sections of `pid`, in order. Those cut by an error are left out (the guide checks CRC_32). */
export function sectionsOf(file: string, pid = 0x12): Buffer[] {
  const stream = readFileSync(file);
  const sections: Buffer[] = [];
  let pending: Buffer | undefined;
  let counter = -1;
  const take = (bytes: Buffer) => {
    pending = pending === undefined ? bytes : Buffer.concat([pending, bytes]);
    while (pending !== undefined && pending.length >= 3) {
      if (pending[0] === 0xff) {
        pending = undefined;
        return;
      }
      const size: number = 3 + (((pending[1] ?? 0) & 0x0f) << 8) + (pending[2] ?? 0);
      if (pending.length < size) return;
      sections.push(pending.subarray(0, size));
      pending = pending.length > size ? pending.subarray(size) : undefined;
    }
  };
  for (let at = 0; at + packetSize <= stream.length; ) {
    if (stream[at] !== 0x47) {
      at += 1;
      continue;
    }
    const packet = stream.subarray(at, at + packetSize);
    at += packetSize;
    if ((((packet[1] ?? 0) & 0x1f) << 8) + (packet[2] ?? 0) !== pid || ((packet[3] ?? 0) & 0x10) === 0) continue;
    const unitStart = ((packet[1] ?? 0) & 0x40) !== 0;
    const header = ((packet[3] ?? 0) & 0x20) !== 0 ? 5 + (packet[4] ?? 0) : 4;
    const next = (packet[3] ?? 0) & 0x0f;
    if (counter >= 0 && next !== ((counter + 1) & 0x0f)) pending = undefined;
    counter = next;
    if (!unitStart) {
      if (pending !== undefined) take(packet.subarray(header));
      continue;
    }
    const begin = header + 1 + (packet[header] ?? 0);
    if (pending !== undefined) take(packet.subarray(header + 1, begin));
    pending = undefined;
    if (begin < packetSize) take(packet.subarray(begin));
  }
  return sections;
}
