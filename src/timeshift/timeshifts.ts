/**
 * Timeshift of the current service: begins and ends it, and makes recordings of what it keeps. Another service ends it, and so does
 * standby; a recording that goes on with what comes keeps its source until it is over itself.
 */
import { statfs } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Clock, UnixSeconds } from '../clock.ts';
import type { Settings } from '../device/settings.ts';
import type { DvbTriplet } from '../dvb/triplet.ts';
import type { TunerLease, TunerPool } from '../dvb/tuner-pool.ts';
import { fail } from '../errors.ts';
import { Listeners } from '../listeners.ts';
import type { CurrentService } from '../playback/current-service.ts';
import type { ActiveRecording, Recorder } from '../recordings/recorder.ts';
import type { RecordingOrder } from '../recordings/recording-order.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import { makeFolder, removeLeftovers, timeshiftFolder } from './folder.ts';
import { openRing } from './ring.ts';
import { Timeshift } from './timeshift.ts';

const megabyte = 1_000_000;
/** Milliseconds between two looks whether a recording has read the last of what it is made of. */
const pace = 500;
/** Milliseconds after which a recording that goes on is ended: ten hours, as other recordings without an end. */
const longest = 36_000_000;

export interface TimeshiftOptions {
  /** Absolute; empty: where it is usual. */
  readonly folder: string;
  /** Megabytes it takes at the most, and those it leaves free. */
  readonly size: number;
  readonly minimumFree: number;
  /** Every service that is watched is kept. */
  readonly automatic: boolean;
  /** Bytes that may wait for a slow disk. */
  readonly queueBound: number;
  /** Where it goes when nothing else is said. */
  readonly dataDir: string;
}

export interface TimeshiftsParts {
  readonly pool: TunerPool;
  readonly services: Services;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Logger;
  readonly playback: { readonly current: CurrentService | undefined; onChange(listener: () => void): () => void };
  readonly power: { readonly standby: boolean; onChange(listener: (standby: boolean) => void): () => void };
  readonly recorder: Pick<Recorder, 'start' | 'active' | 'onChange'>;
}

/** What a recording of what is kept is called, and how much of it is wanted. */
export interface KeepOrder extends Omit<RecordingOrder, 'reference' | 'serviceName' | 'begin'> {
  /** From the segment on in which this time lies; absent: all. */
  readonly from?: UnixSeconds | undefined;
  /** Goes on with what comes, without a gap, until the recording is ended. */
  readonly follow: boolean;
}

export type TimeshiftChange = 'started' | 'stopped' | 'trouble';

export class Timeshifts {
  readonly #parts: TimeshiftsParts;
  readonly #options: TimeshiftOptions;
  readonly #listeners = new Listeners<[timeshift: Timeshift, change: TimeshiftChange]>();
  readonly #ending = new Set<Promise<void>>();
  #active: Timeshift | undefined;
  /** Recordings that go on with what comes, and what ends them; and those of nothing but what was kept already. */
  readonly #following = new Map<ActiveRecording, NodeJS.Timeout>();
  readonly #copies = new Set<ActiveRecording>();
  /** Starts and stops, one after the other. */
  #changed: Promise<unknown> = Promise.resolve();
  #sequence: number;
  #discontinuities = 0;
  #stopped = false;
  #leftovers: Promise<void> | undefined;

  constructor(parts: TimeshiftsParts, options: TimeshiftOptions) {
    this.#parts = parts;
    this.#options = options;
    // Numbers never come again, so that nobody is given an old file for a new one: there is less than one a second.
    this.#sequence = parts.clock.now();
    parts.recorder.onChange((recording, change) => {
      if (change === 'stopped') this.#forget(recording);
    });
    parts.playback.onChange(() => this.#follow());
    parts.power.onChange(() => this.#follow());
  }

  /** The one that runs. */
  get active(): Timeshift | undefined {
    return this.#active;
  }

  /** Bytes that it takes at the most. */
  get bound(): number {
    return this.#options.size * megabyte;
  }

  /** Calls `listener` when one has started or stopped, or its trouble has changed; gives what ends this. */
  onChange(listener: (timeshift: Timeshift, change: TimeshiftChange) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Removes what another run has left. */
  clean(): Promise<void> {
    this.#leftovers ??= this.#folder().then(removeLeftovers);
    return this.#leftovers;
  }

  /**
   * Begins to keep the current service; nothing when that is kept already.
   * @throws ReceiverError `not-playing`, `unsupported` for what is no live service of a tuner, `no-free-tuner`, `no-signal`,
   * `service-not-found`, `disk-full`, `file-unwritable`
   */
  start(): Promise<void> {
    return this.#inTurn(() => this.#start());
  }

  /** Ends it and drops what was kept. */
  stop(): Promise<void> {
    return this.#inTurn(async () => this.#end());
  }

  /**
   * Makes a recording of what is kept, which takes it from the disk in the background.
   * @throws ReceiverError `not-found` when nothing is kept, and as `Recorder.start`
   */
  async keep({ from, follow, ...order }: KeepOrder): Promise<ActiveRecording> {
    const timeshift = this.#active;
    if (timeshift === undefined || timeshift.end <= timeshift.begin) throw fail('not-found', 'timeshift');
    const first = timeshift.segmentAt(from ?? timeshift.begin);
    const { reference, name: serviceName, service } = timeshift;
    const recording = await this.#parts.recorder.start(
      { ...order, reference, serviceName, begin: Math.floor(first.begin) },
      { service, feed: (stream) => timeshift.feed(stream, first.sequence, follow) },
    );
    if (!this.#parts.recorder.active.includes(recording)) return recording;
    if (follow) this.#following.set(recording, setTimeout(() => void recording.stop(), longest).unref());
    else this.#copies.add(recording);
    return recording;
  }

  #forget(recording: ActiveRecording): void {
    clearTimeout(this.#following.get(recording));
    this.#following.delete(recording);
    this.#copies.delete(recording);
  }

  /** Waits until the recordings of what was kept already have all of it, for so many milliseconds at the most. */
  async finishCopies(most: number): Promise<void> {
    if (this.#copies.size === 0) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timeout);
        stopListening();
        resolve();
      };
      const timeout = setTimeout(done, most);
      const stopListening = this.#parts.recorder.onChange((recording, change) => {
        if (change === 'stopped') this.#forget(recording);
        if (this.#copies.size === 0) done();
      });
    });
  }

  /** Ends the recordings that go on with what comes; gives them. */
  async endKept(): Promise<readonly ActiveRecording[]> {
    const ended = [...this.#following.keys()];
    await Promise.all(ended.map((recording) => recording.stop()));
    return ended;
  }

  /** Ends everything; none begins any more. After the recorder. */
  async close(): Promise<void> {
    this.#stopped = true;
    await this.stop();
    await Promise.all(this.#ending);
  }

  #inTurn<Result>(what: () => Promise<Result>): Promise<Result> {
    const done = this.#changed.then(what);
    this.#changed = done.catch(() => undefined);
    return done;
  }

  #folder(): Promise<string> {
    return timeshiftFolder(this.#options.folder, this.#parts.settings, this.#options.dataDir);
  }

  async #start(): Promise<void> {
    const { playback, power, clock, log, settings, pool } = this.#parts;
    const { current } = playback;
    if (this.#stopped || current === undefined || power.standby) throw fail('not-playing');
    if (this.#active?.reference.equals(current.reference)) return;
    if (current.played !== undefined) throw fail('unsupported', 'timeshift of a recording');
    const { reference, name } = current;
    const { service, lease } = await this.#tune(reference);
    try {
      const folder = await this.#folder();
      await this.clean();
      await makeFolder(folder);
      const minimumFree = this.#options.minimumFree * megabyte;
      const { bavail, bsize } = await statfs(folder);
      if (bavail * bsize <= minimumFree) throw fail('disk-full', folder);
      const { queueBound } = this.#options;
      await this.#end();
      const ring = openRing({ folder, size: this.bound, minimumFree, firstSequence: this.#sequence, queueBound });
      const timeshift = new Timeshift({
        reference,
        name,
        service,
        lease,
        tune: () => pool.tune(service, 'timeshift', 'timeshift'),
        ring,
        folder,
        ecm: settings.isOn('config.recording.always_ecm'),
        discontinuities: this.#discontinuities,
        clock,
        log,
      });
      this.#active = timeshift;
      timeshift.onChange(() => this.#listeners.call(timeshift, 'trouble'));
    } catch (error) {
      lease.release();
      throw error;
    }
    log.info({ service: name }, 'timeshift begins');
    this.#listeners.call(this.#active, 'started');
    // Something else may be watched by now.
    this.#follow();
  }

  async #tune(reference: ServiceReference): Promise<{ readonly service: DvbTriplet; readonly lease: TunerLease }> {
    const { services, pool } = this.#parts;
    let failure: unknown = fail('unsupported', `timeshift of ${reference.format()}`);
    for (const { dvb: service } of services.playable(reference)) {
      if (!service) continue;
      try {
        return { service, lease: await pool.tune(service, 'timeshift', 'timeshift') };
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  async #end(): Promise<void> {
    const timeshift = this.#active;
    if (timeshift === undefined) return;
    this.#active = undefined;
    const { segments, growing, discontinuities } = timeshift;
    // One may have begun that was not seen yet.
    this.#sequence = growing.sequence + 2;
    this.#discontinuities = discontinuities + [...segments, growing].filter((one) => one.discontinuity).length;
    const ended = this.#closeWhenRead(timeshift).catch((error: Error) => this.#parts.log.error(error));
    this.#ending.add(ended);
    void ended.then(() => this.#ending.delete(ended));
    this.#parts.log.info({ service: timeshift.name }, 'timeshift ended');
    this.#listeners.call(timeshift, 'stopped');
  }

  /** What recordings are being made of stays until they have it. */
  async #closeWhenRead(timeshift: Timeshift): Promise<void> {
    while (timeshift.feeds > 0 && !this.#stopped) await new Promise((resolve) => setTimeout(resolve, pace).unref());
    await timeshift.close();
  }

  /** What is watched, or whether anything is, has changed. */
  #follow(): void {
    const isWatched = (one: Timeshift) => {
      const { current } = this.#parts.playback;
      const isSame = current?.played === undefined && current?.reference.equals(one.reference) === true;
      return isSame && !this.#parts.power.standby;
    };
    void this.#inTurn(async () => {
      if (this.#active && !isWatched(this.#active)) await this.#end();
      if (!this.#options.automatic || this.#active || this.#stopped || this.#parts.power.standby) return;
      await this.#start().catch((error: Error) => this.#parts.log.debug(`no timeshift: ${error.message}`));
    });
  }
}
