/**
 * Services as segments of HTTP Live Streaming, for players that know nothing else. Each service that somebody watches has a
 * ring of its own, as timeshift has, but a short one. It ends when nobody has asked for a while.
 */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Configuration } from '../config.ts';
import { LastingLease } from '../dvb/lasting-lease.ts';
import type { TunerPool } from '../dvb/tuner-pool.ts';
import { fail } from '../errors.ts';
import { createFolder, unwritable } from '../files.ts';
import type { NetworkStreams } from '../iptv/network-streams.ts';
import { native } from '../native.ts';
import { tuneFirst } from '../recordings/tuning.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import type { KeptSegment } from './reading.ts';
import { Timeshift } from './timeshift.ts';

const megabyte = 1_000_000;
/** Milliseconds of a segment: it ends at the first picture after these at which a decoder can start, or must end. */
const shortest = 1000;
const longest = 6000;
/** Milliseconds: without a request for so long a service is watched by nobody; between looks at that. */
const longestSilence = 30_000;
const pace = 500;
/** Complete segments that a player needs to begin, and milliseconds to wait for them. */
const enough = 2;
const patience = 20_000;

export interface LiveSegmentsParts {
  readonly pool: TunerPool;
  readonly network: NetworkStreams;
  readonly services: Pick<Services, 'playable' | 'listedStream' | 'nameOf'>;
  readonly clock: Clock;
  readonly log: Logger;
}

export type LiveSegmentsOptions = Configuration['hls'] & {
  readonly queueBound: number;
  readonly dataDir: string;
  /** Milliseconds without a request after which a service is no longer received; half a minute unless given. */
  readonly idleAfter?: number;
};

interface Watched {
  /** Rejects if there is no tuner. */
  readonly kept: Promise<Timeshift>;
  started?: Timeshift;
  /** Of `performance.now()`. */
  asked: number;
}

export class LiveSegments {
  readonly #parts: LiveSegmentsParts;
  readonly #options: LiveSegmentsOptions;
  /** By the identity of the reference. */
  readonly #watched = new Map<string, Watched>();
  readonly #folder: string;
  readonly #idle: NodeJS.Timeout;
  #count = 0;
  #cleaned: Promise<void> | undefined;

  constructor(parts: LiveSegmentsParts, options: LiveSegmentsOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#folder = join(options.folder || options.dataDir, 'hls');
    this.#idle = setInterval(() => this.#endIdle(), pace);
    this.#idle.unref();
  }

  get running(): number {
    return this.#watched.size;
  }

  /**
   * The segments of a service, enough of them to begin. `user`: for people, the client's address.
   * @throws ReceiverError `too-many-clients`, `service-not-found`, `no-signal`, and as `TunerPool.tune`
   */
  async of(reference: ServiceReference, user: string): Promise<Timeshift> {
    const key = reference.identity;
    const known = this.#watched.get(key);
    if (known === undefined && this.#watched.size >= this.#options.maximumServices)
      throw fail('too-many-clients', this.#options.maximumServices);
    const watched: Watched = known ?? { kept: this.#start(reference, user), asked: 0 };
    watched.asked = performance.now();
    if (known === undefined) {
      this.#watched.set(key, watched);
      watched.kept.catch(() => this.#watched.delete(key));
    }
    const kept = await watched.kept;
    watched.started = kept;
    const until = performance.now() + patience;
    while (kept.segments.length < enough && !kept.isClosed && performance.now() < until) await kept.more();
    watched.asked = performance.now();
    if (kept.segments.length === 0) throw fail('no-signal', reference.format());
    return kept;
  }

  /** A segment of a service that is watched; undefined if it is not stored, or no longer. */
  segment(reference: ServiceReference, sequence: number): KeptSegment | undefined {
    const watched = this.#watched.get(reference.identity);
    if (watched === undefined) return undefined;
    watched.asked = performance.now();
    return watched.started?.segment(sequence);
  }

  async stop(): Promise<void> {
    clearInterval(this.#idle);
    await Promise.all([...this.#watched.keys()].map((key) => this.#end(key)));
  }

  async #start(reference: ServiceReference, user: string): Promise<Timeshift> {
    const { services, clock, log } = this.#parts;
    const tuned = await tuneFirst(this.#parts, reference, 'stream', user);
    if (tuned === undefined) throw fail('service-not-found', reference.format());
    const { lease, tune, service } = tuned;
    try {
      // Those of a receiver that was killed.
      this.#cleaned ??= rm(this.#folder, { recursive: true, force: true });
      await this.#cleaned;
      const folder = join(this.#folder, String(++this.#count));
      await createFolder(folder, 0o700).catch(unwritable(folder));
      const { size, queueBound } = this.#options;
      const firstSequence = clock.now();
      const ring = new native.Ring({
        folder,
        size: size * megabyte,
        minimumFree: 0,
        firstSequence,
        target: shortest,
        longest,
        queueBound,
      });
      const lasting = new LastingLease(lease, {
        tune,
        use: ({ tuner, serviceId }) => tuner.recordService(serviceId, ring),
        join: ({ tuner, serviceId }) => tuner.joinService(serviceId, ring),
      });
      const name = services.nameOf(reference);
      return new Timeshift({ reference, name, service, lease: lasting, ring, folder, discontinuities: 0, clock, log });
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  #endIdle(): void {
    const before = performance.now() - (this.#options.idleAfter ?? longestSilence);
    for (const [key, { asked }] of this.#watched) if (asked < before) void this.#end(key);
  }

  async #end(key: string): Promise<void> {
    const watched = this.#watched.get(key);
    this.#watched.delete(key);
    try {
      const kept = await watched?.kept;
      if (kept === undefined) return;
      await kept.close();
      await rm(dirname(kept.growing.path), { recursive: true, force: true });
    } catch (error) {
      this.#parts.log.error(error, 'segments of HTTP Live Streaming were not removed; the next start does it');
    }
  }
}
