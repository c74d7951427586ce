/** Counts what is missing in a transport stream, by the continuity counters of its packets (ISO/IEC 13818-1 §2.4.3.3). */
const packetSize = 188;
const unknown = 0xff;

export class Continuity {
  packets = 0;
  /** Places where packets are missing. */
  gaps = 0;
  /** How many at least: the counters have 16 values. */
  lost = 0;
  /** Packets that do not begin with the sync byte. */
  broken = 0;
  readonly #last = new Uint8Array(8192).fill(unknown);
  #rest: Buffer = Buffer.alloc(0);

  take(chunk: Buffer): void {
    let bytes = chunk;
    if (this.#rest.length > 0) bytes = Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (; at + packetSize <= bytes.length; at += packetSize) this.#packet(bytes, at);
    // A copy: the rest would keep the whole chunk.
    this.#rest = Buffer.from(bytes.subarray(at));
  }

  #packet(bytes: Buffer, at: number): void {
    this.packets++;
    if (bytes[at] !== 0x47) this.broken++;
    const pid = (((bytes[at + 1] as number) & 0x1f) << 8) | (bytes[at + 2] as number);
    const flags = bytes[at + 3] as number;
    const hasPayload = (flags & 0x10) !== 0;
    if (pid === 0x1fff || !hasPayload) return;
    const hasField = (flags & 0x20) !== 0 && (bytes[at + 4] as number) > 0;
    const discontinuity = hasField && ((bytes[at + 5] as number) & 0x80) !== 0;
    const counter = flags & 0xf;
    const last = this.#last[pid] as number;
    // A packet may be sent twice.
    if (last !== unknown && !discontinuity && counter !== last && counter !== ((last + 1) & 0xf)) {
      this.gaps++;
      this.lost += (counter - last - 1) & 0xf;
    }
    this.#last[pid] = counter;
  }
}
