/** What timers need from a recorder (src/recordings/recorder.ts). */
import type { UnixSeconds } from '../clock.ts';
import type { RecordingOrder } from '../recordings/recording-order.ts';

export type { RecordingOrder } from '../recordings/recording-order.ts';

/** A running recording. */
export interface TimedRecording {
  /** Absolute path of the `.ts` file. */
  readonly path: string;
  /** Stops it; the file stays. */
  stop(): Promise<void>;
}

export interface RecorderPort {
  /** Running recordings. One that is missing here has ended, for whatever reason. */
  readonly active: Iterable<TimedRecording>;
  /** Resolves once a tuner has the service and the files exist. Rejects with a ReceiverError. */
  start(order: RecordingOrder): Promise<TimedRecording>;
  /**
   * When a recording of an earlier run was last written to; undefined if nothing is left of it, -Infinity if the time
   * is unknown. Removes empty files. `path` is without `.ts`.
   */
  remains(path: string): Promise<UnixSeconds | undefined>;
}
