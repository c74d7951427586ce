/**
 * Records services: finds a tuner, names the files, writes what belongs beside them, and keeps every recording going as long as it is
 * wanted. When its tuner, the signal or the disk goes away, it says so (`trouble`), tries again and goes on in the same file.
 */
import type { Logger } from 'pino';
import type { Clock, UnixSeconds } from '../clock.ts';
import type { Settings } from '../device/settings.ts';
import type { DvbTriplet } from '../dvb/triplet.ts';
import type { TunerLease, TunerPool } from '../dvb/tuner-pool.ts';
import type { Guide } from '../epg/guide.ts';
import { fail } from '../errors.ts';
import { Listeners } from '../listeners.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import { ActiveRecording } from './active-recording.ts';
import { nameRules, recordingName } from './file-name.ts';
import { beginFiles, firstName } from './recording-files.ts';
import { serviceData } from './service-data.ts';
import { openStreamRecording, type StreamRecording } from './stream-recording.ts';

export type { ActiveRecording } from './active-recording.ts';

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
  /** The guide's event of this service: what was broadcast of it goes beside the recording. */
  readonly eventId?: number;
}

/** What is recorded from something else than a tuner. */
export interface RecordingSource {
  readonly service: DvbTriplet;
  /** Gives the packets, those that were kept and perhaps those that come; when there are no more the recording ends by itself. */
  feed(stream: StreamRecording): void;
}

export interface RecorderOptions {
  /** Bytes that may wait for the disk, for each recording. */
  readonly queueBound: number;
  readonly sync: 'never' | 'interval' | 'always';
  /** Seconds. */
  readonly syncInterval: number;
}

interface RecorderParts {
  readonly pool: TunerPool;
  readonly services: Services;
  readonly guide: Guide;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Logger;
  /** IANA name of the zone of the dates in file names. */
  readonly timeZone: () => string;
}

interface Tuned {
  readonly lease: TunerLease;
  readonly service: DvbTriplet;
}

/** What has happened to a recording. */
export type RecordingChange = 'started' | 'stopped' | 'trouble';

export class Recorder {
  readonly #parts: RecorderParts;
  readonly #options: RecorderOptions;
  readonly #active: ActiveRecording[] = [];
  readonly #listeners = new Listeners<[recording: ActiveRecording, change: RecordingChange]>();
  /** Starts under way. */
  readonly #starting = new Set<Promise<unknown>>();
  #stopped = false;

  constructor(parts: RecorderParts, options: RecorderOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Those that run, the longest-running first. */
  get active(): readonly ActiveRecording[] {
    return this.#active;
  }

  /** Calls `listener` when a recording has started, has stopped, or when its trouble has changed; gives what ends this. */
  onChange(listener: (recording: ActiveRecording, change: RecordingChange) => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Begins a recording, of what a tuner gives or of the source: resolves when a tuner has the service and the files are made. It runs until it is stopped, whatever happens
   * meanwhile. A name that is taken is numbered: the second recording of an event gets `_001`.
   * @throws ReceiverError `no-free-tuner`, `no-signal`, `service-not-found`, `unsupported` (no broadcast service), `disk-full`,
   * `file-unwritable`
   */
  start(order: RecordingOrder, source?: RecordingSource): Promise<ActiveRecording> {
    const started = this.#start(order, source);
    const done = started.catch(() => undefined).finally(() => this.#starting.delete(done));
    this.#starting.add(done);
    return started;
  }

  /** Ends all recordings; what was recorded is on the disk when it resolves. None begins any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#starting);
    await Promise.all(this.#active.map((one) => one.stop()));
  }

  async #start(order: RecordingOrder, kept: RecordingSource | undefined): Promise<ActiveRecording> {
    if (this.#stopped) throw fail('not-allowed', 'a recording while the receiver ends');
    const { settings, timeZone, clock, pool } = this.#parts;
    const source = kept === undefined ? await this.#tune(order) : { kept, service: kept.service };
    const { service } = source;
    try {
      const name = order.continues
        ? await firstName(order.continues)
        : recordingName(order, timeZone(), nameRules(settings));
      const files = await beginFiles(order.folder, name, {
        meta: {
          service: order.reference.withName(order.serviceName),
          title: order.title,
          description: order.description || (order.extendedDescription ?? ''),
          begin: order.begin,
          tags: order.tags,
          serviceData: serviceData(pool.find(service)?.broadcast),
        },
        event: await this.#eventFile(order, service),
      });
      const tune = async () => (await this.#tune(order, service)).lease;
      const recording = new ActiveRecording({
        order,
        service,
        source: 'kept' in source ? source : { ...source, tune },
        path: files.path,
        began: clock.now(),
        stream: openStreamRecording({ path: files.path, ...this.#options }),
        ecm: settings.isOn('config.recording.always_ecm'),
        log: this.#parts.log,
        changed: (change) => this.#changed(recording, change),
      });
      this.#active.push(recording);
      this.#changed(recording, 'started');
      return recording;
    } catch (error) {
      if ('lease' in source) source.lease.release();
      throw error;
    }
  }

  #changed(recording: ActiveRecording, change: RecordingChange): void {
    if (change === 'stopped') this.#active.splice(this.#active.indexOf(recording), 1);
    this.#listeners.call(recording, change);
  }

  /** A tuner for the service, or for the first member of alternatives that one can be had for. */
  async #tune({ reference, title, serviceName }: RecordingOrder, only?: DvbTriplet): Promise<Tuned> {
    const { services, pool } = this.#parts;
    let failure: unknown = fail(reference.isStream ? 'unsupported' : 'service-not-found', reference.format());
    const candidates = only ? [only] : services.playable(reference).flatMap(({ dvb }) => dvb ?? []);
    for (const service of candidates) {
      try {
        return { lease: await pool.tune(service, 'recording', title || serviceName), service };
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  /** What the guide has of the event, as broadcast; undefined where it has none. */
  async #eventFile({ eventId }: RecordingOrder, service: DvbTriplet): Promise<Uint8Array | undefined> {
    if (eventId === undefined) return undefined;
    return (await this.#parts.guide.eventFile(service, eventId)) ?? undefined;
  }
}
