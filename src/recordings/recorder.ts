/**
 * Records services: finds a tuner, names the files, writes the files beside the recording, and keeps each recording
 * running until it is stopped. When the tuner, the signal or the disk fails, the recorder reports it (`trouble`),
 * retries, and continues in the same file.
 */
import { basename } from 'node:path';
import type { Logger } from 'pino';
import type { Clock, UnixSeconds } from '../base/clock.ts';
import { fail } from '../base/errors.ts';
import { Listeners } from '../base/listeners.ts';
import { native, type StreamRecordingOptions } from '../base/native.ts';
import type { Settings } from '../config/enigma2-settings.ts';
import { LastingLease } from '../dvb/lasting-lease.ts';
import type { DvbTriplet, PlacedService } from '../dvb/triplet.ts';
import type { TunerLease, TunerPool } from '../dvb/tuner-pool.ts';
import type { Guide } from '../epg/guide.ts';
import type { NetworkStreams } from '../iptv/network-streams.ts';
import type { Services } from '../services/services.ts';
import { ActiveRecording, type Written } from './active-recording.ts';
import { recordingName } from './file-name.ts';
import { type HeldFolder, type RecordingFolders, withSlash } from './folders.ts';
import { beginFiles, firstName, partBeside, removeFiles, unwritten, writtenLast } from './recording-files.ts';
import type { RecordingChange, RecordingSource, RecordingSpec } from './recording-order.ts';
import { serviceData } from './service-data.ts';
import { tuneFirst } from './tuning.ts';

export type { ActiveRecording } from './active-recording.ts';

/** Seconds that the machine's clock may differ from the receiver's and still count as the same. */
const clockTolerance = 30;

export type RecorderOptions = Omit<StreamRecordingOptions, 'path'>;

export interface RecorderParts {
  readonly pool: TunerPool;
  readonly network: NetworkStreams;
  readonly services: Services;
  readonly guide: Guide;
  readonly settings: Settings;
  readonly folders: Pick<RecordingFolders, 'create' | 'hold'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** IANA name of the time zone for dates in file names. */
  readonly timeZone: () => string;
}

export class Recorder {
  readonly #parts: RecorderParts;
  readonly #options: RecorderOptions;
  readonly #active: ActiveRecording[] = [];
  /** Of those that have ended. */
  #ended: Written = { bytes: 0, lost: 0, continuityErrors: 0 };
  readonly #listeners = new Listeners<[recording: ActiveRecording, change: RecordingChange]>();
  /**
   * Calls `listener` when a recording starts, stops, or changes its trouble. Returns a function that removes the
   * listener.
   */
  readonly onChange = this.#listeners.add;
  /** Files of running and starting recordings. */
  readonly #files = new Set<string>();
  /** Starts in progress. */
  readonly #starting = new Set<Promise<unknown>>();
  #stopped = false;

  constructor(parts: RecorderParts, options: RecorderOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Running recordings, the longest-running first. */
  get active(): readonly ActiveRecording[] {
    return this.#active;
  }

  /** All recordings since the start. */
  get totals(): Written {
    return this.#active.map(({ written }) => written).reduce(sum, this.#ended);
  }

  /**
   * Starts a recording from a tuner, or from `source`. Resolves once a tuner has the service and the files exist. The
   * recording runs until it is stopped, whatever happens in between. A taken name is numbered: the second recording of
   * an event gets `_001`.
   * @throws ReceiverError `not-receivable`, `no-signal`, `service-not-found`, `unsupported` (no broadcast service),
   * `disk-full`, `file-unwritable`
   */
  start(order: RecordingSpec, source?: RecordingSource): Promise<ActiveRecording> {
    const started = this.#start(order, source);
    const done = started.catch(() => undefined).finally(() => this.#starting.delete(done));
    this.#starting.add(done);
    return started;
  }

  /**
   * Returns when the last part of a recording was last written to; `path` is without `.ts`. Returns undefined if no
   * part exists, and -Infinity if the time is unknown: because only earlier parts exist, or because the machine's
   * clock, which stamps files, is not the receiver's. Removes a part that was interrupted before its first byte.
   */
  async remains(path: string): Promise<UnixSeconds | undefined> {
    const next = partBeside(path, 1);
    if (next !== undefined) await this.#writtenLast(next);
    const written = await this.#writtenLast(path);
    if (written !== undefined) {
      const isOtherClock = Math.abs(this.#parts.clock.now() - Date.now() / 1000) > clockTolerance;
      return isOtherClock ? Number.NEGATIVE_INFINITY : written;
    }
    const before = partBeside(path, -1);
    return before !== undefined && (await this.remains(before)) !== undefined ? Number.NEGATIVE_INFINITY : undefined;
  }

  /** Keeps recordings from starting in the file during the check: it has no byte yet. */
  async #writtenLast(path: string): Promise<UnixSeconds | undefined> {
    const file = `${path}.ts`;
    if (this.#files.has(file)) return Number.POSITIVE_INFINITY;
    this.#files.add(file);
    const written = await writtenLast(file).finally(() => this.#files.delete(file));
    return written === undefined ? undefined : written / 1000;
  }

  /** Stops all recordings; their data is on the disk when this resolves. No recording starts afterwards. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#starting);
    await Promise.all(this.#active.map((one) => one.stop()));
  }

  async #start(order: RecordingSpec, kept: RecordingSource | undefined): Promise<ActiveRecording> {
    if (this.#stopped) throw fail('not-allowed', 'starting a recording during shutdown');
    const { settings, clock } = this.#parts;
    const source = kept ?? (await this.#tune(order));
    const { service } = source;
    let held: HeldFolder | undefined;
    let path: string | undefined;
    try {
      held = await this.#hold(order.folder);
      const { at, close } = held;
      const event = await this.#eventFile(service, order.eventId);
      path = await this.#makeFiles(order, service, { at, event });
      const stream = new native.Recording({ path: at + basename(path), ...this.#options });
      const ecm = settings.isOn('config.recording.always_ecm');
      const use = ({ tuner, serviceId }: TunerLease) => tuner.recordService(serviceId, stream, { ecm });
      const join = ({ tuner, serviceId }: TunerLease) => tuner.joinService(serviceId, stream, { ecm });
      const lease = 'lease' in source ? new LastingLease(source.lease, { tune: source.tune, use, join }) : undefined;
      if ('feed' in source) source.feed(stream);
      const recording = new ActiveRecording({
        order,
        path,
        held: { at, close },
        began: clock.now(),
        stream,
        lease,
        lateEvent: event ? undefined : () => this.#lateEvent(order, service, recording.began),
        log: this.#parts.log,
        changed: (change) => this.#changed(recording, change),
      });
      this.#active.push(recording);
      this.#changed(recording, 'started');
      return recording;
    } catch (error) {
      if (path !== undefined && held) await removeFiles(held.at + basename(path)).catch(() => undefined);
      if (path !== undefined) this.#files.delete(path);
      await held?.close();
      if ('lease' in source) source.lease.release();
      throw error;
    }
  }

  /** For as long as it records: others can replace the folder by a link meanwhile. */
  async #hold(folder: string): Promise<HeldFolder> {
    const { folders } = this.#parts;
    try {
      await folders.create(folder);
      return await folders.hold(folder);
    } catch (error) {
      throw unwritten(`${withSlash(folder)}recording`, error as NodeJS.ErrnoException);
    }
  }

  async #makeFiles(
    order: RecordingSpec,
    service: PlacedService,
    { at, event }: { readonly at: string; readonly event: Uint8Array | undefined },
  ): Promise<string> {
    const { settings, timeZone, pool } = this.#parts;
    const name = order.continues ? await firstName(order.continues) : recordingName(order, timeZone(), settings);
    const meta = {
      service: order.reference.withName(order.serviceName),
      title: order.title,
      description: order.description || (order.extendedDescription ?? ''),
      begin: order.begin,
      tags: order.tags,
      serviceData: serviceData(pool.find(service)?.broadcast),
    };
    return beginFiles({ folder: withSlash(order.folder), at }, name, { meta, event }, this.#files, order.named);
  }

  #changed(recording: ActiveRecording, change: RecordingChange): void {
    if (change === 'stopped') {
      this.#active.splice(this.#active.indexOf(recording), 1);
      this.#ended = sum(this.#ended, recording.written);
      this.#files.delete(recording.path);
    }
    this.#listeners.call(recording, change);
  }

  /** A tuner with the service, and how to get another one for it later. */
  async #tune({ reference, title, serviceName }: RecordingSpec) {
    const user = title || serviceName;
    const tuned = await tuneFirst(this.#parts, reference, 'recording', user);
    if (!tuned) throw fail('service-not-found', reference.format());
    return tuned;
  }

  /** The event as broadcast, from the guide; undefined if the guide does not have it. */
  async #eventFile(service: DvbTriplet, eventId: number | undefined): Promise<Uint8Array | undefined> {
    if (eventId === undefined) return undefined;
    return (await this.#parts.guide.eventFile(service, eventId)) ?? undefined;
  }

  /**
   * What the guide did not have when the recording began, just after a start, say: the event of the order, else the one
   * in the middle of the recording, if it is at least half of it.
   */
  async #lateEvent(order: RecordingSpec, service: DvbTriplet, began: UnixSeconds): Promise<Uint8Array | undefined> {
    const { guide, clock } = this.#parts;
    const ordered = await this.#eventFile(service, order.eventId);
    if (ordered) return ordered;
    const ended = clock.now();
    const event = await guide.at(service, Math.floor((began + ended) / 2));
    if (!event) return undefined;
    const recorded = Math.min(event.start + event.duration, ended) - Math.max(event.start, began);
    return recorded * 2 >= ended - began ? this.#eventFile(service, event.id) : undefined;
  }
}

const sum = (one: Written, other: Written): Written => ({
  bytes: one.bytes + other.bytes,
  lost: one.lost + other.lost,
  continuityErrors: one.continuityErrors + other.continuityErrors,
});
