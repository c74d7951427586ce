/** The timeshift of one service, for any number of readers at any position. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Clock, UnixSeconds } from '../base/clock.ts';
import { Listeners } from '../base/listeners.ts';
import type { Recording, Ring, RingSegment, RingStatus } from '../base/native.ts';
import type { LastingLease } from '../dvb/lasting-lease.ts';
import type { PacketStream } from '../dvb/service-stream.ts';
import type { DvbTriplet } from '../dvb/triplet.ts';
import { diskTrouble, writingTooSlow } from '../recordings/files/disk-trouble.ts';
import { ticksPerSecond } from '../recordings/files/meta-file.ts';
import type { ServiceReference } from '../services/reference.ts';
import { segmentName } from './folder.ts';
import { type Segment, segmentStream } from './reading.ts';

/** Milliseconds between checks of the ring. */
const defaultCheckIntervalMs = 250;
/** Milliseconds without new packets after which nothing counts as received. */
const maxSilenceMs = 5000;

export interface TimeshiftParts {
  readonly reference: ServiceReference;
  readonly name: string;
  readonly service: DvbTriplet;
  readonly lease: LastingLease;
  readonly ring: Ring;
  readonly folder: string;
  /** Discontinuities before the first segment. */
  readonly discontinuities: number;
  /** Milliseconds between checks of the ring. Default: 250. */
  readonly checkIntervalMs?: number;
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
  /** Calls `listener` when `trouble` has changed. Returns a function that removes it. */
  readonly onChange = this.#listeners.add;
  readonly #started = performance.now();
  #segments: Segment[] = [];
  #growing: Segment;
  #status: RingStatus;
  #discontinuities: number;
  #trouble: string | undefined;
  /** When packets last arrived, by `performance.now()`. */
  #receivedAt = performance.now();
  #waiters: (() => void)[] = [];
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
    this.#growing = this.#segmentOf(this.#status.growing);
    this.#watch = setInterval(() => this.#update(), parts.checkIntervalMs ?? defaultCheckIntervalMs);
    this.#watch.unref();
  }

  /** The complete segments, the oldest first; their numbers are consecutive. */
  get segments(): readonly Segment[] {
    return this.#segments;
  }

  /** The segment being written, up to the bytes that can be read. */
  get growing(): Segment {
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

  /** Bytes on the disk. */
  get bytes(): number {
    return this.#status.bytes;
  }

  /** Bytes that could not be written in time. */
  get lost(): number {
    return this.#status.lost;
  }

  /** A message about the current problem; undefined if there is none. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /**
   * Returns the segment with this number, including the growing one; undefined if it was removed or has not started.
   */
  segment(sequence: number): Segment | undefined {
    const first = (this.#segments[0] ?? this.#growing).sequence;
    if (sequence === this.#growing.sequence) return this.#growing.bytes > 0 ? this.#growing : undefined;
    return this.#segments[sequence - first];
  }

  /** Returns the segment that contains this time; the oldest for an earlier time, the newest for a later one. */
  segmentAt(time: number): Segment {
    const readable = this.#growing.bytes > 0 ? [...this.#segments, this.#growing] : this.#segments;
    return readable.findLast(({ begin }) => begin <= time) ?? readable[0] ?? this.#growing;
  }

  /** Returns a stream from the segment on that contains this time, and the start of that segment. */
  streamAt(time: number): { readonly begin: number; readonly stream: PacketStream } {
    const { begin, sequence } = this.segmentAt(time);
    return { begin, stream: segmentStream(this, sequence) };
  }

  /**
   * Resolves at the next check, when there may be more data, or when the timeshift is closed.
   */
  more(): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  /** Feeds the stored data from this segment on into a recording; with `follow`, new data as well. */
  feed(recording: Recording, from: number, follow: boolean): void {
    this.#parts.ring.feed(recording, from, follow);
  }

  /** Number of recordings that are being fed. */
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
    this.#resolveWaiters();
    await ring.close();
  }

  #update(): void {
    const before = this.#status;
    const { lease, ring } = this.#parts;
    const now = ring.status();
    this.#status = now;
    const last = this.#segments.at(-1)?.sequence ?? this.#growing.sequence - 1;
    // Segments are read after the status. One that has completed in between is left for the next check.
    const complete = ring.segments(last + 1).filter(({ sequence }) => sequence < now.growing.sequence);
    this.#segments.push(...complete.map((segment) => this.#segmentOf(segment)));
    this.#growing = this.#segmentOf(now.growing);
    const firstStored = this.#segments.findIndex(({ sequence }) => sequence >= now.first);
    const removed = this.#segments.splice(0, firstStored < 0 ? this.#segments.length : firstStored);
    this.#discontinuities += removed.filter(({ discontinuity }) => discontinuity).length;
    if (now.packets !== before.packets) this.#receivedAt = performance.now();
    if (now.end !== null) lease.lost();
    this.#setTrouble(this.#troubleOf(now, before));
    this.#resolveWaiters();
  }

  #resolveWaiters(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  #segmentOf({ sequence, head, bytes, ticks, ageSeconds, discontinuity, entry, parts }: RingSegment): Segment {
    return {
      ...{ sequence, head, bytes, discontinuity },
      path: join(this.#parts.folder, segmentName(sequence)),
      duration: ticks / ticksPerSecond,
      begin: this.since + (performance.now() - this.#started) / 1000 - ageSeconds,
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
    return performance.now() - this.#receivedAt >= maxSilenceMs ? 'nothing is received' : undefined;
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
