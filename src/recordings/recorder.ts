/**
 * Records services: gets a tuner, creates the recording and its side files, and keeps each recording running until it
 * is stopped. If the tuner, the signal or the disk fails, the recorder reports it (`trouble`), retries, and continues
 * in the same file.
 */
import { basename, dirname } from 'node:path';
import type { Logger } from 'pino';
import type { Clock, UnixSeconds } from '../base/clock.ts';
import { fail } from '../base/errors.ts';
import { Listeners } from '../base/listeners.ts';
import { native } from '../base/native.ts';
import type { Configuration } from '../config/config.ts';
import type { Settings } from '../config/enigma2-settings.ts';
import { LastingLease } from '../dvb/lasting-lease.ts';
import type { DvbTriplet, PlacedService } from '../dvb/triplet.ts';
import type { TunerLease, TunerPool } from '../dvb/tuner-pool.ts';
import { withNumber } from '../epg/episode-number.ts';
import type { Guide } from '../epg/guide.ts';
import type { NetworkStreams } from '../iptv/network-streams.ts';
import type { Services } from '../services/services.ts';
import { ActiveRecording, type Written } from './active-recording.ts';
import { recordingName } from './files/file-name.ts';
import {
  adjacentPart,
  createFiles,
  firstPartName,
  lastWritten,
  removeFiles,
  writeFailure,
} from './files/recording-files.ts';
import type { RecordingChange, RecordingSource, RecordingSpec } from './files/recording-spec.ts';
import { serviceData } from './files/service-data.ts';
import { type HeldFolder, type RecordingFolders, withSlash } from './library/folders.ts';
import { mediaName } from './library/media-names.ts';
import { writeShowFile } from './library/show-file.ts';
import { tuneFirst } from './tuning.ts';

export type { ActiveRecording } from './active-recording.ts';

/** Seconds by which the machine's clock may differ from the receiver's. */
const clockToleranceSeconds = 30;

export type RecorderOptions = Pick<Configuration['recording'], 'queueBound' | 'sync' | 'syncInterval'>;

export interface RecorderParts {
  readonly pool: TunerPool;
  readonly network: NetworkStreams;
  readonly services: Services;
  readonly guide: Guide;
  readonly settings: Settings;
  readonly folders: Pick<RecordingFolders, 'create' | 'hold' | 'inFolder'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** IANA name of the time zone for dates in file names. */
  readonly timeZone: () => string;
}

/** Where a recording is created, and what its side files contain. */
interface Place {
  /** With a trailing slash. */
  readonly folder: string;
  /** Without extension. */
  readonly name: string;
  /** Short text, with the season and the episode that the long text in the guide names. */
  readonly description: string;
  /** As broadcast; undefined if the guide does not have it. */
  readonly event: Uint8Array | undefined;
  readonly nfo: string | undefined;
  /** Content of the file in the folder of its show. */
  readonly show?: string | undefined;
}

export class Recorder {
  readonly #parts: RecorderParts;
  readonly #options: RecorderOptions;
  readonly #active: ActiveRecording[] = [];
  /** Totals of the recordings that have ended. */
  #endedTotals: Written = { bytes: 0, lost: 0, continuityErrors: 0 };
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

  /** Totals of all recordings since the receiver started. */
  get totals(): Written {
    return this.#active.map(({ written }) => written).reduce(sum, this.#endedTotals);
  }

  /**
   * Starts a recording from a tuner, or from `source`. Resolves once a tuner has the service and the files exist. The
   * recording runs until it is stopped, despite any problems in between. A name that is taken gets a number: the second
   * recording of an event gets `_001`.
   * @throws ReceiverError `not-receivable`, `no-signal`, `service-not-found`, `unsupported` (no broadcast service),
   * `disk-full`, `file-unwritable`
   */
  start(spec: RecordingSpec, source?: RecordingSource): Promise<ActiveRecording> {
    const started = this.#start(spec, source);
    const done = started.catch(() => undefined).finally(() => this.#starting.delete(done));
    this.#starting.add(done);
    return started;
  }

  /**
   * Returns when a recording was last written to; `path` is that of its last known part, without `.ts`. Undefined if no
   * part exists; -Infinity if the time is unknown, because only earlier parts exist or because the receiver does not
   * use the machine's clock. Removes a part that was interrupted before its first byte.
   */
  async lastWrittenAt(path: string): Promise<UnixSeconds | undefined> {
    const next = adjacentPart(path, 1);
    if (next !== undefined) await this.#lastWritten(next);
    const written = await this.#lastWritten(path);
    if (written !== undefined) {
      const isOtherClock = Math.abs(this.#parts.clock.now() - Date.now() / 1000) > clockToleranceSeconds;
      return isOtherClock ? Number.NEGATIVE_INFINITY : written;
    }
    const before = adjacentPart(path, -1);
    return before !== undefined && (await this.lastWrittenAt(before)) !== undefined
      ? Number.NEGATIVE_INFINITY
      : undefined;
  }

  /** When a file was last written to. Reserves its name meanwhile, because an empty file is removed. */
  async #lastWritten(path: string): Promise<UnixSeconds | undefined> {
    const file = `${path}.ts`;
    if (this.#files.has(file)) return Number.POSITIVE_INFINITY;
    this.#files.add(file);
    const written = await lastWritten(file).finally(() => this.#files.delete(file));
    return written === undefined ? undefined : written / 1000;
  }

  /** Stops all recordings; their data is on the disk when this resolves. No recording starts afterwards. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#starting);
    await Promise.all(this.#active.map((one) => one.stop()));
  }

  async #start(spec: RecordingSpec, given: RecordingSource | undefined): Promise<ActiveRecording> {
    if (this.#stopped) throw fail('not-allowed', 'starting a recording during shutdown');
    const { settings, clock } = this.#parts;
    const source = given ?? (await this.#tune(spec));
    const { service } = source;
    let held: HeldFolder | undefined;
    let path: string | undefined;
    try {
      let place = await this.#placeOf(spec, service);
      held = await this.#hold(place.folder).catch((error: unknown) => {
        // A file may have the name of a show; that must not cost the recording.
        const folder = withSlash(spec.folder);
        if (place.folder === folder) throw error;
        place = { ...place, folder, show: undefined };
        return this.#hold(folder);
      });
      const { at, close } = held;
      path = await this.#makeFiles(spec, service, { ...place, at });
      const { folder, show } = place;
      if (show !== undefined)
        await this.#parts.folders
          .inFolder(dirname(folder), (above) => writeShowFile(above, show))
          .catch(() => undefined);
      const { queueBound: maxQueueBytes, sync, syncInterval: syncIntervalSeconds } = this.#options;
      const stream = new native.Recording({ path: at + basename(path), maxQueueBytes, sync, syncIntervalSeconds });
      const ecm = settings.isOn('config.recording.always_ecm');
      const use = ({ tuner, serviceId }: TunerLease) => tuner.recordService(serviceId, stream, { ecm });
      const join = ({ tuner, serviceId }: TunerLease) => tuner.joinService(serviceId, stream, { ecm });
      const lease = 'lease' in source ? new LastingLease(source.lease, { tune: source.tune, use, join }) : undefined;
      if ('feed' in source) source.feed(stream);
      const recording = new ActiveRecording({
        spec,
        path,
        held: { at, close },
        began: clock.now(),
        stream,
        lease,
        lateEvent: place.event ? undefined : () => this.#lateEvent(spec, service, recording.began),
        log: this.#parts.log,
        onChange: (change) => this.#onRecordingChange(recording, change),
      });
      this.#active.push(recording);
      this.#onRecordingChange(recording, 'started');
      return recording;
    } catch (error) {
      if (path !== undefined && held) await removeFiles(held.at + basename(path)).catch(() => undefined);
      if (path !== undefined) this.#files.delete(path);
      await held?.close();
      if ('lease' in source) source.lease.release();
      throw error;
    }
  }

  /** Creates a folder and holds it open: another machine could replace it by a link during the recording. */
  async #hold(folder: string): Promise<HeldFolder> {
    const { folders } = this.#parts;
    try {
      await folders.create(folder);
      return await folders.hold(folder);
    } catch (error) {
      throw writeFailure(`${withSlash(folder)}recording`, error as NodeJS.ErrnoException);
    }
  }

  /** The folder of a new recording, its name, and what the guide says about it. */
  async #placeOf(spec: RecordingSpec, service: PlacedService): Promise<Place> {
    const { settings, guide } = this.#parts;
    const timeZone = this.#parts.timeZone();
    const { eventId, continues, extendedDescription } = spec;
    const event = await this.#eventFile(service, eventId);
    const known = eventId === undefined ? null : await guide.byId(service, eventId);
    const extendedText = known?.extendedText || (extendedDescription ?? '');
    const description = known ? withNumber({ ...spec, extendedText: known.extendedText }) : spec.description;
    const texts = { event, description };
    const folder = withSlash(spec.folder);
    const isAscii = settings.isOn('config.recording.ascii_filenames');
    const media =
      settings.get('config.recording.filename_composition') === 'media'
        ? mediaName({ ...spec, description, extendedText, event: known }, timeZone, isAscii)
        : undefined;
    const nfo = media?.nfo;
    if (continues) {
      const above = withSlash(dirname(continues));
      return { ...texts, nfo, folder: above.startsWith(folder) ? above : folder, name: await firstPartName(continues) };
    }
    if (media) return { ...texts, nfo, folder: folder + media.folder, name: media.name, show: media.show };
    return { ...texts, nfo, folder, name: recordingName({ ...spec, description }, timeZone, settings) };
  }

  async #makeFiles(
    spec: RecordingSpec,
    service: PlacedService,
    place: Place & { readonly at: string },
  ): Promise<string> {
    const { folder, name, at, description, event, nfo } = place;
    const meta = {
      service: spec.reference.withName(spec.serviceName),
      title: spec.title,
      description: description || (spec.extendedDescription ?? ''),
      begin: spec.begin,
      tags: spec.tags,
      serviceData: serviceData(this.#parts.pool.find(service)?.broadcast),
    };
    return createFiles({ folder, at }, name, { meta, event, nfo }, this.#files, spec.onNamed);
  }

  #onRecordingChange(recording: ActiveRecording, change: RecordingChange): void {
    if (change === 'stopped') {
      this.#active.splice(this.#active.indexOf(recording), 1);
      this.#endedTotals = sum(this.#endedTotals, recording.written);
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
   * Gets the event at the end of a recording if the guide did not have it at the start, for example just after the
   * receiver started: the requested event, else the one that fills at least half of the recording.
   */
  async #lateEvent(spec: RecordingSpec, service: DvbTriplet, began: UnixSeconds): Promise<Uint8Array | undefined> {
    const { guide, clock } = this.#parts;
    const requested = await this.#eventFile(service, spec.eventId);
    if (requested) return requested;
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
