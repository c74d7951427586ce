/**
 * A client's stream: its transponder, its PIDs, and its delivery. It is identified by the Session header and
 * independent of a connection. Its requests are carried out one after the other.
 */
import type { Socket } from 'node:net';
import { serialQueue } from '../base/serial-queue.ts';
import { LastingLease } from '../dvb/lasting-lease.ts';
import type { SatipQuery } from '../dvb/satip/query.ts';
import { isSameTransponder, type Transponder, type TransponderParameters } from '../dvb/transponder.ts';
import type { Pids, Tuner } from '../dvb/tuner.ts';
import type { TunerLease } from '../dvb/tuner-pool.ts';
import { type Delivery, openDelivery } from './delivery.ts';
import { RtspError, type Transport } from './rtsp.ts';
import { type DescribedStream, statusText } from './status.ts';
import type { TunerAllocator } from './tuner-allocator.ts';

/** PIDs of a session that does not request all. */
const maxPids = 512;

export class Session {
  readonly id: string;
  readonly streamId: number;
  readonly user: string;
  /** Releases its slot. */
  readonly leave: () => void;
  /** Runs the requests of this session one after the other. */
  readonly inTurn = serialQueue();
  /** Time of the last sign of life of the client. */
  lastHeard: number;
  /** True if it had been silent for too long at the last check. */
  wasSilent = false;
  /** The connection of an interleaved stream, which ends with it. */
  connection: Socket | undefined;
  readonly #tuners: TunerAllocator;
  #delivery: Delivery | undefined;
  #lease: LastingLease | undefined;
  /** The tuner whose packets are being sent. */
  #opened: Tuner | undefined;
  #transponder: Transponder | undefined;
  #parameters: TransponderParameters | undefined;
  #source = 1;
  #frontEnd: number | undefined;
  #pids: Pids = [];
  #playing = false;
  #closed = false;

  constructor(tuners: TunerAllocator, about: Pick<Session, 'id' | 'streamId' | 'user' | 'lastHeard' | 'leave'>) {
    this.#tuners = tuners;
    this.id = about.id;
    this.streamId = about.streamId;
    this.user = about.user;
    this.leave = about.leave;
    this.lastHeard = about.lastHeard;
  }

  get described(): DescribedStream {
    return { id: this.streamId, status: this.#status, playing: this.#playing };
  }

  /** @returns the Transport header of the reply. @throws RtspError, ReceiverError; the session remains usable */
  async setUp(transport: Transport, socket: Socket, query: SatipQuery): Promise<string> {
    if (this.#closed) throw new RtspError(454);
    await this.#apply(query);
    const delivery = openDelivery(transport, socket);
    this.#delivery?.close();
    this.#opened = undefined;
    this.#delivery = delivery;
    this.connection = transport.kind === 'tcp' ? socket : undefined;
    this.#deliver();
    return delivery.transport;
  }

  /** @returns the sequence number of the first RTP packet. @throws RtspError, ReceiverError */
  async play(query: SatipQuery): Promise<number> {
    const delivery = this.#delivery;
    if (this.#closed || delivery === undefined) throw new RtspError(454);
    await this.#apply(query);
    const { sequence } = delivery;
    this.#playing = true;
    this.#deliver();
    this.describe();
    return sequence;
  }

  /** Updates the reports with the current state of the tuner. */
  describe(): void {
    if (this.#playing) this.#delivery?.describe(this.#status);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#delivery?.close();
    await this.#untune();
  }

  async #apply(query: SatipQuery): Promise<void> {
    this.#pids = changedPids(this.#pids, query);
    const { parameters } = query;
    if (parameters !== undefined) {
      const transponder = this.#tuners.transponderOf(parameters, query.source);
      this.#frontEnd = query.frontEnd;
      if (!isSameTransponder(transponder, this.#transponder)) await this.#tune(transponder);
      this.#parameters = parameters;
      this.#source = query.source;
    }
    this.#deliver();
  }

  async #tune(transponder: Transponder): Promise<void> {
    const before = this.#lease;
    await before?.stop();
    this.#forget();
    try {
      const lease = await this.#tuners.lease(transponder, this.user, { instead: before?.current, locked: false });
      const use = (lease: TunerLease) => this.#use(lease);
      this.#transponder = transponder;
      this.#lease = new LastingLease(lease, {
        tune: () => this.#tuners.lease(transponder, this.user, {}),
        use,
        join: async (next) => {
          use(next);
          return true;
        },
      });
    } finally {
      before?.release();
    }
  }

  async #untune(): Promise<void> {
    const lasting = this.#lease;
    this.#forget();
    await lasting?.stop();
    lasting?.release();
  }

  #forget(): void {
    this.#lease = this.#transponder = this.#parameters = this.#opened = undefined;
    this.#delivery?.pause();
  }

  /** Delivers from a new lease: even if it is the same tuner, its earlier streams have ended. */
  #use(lease: TunerLease): void {
    if (this.#closed) return;
    this.#opened = undefined;
    this.#deliver(lease.tuner);
    lease.onLost(() => {
      if (this.#opened !== lease.tuner) return;
      this.#opened = undefined;
      this.#delivery?.pause();
    });
  }

  #deliver(tuner = this.#lease?.current?.tuner): void {
    if (!this.#playing || tuner === undefined) return;
    if (tuner === this.#opened) this.#delivery?.change(tuner, this.#pids);
    else this.#delivery?.open(tuner, this.#pids);
    this.#opened = tuner;
  }

  get #status(): string {
    const { current } = this.#lease ?? {};
    return statusText({
      // Clients that request a front end expect its number.
      frontEnd: this.#frontEnd ?? (current?.pooled.number ?? 0) + 1,
      signal: current?.tuner.signal(),
      parameters: this.#parameters,
      source: this.#source,
      pids: this.#pids,
    });
  }
}

/** Applies the PIDs of a query. @throws RtspError 503 for too many */
function changedPids(before: Pids, { pids, addPids, delPids }: SatipQuery): Pids {
  const base = pids ?? before;
  if (base === 'all') return base;
  const after = new Set([...base, ...addPids]);
  for (const pid of delPids) after.delete(pid);
  if (after.size > maxPids) throw new RtspError(503, 'No-More: pids');
  return [...after];
}
