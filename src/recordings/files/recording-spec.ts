/** What the recorder is given, and the changes it reports. */
import type { UnixSeconds } from '../../base/clock.ts';
import type { Recording } from '../../base/native.ts';
import type { DvbTriplet } from '../../dvb/triplet.ts';
import type { ServiceReference } from '../../services/reference.ts';

/** What to record, and where. */
export interface RecordingSpec {
  /** A service, or alternatives: the first one for which a tuner is available is recorded. */
  readonly reference: ServiceReference;
  readonly serviceName: string;
  readonly title: string;
  readonly description: string;
  readonly extendedDescription?: string;
  readonly tags: readonly string[];
  /** Absolute: a location or a folder in one. Created if missing. */
  readonly folder: string;
  readonly begin: UnixSeconds;
  /**
   * Absolute path, without extension, of a recording that this one continues: it gets the same name with the next
   * number.
   */
  readonly continues?: string;
  /**
   * Called with the path, without extension, before a file is created there, and again if that path turns out to be
   * taken. A caller that stores the path can find the recording after a power cut. Must not reject.
   */
  readonly onNamed?: (path: string) => Promise<void>;
  /** The guide's event of this service; its broadcast data is stored beside the recording. */
  readonly eventId?: number;
  /** The timer whose recording this is, as it was at the start. */
  readonly timer?: { readonly id: number; readonly begin: UnixSeconds; readonly end: UnixSeconds };
}

/** A source of recorded packets other than a tuner. */
export interface RecordingSource {
  readonly service: DvbTriplet;
  /**
   * Feeds packets into the recording: buffered ones, then possibly live ones. The recording ends after the last packet.
   */
  feed(stream: Recording): void;
}

/** A change of a recording. */
export type RecordingChange = 'started' | 'stopped' | 'trouble';
