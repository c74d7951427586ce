/**
 * A client's stream: what it is tuned to, which PIDs it gets, and how they get there. It belongs to the Session header,
 * not to a connection. Its requests are carried out one after the other.
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

/** PIDs of a session, besides all. */
const mostPids = 512;

export class Session {
  readonly id: string;
  readonly streamId: number;
  readonly user: string;
  /** Gives its place to others. */
  readonly leave: () => void;
  /** Carries out the requests of this session. */
  readonly inTurn = serialQueue();
  /** When the client was heard of last. */
  heard: number;
  /** Whether it was silent for too long already when the server looked last. */
  wasSilent = false;
  /** Of an interleaved stream: the connection that it ends with. */
  connection: Socket | undefined;
  readonly #tuners: TunerAllocator;
  #delivery: Delivery | undefined;
  #lasting: LastingLease | undefined;
  /** The tuner whose packets are on their way. */
  #opened: Tuner | undefined;
  #transponder: Transponder | undefined;
  #parameters: TransponderParameters | undefined;
  #source = 1;
  #frontEnd: number | undefined;
  #pids: Pids = [];
  #playing = false;
  #closed = false;

  constructor(tuners: TunerAllocator, about: Pick<Session, 'id' | 'streamId' | 'user' | 'heard' | 'leave'>) {
    this.#tuners = tuners;
    this.id = about.id;
    this.streamId = about.streamId;
    this.user = about.user;
    this.leave = about.leave;
    this.heard = about.heard;
  }

  get described(): DescribedStream {
    return { id: this.streamId, status: this.#status, playing: this.#playing };
  }

  /** @returns the header of the reply. @throws RtspError, ReceiverError; the session may go on then */
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

  /** @returns the number of the first datagram. @throws RtspError, ReceiverError */
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

  /** Puts the present state of the tuner into the reports. */
  describe(): void {
    if (this.#playing) this.#delivery?.describe(this.#status);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#delivery?.close();
    await this.#untune();
  }

  async #apply(query: SatipQuery): Promise<void> {
    this.#pids = changed(this.#pids, query);
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
    const before = this.#lasting;
    await before?.stop();
    this.#forget();
    try {
      const lease = await this.#tuners.lease(transponder, this.user, { instead: before?.current, locked: false });
      const use = (one: TunerLease) => this.#use(one);
      this.#transponder = transponder;
      this.#lasting = new LastingLease(lease, {
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
    const lasting = this.#lasting;
    this.#forget();
    await lasting?.stop();
    lasting?.release();
  }

  #forget(): void {
    this.#lasting = this.#transponder = this.#parameters = this.#opened = undefined;
    this.#delivery?.pause();
  }

  /** A tuner that was gone and is back has nothing of the stream before. */
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

  #deliver(tuner = this.#lasting?.current?.tuner): void {
    if (!this.#playing || tuner === undefined) return;
    if (tuner === this.#opened) this.#delivery?.change(tuner, this.#pids);
    else this.#delivery?.open(tuner, this.#pids);
    this.#opened = tuner;
  }

  get #status(): string {
    const { current } = this.#lasting ?? {};
    return statusText({
      // Clients that name one expect it.
      frontEnd: this.#frontEnd ?? (current?.pooled.number ?? 0) + 1,
      signal: current?.tuner.signal(),
      parameters: this.#parameters,
      source: this.#source,
      pids: this.#pids,
    });
  }
}

/** @throws RtspError 503 for too many */
function changed(before: Pids, { pids, addPids, delPids }: SatipQuery): Pids {
  const base = pids ?? before;
  if (base === 'all') return base;
  const after = new Set([...base, ...addPids]);
  for (const pid of delPids) after.delete(pid);
  if (after.size > mostPids) throw new RtspError(503, 'No-More: pids');
  return [...after];
}
