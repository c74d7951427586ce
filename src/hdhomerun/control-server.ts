/**
 * HDHomeRun's control protocol on TCP port 65001: requests read and set variables of the device and of its tuners. The answers
 * to a connection's requests keep their order.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Logger } from 'pino';
import { ClientSlots } from '../base/client-slots.ts';
import { ReceiverError } from '../base/errors.ts';
import { plainAddress } from '../base/network-addresses.ts';
import { TimeSlice } from '../base/time-slice.ts';
import {
  formatPacket,
  maxPacketBytes,
  numberOf,
  type Packet,
  packetsOf,
  packetType,
  tag,
  textOf,
  textValue,
} from '../dvb/hdhomerun/packet.ts';
import type { ControlClient, ControlTuner } from './tuner.ts';

export interface ControlServerOptions {
  readonly bind: string;
  readonly port: number;
  /** True if this address may connect. */
  readonly isAllowed: (address: string) => boolean;
  /** Variables of the device by name, such as `/sys/model`. */
  readonly device: () => Readonly<Record<string, string>>;
  readonly tuners: readonly ControlTuner[];
}

const maxConnections = 32;
/** Milliseconds after which a silent connection is closed. */
const idleTimeoutMs = 3_600_000;
/** Milliseconds after which a client that has no connection any more loses what it holds of the tuners. */
const releaseDelayMs = 60_000;
/** Milliseconds of silence after which the system begins to ask whether the client still exists. */
const keepAliveDelayMs = 60_000;
/** Bytes that the texts of a reply may have together; the rest is for the head, the tags and the CRC. */
const maxTextBytes = maxPacketBytes - 32;
/** Bytes that a client may not have read. Then its connection ends. */
const maxUnreadBytes = 64 * 1024;

export class ControlServer {
  readonly #options: ControlServerOptions;
  readonly #log: Logger;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #slots = new ClientSlots(maxConnections);
  readonly #releases = new Map<string, NodeJS.Timeout>();

  constructor(options: ControlServerOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
    this.#server = createServer({ keepAlive: true, keepAliveInitialDelay: keepAliveDelayMs, noDelay: true }, (socket) =>
      this.#accept(socket),
    );
  }

  /** The bound port. @throws Error of the system if it is in use */
  async start(): Promise<number> {
    this.#server.listen(this.#options.port, this.#options.bind);
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const timer of this.#releases.values()) clearTimeout(timer);
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#options.tuners.map((tuner) => tuner.release()));
    if (this.#server.listening) await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #accept(socket: Socket): void {
    const remote = plainAddress(socket.remoteAddress);
    socket.on('error', () => undefined);
    if (!this.#options.isAllowed(remote) || this.#slots.refusal(remote) !== undefined) {
      socket.destroy();
      return;
    }
    const leave = this.#slots.take(remote);
    clearTimeout(this.#releases.get(remote));
    this.#sockets.add(socket);
    socket.once('close', () => {
      leave();
      this.#sockets.delete(socket);
      this.#releaseSoon(remote);
    });
    socket.setTimeout(idleTimeoutMs, () => socket.destroy());
    const client = { remote, local: plainAddress(socket.localAddress) };
    this.#serve(socket, client).catch((error: unknown) => {
      this.#log.debug(error, `HDHomeRun: the connection of ${remote} ends`);
      socket.destroy();
    });
  }

  /** Releases what a client holds of the tuners soon after its last connection has closed. */
  #releaseSoon(remote: string): void {
    if ([...this.#sockets].some((socket) => plainAddress(socket.remoteAddress) === remote)) return;
    const release = () => {
      this.#releases.delete(remote);
      for (const tuner of this.#options.tuners)
        tuner.release(remote).catch((error: unknown) => this.#log.warn(error, 'HDHomeRun'));
    };
    clearTimeout(this.#releases.get(remote));
    this.#releases.set(remote, setTimeout(release, releaseDelayMs).unref());
  }

  async #serve(socket: Socket, client: Omit<ControlClient, 'lockKey'>): Promise<void> {
    const slice = new TimeSlice();
    for await (const request of packetsOf(socket)) {
      // Thousands of requests may arrive at once.
      if (slice.isOver) await slice.next();
      const reply = await this.#answer(request, client);
      if (socket.writableLength > maxUnreadBytes) throw new Error('the client does not read');
      socket.write(reply);
    }
  }

  async #answer({ type, values }: Packet, client: Omit<ControlClient, 'lockKey'>): Promise<Buffer> {
    const name = textOf(values.get(tag.name)) ?? '';
    if (type !== packetType.getSetRequest) throw new Error(`packet of type ${type}`);
    try {
      const value = textOf(values.get(tag.value));
      const lockKey = numberOf(values.get(tag.lockKey));
      const answer = await this.#variable(name, value, { ...client, lockKey });
      if (answer === undefined) return failure('unknown getset variable');
      return formatPacket(packetType.getSetReply, [
        [tag.name, textValue(name)],
        [tag.value, textValue(truncated(answer, maxTextBytes - Buffer.byteLength(name)))],
      ]);
    } catch (error) {
      return failure(error instanceof ReceiverError ? error.message : 'internal error');
    }
  }

  async #variable(name: string, value: string | undefined, client: ControlClient): Promise<string | undefined> {
    const [, number = '', variable = ''] = /^\/tuner(\d)\/(\w{1,20})$/.exec(name) ?? [];
    const tuner = number === '' ? undefined : this.#options.tuners[Number(number)];
    if (tuner !== undefined) return value === undefined ? tuner.get(variable) : tuner.set(variable, value, client);
    const device = this.#options.device();
    if (value !== undefined) return undefined;
    if (name === 'help') return `${Object.keys(device).join('\n')}\n`;
    return Object.hasOwn(device, name) ? device[name] : undefined;
  }
}

const failure = (why: string) =>
  formatPacket(packetType.getSetReply, [[tag.error, textValue(truncated(`ERROR: ${why}`, maxTextBytes))]]);

/** As much of the text as fits into this many bytes of UTF-8. */
function truncated(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}
