/**
 * A service stored on disk as far back as there is room. The ring is native: a thread writes the tuner's output into a
 * series of files and removes the oldest. Nothing here waits for the disk, and no packet becomes a JavaScript object.
 */
import type { StreamEnd } from '../dvb/service-stream.ts';
import { native, type Ring } from '../native.ts';

export interface RingOptions {
  /** Absolute; it exists, and contains no other files named `NUMBER.ts`. */
  readonly folder: string;
  /** Bound of the bytes on the disk. */
  readonly size: number;
  /** Bytes to leave free on the disk. */
  readonly minimumFree: number;
  /** Number of the first file. */
  readonly firstSequence: number;
  /** Bytes that may wait while the disk is stalled; beyond them data is lost, and counted. */
  readonly queueBound: number;
}

/** A file: a transport stream that starts with PAT, PMT and a picture at which a decoder can start. */
export interface RingSegment {
  readonly sequence: number;
  /** Bytes of copied PAT and PMT at its beginning, which are not packets of the service. */
  readonly head: number;
  readonly bytes: number;
  /** Ticks of 90 kHz. */
  readonly ticks: number;
  /** Seconds since its first packet arrived. */
  readonly age: number;
  /** It does not continue where the one before ends, or has other tables. */
  readonly discontinuity: boolean;
}

/** State of a ring; at most 0.5 s old. */
export interface RingStatus {
  /** Number of the oldest file. */
  readonly first: number;
  /** The file being written; 0 bytes if the next one has not started. */
  readonly growing: RingSegment;
  readonly bytes: number;
  /** Packets received. */
  readonly packets: number;
  /** Bytes that the disk did not take in time, or took and lost. */
  readonly lost: number;
  /** errno of the current disk failure; 0: none. */
  readonly error: number;
  /** Recordings that are being made from it. */
  readonly feeds: number;
  /** Why the last stream ended; null while one is open. */
  readonly end: StreamEnd | null;
}

/** The native object: passed to `Tuner.recordService`, which opens a stream into it. */
export type { Ring };

/** Opens a ring, without a stream yet. */
export function openRing(options: RingOptions): Ring {
  return new native.Ring(options);
}
