/** Reads the timeshift as one stream, from any segment on for as long as it lasts. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { PacketStream, StreamEnd } from '../dvb/service-stream.ts';

/** A segment of the timeshift, playable by itself as a transport stream. */
export interface KeptSegment {
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
  /** Whole pictures and frames of sound, the oldest first; none in a timeshift. */
  readonly parts: readonly KeptPart[];
}

/** A part of a segment. */
export interface KeptPart {
  /** Bytes of the file, `to` excluded. */
  readonly from: number;
  readonly to: number;
  /** Seconds. */
  readonly duration: number;
  /** A decoder can start with it. */
  readonly isEntry: boolean;
}

/** What is read: a `Timeshift`. */
export interface Kept {
  readonly segments: readonly KeptSegment[];
  readonly growing: KeptSegment;
  readonly isClosed: boolean;
  segment(sequence: number): KeptSegment | undefined;
  more(): Promise<void>;
}

/** Bytes per read: whole packets. */
const piece = 188 * 1024;

/**
 * Yields the packets from a segment on, in order, at the pace of the reader and then as they arrive. Ends when the
 * timeshift does, or soon after the reader has left. Starts with PAT and PMT. If the reader is so slow that its next
 * segment was removed, it continues with the oldest one left, again with PAT and PMT.
 */
export async function* readOn(
  timeshift: Kept,
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
      // Removed just now, or by somebody else.
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

/** The same as a stream, which its reader may close while no data arrives. */
export function keptStream(timeshift: Kept, from: number): PacketStream {
  let reason: StreamEnd | null = null;
  return {
    get reason() {
      return reason;
    },
    close() {
      reason ??= 'closed';
    },
    async *[Symbol.asyncIterator]() {
      for await (const packets of readOn(timeshift, from, () => reason !== null)) {
        if (reason !== null) return;
        yield packets;
      }
      reason ??= 'ended';
    },
  };
}

/** Reads one segment to its end, as it grows. An open file stays readable after its segment is removed. */
async function* readSegment(
  timeshift: Kept,
  sequence: number,
  file: FileHandle,
  { from, isOver }: { readonly from: number; readonly isOver: () => boolean },
) {
  for (let position = from; ; ) {
    // Checked before the size is read: a complete segment no longer grows.
    const isWhole = isOver() || sequence !== timeshift.growing.sequence;
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
