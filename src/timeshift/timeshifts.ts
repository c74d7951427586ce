/**
 * Starts and stops the timeshift of the current service, and makes recordings from it. It ends when the current service
 * changes or the receiver goes into standby. A recording that follows it keeps its source until the recording ends.
 */
import { statfs } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock, UnixSeconds } from '../base/clock.ts';
import { fail } from '../base/errors.ts';
import { createFolder, unwritable } from '../base/files.ts';
import { Listeners } from '../base/listeners.ts';
import { native } from '../base/native.ts';
import { serialQueue } from '../base/serial-queue.ts';
import type { Configuration } from '../config/config.ts';
import type { Settings } from '../config/enigma2-settings.ts';
import { LastingLease } from '../dvb/lasting-lease.ts';
import type { TunerPool } from '../dvb/tuner-pool.ts';
import type { NetworkStreams } from '../iptv/network-streams.ts';
import type { CurrentService } from '../playback/current-service.ts';
import type { RecordingSpec } from '../recordings/files/recording-spec.ts';
import type { ActiveRecording, Recorder } from '../recordings/recorder.ts';
import { tuneFirst } from '../recordings/tuning.ts';
import type { Services } from '../services/services.ts';
import { removeLeftovers, timeshiftFolder } from './folder.ts';
import { Timeshift } from './timeshift.ts';

const megabyte = 1_000_000;
/** Milliseconds of a segment: it ends at the first access point after the target, and at the maximum in any case. */
const minSegmentMs = 4000;
const maxSegmentMs = 10_000;
/** Milliseconds between checks whether recordings have read all of their source. */
const feedCheckIntervalMs = 500;
/** Milliseconds between such checks while the receiver stops. */
const closingCheckIntervalMs = 50;
/** Milliseconds after which a recording that follows is stopped: ten hours, like instant recordings without an end. */
const maxFollowMs = 36_000_000;

export type TimeshiftOptions = Configuration['timeshift'] & {
  /** Bytes that may be queued for a slow disk. */
  readonly queueBound: number;
  /** The data folder, which holds the segments unless another folder is configured. */
  readonly dataDir: string;
};

export interface TimeshiftsParts {
  readonly pool: TunerPool;
  readonly network: NetworkStreams;
  readonly services: Services;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Logger;
  readonly playback: { readonly current: CurrentService | undefined; onChange(listener: () => void): () => void };
  readonly power: { readonly standby: boolean; onChange(listener: (standby: boolean) => void): () => void };
  readonly recorder: Pick<Recorder, 'start' | 'active' | 'onChange'>;
}

/** A recording to be made from the timeshift: its name, and the period it contains. */
export interface TimeshiftRecordingSpec extends Omit<RecordingSpec, 'reference' | 'serviceName' | 'begin'> {
  /** Starts with the segment that contains this time; undefined: with the oldest. */
  readonly from?: UnixSeconds | undefined;
  /** Continues with new data, without a gap, until the recording is stopped. */
  readonly follow: boolean;
}

export type TimeshiftChange = 'started' | 'stopped' | 'trouble';

export class Timeshifts {
  readonly #parts: TimeshiftsParts;
  readonly #options: TimeshiftOptions;
  readonly #listeners = new Listeners<[timeshift: Timeshift, change: TimeshiftChange]>();
  /**
   * Calls `listener` when a timeshift has started or stopped, or its trouble has changed; returns a function that
   * removes it.
   */
  readonly onChange = this.#listeners.add;
  readonly #ending = new Set<Promise<void>>();
  #active: Timeshift | undefined;
  /**
   * Recordings that follow the timeshift, each with the timer that stops it, and recordings of stored data only.
   */
  readonly #following = new Map<ActiveRecording, NodeJS.Timeout>();
  readonly #copies = new Set<ActiveRecording>();
  /** Serialises starts and stops. */
  readonly #serial = serialQueue();
  #sequence: number;
  #discontinuities = 0;
  #stopped = false;
  #leftovers: Promise<void> | undefined;

  constructor(parts: TimeshiftsParts, options: TimeshiftOptions) {
    this.#parts = parts;
    this.#options = options;
    // Numbers are never reused, so that no client gets an old segment for a new one: a segment lasts longer than a
    // second.
    this.#sequence = parts.clock.now();
    parts.recorder.onChange((recording, change) => {
      if (change === 'stopped') this.#forget(recording);
    });
    parts.playback.onChange(() => this.#matchPlayback());
    parts.power.onChange(() => this.#matchPlayback());
  }

  /** The running timeshift; undefined if there is none. */
  get active(): Timeshift | undefined {
    return this.#active;
  }

  /** Bytes that the timeshift may occupy. */
  get maxBytes(): number {
    return this.#options.size * megabyte;
  }

  /** Removes the files left over from an earlier run. Only the first call does so. */
  clean(): Promise<void> {
    this.#leftovers ??= this.#folder().then(removeLeftovers);
    return this.#leftovers;
  }

  /**
   * Starts timeshift of the current service. Does nothing if it is running already.
   * @throws ReceiverError `not-playing`, `unsupported` unless it is a live service of a tuner, `not-receivable`,
   *   `no-signal`, `service-not-found`, `disk-full`, `file-unwritable`
   */
  start(): Promise<void> {
    return this.#serial(() => this.#start());
  }

  /** Stops timeshift and removes its segments. */
  stop(): Promise<void> {
    return this.#serial(async () => this.#end());
  }

  /**
   * Starts a recording of the timeshift. Stored data is copied in the background.
   * @throws ReceiverError `not-found` if there is no timeshift, and like `Recorder.start`
   */
  async record({ from, follow, ...spec }: TimeshiftRecordingSpec): Promise<ActiveRecording> {
    const timeshift = this.#active;
    if (timeshift === undefined || timeshift.end <= timeshift.begin) throw fail('not-found', 'timeshift');
    const first = timeshift.segmentAt(from ?? timeshift.begin);
    const { reference, name: serviceName, service } = timeshift;
    const recording = await this.#parts.recorder.start(
      { ...spec, reference, serviceName, begin: Math.floor(first.begin) },
      { service, feed: (stream) => timeshift.feed(stream, first.sequence, follow) },
    );
    if (!this.#parts.recorder.active.includes(recording)) return recording;
    if (follow) this.#following.set(recording, setTimeout(() => void recording.stop(), maxFollowMs).unref());
    else this.#copies.add(recording);
    return recording;
  }

  #forget(recording: ActiveRecording): void {
    clearTimeout(this.#following.get(recording));
    this.#following.delete(recording);
    this.#copies.delete(recording);
  }

  /** Waits until the recordings of stored data are complete, at most until the timeout. */
  async finishCopies(timeoutMs: number): Promise<void> {
    const end = performance.now() + timeoutMs;
    while (this.#copies.size > 0 && performance.now() < end) await wait(closingCheckIntervalMs);
  }

  /** Stops the recordings that follow the timeshift, and returns them. */
  async stopFollowing(): Promise<readonly ActiveRecording[]> {
    const ended = [...this.#following.keys()];
    await Promise.all(ended.map((recording) => recording.stop()));
    return ended;
  }

  /** Stops everything for good. To be called after the recorder has stopped. */
  async close(): Promise<void> {
    this.#stopped = true;
    await this.stop();
    await Promise.all(this.#ending);
  }

  #folder(): Promise<string> {
    return timeshiftFolder(this.#options.folder, this.#parts.settings, this.#options.dataDir);
  }

  async #start(): Promise<void> {
    const { playback, power, clock, log, settings } = this.#parts;
    const { current } = playback;
    if (this.#stopped || current === undefined || power.standby) throw fail('not-playing');
    if (this.#active?.reference.equals(current.reference)) return;
    if (current.played !== undefined) throw fail('unsupported', 'timeshift of a recording');
    const { reference, name } = current;
    const tuned = await tuneFirst(this.#parts, reference, 'timeshift', 'timeshift');
    if (!tuned) throw fail('unsupported', `timeshift of ${reference.format()}`);
    const { service, lease, tune } = tuned;
    try {
      const folder = await this.#folder();
      await this.clean();
      // Other users must not read the segments.
      await createFolder(folder, 0o700).catch(unwritable(folder));
      const minFreeBytes = this.#options.minimumFree * megabyte;
      const { bavail, bsize } = await statfs(folder);
      if (bavail * bsize <= minFreeBytes) throw fail('disk-full', folder);
      await this.#end();
      const ring = new native.Ring({
        folder,
        maxBytes: this.maxBytes,
        minFreeBytes,
        firstSequence: this.#sequence,
        minSegmentMs,
        maxSegmentMs,
        partMs: 0,
        maxQueueBytes: this.#options.queueBound,
      });
      const ecm = settings.isOn('config.recording.always_ecm');
      const lasting = new LastingLease(lease, {
        tune,
        use: ({ tuner, serviceId }) => tuner.recordService(serviceId, ring, { ecm }),
        join: ({ tuner, serviceId }) => tuner.joinService(serviceId, ring, { ecm }),
      });
      const discontinuities = this.#discontinuities;
      const timeshift = new Timeshift({
        reference,
        name,
        service,
        lease: lasting,
        ring,
        folder,
        discontinuities,
        clock,
        log,
      });
      this.#active = timeshift;
      timeshift.onChange(() => this.#listeners.call(timeshift, 'trouble'));
    } catch (error) {
      lease.release();
      throw error;
    }
    log.info({ service: name }, 'timeshift started');
    this.#listeners.call(this.#active, 'started');
    // The current service may have changed meanwhile.
    this.#matchPlayback();
  }

  async #end(): Promise<void> {
    const timeshift = this.#active;
    if (timeshift === undefined) return;
    this.#active = undefined;
    const { segments, growing, discontinuities } = timeshift;
    // Another segment may have started since the last check.
    this.#sequence = growing.sequence + 2;
    this.#discontinuities = discontinuities + [...segments, growing].filter((one) => one.discontinuity).length;
    const ended = this.#closeWhenRead(timeshift).catch((error: Error) =>
      this.#parts.log.error(
        error,
        'the files of a timeshift cannot be removed; the next start of the receiver removes them',
      ),
    );
    this.#ending.add(ended);
    void ended.then(() => this.#ending.delete(ended));
    this.#parts.log.info({ service: timeshift.name }, 'timeshift stopped');
    this.#listeners.call(timeshift, 'stopped');
  }

  /** Closes a timeshift once recordings have read its files. */
  async #closeWhenRead(timeshift: Timeshift): Promise<void> {
    while (timeshift.feeds > 0 && !this.#stopped) await wait(feedCheckIntervalMs, undefined, { ref: false });
    await timeshift.close();
  }

  /** Ends the timeshift if its service is no longer watched, and starts one if that is configured. */
  #matchPlayback(): void {
    const isWatched = (one: Timeshift) => {
      const { current } = this.#parts.playback;
      const isSame = current?.played === undefined && current?.reference.equals(one.reference) === true;
      return isSame && !this.#parts.power.standby;
    };
    void this.#serial(async () => {
      if (this.#active && !isWatched(this.#active)) await this.#end();
      if (!this.#options.automatic || this.#active || this.#stopped || this.#parts.power.standby) return;
      await this.#start().catch((error: Error) => this.#parts.log.debug(`no timeshift: ${error.message}`));
    });
  }
}
