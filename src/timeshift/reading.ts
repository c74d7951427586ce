/** What is kept as one stream, from a place on and for as long as it goes on. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { PacketStream, StreamEnd } from '../dvb/service-stream.ts';
import type { Kept } from './kept.ts';

/** Bytes read at once: whole packets. */
const piece = 188 * 1024;

/**
 * The packets from a segment on, in order, at the pace of whoever takes them, and then as they come; ends when the timeshift does. Begins
 * with PAT and PMT. One who is so slow that what comes next is gone goes on with the oldest that is left, again with PAT and PMT.
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
      // Removed on this very moment, or by somebody else.
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

/** What is kept from a segment on, for a reader who may leave while nothing comes. */
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

/** One segment to its end, as it grows. A file that is open can be read when its segment is gone. */
async function* readSegment(timeshift: Kept, sequence: number, file: FileHandle, from: number) {
  for (let position = from; ; ) {
    // Asked first: it does not grow any more then.
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
