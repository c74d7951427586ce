/** What timers need of whatever records. */
import type { UnixSeconds } from '../clock.ts';
import type { ServiceReference } from '../services/reference.ts';

/** What is to be recorded. */
export interface RecordingOrder {
  readonly reference: ServiceReference;
  readonly serviceName: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** Absolute, with a slash at the end. */
  readonly folder: string;
  readonly begin: UnixSeconds;
  readonly eventId?: number;
}

/** A recording that is being made. */
export interface ActiveRecording {
  /** The `.ts` file, absolute. */
  readonly path: string;
  /** Ends it; the file stays. */
  stop(): Promise<void>;
}

export interface RecorderPort {
  /** Those that are being made. One that is not among them any more has ended, whoever has ended it. */
  readonly active: Iterable<ActiveRecording>;
  /** Resolves when the first packets are on their way to the disk. Rejects with a ReceiverError. */
  start(order: RecordingOrder): Promise<ActiveRecording>;
}
