/** One running recording. */
import { basename } from 'node:path';
import type { Logger } from 'pino';
import type { UnixSeconds } from '../base/clock.ts';
import type { Recording, StreamRecordingStatus } from '../base/native.ts';
import type { LastingLease } from '../dvb/lasting-lease.ts';
import { diskTrouble, tooSlow } from './disk-trouble.ts';
import type { HeldFolder } from './folders.ts';
import type { MetaChanges } from './meta-file.ts';
import { addMark, changeMeta, removeFiles, writeEvent } from './recording-files.ts';
import type { RecordingChange, RecordingSpec } from './recording-order.ts';

/** Milliseconds between two status checks. */
const pace = 1000;
/** Checks without a new packet before the signal counts as lost. */
const silence = 5;

/** `lost`: bytes that the disk did not take. */
export type Written = Pick<StreamRecordingStatus, 'bytes' | 'lost' | 'continuityErrors'>;

interface ActiveParts {
  readonly order: RecordingSpec;
  readonly path: string;
  /** Its folder, for as long as it runs. */
  readonly held: HeldFolder;
  readonly began: UnixSeconds;
  readonly stream: Recording;
  /** The tuner; undefined if none is needed. */
  readonly lease: LastingLease | undefined;
  /** Its event, at its end; undefined if that is known already. */
  readonly lateEvent: (() => Promise<Uint8Array | undefined>) | undefined;
  readonly log: Logger;
  readonly changed: (change: RecordingChange) => void;
}

export class ActiveRecording {
  readonly order: RecordingSpec;
  /** Absolute path of the `.ts` file. */
  readonly path: string;
  readonly began: UnixSeconds;
  readonly #parts: ActiveParts;
  readonly #watch: NodeJS.Timeout;
  #status: StreamRecordingStatus;
  #trouble: string | undefined;
  /** Checks since the last new packet. */
  #silent = 0;
  #present: number | undefined;
  /** Serialises writes to the small files. */
  #writing: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  /** Takes over the lease. Created by `Recorder.start`, which has begun to fill the stream. */
  constructor(parts: ActiveParts) {
    this.#parts = parts;
    this.order = parts.order;
    this.path = parts.path;
    this.began = parts.began;
    this.#status = parts.stream.status();
    this.#watch = setInterval(() => this.#look(), pace);
    this.#watch.unref();
  }

  /** The path for writing, through the held folder. */
  get #file(): string {
    return this.#parts.held.at + basename(this.path);
  }

  /** Bytes in the file. */
  get size(): number {
    return this.#parts.stream.status().bytes;
  }

  /** What has gone to the disk so far, and what is missing. */
  get written(): Written {
    const { bytes, lost, continuityErrors } = this.#parts.stream.status();
    return { bytes, lost, continuityErrors };
  }

  /** Seconds recorded. */
  get length(): number {
    return this.#parts.stream.status().ticks / 90_000;
  }

  /** The current problem, in words for people; undefined while all is well. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /**
   * Stops the recording. Data received so far is on the disk when this resolves, as far as the disk accepts it. An
   * empty recording is removed. Later calls return the same promise.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const { stream, lease, log, changed } = this.#parts;
    clearInterval(this.#watch);
    await lease?.stop();
    await stream.stop();
    lease?.release();
    this.#status = stream.status();
    this.#mark();
    const { bytes, ticks, lost, continuityErrors } = this.#status;
    await this.#writing;
    if (bytes === 0) await removeFiles(this.#file).catch(() => undefined);
    else {
      await this.#write(() => changeMeta(this.#file, this.#ending()));
      await this.#write(() => this.#addEvent());
    }
    await this.#parts.held.close();
    log.info(
      { path: this.path, bytes, seconds: Math.round(ticks / 90_000), lost, continuityErrors },
      'recording ended',
    );
    changed('stopped');
  }

  #ending(): MetaChanges {
    const { bytes, ticks, lost, scrambled, packets, error, continuityErrors } = this.#status;
    const interruptions = this.#parts.lease?.losses ?? 0;
    const remarks = [
      ...(lost > 0 ? [`${lost} bytes lost: the disk was too slow, full or missing`] : []),
      ...(interruptions > 0 ? [`interrupted ${interruptions} times`] : []),
      ...(continuityErrors > 0 ? [`${continuityErrors} gaps`] : []),
      ...(error === 0 ? [] : [`the end is missing: ${diskTrouble(error)}`]),
    ];
    return {
      length: { ticks, size: bytes },
      scrambled: isScrambled(scrambled, packets),
      ...(remarks.length > 0 && { remark: `receiverd: ${remarks.join('; ')}` }),
    };
  }

  #look(): void {
    const before = this.#status;
    const now = this.#parts.stream.status();
    this.#status = now;
    this.#silent = now.packets === before.packets ? this.#silent + 1 : 0;
    this.#mark();
    if (now.end !== null) this.#ended();
    this.#setTrouble(this.#troubleOf(now, before));
  }

  #troubleOf(now: StreamRecordingStatus, before: StreamRecordingStatus): string | undefined {
    if (now.deleted) return 'the file was deleted';
    if (now.error !== 0) return diskTrouble(now.error);
    if (now.lost > before.lost) return tooSlow;
    const { lease } = this.#parts;
    if (lease && !lease.current) return lease.trouble || 'no tuner';
    // Packets have arrived, but the disk does not take them.
    if (this.#silent >= silence) return now.waiting > 0 ? tooSlow : 'nothing is received';
    if (isScrambled(now.scrambled - before.scrambled, now.packets - before.packets)) return 'scrambled';
    return undefined;
  }

  #setTrouble(trouble: string | undefined): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    const { log, changed } = this.#parts;
    if (trouble === undefined) log.info({ path: this.path }, 'recording continues');
    else log.warn({ path: this.path }, `recording: ${trouble}`);
    changed('trouble');
  }

  /** The tuner was stopped, or its source has ended: continue in the same file with another tuner or the same one. */
  #ended(): void {
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

  /** Adds a mark where another event begins. */
  #mark(): void {
    const { present } = this.#status;
    if (present === undefined || present.id === this.#present) return;
    const isFirst = this.#present === undefined;
    this.#present = present.id;
    if (!isFirst) void this.#write(() => addMark(this.#file, present.ticks));
  }

  #write(write: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(write).catch((error: Error) => {
      this.#parts.log.error({ path: this.path }, `file beside the recording: ${error.message}`);
    });
    return this.#writing;
  }
}

/** A partly scrambled stream is a disturbed one: broadcasters scramble whole services. */
const isScrambled = (scrambled: number, packets: number) => scrambled * 2 > packets;
