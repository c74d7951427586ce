/** What a recorder is asked for, and what it tells of it. */
import type { UnixSeconds } from '../clock.ts';
import type { DvbTriplet } from '../dvb/triplet.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { StreamRecording } from './stream-recording.ts';

/** What is to be recorded, and how it is called. */
export interface RecordingOrder {
  /** A service, or alternatives of which the first is taken that a tuner can be had for. */
  readonly reference: ServiceReference;
  readonly serviceName: string;
  readonly title: string;
  readonly description: string;
  readonly extendedDescription?: string;
  readonly tags: readonly string[];
  /** Absolute, one of the locations or in one. Made if it is not there. */
  readonly folder: string;
  readonly begin: UnixSeconds;
  /** A recording without extension, absolute, of which this one is the next part: it is called as that one, with the next number. */
  readonly continues?: string;
  /**
   * Called with the path, without extension, before a file is made there, and once more where that turns out to be taken: who notes it
   * finds what is left of a recording that is broken off before it is known. It must not reject.
   */
  readonly named?: (path: string) => Promise<void>;
  /** The guide's event of this service: what was broadcast of it goes beside the recording. */
  readonly eventId?: number;
}

/** What is recorded from something else than a tuner. */
export interface RecordingSource {
  readonly service: DvbTriplet;
  /** Gives the packets, those that were kept and perhaps those that come; when there are no more the recording ends by itself. */
  feed(stream: StreamRecording): void;
}

/** What has happened to a recording. */
export type RecordingChange = 'started' | 'stopped' | 'trouble';
