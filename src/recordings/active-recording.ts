/** One running recording. */
import { basename } from 'node:path';
import type { Logger } from 'pino';
import type { UnixSeconds } from '../base/clock.ts';
import type { Recording, StreamRecordingStatus } from '../base/native.ts';
import type { LastingLease } from '../dvb/lasting-lease.ts';
import { isScrambled } from '../dvb/scrambling.ts';
import { diskTrouble, writingTooSlow } from './files/disk-trouble.ts';
import type { MetaChanges } from './files/meta-file.ts';
import { addMark, changeMeta, removeFiles, writeEvent } from './files/recording-files.ts';
import type { RecordingChange, RecordingSpec } from './files/recording-spec.ts';
import type { HeldFolder } from './library/folders.ts';

/** Milliseconds between two status checks. */
const statusIntervalMs = 1000;
/** Status checks without a new packet after which nothing counts as received. */
const maxSilentChecks = 5;
const nothingReceived = 'nothing is received';

/** `lost`: bytes that could not be written in time. */
export type Written = Pick<StreamRecordingStatus, 'bytes' | 'lost' | 'continuityErrors'>;

interface ActiveParts {
  readonly spec: RecordingSpec;
  readonly path: string;
  /** Its folder, held open until it ends. */
  readonly held: HeldFolder;
  readonly began: UnixSeconds;
  readonly stream: Recording;
  /** The tuner; undefined if none is needed. */
  readonly lease: LastingLease | undefined;
  /** Gets the event at the end of the recording; undefined if the event was known at the start. */
  readonly lateEvent: (() => Promise<Uint8Array | undefined>) | undefined;
  readonly log: Logger;
  readonly onChange: (change: RecordingChange) => void;
}

export class ActiveRecording {
  readonly spec: RecordingSpec;
  /** Absolute path of the `.ts` file. */
  readonly path: string;
  readonly began: UnixSeconds;
  readonly #parts: ActiveParts;
  readonly #watch: NodeJS.Timeout;
  #status: StreamRecordingStatus;
  #trouble: string | undefined;
  /** Status checks since the last new packet. */
  #silentChecks = 0;
  /** Seconds of the recording in which nothing was received although it had a tuner. */
  #silentSeconds = 0;
  /** Seconds without a tuner. */
  #lostSeconds = 0;
  #presentEventId: number | undefined;
  /** Serialises writes to the small files. */
  #writing: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  /** Called by `Recorder.start`, which has started the stream. Takes ownership of the lease and the held folder. */
  constructor(parts: ActiveParts) {
    this.#parts = parts;
    this.spec = parts.spec;
    this.path = parts.path;
    this.began = parts.began;
    this.#status = parts.stream.status();
    this.#watch = setInterval(() => this.#checkStatus(), statusIntervalMs);
    this.#watch.unref();
  }

  /** The path of the file within the held folder, for writing. */
  get #file(): string {
    return this.#parts.held.at + basename(this.path);
  }

  /** Bytes in the file. */
  get size(): number {
    return this.#parts.stream.status().bytes;
  }

  /** Bytes written so far, and what is missing. */
  get written(): Written {
    const { bytes, lost, continuityErrors } = this.#parts.stream.status();
    return { bytes, lost, continuityErrors };
  }

  /** Seconds recorded. */
  get length(): number {
    return this.#parts.stream.status().ticks / 90_000;
  }

  /** A message about the current problem; undefined if there is none. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** After its end: what is missing or wrong, in words; empty if nothing is. */
  get problem(): string {
    const { bytes, deleted, scrambled, packets } = this.#status;
    if (bytes === 0) return 'nothing was recorded';
    return [
      ...(deleted ? ['the file was deleted'] : []),
      ...(isScrambled(scrambled, packets) ? ['scrambled'] : []),
      ...this.#remarks(),
    ].join('; ');
  }

  /** After its end: whether it cannot be watched, or its end is missing. */
  get hasFailed(): boolean {
    const { bytes, deleted, error, scrambled, packets } = this.#status;
    return bytes === 0 || deleted || error !== 0 || isScrambled(scrambled, packets);
  }

  /**
   * Stops the recording; resolves when the data received so far is on the disk, as far as the disk accepts it. An empty
   * recording is removed. Further calls return the same promise.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const { stream, lease, log, onChange } = this.#parts;
    clearInterval(this.#watch);
    await lease?.stop();
    await stream.stop();
    lease?.release();
    this.#status = stream.status();
    this.#markEventChange();
    const { bytes, ticks, lost, continuityErrors } = this.#status;
    await this.#writing;
    if (bytes === 0) await removeFiles(this.#file).catch(() => undefined);
    else {
      await this.#write(() => changeMeta(this.#file, this.#finalMeta()));
      await this.#write(() => this.#addEvent());
    }
    await this.#parts.held.close();
    log.info(
      { path: this.path, bytes, seconds: Math.round(ticks / 90_000), lost, continuityErrors },
      'recording ended',
    );
    onChange('stopped');
  }

  #remarks(): readonly string[] {
    const { lost, error, continuityErrors } = this.#status;
    const interruptions = this.#parts.lease?.losses ?? 0;
    return [
      ...(lost > 0 ? [`${lost} bytes lost: the disk was too slow, full or missing`] : []),
      ...(interruptions > 0 ? [`interrupted ${interruptions} times`] : []),
      ...(this.#lostSeconds > 0 ? [`no tuner for ${this.#lostSeconds} s`] : []),
      ...(this.#silentSeconds > 0 ? [`nothing received for ${this.#silentSeconds} s`] : []),
      ...(continuityErrors > 0 ? [`${continuityErrors} gaps`] : []),
      ...(error === 0 ? [] : [`the end is missing: ${diskTrouble(error)}`]),
    ];
  }

  #finalMeta(): MetaChanges {
    const { bytes, ticks, scrambled, packets } = this.#status;
    const remarks = this.#remarks();
    return {
      length: { ticks, size: bytes },
      scrambled: isScrambled(scrambled, packets),
      ...(remarks.length > 0 && { remark: `receiverd: ${remarks.join('; ')}` }),
    };
  }

  #checkStatus(): void {
    const before = this.#status;
    const now = this.#parts.stream.status();
    this.#status = now;
    this.#silentChecks = now.packets === before.packets ? this.#silentChecks + 1 : 0;
    this.#markEventChange();
    if (now.end !== null) this.#onStreamEnd();
    const { lease } = this.#parts;
    if (lease && !lease.current) this.#lostSeconds++;
    const trouble = this.#troubleOf(now, before);
    if (trouble === nothingReceived)
      this.#silentSeconds += this.#silentChecks === maxSilentChecks ? maxSilentChecks : 1;
    this.#setTrouble(trouble);
  }

  #troubleOf(now: StreamRecordingStatus, before: StreamRecordingStatus): string | undefined {
    if (now.deleted) return 'the file was deleted';
    if (now.error !== 0) return diskTrouble(now.error);
    if (now.lost > before.lost) return writingTooSlow;
    const { lease } = this.#parts;
    if (lease && !lease.current) return lease.trouble || 'no tuner';
    // Packets may have arrived that the disk has not accepted yet.
    if (this.#silentChecks >= maxSilentChecks) return now.waiting > 0 ? writingTooSlow : nothingReceived;
    if (isScrambled(now.scrambled - before.scrambled, now.packets - before.packets)) return 'scrambled';
    return undefined;
  }

  #setTrouble(trouble: string | undefined): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    const { log, onChange } = this.#parts;
    if (trouble === undefined) log.info({ path: this.path }, 'recording continues');
    else log.warn({ path: this.path }, `recording: ${trouble}`);
    onChange('trouble');
  }

  /** The tuner was stopped, or its source has ended: continues in the same file once a tuner is available. */
  #onStreamEnd(): void {
    const { lease } = this.#parts;
    if (lease === undefined) {
      void this.stop();
      return;
    }
    lease.lost();
  }

  async #addEvent(): Promise<void> {
    const event = this.#status.deleted ? undefined : await this.#parts.lateEvent?.();
    if (event) await writeEvent(this.#file, event);
  }

  /** Adds a mark where the present event changes. */
  #markEventChange(): void {
    const { present } = this.#status;
    if (present === undefined || present.id === this.#presentEventId) return;
    const isFirst = this.#presentEventId === undefined;
    this.#presentEventId = present.id;
    if (!isFirst) void this.#write(() => addMark(this.#file, present.ticks));
  }

  #write(write: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(write).catch((error: Error) => {
      this.#parts.log.error({ path: this.path }, `a side file cannot be written: ${error.message}`);
    });
    return this.#writing;
  }
}
