/**
 * An HDHomeRun with one tuner, for tests of the client: discovery, control, and a stream by RTP in real time, with the faults
 * that a test asks for.
 */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import {
  formatPacket,
  numberOf,
  packetLength,
  packetType,
  parsePacket,
  tag,
  textOf,
  textValue,
} from '../../../src/dvb/hdhomerun/packet.ts';

const datagramBytes = 7 * 188;
const burstIntervalMs = 20;

export interface DeviceFaults {
  /** Errors by variable, in place of setting it. */
  refuse?: Readonly<Record<string, string>>;
  /** Bytes in place of the reply to a request that sets `channel`. */
  answers?: Buffer;
  /** Answers nothing on the control connection. */
  isSilent?: boolean;
  /** After the channel was set, sends replies without end. */
  isEndless?: boolean;
  /** Sequence numbers of datagrams that are lost, and of those that change places with the previous one. */
  loses?: (sequence: number) => boolean;
  swaps?: (sequence: number) => boolean;
}

export class ScriptedDevice {
  readonly faults: DeviceFaults = {};
  /** What was set: `channel=auto:474000000`. */
  readonly requests: string[] = [];
  /** Key and owner of the lock. */
  lock: { readonly key: number; readonly holder: string } | undefined;
  target = 'none';
  features = 'modulation: t8dvbt t8dvbt2\n';
  id = 0x10a1b2c7;
  /** In percent. */
  strength = 80;
  readonly #streams: ReadonlyMap<string, { readonly bytes: Buffer; readonly bitRate: number }>;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => this.#serve(socket));
  readonly #discovery: UdpSocket = createSocket('udp4');
  readonly #sender: UdpSocket = createSocket('udp4');
  #timer: NodeJS.Timeout | undefined;
  #channel = 'none';
  #at = 0;
  #sequence = 0;
  #held: Buffer | undefined;
  #due = 0;

  /** Streams by frequency in Hz. */
  constructor(streams: Readonly<Record<string, { readonly path: string; readonly bitRate: number }>>) {
    this.#streams = new Map(
      Object.entries(streams).map(([hertz, { path, bitRate }]) => [hertz, { bytes: readFileSync(path), bitRate }]),
    );
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Listens. `sender`: the address from which packets come. */
  async start(sender = '127.0.0.1', port = 0): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#discovery.bind(this.port, '127.0.0.1');
    this.#sender.bind(0, sender);
    await Promise.all([once(this.#discovery, 'listening'), once(this.#sender, 'listening')]);
    this.#discovery.on('message', (_, { port, address }) => {
      const tags = [
        [tag.deviceType, 1],
        [tag.deviceId, this.id],
        [tag.tunerCount, Buffer.from([1])],
      ] as const;
      this.#discovery.send(formatPacket(packetType.discoverReply, tags), port, address);
    });
    this.#timer = setInterval(() => this.#play(), burstIntervalMs);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
    this.#discovery.close();
    this.#sender.close();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    let pending = Buffer.alloc(0);
    socket.on('data', (piece) => {
      pending = Buffer.concat([pending, piece]);
      for (let length = packetLength(pending); pending.length >= length; ) {
        this.#answer(socket, pending.subarray(0, length));
        pending = pending.subarray(length);
        length = packetLength(pending);
      }
    });
  }

  #answer(socket: Socket, packet: Buffer): void {
    if (this.faults.isSilent) return;
    const { values } = parsePacket(packet);
    const name = textOf(values.get(tag.name)) ?? '';
    const value = textOf(values.get(tag.value));
    const variable = name.replace('/tuner0/', '');
    if (value !== undefined) this.requests.push(`${variable}=${value}`);
    if (value !== undefined && variable === 'channel' && this.faults.answers) {
      socket.write(this.faults.answers);
      return;
    }
    const error = value === undefined ? undefined : this.#set(variable, value, numberOf(values.get(tag.lockKey)));
    const reply = formatPacket(packetType.getSetReply, [
      [tag.name, textValue(name)],
      error === undefined ? [tag.value, textValue(this.#get(variable))] : [tag.error, textValue(`ERROR: ${error}`)],
    ]);
    socket.write(reply);
    if (!this.faults.isEndless || variable !== 'channel' || value === 'none') return;
    const flood = () => {
      while (!socket.destroyed && socket.write(Buffer.concat(Array.from({ length: 100 }, () => reply))));
    };
    socket.on('drain', flood);
    flood();
  }

  #set(variable: string, value: string, key: number | undefined): string | undefined {
    const refusal = this.faults.refuse?.[variable];
    if (refusal !== undefined) return refusal;
    if (this.lock !== undefined && this.lock.key !== key) return `resource locked by ${this.lock.holder}`;
    if (variable === 'lockkey') this.lock = value === 'none' ? undefined : { key: Number(value), holder: '127.0.0.1' };
    if (variable === 'target') this.target = value;
    if (variable === 'channel') this.#channel = value;
    return undefined;
  }

  #get(variable: string): string {
    const isThere = this.#stream !== undefined;
    if (variable === '/sys/hwmodel') return 'HDHR4-2DT';
    if (variable === '/sys/features') return this.features;
    if (variable === 'target') return this.target;
    return `ch=${this.#channel} lock=${isThere ? 't8dvbt' : 'none'} ss=${this.strength} snq=70 seq=99 bps=0 pps=0`;
  }

  get #stream() {
    return this.#streams.get(this.#channel.split(':')[1] ?? '');
  }

  /** Sends what is due. */
  #play(): void {
    const stream = this.#stream;
    const [, kind, port] = /^(rtp|udp):\/\/127\.0\.0\.1:(\d+)$/.exec(this.target) ?? [];
    if (stream === undefined || port === undefined) return;
    this.#due += (stream.bitRate / 8) * (burstIntervalMs / 1000);
    for (; this.#due > 0; this.#due -= datagramBytes) {
      const end = Math.min(this.#at + datagramBytes, stream.bytes.length);
      const payload = stream.bytes.subarray(this.#at, end);
      this.#at = end === stream.bytes.length ? 0 : end;
      const head = Buffer.alloc(12);
      head.writeUInt16BE(0x8021, 0);
      head.writeUInt16BE(this.#sequence & 0xffff, 2);
      this.#send(kind === 'rtp' ? Buffer.concat([head, payload]) : payload, Number(port));
    }
  }

  #send(datagram: Buffer, port: number): void {
    const sequence = this.#sequence++;
    if (this.faults.loses?.(sequence)) return;
    if (this.faults.swaps?.(sequence)) {
      this.#held = datagram;
      return;
    }
    this.#sender.send(datagram, port, '127.0.0.1');
    if (this.#held !== undefined) this.#sender.send(this.#held, port, '127.0.0.1');
    this.#held = undefined;
  }
}
