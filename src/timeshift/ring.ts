/**
 * A service kept on the disk as far back as there is room, which is native: a thread writes what the tuner gives into a row of files,
 * of which the oldest go. Nothing here waits for the disk, and no packet becomes a JavaScript object.
 */
import type { StreamEnd } from '../dvb/service-stream.ts';
import { native } from '../native.ts';
import type { StreamRecording } from '../recordings/stream-recording.ts';

export interface RingOptions {
  /** Absolute; it is there, and nothing else in it is called `NUMBER.ts`. */
  readonly folder: string;
  /** Bytes on the disk, at the most. */
  readonly size: number;
  /** Bytes that are left free on the disk for others. */
  readonly minimumFree: number;
  /** Number of the first file. */
  readonly firstSequence: number;
  /** Bytes that may wait while the disk takes nothing; what has no room is lost, and counted. */
  readonly queueBound: number;
}

/** A file: a transport stream that begins with PAT, PMT and a picture that a decoder can start with. */
export interface RingSegment {
  readonly sequence: number;
  /** Bytes at its beginning, copies of PAT and PMT, that are no packets of the service. */
  readonly head: number;
  readonly bytes: number;
  /** Ticks of 90 kHz. */
  readonly ticks: number;
  /** Seconds since its first packet came. */
  readonly age: number;
  /** It does not go on where the one before ends, or has other tables. */
  readonly discontinuity: boolean;
}

/** How a ring stands; at most 0.5 s old. */
export interface RingStatus {
  /** Number of the oldest file. */
  readonly first: number;
  /** The file that is being written; without a byte where the next one has not begun. */
  readonly growing: RingSegment;
  readonly bytes: number;
  /** Packets taken. */
  readonly packets: number;
  /** Bytes that the disk did not take in time, or had and has lost. */
  readonly lost: number;
  /** errno of what fails on the disk now; 0: nothing. */
  readonly error: number;
  /** Recordings that are being made of it. */
  readonly feeds: number;
  /** Why the last stream has ended; null while one is open. */
  readonly end: StreamEnd | null;
}

/** The native object: given to `Tuner.recordService`, which opens a stream into it. */
export interface Ring {
  status(): RingStatus;
  /** The files from this number on that are not written any more. */
  segments(from: number): RingSegment[];
  /**
   * Gives a recording what there is from this file on: up to now, after which its stream ends; or, to follow, also what comes until
   * one of them is ended. As long as it has to be read it stays.
   */
  feed(recording: StreamRecording, from: number, follow: boolean): void;
  /** Takes nothing more, waits for the recordings that do not follow, and removes the files. */
  close(): Promise<void>;
}

/** Opens a ring without a stream yet. */
export function openRing(options: RingOptions): Ring {
  return new NativeRing(options);
}

const { Ring: NativeRing } = native as { readonly Ring: new (options: RingOptions) => Ring };
