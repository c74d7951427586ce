/**
 * Services as segments of HTTP Live Streaming, for players that know nothing else. Each service that somebody watches has a
 * ring of its own, as timeshift has, but a short one, whose segments are divided into parts. It ends when nobody has asked
 * for a while. A service that is converted has one of its own, which the converter fills.
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
import type { Conversion, ConversionOrder, Converter } from '../conversion/converter.ts';
import { LastingLease } from '../dvb/lasting-lease.ts';
import type { PacketStream } from '../dvb/service-stream.ts';
import type { TunerPool } from '../dvb/tuner-pool.ts';
import type { NetworkStreams } from '../iptv/network-streams.ts';
import { type Tuned, tuneFirst } from '../recordings/tuning.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import type { KeptPart, KeptSegment } from './reading.ts';
import { Timeshift } from './timeshift.ts';

const megabyte = 1_000_000;
/** Milliseconds of a segment: it ends at the first picture after these at which a decoder can start, or must end. */
const shortest = 1000;
const longest = 6000;
/** Milliseconds of a part: it ends at the first picture after these. */
const partLength = 430;
/** Milliseconds between looks for a new part, while a service is watched. */
const partPace = 50;
/** Milliseconds: without a request for so long a service is watched by nobody; between looks at that. */
const longestSilence = 30_000;
const idlePace = 500;
/**
 * Complete segments that a player needs to begin, and milliseconds to wait for them. With two, Chromium's own player, up to
 * 156, finds nothing new in the next list and ends.
 */
const enough = 3;
const patience = 20_000;
/** Milliseconds to wait for a part that is to come. */
const longestWait = 3 * longest;

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
  /** Milliseconds without a request after which a service is no longer received; half a minute unless given. */
  readonly idleAfter?: number;
};

/** What is watched: a service, as it is broadcast or converted. */
export interface WatchedService {
  readonly reference: ServiceReference;
  readonly conversion?: ConversionOrder | undefined;
}

/** A number of a segment, and of a part of it. */
export interface Place {
  readonly sequence: number;
  /** Absent: the whole segment. */
  readonly part: number | undefined;
}

/** The bytes of a segment, or of a part of it. */
export interface Found extends Pick<KeptSegment, 'path'> {
  readonly part?: KeptPart;
}

interface Started {
  readonly kept: Timeshift;
  /** What the converter writes. */
  readonly output: Readable | undefined;
}

interface Watched {
  /** Rejects if there is no tuner. */
  readonly starting: Promise<Started>;
  kept?: Timeshift;
  /** Gives its place to others. */
  readonly leave: () => void;
  /** Of `performance.now()`. */
  asked: number;
}

export class LiveSegments {
  readonly #parts: LiveSegmentsParts;
  readonly #options: LiveSegmentsOptions;
  /** By the identity of the reference. */
  readonly #watched = new Map<string, Watched>();
  readonly #places: ClientSlots;
  readonly #folder: string;
  /** While a service is watched: an idle receiver sleeps. */
  #idle: NodeJS.Timeout | undefined;
  #count = 0;
  /** Rid of what a receiver that was killed has left. */
  readonly #cleaned: Promise<void>;

  constructor(parts: LiveSegmentsParts, options: LiveSegmentsOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#places = new ClientSlots(options.maximumServices);
    this.#folder = join(options.folder || options.dataDir, 'hls');
    this.#cleaned = rm(this.#folder, { recursive: true, force: true });
    // Whoever watches is told.
    this.#cleaned.catch(() => undefined);
  }

  get running(): number {
    return this.#watched.size;
  }

  /**
   * The segments of a service, enough of them to begin. `client`: as `Peers.clientOf` names it.
   * @throws ReceiverError `too-many-clients`, `service-not-found`, `no-signal`, as `TunerPool.tune` and as
   * `Converter.start`
   */
  async of(service: WatchedService, client: string): Promise<Timeshift> {
    const key = keyOf(service);
    const known = this.#watched.get(key);
    const watched = known ?? this.#begin(service, client);
    watched.asked = performance.now();
    if (known === undefined) {
      this.#watched.set(key, watched);
      this.#idle ??= setInterval(() => this.#endIdle(), idlePace).unref();
      watched.starting.catch(() => this.#forget(key));
    }
    const { kept } = await watched.starting;
    watched.kept = kept;
    const hasEnough = () => {
      // Whoever waits asks.
      watched.asked = performance.now();
      return kept.segments.length >= enough;
    };
    await until(kept, hasEnough, patience);
    if (kept.segments.length === 0) throw fail('no-signal', service.reference.format());
    return kept;
  }

  /** A segment, or a part, of a service that is watched; undefined if it is not stored, or no longer. */
  find(service: WatchedService, { sequence, part }: Place): Found | undefined {
    const watched = this.#watched.get(keyOf(service));
    if (watched === undefined) return undefined;
    watched.asked = performance.now();
    const segment = watched.kept?.segment(sequence);
    if (segment === undefined || part === undefined) return segment;
    const found = segment.parts[part];
    return found && { path: segment.path, part: found };
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#watched.keys()].map((key) => this.#end(key)));
  }

  /** The client that asks first takes a place for the service, which all may watch. @throws ReceiverError `too-many-clients` */
  #begin(service: WatchedService, client: string): Watched {
    const leave = this.#places.enter(client);
    return { starting: this.#start(service, client), leave, asked: 0 };
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
        ...{ folder, size: size * megabyte, minimumFree: 0, firstSequence: clock.now() },
        ...{ target: shortest, longest, part: partLength, queueBound },
      });
      const kept = new Timeshift({
        ...{ reference, name: services.nameOf(reference), service: tuned.service, folder, ring, discontinuities: 0 },
        ...{ lease: converted ? convertedLease(tuned, converted) : lasting(tuned, ring), pace: partPace, clock, log },
      });
      if (converted) this.#follow({ reference, conversion }, converted, { kept, ring });
      return { kept, output: converted?.output };
    } catch (error) {
      converted?.output.destroy();
      tuned.lease.release();
      throw error;
    }
  }

  /** Fills the ring with what is converted. If the converter ends, so does the service; the next request begins anew. */
  #follow(service: WatchedService, { output }: Conversion, { kept, ring }: { kept: Timeshift; ring: Ring }): void {
    output.on('data', (bytes: Buffer) => {
      if (kept.isClosed) output.destroy();
      else ring.write(bytes);
    });
    output.once('close', () => {
      if (!kept.isClosed) void this.#end(keyOf(service));
    });
    output.on('error', () => undefined);
  }

  #endIdle(): void {
    const before = performance.now() - (this.#options.idleAfter ?? longestSilence);
    for (const [key, { asked }] of this.#watched) if (asked < before) void this.#end(key);
  }

  #forget(key: string): void {
    this.#watched.get(key)?.leave();
    this.#watched.delete(key);
    if (this.#watched.size > 0) return;
    clearInterval(this.#idle);
    this.#idle = undefined;
  }

  async #end(key: string): Promise<void> {
    const watched = this.#watched.get(key);
    this.#forget(key);
    try {
      const started = await watched?.starting;
      if (started === undefined) return;
      const { kept, output } = started;
      output?.destroy();
      await kept.close();
      await rm(dirname(kept.growing.path), { recursive: true, force: true });
    } catch (error) {
      this.#parts.log.error(error, 'segments of HTTP Live Streaming were not removed; the next start does it');
    }
  }
}

const keyOf = ({ reference, conversion }: WatchedService) =>
  [reference.identity, conversion?.what, conversion?.audio].join();

/** Keeps the tuner of a service that goes into the ring as it is broadcast. */
function lasting({ lease, tune }: Tuned, ring: Ring): LastingLease {
  return new LastingLease(lease, {
    tune,
    use: ({ tuner, serviceId }) => tuner.recordService(serviceId, ring),
    join: ({ tuner, serviceId }) => tuner.joinService(serviceId, ring),
  });
}

/** Keeps the tuner of a service that goes through the converter, which copes with a gap. */
function convertedLease({ lease, tune }: Tuned, { input }: Conversion): LastingLease {
  let stream: PacketStream | undefined;
  const kept = new LastingLease(lease, {
    tune,
    use({ tuner, serviceId }) {
      stream?.close();
      const opened = tuner.openStream(serviceId);
      stream = opened;
      void pass(opened, input).then(() => {
        if (opened.reason !== 'closed') kept.lost();
      });
    },
    join: () => Promise.resolve(false),
  });
  return kept;
}

/** Writes a stream to its end, or until nobody reads any more. */
async function pass(stream: PacketStream, input: Writable): Promise<void> {
  const leave = () => stream.close();
  input.once('close', leave);
  for await (const packets of stream) {
    if (input.destroyed) break;
    if (!input.write(packets)) await Promise.race([once(input, 'drain'), once(input, 'close')]).catch(() => undefined);
  }
  input.off('close', leave);
}

async function until(kept: Timeshift, holds: () => boolean, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  while (!holds() && !kept.isClosed && performance.now() < end) await kept.more();
}

/**
 * Waits until a segment, or a part, is complete, for at most three target durations. A part beyond the last of its
 * segment is the first one of the next. Returns false if it has not come.
 */
export async function untilThere(kept: Timeshift, { sequence, part }: Place): Promise<boolean> {
  const isThere = () => {
    const { growing } = kept;
    if (part === undefined || growing.sequence > sequence + 1) return growing.sequence > sequence;
    const isNext = growing.sequence > sequence && growing.parts.length > 0;
    return isNext || kept.segment(sequence)?.parts[part] !== undefined;
  };
  await until(kept, isThere, longestWait);
  return isThere();
}
