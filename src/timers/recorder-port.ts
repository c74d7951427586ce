/** What timers need of whatever records (src/recordings/recorder.ts). */
import type { UnixSeconds } from '../clock.ts';
import type { RecordingOrder } from '../recordings/recording-order.ts';

export type { RecordingOrder } from '../recordings/recording-order.ts';

/** A recording that is being made. */
export interface TimedRecording {
  /** The `.ts` file, absolute. */
  readonly path: string;
  /** Ends it; the file stays. */
  stop(): Promise<void>;
}

export interface RecorderPort {
  /** Those that are being made. One that is not among them any more has ended, whoever has ended it. */
  readonly active: Iterable<TimedRecording>;
  /** Resolves when a tuner has the service and the files are made. Rejects with a ReceiverError. */
  start(order: RecordingOrder): Promise<TimedRecording>;
  /**
   * When a recording of an earlier run was written to last, undefined when nothing is there of it, infinitely long ago where that is not
   * known; files without a byte are removed. `path` is without `.ts`.
   */
  remains(path: string): Promise<UnixSeconds | undefined>;
}
