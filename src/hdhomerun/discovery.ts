/** Answers searches for HDHomeRun devices on UDP port 65001. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Logger } from 'pino';
import { formatPacket, numberOf, packetType, parsePacket, type Tagged, tag } from '../dvb/hdhomerun/packet.ts';

export interface DiscoveryOptions {
  readonly bind: string;
  readonly port: number;
  readonly deviceId: number;
  readonly isAllowed: (address: string) => boolean;
  readonly tunerCount: () => number;
  /** Our web address for a client at this address, without a final slash; undefined if it cannot reach us. */
  readonly baseUrl: (address: string) => string | undefined;
}

const tunerType = 1;
const any = 0xffffffff;
/** Replies per second. A reply is larger than its request, whose sender may be forged. */
const maxRepliesPerSecond = 20;

export class Discovery {
  readonly #options: DiscoveryOptions;
  readonly #log: Logger;
  #socket: Socket | undefined;
  #second = 0;
  #replies = 0;

  constructor(options: DiscoveryOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
  }

  /** @throws Error of the system if the port is in use */
  async start(): Promise<void> {
    const socket = createSocket('udp4');
    const { bind, port } = this.#options;
    socket.bind(port, bind);
    await once(socket, 'listening');
    socket.on('error', (error) => this.#log.debug(error, 'HDHomeRun'));
    socket.on('message', (bytes, from) => this.#receive(bytes, from));
    this.#socket = socket;
  }

  stop(): void {
    this.#socket?.close();
    this.#socket = undefined;
  }

  #receive(bytes: Buffer, { address, port }: RemoteInfo): void {
    if (!this.#options.isAllowed(address)) return;
    const reply = this.#reply(bytes, address);
    if (reply !== undefined && this.#mayReply()) this.#socket?.send(reply, port, address, () => undefined);
  }

  #reply(bytes: Buffer, address: string): Buffer | undefined {
    const { deviceId, tunerCount, baseUrl } = this.#options;
    try {
      const { type, values } = parsePacket(bytes);
      const kind = numberOf(values.get(tag.deviceType)) ?? any;
      const id = numberOf(values.get(tag.deviceId)) ?? any;
      const isMeant = (kind === tunerType || kind === any) && (id === deviceId || id === any);
      const url = baseUrl(address);
      if (type !== packetType.discoverRequest || !isMeant || url === undefined) return undefined;
      const tagged: readonly Tagged[] = [
        [tag.deviceType, tunerType],
        [tag.deviceId, deviceId],
        [tag.tunerCount, Buffer.from([tunerCount()])],
        [tag.baseUrl, Buffer.from(url)],
        [tag.lineupUrl, Buffer.from(`${url}/lineup.json`)],
      ];
      return formatPacket(packetType.discoverReply, tagged);
    } catch {
      return undefined;
    }
  }

  #mayReply(): boolean {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) this.#replies = 0;
    this.#second = second;
    return this.#replies++ < maxRepliesPerSecond;
  }
}
