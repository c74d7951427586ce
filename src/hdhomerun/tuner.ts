/**
 * One of the tuners that the control protocol has: what it is tuned to, the program and the target of its packets, and who
 * holds its lock. It takes a tuner of the pool when it is tuned, like any other user.
 */
import { fail } from '../base/errors.ts';
import { native } from '../base/native.ts';
import { serialQueue } from '../base/serial-queue.ts';
import { channelText, modulationOf, transponderOf } from '../dvb/hdhomerun/channel.ts';
import { LastingLease } from '../dvb/lasting-lease.ts';
import type { Transponder, TransponderParameters } from '../dvb/transponder.ts';
import type { BroadcastService, Tuner } from '../dvb/tuner.ts';
import type { TunerLease } from '../dvb/tuner-pool.ts';
import { broadcastNumber } from '../services/channel-number.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { LineupChannel } from './lineup.ts';

/** What a tuner needs of the receiver. */
export interface ControlParts {
  readonly transponders: () => readonly Transponder[];
  /** @throws ReceiverError as TunerPool.tuneTo does */
  lease(transponder: Transponder, user: string): Promise<TunerLease>;
  /** @throws ReceiverError as tuneFirst does */
  leaseService(reference: ServiceReference, user: string): Promise<TunerLease>;
  lineup(): Promise<readonly LineupChannel[]>;
}

/** A request of a client. */
export interface ControlClient {
  /** Numeric address of the client, and of this machine as the client reaches it. */
  readonly remote: string;
  readonly local: string;
  readonly lockKey: number | undefined;
}

/** Network, services, guide and time (EN 300 468), which follow a program in any case. */
const tablePids = [0x00, 0x10, 0x11, 0x12, 0x14];
/** The PID of null packets stands for none (ISO/IEC 13818-1 §2.4.4.9). */
const noPid = 0x1fff;
const noFilter: { readonly text: string; readonly pids: readonly number[] | 'all' } = {
  text: '0x0000-0x1fff',
  pids: 'all',
};

export class ControlTuner {
  readonly #parts: ControlParts;
  /** Requests of one tuner are carried out one after the other. */
  readonly #inTurn = serialQueue();
  #lock: { readonly key: number; readonly holder: string } | undefined;
  /** Address of the client that tuned it. */
  #user = '';
  #channel = 'none';
  #virtualChannel = 'none';
  #parameters: TransponderParameters | undefined;
  #program = 0;
  #filter = noFilter;
  #lease: LastingLease | undefined;
  #target:
    | { readonly text: string; readonly address: string; readonly sender: InstanceType<typeof native.RtpSender> }
    | undefined;
  /** The tuner whose packets are being sent, and the end of listening to its tables. */
  #sending: { readonly tuner: Tuner; readonly stop: () => void } | undefined;

  constructor(parts: ControlParts) {
    this.#parts = parts;
  }

  /** Value of a variable of this tuner; undefined for an unknown one. */
  get(name: string): string | undefined {
    return Object.hasOwn(this.#readers, name) ? this.#readers[name]?.() : undefined;
  }

  /**
   * Sets a variable and returns its value. Undefined for one that cannot be set.
   * @throws ReceiverError `tuners-busy` for another client's tuner; `parameter-invalid`; as a lease does
   */
  set(name: string, value: string, client: ControlClient): Promise<string | undefined> {
    return this.#inTurn(async () => {
      if (name === 'lockkey') return this.#setLock(value, client);
      const write = Object.hasOwn(this.#writers, name) ? this.#writers[name] : undefined;
      if (write === undefined) return undefined;
      if (this.#lock !== undefined && this.#lock.key !== client.lockKey)
        throw fail('tuners-busy', client.remote, `resource locked by ${this.#lock.holder}`);
      await write(value, client);
      return this.get(name);
    });
  }

  /** Releases the tuner, the target and the lock, as far as the client at this address holds them; by default, all. */
  release(address?: string): Promise<void> {
    const isHeld = (holder: string | undefined) => address === undefined || holder === address;
    return this.#inTurn(async () => {
      if (isHeld(this.#lock?.holder)) this.#lock = undefined;
      if (isHeld(this.#target?.address)) await this.#closeTarget();
      if (isHeld(this.#user)) await this.#untune();
    });
  }

  readonly #readers: Readonly<Record<string, () => string>> = {
    channel: () => this.#channel,
    vchannel: () => this.#virtualChannel,
    channelmap: () => 'eu-bcast',
    filter: () => this.#filter.text,
    program: () => `${this.#program}`,
    target: () => this.#target?.text ?? 'none',
    lockkey: () => this.#lockHolder,
    status: () => this.#status(),
    streaminfo: () => this.#streamInfo(),
  };

  readonly #writers: Readonly<Record<string, (value: string, client: ControlClient) => Promise<void>>> = {
    channel: (value, client) => this.#setChannel(value, client),
    vchannel: (value, client) => this.#setVirtualChannel(value, client),
    program: async (value) => this.#setProgram(value),
    target: (value, client) => this.#setTarget(value, client),
    filter: async (value) => this.#setFilter(value),
    channelmap: async () => undefined,
  };

  get #lockHolder(): string {
    return this.#lock?.holder ?? 'none';
  }

  #setLock(value: string, { remote, lockKey }: ControlClient): string {
    if (value === 'force') this.#lock = undefined;
    else {
      const isHeld = this.#lock !== undefined && this.#lock.key !== lockKey && this.#lock.holder !== remote;
      if (isHeld) throw fail('tuners-busy', remote, `resource locked by ${this.#lock?.holder}`);
      const key = Number(value);
      if (value !== 'none' && !(Number.isSafeInteger(key) && key > 0 && key < 2 ** 32))
        throw fail('parameter-invalid', 'lockkey', 'is none, force or a number');
      this.#lock = value === 'none' ? undefined : { key, holder: remote };
    }
    return this.#lockHolder;
  }

  async #setChannel(value: string, { remote }: ControlClient): Promise<void> {
    if (value === 'none') return this.#untune();
    const transponder = transponderOf(value, this.#parts.transponders());
    if (transponder === undefined) throw fail('parameter-invalid', 'channel', `'${value}' is not a channel`);
    await this.#tune(() => this.#parts.lease(transponder, remote), remote);
    this.#channel = value;
    this.#parameters = transponder.parameters;
  }

  async #setVirtualChannel(value: string, { remote }: ControlClient): Promise<void> {
    if (value === 'none') return this.#untune();
    const channel = (await this.#parts.lineup()).find(({ number }) => number === value);
    if (channel === undefined) throw fail('parameter-invalid', 'vchannel', `'${value}' is not a channel`);
    const lease = await this.#tune(() => this.#parts.leaseService(channel.reference, remote), remote);
    this.#virtualChannel = value;
    this.#parameters = lease.pooled.tuned?.parameters;
    this.#channel = this.#parameters ? channelText(this.#parameters) : `auto:${value}`;
    this.#program = lease.serviceId;
    this.#send();
  }

  #setProgram(value: string): void {
    if (value !== 'none' && !/^(0x[0-9a-f]{1,4}|\d{1,5})$/i.test(value))
      throw fail('parameter-invalid', 'program', 'is none or a number');
    this.#program = value === 'none' ? 0 : Number(value);
    this.#filter = noFilter;
    this.#send();
  }

  /** Selects PIDs, in place of those of a program. */
  #setFilter(value: string): void {
    const pids = pidsOfFilter(value);
    if (pids === undefined) throw fail('parameter-invalid', 'filter', 'is a list such as 0x0000 0x0010-0x0012');
    this.#filter = { text: value, pids };
    this.#program = 0;
    const { tuner, stop } = this.#sending ?? {};
    const sender = this.#target?.sender;
    if (tuner === undefined || sender === undefined) return;
    // Without an interruption; a filter does not follow the tables of a program.
    stop?.();
    tuner.changePids(pids, sender);
    this.#sending = { tuner, stop: () => undefined };
  }

  /** Sends only to the client itself. */
  async #setTarget(value: string, { remote, local }: ControlClient): Promise<void> {
    if (value === 'none') return this.#closeTarget();
    const [, protocol, host, digits] = /^(rtp|udp):\/\/([\d.]{7,15}):(\d{1,5})(?: .*)?$/.exec(value) ?? [];
    const port = Number(digits);
    if (host === undefined || port === 0 || port > 65_535)
      throw fail('parameter-invalid', 'target', 'is none, rtp://ADDRESS:PORT or udp://ADDRESS:PORT');
    if (host !== remote) throw fail('parameter-invalid', 'target', `is not at the address of the client, ${remote}`);
    await this.#closeTarget();
    // There are no reports (RTCP), so their port does not matter.
    const framing = protocol === 'rtp' ? 'filled-rtp' : 'filled-udp';
    this.#target = { text: value, address: remote, sender: new native.RtpSender(local, remote, port, port, framing) };
    this.#send();
  }

  async #tune(lease: () => Promise<TunerLease>, user: string): Promise<TunerLease> {
    await this.#untune();
    const first = await lease();
    this.#user = user;
    const use = (next: TunerLease) => {
      this.#send(next.tuner);
      next.onLost(() => {
        if (this.#sending?.tuner === next.tuner) this.#pause();
      });
    };
    this.#lease = new LastingLease(first, {
      tune: lease,
      use,
      join: async (next) => {
        use(next);
        return true;
      },
    });
    return first;
  }

  async #untune(): Promise<void> {
    this.#pause();
    const lease = this.#lease;
    this.#lease = this.#parameters = undefined;
    this.#channel = this.#virtualChannel = 'none';
    this.#program = 0;
    this.#filter = noFilter;
    this.#user = '';
    await lease?.stop();
    lease?.release();
  }

  async #closeTarget(): Promise<void> {
    this.#pause();
    const target = this.#target;
    this.#target = undefined;
    await target?.sender.close();
  }

  /** Sends the packets of the program, or all, from now on, and follows the program's tables. */
  #send(tuner = this.#lease?.current?.tuner): void {
    this.#pause();
    const sender = this.#target?.sender;
    if (tuner === undefined || sender === undefined) return;
    let pids = this.#pids(tuner);
    tuner.sendPids(pids, sender);
    const stop = tuner.onMultiplex(() => {
      const next = this.#pids(tuner);
      if (String(next) !== String(pids)) tuner.changePids(next, sender);
      pids = next;
    });
    this.#sending = { tuner, stop };
  }

  #pause(): void {
    this.#sending?.stop();
    this.#sending = undefined;
    this.#target?.sender.pause();
  }

  #pids(tuner: Tuner): readonly number[] | 'all' {
    if (this.#program === 0) return this.#filter.pids;
    const service = tuner.multiplex().services.find(({ serviceId }) => serviceId === this.#program);
    const own = service === undefined ? [] : [service.pmtPid, service.pcrPid, ...service.streams.map(({ pid }) => pid)];
    return [...new Set([...tablePids, ...own.filter((pid) => pid < noPid)])];
  }

  #status(): string {
    const tuner = this.#lease?.current?.tuner;
    if (tuner === undefined) return `ch=${this.#channel} lock=none ss=0 snq=0 seq=0 bps=0 pps=0`;
    const { locked, strengthPercent, snrPercent } = tuner.signal();
    const bitRate = tuner.statistics().bitRate;
    const packets = this.#target === undefined ? 0 : Math.round(bitRate / 8 / 188 / 7);
    const signal = locked
      ? `lock=${modulationOf(this.#parameters)} ss=${percent(strengthPercent)} snq=${percent(snrPercent)} seq=100`
      : `lock=none ss=${percent(strengthPercent)} snq=0 seq=0`;
    return `ch=${this.#channel} ${signal} bps=${bitRate} pps=${packets}`;
  }

  #streamInfo(): string {
    const multiplex = this.#lease?.current?.tuner.multiplex();
    if (multiplex === undefined || multiplex.services.length === 0) return 'none';
    const lines = multiplex.services.map((service) => `${service.serviceId}: ${lineOf(service)}\n`);
    const id = multiplex.transportStreamId;
    return `${lines.join('')}${id === null ? '' : `tsid=0x${id.toString(16).toUpperCase().padStart(4, '0')}\n`}`;
  }
}

/** PIDs of a filter, `0x0000 0x0010-0x0012`; undefined for another text. */
export function pidsOfFilter(text: string): readonly number[] | 'all' | undefined {
  const selected = new Uint8Array(noPid + 1);
  for (const range of text.trim().split(/\s+/)) {
    const [, first, last = first] = /^(0x[\da-f]{1,4}|\d{1,4})(?:-(0x[\da-f]{1,4}|\d{1,4}))?$/i.exec(range) ?? [];
    if (first === undefined || Number(last) > noPid || Number(first) > Number(last)) return undefined;
    selected.fill(1, Number(first), Number(last) + 1);
  }
  const pids = [...selected.keys()].filter((pid) => selected[pid] === 1);
  return pids.length > noPid ? 'all' : pids;
}

const percent = (value: number) => Math.round(Math.min(100, Math.max(0, value)));

function lineOf(service: BroadcastService): string {
  const { channelNumber, name, scrambled, streams } = service;
  const number = broadcastNumber(service) || `${channelNumber ?? 0}`;
  const note = scrambled
    ? ' (encrypted)'
    : streams.some(({ kind }) => kind === 'video' || kind === 'audio')
      ? ''
      : ' (no data)';
  return `${number} ${name}${note}`;
}
