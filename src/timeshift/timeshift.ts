/** The timeshift of one service, for any number of readers at any position. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Clock, UnixSeconds } from '../base/clock.ts';
import { Listeners } from '../base/listeners.ts';
import type { Recording, Ring, RingSegment, RingStatus } from '../base/native.ts';
import type { LastingLease } from '../dvb/lasting-lease.ts';
import type { PacketStream } from '../dvb/service-stream.ts';
import type { DvbTriplet } from '../dvb/triplet.ts';
import { diskTrouble, writingTooSlow } from '../recordings/disk-trouble.ts';
import { ticksPerSecond } from '../recordings/meta-file.ts';
import type { ServiceReference } from '../services/reference.ts';
import { segmentName } from './folder.ts';
import { type KeptSegment, keptStream } from './reading.ts';

/** Milliseconds between checks of the ring, unless given. */
const usualPace = 250;
/** Milliseconds without new data after which the signal counts as lost. */
const silence = 5000;

export interface TimeshiftParts {
  readonly reference: ServiceReference;
  readonly name: string;
  readonly service: DvbTriplet;
  readonly lease: LastingLease;
  readonly ring: Ring;
  readonly folder: string;
  /** Discontinuities before the first segment. */
  readonly discontinuities: number;
  /** Milliseconds between checks of the ring: 250 unless given. */
  readonly pace?: number;
  readonly clock: Clock;
  readonly log: Logger;
}

export class Timeshift {
  readonly reference: ServiceReference;
  readonly name: string;
  readonly service: DvbTriplet;
  readonly since: UnixSeconds;
  readonly #parts: TimeshiftParts;
  readonly #watch: NodeJS.Timeout;
  readonly #listeners = new Listeners<[]>();
  /** Calls `listener` when its trouble has changed. */
  readonly onChange = this.#listeners.add;
  readonly #started = performance.now();
  #segments: KeptSegment[] = [];
  #growing: KeptSegment;
  #status: RingStatus;
  #discontinuities: number;
  #trouble: string | undefined;
  /** Of `performance.now()`: when there were new packets. */
  #heard = performance.now();
  #waiting: (() => void)[] = [];
  #closed: Promise<void> | undefined;

  /** Takes ownership of lease and ring. */
  constructor(parts: TimeshiftParts) {
    this.#parts = parts;
    this.reference = parts.reference;
    this.name = parts.name;
    this.service = parts.service;
    this.since = parts.clock.now();
    this.#discontinuities = parts.discontinuities;
    this.#status = parts.ring.status();
    this.#growing = this.#kept(this.#status.growing);
    this.#watch = setInterval(() => this.#look(), parts.pace ?? usualPace);
    this.#watch.unref();
  }

  /** The complete segments, the oldest first; their numbers are consecutive. */
  get segments(): readonly KeptSegment[] {
    return this.#segments;
  }

  /** The segment being written, as far as it can be read. */
  get growing(): KeptSegment {
    return this.#growing;
  }

  /** Discontinuities before the first segment, including those of removed ones. */
  get discontinuities(): number {
    return this.#discontinuities;
  }

  /** Unix seconds with fractions: the earliest time available. Equal to `end` while there is no data. */
  get begin(): number {
    return (this.#segments[0] ?? this.#growing).begin;
  }

  get end(): number {
    return this.#growing.begin + this.#growing.duration;
  }

  /** On the disk. */
  get bytes(): number {
    return this.#status.bytes;
  }

  /** Bytes the disk did not take in time. */
  get lost(): number {
    return this.#status.lost;
  }

  /** Text for people on what stops it at the moment; undefined while all is well. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /**
   * Returns the segment with this number, including the growing one; undefined if it was removed or has not started.
   */
  segment(sequence: number): KeptSegment | undefined {
    const first = (this.#segments[0] ?? this.#growing).sequence;
    if (sequence === this.#growing.sequence) return this.#growing.bytes > 0 ? this.#growing : undefined;
    return this.#segments[sequence - first];
  }

  /** Returns the segment that contains this time; the oldest for an earlier time, the newest for a later one. */
  segmentAt(time: number): KeptSegment {
    const readable = this.#growing.bytes > 0 ? [...this.#segments, this.#growing] : this.#segments;
    return readable.findLast(({ begin }) => begin <= time) ?? readable[0] ?? this.#growing;
  }

  /** Returns a stream from the segment on that contains this time, and the start of that segment. */
  streamAt(time: number): { readonly begin: number; readonly stream: PacketStream } {
    const { begin, sequence } = this.segmentAt(time);
    return { begin, stream: keptStream(this, sequence) };
  }

  /**
   * Resolves at the next check, when there may be more data, or the timeshift is closed. Data since the last check is
   * not missed.
   */
  more(): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Feeds a recording from this segment on and, if `follow`, with further data. */
  feed(recording: Recording, from: number, follow: boolean): void {
    this.#parts.ring.feed(recording, from, follow);
  }

  /** Recordings that are being made from it. */
  get feeds(): number {
    return this.#parts.ring.status().feeds;
  }

  /** Releases the tuner and removes the stored segments. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    clearInterval(this.#watch);
    const { lease, ring } = this.#parts;
    await lease.stop();
    lease.release();
    this.#wake();
    await ring.close();
  }

  #look(): void {
    const before = this.#status;
    const { lease, ring } = this.#parts;
    const now = ring.status();
    this.#status = now;
    const last = this.#segments.at(-1)?.sequence ?? this.#growing.sequence - 1;
    // Read after the status: the file it calls growing may be complete by now, and is then left for the next check.
    const whole = ring.segments(last + 1).filter(({ sequence }) => sequence < now.growing.sequence);
    this.#segments.push(...whole.map((segment) => this.#kept(segment)));
    this.#growing = this.#kept(now.growing);
    const kept = this.#segments.findIndex(({ sequence }) => sequence >= now.first);
    const gone = this.#segments.splice(0, kept < 0 ? this.#segments.length : kept);
    this.#discontinuities += gone.filter(({ discontinuity }) => discontinuity).length;
    if (now.packets !== before.packets) this.#heard = performance.now();
    if (now.end !== null) lease.lost();
    this.#setTrouble(this.#troubleOf(now, before));
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #kept({ sequence, head, bytes, ticks, age, discontinuity, entry, parts }: RingSegment): KeptSegment {
    return {
      ...{ sequence, head, bytes, discontinuity },
      path: join(this.#parts.folder, segmentName(sequence)),
      duration: ticks / ticksPerSecond,
      begin: this.since + (performance.now() - this.#started) / 1000 - age,
      parts: parts.map(({ end, ticks: ofPart }, n) => ({
        from: parts[n - 1]?.end ?? 0,
        to: end,
        duration: ofPart / ticksPerSecond,
        isEntry: n === 0 && entry,
      })),
    };
  }

  #troubleOf(now: RingStatus, before: RingStatus): string | undefined {
    if (now.error !== 0) return diskTrouble(now.error);
    if (now.lost > before.lost) return writingTooSlow;
    const { lease } = this.#parts;
    if (!lease.current) return lease.trouble || 'no tuner';
    return performance.now() - this.#heard >= silence ? 'nothing is received' : undefined;
  }

  #setTrouble(trouble: string | undefined): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    const { log } = this.#parts;
    if (trouble === undefined) log.info({ service: this.name }, 'timeshift continues');
    else log.warn({ service: this.name }, `timeshift: ${trouble}`);
    this.#listeners.call();
  }
}
