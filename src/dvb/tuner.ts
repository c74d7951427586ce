/**
 * A tuner: a source of transport packets. Its native thread tracks the state of the multiplex, feeds its EIT sections
 * to the guide, and extracts services for any number of readers.
 *
 * Packets never become JavaScript objects. Only state changes arrive here (coalesced, at most one pending call) and,
 * for readers, Buffers of many packets.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { UnixSeconds } from '../base/clock.ts';
import { fail } from '../base/errors.ts';
import { Listeners } from '../base/listeners.ts';
import {
  type Guide,
  type Tuner as NativeTuner,
  native,
  type Reception,
  type Recording,
  type Ring,
  type RtpSender,
  type TunerNews,
  type TuningOrder,
} from '../base/native.ts';
import type { TunerSpec } from '../config/tuner-spec.ts';
import { demoAssets } from './demo-assets.ts';
import type { MultiplexInformation } from './multiplex.ts';
import { PidStream, type Pids, pidList, ServiceStream } from './service-stream.ts';
import { noTotals, type Signal, type TunerStatistics, type TunerTotals, totalsWith } from './statistics.ts';
import type { DvbTriplet } from './triplet.ts';

export {
  allFrontEnds,
  formatTunerSpec,
  namesNetworkTuners,
  namesSeveral,
  noTuner,
  parseTunerSpec,
  type TunerSpec,
} from '../config/tuner-spec.ts';
export type {
  BroadcastService,
  DeliverySystem,
  ElementaryStream,
  MultiplexInformation,
} from './multiplex.ts';
export { PidStream, type Pids, ServiceStream, type StreamEnd } from './service-stream.ts';
export type { Signal, TunerStatistics, TunerTotals } from './statistics.ts';

/** Guide data of one transport stream received since the tuner was tuned: numbers of services, and of complete ones. */
export interface GuideProgress {
  readonly originalNetworkId: number;
  readonly transportStreamId: number;
  readonly presentFollowing: number;
  readonly presentFollowingComplete: number;
  readonly schedules: number;
  readonly schedulesComplete: number;
}

/** Why a running tuner stopped by itself. */
export type TunerEnd = { readonly reason: 'ended' } | { readonly reason: 'failed'; readonly message: string };

export interface TunerOptions {
  /** The native guide that receives the EIT sections (`Guide.native`). Without it they are dropped. */
  readonly guide?: Guide;
}

export interface StreamOptions {
  /** Bytes that may wait for the reader; with more, the stream ends with `overflow`. Default 8 MiB. */
  readonly maxQueuedBytes?: number;
  /** Keep the ECM PIDs of a scrambled service. Default false. */
  readonly ecm?: boolean;
}

const defaultMaxQueuedBytes = 8 * 1024 * 1024;
/** Milliseconds. A writer that waits for its disk longer than this is not moved to the other tuner. */
const joinTimeoutMs = 10_000;
const joinPollIntervalMs = 20;

export class Tuner {
  readonly spec: TunerSpec;
  readonly #native: NativeTuner;
  readonly #waiting = new Set<ServiceStream>();
  readonly #notify = (event: TunerNews): void => this.#take(event);
  #multiplex: MultiplexInformation = emptyMultiplex;
  /** Totals of what it received before the current tuning. */
  #earlierTotals = noTotals;
  #isWanted = false;
  #order: TuningOrder | undefined;
  #stopping: Promise<void> | undefined;

  readonly #multiplexChanges = new Listeners<[]>();
  readonly #times = new Listeners<[time: UnixSeconds]>();
  readonly #guideUpdates = new Listeners<[]>();
  readonly #receptionChanges = new Listeners<[]>();
  readonly #ends = new Listeners<[end: TunerEnd]>();

  /** Notifies when the state of the multiplex has changed; `tuner.multiplex()` returns it. */
  readonly onMultiplex = this.#multiplexChanges.add;
  /**
   * Notifies of each TDT or TOT (EN 300 468 §5.2.5, §5.2.6). Before the first one, of an estimate: the time of the events
   * that EIT present/following lists as present.
   */
  readonly onTime = this.#times.add;
  /** Notifies, at most once a second, that EIT sections went to the guide. */
  readonly onGuide = this.#guideUpdates.add;
  /** Notifies when the signal was found or lost; `reception()` has the new state. */
  readonly onReception = this.#receptionChanges.add;
  /** Notifies when the source has ended (a closed pipe, the end of a file that does not loop) or failed. Not after `stop()`. */
  readonly onEnded = this.#ends.add;

  /** Does not open the source yet: see `start()`. @throws ReceiverError `demo-missing` */
  constructor(spec: TunerSpec, options: TunerOptions = {}) {
    checkBuiltIn(spec);
    this.spec = spec;
    this.#native = new native.Tuner(spec.kind === 'demo' ? { ...spec, assets: demoAssets } : spec, options.guide);
  }

  /**
   * Starts the tuner's thread; `order` defaults to the last one. A running tuner continues, or, with an order, is tuned
   * to another transponder, which ends all streams. `onEnded` reports a source that cannot be opened.
   */
  start(order?: TuningOrder): void {
    this.#isWanted = true;
    this.#order = order ?? this.#order;
    if (!this.#stopping) this.#begin(this.running ? order : this.#order);
  }

  #begin(order: TuningOrder | undefined): void {
    // The native statistics restart from 0, unless the tuner continues.
    if (!this.running || order !== undefined) this.#earlierTotals = this.totals();
    this.#native.start(this.#notify, order);
  }

  /** Stops the thread and ends every stream. Resolves when the source is closed (within 100 ms). Can be restarted. */
  stop(): Promise<void> {
    this.#isWanted = false;
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    await this.#native.stop();
    this.#stopping = undefined;
    this.#wake();
    if (this.#isWanted) this.#begin(this.#order);
  }

  /** False before `start()`, after `stop()`, and once the source has ended. */
  get running(): boolean {
    return this.#native.running();
  }

  /** Returns the latest state of the multiplex: the same object until something changes. */
  multiplex(): MultiplexInformation {
    if (this.#native.generation() !== this.#multiplex.generation) {
      this.#multiplex = JSON.parse(this.#native.multiplex().toString()) as MultiplexInformation;
    }
    return this.#multiplex;
  }

  signal(): Signal {
    return this.#native.signal();
  }

  /** Whether the running tuner receives. REQUIRES: running */
  reception(): Reception {
    return this.#native.reception();
  }

  /**
   * For network streams: of all guide data, only the events of this service are stored, as events of the service `as`.
   */
  routeGuide(serviceId: number, as: DvbTriplet): void {
    this.#native.routeGuide(serviceId, as.originalNetworkId, as.transportStreamId, as.serviceId);
  }

  /** State as of the last notification by `onGuide`. */
  guideProgress(): readonly GuideProgress[] {
    return JSON.parse(this.#native.guide().toString()) as GuideProgress[];
  }

  statistics(): TunerStatistics {
    return JSON.parse(this.#native.statistics().toString()) as TunerStatistics;
  }

  /** Counters since the program started. Unlike the statistics, they never restart. */
  totals(): TunerTotals {
    const statistics = this.statistics();
    return totalsWith(this.#earlierTotals, statistics, statistics.network.lost);
  }

  /**
   * Opens a stream of one service: a valid single-programme transport stream that starts with PAT and PMT and, as soon
   * as one arrives, a random access point of its video. Any number may be open. A service that the multiplex does not
   * carry (yet) yields nothing until it appears: check `multiplex()` first.
   */
  openStream(serviceId: number, options: StreamOptions = {}): ServiceStream {
    const maxQueuedBytes = options.maxQueuedBytes ?? defaultMaxQueuedBytes;
    const stream = new native.ServiceStream(this.#native, serviceId, maxQueuedBytes, options.ecm ?? false);
    return new ServiceStream(stream, this.#waiting);
  }

  /**
   * Opens a stream of the packets of these PIDs, unchanged. They are gathered for `gatherMs` milliseconds. Packets
   * beyond `maxQueuedBytes` are dropped.
   */
  readPids(
    pids: Pids,
    { maxQueuedBytes, gatherMs }: { readonly maxQueuedBytes: number; readonly gatherMs: number },
  ): PidStream {
    const stream = new native.PidStream(this.#native, pidList(pids), maxQueuedBytes, gatherMs);
    return new PidStream(this.#native, stream, this.#waiting);
  }

  /** Sends the packets of these PIDs to a client from now on. */
  sendPids(pids: Pids, sender: RtpSender): void {
    sender.open(this.#native, pidList(pids));
  }

  /** Changes the PIDs that `sendPids` sends to a client, without an interruption. */
  changePids(pids: Pids, sender: RtpSender): void {
    sender.change(this.#native, pidList(pids));
  }

  /** Streams one service into a native recording from now on. */
  recordService(serviceId: number, recording: Recording | Ring, options: Pick<StreamOptions, 'ecm'> = {}): void {
    recording.openStream(this.#native, serviceId, options.ecm ?? false);
  }

  /**
   * Moves a recording to this tuner, without a gap, from another one that receives the same multiplex. False if the two
   * have no packet in common within a few seconds; the recording then stays with the other tuner.
   */
  async joinService(
    serviceId: number,
    recording: Recording | Ring,
    options: Pick<StreamOptions, 'ecm'> = {},
  ): Promise<boolean> {
    recording.joinStream(this.#native, serviceId, options.ecm ?? false);
    for (let waitedMs = 0; recording.join() === 'pending' && waitedMs < joinTimeoutMs; waitedMs += joinPollIntervalMs) {
      await pause(joinPollIntervalMs);
    }
    return recording.join() === 'joined';
  }

  #take(event: TunerNews): void {
    if (event.readable) this.#wake();
    if (event.generation !== undefined) this.#multiplexChanges.call();
    if (event.time !== undefined) this.#times.call(event.time);
    if (event.guide) this.#guideUpdates.call();
    if (event.reception) this.#receptionChanges.call();
    if (event.ended === undefined) return;
    this.#ends.call(event.ended === '' ? { reason: 'ended' } : { reason: 'failed', message: event.ended });
  }

  #wake(): void {
    for (const stream of [...this.#waiting]) stream.wake();
  }
}

/** @throws ReceiverError `demo-missing` if the addon was built without this kind of tuner */
export function checkBuiltIn({ kind }: TunerSpec): void {
  if (!native.tunerKinds.includes(kind)) throw fail('demo-missing');
}

const emptyMultiplex: MultiplexInformation = {
  generation: 0,
  transportStreamId: null,
  originalNetworkId: null,
  networkId: null,
  networkName: '',
  hasPat: false,
  complete: false,
  exhausted: false,
  services: [],
  otherServices: [],
  guideServices: [],
  transportStreams: [],
  bouquets: [],
};
