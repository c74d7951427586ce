/**
 * The way of a service to a file, which is native: a thread writes what the tuner gives, and what belongs beside it (`.ap`, `.sc`).
 * Nothing here waits for the disk, and no packet becomes a JavaScript object.
 */
import type { StreamEnd } from '../dvb/service-stream.ts';
import { native } from '../native.ts';

export interface StreamRecordingOptions {
  /** Of a file that is there and empty. */
  readonly path: string;
  /** Bytes that may wait while the disk takes nothing; what has no room is lost, and counted. */
  readonly queueBound: number;
  /** When the disk must have what was written: as the system pleases, every `syncInterval` seconds, after each piece. */
  readonly sync: 'never' | 'interval' | 'always';
  readonly syncInterval: number;
}

/** How a recording stands; at most 0.2 s old while something comes. While the disk hangs only `waiting` and `lost` go on. */
export interface StreamRecordingStatus {
  /** In the file. */
  readonly bytes: number;
  /** Taken from the tuner and not in the file yet. */
  readonly waiting: number;
  /** Ticks of 90 kHz that are recorded, jumps of the broadcaster's clock left out. */
  readonly ticks: number;
  /** Packets taken, and those of them that are scrambled. */
  readonly packets: number;
  readonly scrambled: number;
  /** Gaps in the continuity counters: reception was disturbed, or something was lost. */
  readonly continuityErrors: number;
  /** Bytes that the disk did not take in time, or had and has lost. */
  readonly lost: number;
  /** errno of what fails on the disk now; 0: nothing. */
  readonly error: number;
  /** The file was deleted meanwhile. */
  readonly deleted: boolean;
  /** event_id of what EIT present/following calls present, and since which tick of the recording. */
  readonly present?: { readonly id: number; readonly ticks: number };
  /** Why the last stream has ended; null while one is open. */
  readonly end: StreamEnd | null;
}

/** The native object: given to `Tuner.recordService`, which opens a stream into it. */
export interface StreamRecording {
  /** Writes what has come until now, as far as the disk takes it, and closes the files. */
  stop(): Promise<void>;
  status(): StreamRecordingStatus;
}

/** Opens a recording without a stream yet. */
export function openStreamRecording(options: StreamRecordingOptions): StreamRecording {
  return new Recording(options);
}

const { Recording } = native as { readonly Recording: new (options: StreamRecordingOptions) => StreamRecording };
