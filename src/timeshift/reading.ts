/** Reads the segments of a timeshift as one stream, from any segment to the live end. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { PacketStream, StreamEnd } from '../dvb/service-stream.ts';

/** A segment of the timeshift, playable by itself as a transport stream. */
export interface Segment {
  readonly sequence: number;
  /** Absolute. */
  readonly path: string;
  /** Bytes of copied PAT and PMT at its beginning, for readers that start here. */
  readonly head: number;
  readonly bytes: number;
  /** Seconds. */
  readonly duration: number;
  /** Unix seconds, with a fraction. */
  readonly begin: number;
  readonly discontinuity: boolean;
  /** Parts of whole pictures and audio frames, the oldest first. Only live segments have any. */
  readonly parts: readonly SegmentPart[];
}

/** A part of a segment. */
export interface SegmentPart {
  /** Offsets in the file; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** Seconds. */
  readonly duration: number;
  /** Whether a decoder can start with it. */
  readonly isEntry: boolean;
}

/** What the readers need of a `Timeshift`. */
export interface SegmentSource {
  readonly segments: readonly Segment[];
  readonly growing: Segment;
  readonly isClosed: boolean;
  segment(sequence: number): Segment | undefined;
  more(): Promise<void>;
}

/** Bytes per read: whole packets. */
const chunkBytes = 188 * 1024;

/**
 * Yields all packets from a segment on: stored ones on demand, then new ones as they arrive. Begins with PAT and PMT.
 * Ends with the timeshift, or soon after `hasLeft` returns true. If the next segment was removed because the reader is
 * too slow, it continues with the oldest stored one, again with PAT and PMT.
 */
export async function* readSegmentsFrom(
  timeshift: SegmentSource,
  from: number,
  hasLeft = () => false,
): AsyncGenerator<Buffer, void, undefined> {
  const isOver = () => timeshift.isClosed || hasLeft();
  let sequence = from;
  let isEntry = true;
  while (!isOver()) {
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
      // It was removed just now, or by another program.
      await timeshift.more();
      if (timeshift.segment(sequence) !== undefined) sequence++;
      continue;
    }
    try {
      yield* readSegment(timeshift, sequence, file, { from: isEntry ? 0 : segment.head, isOver });
    } finally {
      await file.close();
    }
    sequence++;
    isEntry = false;
  }
}

/** Like `readSegmentsFrom`, as a stream that can be closed even while no data arrives. */
export function segmentStream(timeshift: SegmentSource, from: number): PacketStream {
  let reason: StreamEnd | null = null;
  return {
    get reason() {
      return reason;
    },
    close() {
      reason ??= 'closed';
    },
    async *[Symbol.asyncIterator]() {
      for await (const packets of readSegmentsFrom(timeshift, from, () => reason !== null)) {
        if (reason !== null) return;
        yield packets;
      }
      reason ??= 'ended';
    },
  };
}

/** Reads one segment to its end, following it while it grows. Its file stays readable even if it is removed. */
async function* readSegment(
  timeshift: SegmentSource,
  sequence: number,
  file: FileHandle,
  { from, isOver }: { readonly from: number; readonly isOver: () => boolean },
) {
  for (let position = from; ; ) {
    // Checked before the size is read: a complete segment no longer grows.
    const isWhole = isOver() || sequence !== timeshift.growing.sequence;
    const end = isWhole ? (await file.stat()).size : timeshift.growing.bytes;
    while (position < end) {
      const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, end - position));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
    if (isWhole) return;
    await timeshift.more();
  }
}
