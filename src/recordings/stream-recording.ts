/**
 * The native path of a service to a file: a thread writes the tuner's packets and the files derived from them (`.ap`,
 * `.sc`). Nothing here waits for the disk, and no packet becomes a JavaScript object.
 */
import { native, type Recording, type StreamRecordingOptions } from '../native.ts';

export type { StreamRecordingOptions, StreamRecordingStatus } from '../native.ts';

/** The native object, passed to `Tuner.recordService`, which opens a stream into it. */
export type StreamRecording = Recording;

/** Opens a recording, without a stream so far. */
export function openStreamRecording(options: StreamRecordingOptions): StreamRecording {
  return new native.Recording(options);
}
