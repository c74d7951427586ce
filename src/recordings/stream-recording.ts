/**
 * The native path of a service to a file: a thread writes the tuner's packets and the files derived from them (`.ap`,
 * `.sc`). Nothing here waits for the disk, and no packet becomes a JavaScript object.
 */
import type { StreamEnd } from '../dvb/service-stream.ts';
import { native, type Recording } from '../native.ts';

export interface StreamRecordingOptions {
  /** Path of an existing, empty file. */
  readonly path: string;
  /** Bytes that may wait while the disk accepts nothing. Data beyond that is dropped and counted. */
  readonly queueBound: number;
  /** When written data is synced: left to the system, every `syncInterval` seconds, or after each chunk. */
  readonly sync: 'never' | 'interval' | 'always';
  readonly syncInterval: number;
}

/**
 * Status of a recording, at most 0.2 s old while data arrives. While the disk hangs, only `waiting` and `lost` change.
 */
export interface StreamRecordingStatus {
  /** Bytes in the file. */
  readonly bytes: number;
  /** Bytes received from the tuner but not yet in the file. */
  readonly waiting: number;
  /** Recorded ticks of 90 kHz, excluding jumps of the broadcaster's clock. */
  readonly ticks: number;
  /** Packets received, and how many of them are scrambled. */
  readonly packets: number;
  readonly scrambled: number;
  /** Gaps in the continuity counters: reception was disturbed, or packets were lost. */
  readonly continuityErrors: number;
  /** Bytes that the disk did not accept in time, or accepted and lost. */
  readonly lost: number;
  /** errno of the current disk error; 0: none. */
  readonly error: number;
  /** The file was deleted during the recording. */
  readonly deleted: boolean;
  /** event_id of the present event in EIT present/following, and the tick of the recording at which it began. */
  readonly present?: { readonly id: number; readonly ticks: number };
  /** Why the last stream ended; null while one is open. */
  readonly end: StreamEnd | null;
}

/** The native object, passed to `Tuner.recordService`, which opens a stream into it. */
export type StreamRecording = Recording;

/** Opens a recording, without a stream so far. */
export function openStreamRecording(options: StreamRecordingOptions): StreamRecording {
  return new native.Recording(options);
}
