/** Reads the timeshift as one stream, from any segment on for as long as it lasts. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { PacketStream, StreamEnd } from '../dvb/service-stream.ts';
import type { Kept } from './kept.ts';

/** Bytes per read: whole packets. */
const piece = 188 * 1024;

/**
 * Yields the packets from a segment on, in order, at the pace of the reader and then as they arrive. Ends when the
 * timeshift does. Starts with PAT and PMT. If the reader is so slow that its next segment was removed, it continues
 * with the oldest one left, again with PAT and PMT.
 */
export async function* readOn(timeshift: Kept, from: number): AsyncGenerator<Buffer, void, undefined> {
  let sequence = from;
  let isEntry = true;
  while (!timeshift.isClosed) {
    const segment = timeshift.segment(sequence);
    if (segment === undefined) {
      const [oldest = timeshift.growing] = timeshift.segments;
      if (sequence < oldest.sequence) {
        sequence = oldest.sequence;
        isEntry = true;
      } else await timeshift.more();
      continue;
    }
    const file = await open(segment.path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined);
    if (file === undefined) {
      // Removed just now, or by somebody else.
      await timeshift.more();
      if (timeshift.segment(sequence) !== undefined) sequence++;
      continue;
    }
    try {
      yield* readSegment(timeshift, sequence, file, isEntry ? 0 : segment.head);
    } finally {
      await file.close();
    }
    sequence++;
    isEntry = false;
  }
}

/** The timeshift from a segment on, for a reader that may leave while no data arrives. */
export class KeptStream implements PacketStream {
  readonly #timeshift: Kept;
  readonly #from: number;
  #reason: StreamEnd | null = null;

  constructor(timeshift: Kept, from: number) {
    this.#timeshift = timeshift;
    this.#from = from;
  }

  get reason(): StreamEnd | null {
    return this.#reason;
  }

  close(): void {
    this.#reason ??= 'closed';
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    const timeshift = this.#timeshift;
    const isClosed = () => this.#reason !== null || timeshift.isClosed;
    const kept: Kept = {
      get segments() {
        return timeshift.segments;
      },
      get growing() {
        return timeshift.growing;
      },
      get isClosed() {
        return isClosed();
      },
      segment: (sequence) => timeshift.segment(sequence),
      more: () => timeshift.more(),
    };
    for await (const packets of readOn(kept, this.#from)) {
      if (this.#reason !== null) break;
      yield packets;
    }
    this.#reason ??= 'ended';
  }
}

/** Reads one segment to its end, as it grows. An open file stays readable after its segment is removed. */
async function* readSegment(timeshift: Kept, sequence: number, file: FileHandle, from: number) {
  for (let position = from; ; ) {
    // Checked before the size is read: a complete segment no longer grows.
    const isWhole = timeshift.isClosed || sequence !== timeshift.growing.sequence;
    const end = isWhole ? (await file.stat()).size : timeshift.growing.bytes;
    while (position < end) {
      const buffer = Buffer.allocUnsafe(Math.min(piece, end - position));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
    if (isWhole) return;
    await timeshift.more();
  }
}
