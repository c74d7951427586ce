/**
 * Live services as segments of HTTP Live Streaming, for players that cannot play a plain stream. Each service that is
 * watched has a ring of segments on the disk, like timeshift but short, and with segments divided into parts. The ring
 * is removed when no client has requested it for a while. A converted service has its own ring, filled by the
 * converter.
 */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Logger } from 'pino';
import { ClientSlots } from '../base/client-slots.ts';
import type { Clock } from '../base/clock.ts';
import { fail } from '../base/errors.ts';
import { createFolder, unwritable } from '../base/files.ts';
import { native, type Ring } from '../base/native.ts';
import type { Configuration } from '../config/config.ts';
import type { Conversion, ConversionSpec, Converter } from '../conversion/converter.ts';
import { LastingLease } from '../dvb/lasting-lease.ts';
import type { PacketStream } from '../dvb/service-stream.ts';
import type { TunerPool } from '../dvb/tuner-pool.ts';
import type { NetworkStreams } from '../iptv/network-streams.ts';
import { type Tuned, tuneFirst } from '../recordings/tuning.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import type { Segment, SegmentPart } from './reading.ts';
import { Timeshift } from './timeshift.ts';

const megabyte = 1_000_000;
/** Milliseconds of a segment: it ends at the first access point after the target, and at the maximum in any case. */
const minSegmentMs = 1000;
const maxSegmentMs = 6000;
/** Milliseconds of a part: it ends at the first picture after these. */
const partMs = 430;
/** Milliseconds between checks for a new part of a watched service. */
const partCheckIntervalMs = 50;
/** Milliseconds without a request after which a service counts as no longer watched, and between checks for that. */
const defaultIdleTimeoutMs = 30_000;
const idleCheckIntervalMs = 500;
/**
 * Complete segments that a player needs to begin, and milliseconds to wait for them. With two, the built-in player of
 * Chromium up to 156 finds nothing new in the next playlist and stops.
 */
const minSegments = 3;
const startTimeoutMs = 20_000;
/** Milliseconds to wait for a segment or part that is not complete yet. */
const segmentTimeoutMs = 3 * maxSegmentMs;

export interface LiveSegmentsParts {
  readonly pool: TunerPool;
  readonly network: NetworkStreams;
  readonly services: Pick<Services, 'playable' | 'listedStream' | 'nameOf'>;
  readonly converter: Pick<Converter, 'start'>;
  readonly clock: Clock;
  readonly log: Logger;
}

export type LiveSegmentsOptions = Configuration['hls'] & {
  readonly queueBound: number;
  readonly dataDir: string;
  /** Milliseconds without a request after which a service is no longer received. Default: 30 s. */
  readonly idleTimeoutMs?: number;
};

/** A service that is watched, as broadcast or converted. */
export interface WatchedService {
  readonly reference: ServiceReference;
  readonly conversion?: ConversionSpec | undefined;
}

/** The numbers of a segment and of a part of it. */
export interface SegmentPosition {
  readonly sequence: number;
  /** Undefined: the whole segment. */
  readonly part: number | undefined;
}

/** The bytes of a segment, or of a part of it. */
export interface SegmentBytes extends Pick<Segment, 'path'> {
  readonly part?: SegmentPart;
}

interface Started {
  readonly timeshift: Timeshift;
  /** The output of the converter; undefined without conversion. */
  readonly output: Readable | undefined;
}

interface WatchState {
  /** Rejects if there is no tuner. */
  readonly starting: Promise<Started>;
  timeshift?: Timeshift;
  /** Releases its client slot. */
  readonly releaseSlot: () => void;
  /** When it was last requested, by `performance.now()`. */
  requestedAt: number;
}

export class LiveSegments {
  readonly #parts: LiveSegmentsParts;
  readonly #options: LiveSegmentsOptions;
  /** The watched services, by `keyOf`. */
  readonly #watched = new Map<string, WatchState>();
  readonly #slots: ClientSlots;
  readonly #folder: string;
  /** Set only while a service is watched, so that an idle receiver is not woken. */
  #idleCheck: NodeJS.Timeout | undefined;
  #count = 0;
  /** Resolves once the files left over from a receiver that was killed are removed. */
  readonly #cleaned: Promise<void>;

  constructor(parts: LiveSegmentsParts, options: LiveSegmentsOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#slots = new ClientSlots(options.maximumServices);
    this.#folder = join(options.folder || options.dataDir, 'hls');
    this.#cleaned = rm(this.#folder, { recursive: true, force: true });
    // `#start` awaits it and reports the error.
    this.#cleaned.catch(() => undefined);
  }

  get running(): number {
    return this.#watched.size;
  }

  /**
   * Waits until a service has enough segments for a player, and returns it. `client`: from `Peers.clientOf`.
   * @throws ReceiverError `too-many-clients`, `service-not-found`, `no-signal`; like `TunerPool.tune` and
   * `Converter.start`
   */
  async segmentsOf(service: WatchedService, client: string): Promise<Timeshift> {
    const key = keyOf(service);
    const known = this.#watched.get(key);
    const watched = known ?? this.#begin(service, client);
    watched.requestedAt = performance.now();
    if (known === undefined) {
      this.#watched.set(key, watched);
      this.#idleCheck ??= setInterval(() => this.#endIdle(), idleCheckIntervalMs).unref();
      watched.starting.catch(() => this.#forget(key));
    }
    const { timeshift } = await watched.starting;
    watched.timeshift = timeshift;
    const hasEnough = () => {
      // A client that waits still wants the service.
      watched.requestedAt = performance.now();
      return timeshift.segments.length >= minSegments;
    };
    await until(timeshift, hasEnough, startTimeoutMs);
    if (timeshift.segments.length === 0) throw fail('no-signal', service.reference.format());
    return timeshift;
  }

  /** A segment of a watched service, or a part of it; undefined if it is not or no longer stored. */
  find(service: WatchedService, { sequence, part }: SegmentPosition): SegmentBytes | undefined {
    const watched = this.#watched.get(keyOf(service));
    if (watched === undefined) return undefined;
    watched.requestedAt = performance.now();
    const segment = watched.timeshift?.segment(sequence);
    if (segment === undefined || part === undefined) return segment;
    const found = segment.parts[part];
    return found && { path: segment.path, part: found };
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#watched.keys()].map((key) => this.#end(key)));
  }

  /**
   * Takes a slot of the first client that requests the service; others share it.
   * @throws ReceiverError `too-many-clients`
   */
  #begin(service: WatchedService, client: string): WatchState {
    const releaseSlot = this.#slots.enter(client);
    return { starting: this.#start(service, client), releaseSlot, requestedAt: 0 };
  }

  async #start({ reference, conversion }: WatchedService, client: string): Promise<Started> {
    const { services, converter, clock, log } = this.#parts;
    const tuned = await tuneFirst(this.#parts, reference, 'stream', client);
    if (tuned === undefined) throw fail('service-not-found', reference.format());
    let converted: Conversion | undefined;
    try {
      converted = conversion && (await converter.start(conversion, client));
      await this.#cleaned;
      const folder = join(this.#folder, String(++this.#count));
      await createFolder(folder, 0o700).catch(unwritable(folder));
      const { size, queueBound } = this.#options;
      const ring = new native.Ring({
        ...{ folder, maxBytes: size * megabyte, minFreeBytes: 0, firstSequence: clock.now() },
        ...{ minSegmentMs, maxSegmentMs, partMs, maxQueueBytes: queueBound },
      });
      const timeshift = new Timeshift({
        ...{ reference, name: services.nameOf(reference), service: tuned.service, folder, ring, discontinuities: 0 },
        ...{
          lease: converted ? convertedLease(tuned, converted) : broadcastLease(tuned, ring),
          checkIntervalMs: partCheckIntervalMs,
          clock,
          log,
        },
      });
      if (converted) this.#fillFrom({ reference, conversion }, converted, { timeshift, ring });
      return { timeshift, output: converted?.output };
    } catch (error) {
      converted?.output.destroy();
      tuned.lease.release();
      throw error;
    }
  }

  /**
   * Fills the ring with the output of the converter. If that ends, the service ends; the next request starts it again.
   */
  #fillFrom(
    service: WatchedService,
    { output }: Conversion,
    { timeshift, ring }: { timeshift: Timeshift; ring: Ring },
  ): void {
    output.on('data', (bytes: Buffer) => {
      if (timeshift.isClosed) output.destroy();
      else ring.write(bytes);
    });
    output.once('close', () => {
      if (!timeshift.isClosed) void this.#end(keyOf(service));
    });
    output.on('error', () => undefined);
  }

  #endIdle(): void {
    const before = performance.now() - (this.#options.idleTimeoutMs ?? defaultIdleTimeoutMs);
    for (const [key, { requestedAt }] of this.#watched) if (requestedAt < before) void this.#end(key);
  }

  #forget(key: string): void {
    this.#watched.get(key)?.releaseSlot();
    this.#watched.delete(key);
    if (this.#watched.size > 0) return;
    clearInterval(this.#idleCheck);
    this.#idleCheck = undefined;
  }

  async #end(key: string): Promise<void> {
    const watched = this.#watched.get(key);
    this.#forget(key);
    try {
      const started = await watched?.starting;
      if (started === undefined) return;
      const { timeshift, output } = started;
      output?.destroy();
      await timeshift.close();
      await rm(dirname(timeshift.growing.path), { recursive: true, force: true });
    } catch (error) {
      this.#parts.log.error(
        error,
        'segments of HTTP Live Streaming cannot be removed; the next start of the receiver removes them',
      );
    }
  }
}

const keyOf = ({ reference, conversion }: WatchedService) =>
  [reference.identity, conversion?.what, conversion?.audio].join();

/** A lease that feeds the service into the ring as broadcast. */
function broadcastLease({ lease, tune }: Tuned, ring: Ring): LastingLease {
  return new LastingLease(lease, {
    tune,
    use: ({ tuner, serviceId }) => tuner.recordService(serviceId, ring),
    join: ({ tuner, serviceId }) => tuner.joinService(serviceId, ring),
  });
}

/** A lease that feeds the service into the converter, which can handle a gap after the tuner has changed. */
function convertedLease({ lease, tune }: Tuned, { input }: Conversion): LastingLease {
  let stream: PacketStream | undefined;
  const lasting = new LastingLease(lease, {
    tune,
    use({ tuner, serviceId }) {
      stream?.close();
      const opened = tuner.openStream(serviceId);
      stream = opened;
      void pipePackets(opened, input).then(() => {
        if (opened.reason !== 'closed') lasting.lost();
      });
    },
    join: () => Promise.resolve(false),
  });
  return lasting;
}

/** Writes a stream into `input` until either ends. */
async function pipePackets(stream: PacketStream, input: Writable): Promise<void> {
  const close = () => stream.close();
  input.once('close', close);
  for await (const packets of stream) {
    if (input.destroyed) break;
    if (!input.write(packets)) await Promise.race([once(input, 'drain'), once(input, 'close')]).catch(() => undefined);
  }
  input.off('close', close);
}

/**
 * Waits until the condition holds, checked with each new part; at most until the timeout, or until the timeshift ends.
 */
async function until(timeshift: Timeshift, holds: () => boolean, timeoutMs: number): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!holds() && !timeshift.isClosed && performance.now() < end) await timeshift.more();
}

/**
 * Waits until a segment or a part is complete, for at most three target durations. A part beyond the last one of its
 * segment is the first part of the next segment. Returns false after the timeout.
 */
export async function waitForSegment(timeshift: Timeshift, { sequence, part }: SegmentPosition): Promise<boolean> {
  const isComplete = () => {
    const { growing } = timeshift;
    if (part === undefined || growing.sequence > sequence + 1) return growing.sequence > sequence;
    const isNext = growing.sequence > sequence && growing.parts.length > 0;
    return isNext || timeshift.segment(sequence)?.parts[part] !== undefined;
  };
  await until(timeshift, isComplete, segmentTimeoutMs);
  return isComplete();
}
