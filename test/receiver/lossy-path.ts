/**
 * A proxy between a SAT>IP client and its server: forwards RTSP, and drops, delays or repeats RTP datagrams as the test
 * decides.
 */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** What happens to a datagram: one that is late swaps places with the next one. */
export type Fate = 'arrives' | 'late' | 'lost' | 'twice';
/** Copies that are sent immediately. */
const copies: Readonly<Record<Fate, number>> = { arrives: 1, late: 0, lost: 0, twice: 2 };

/** One session at a time. */
export class LossyPath {
  /** Decides the fate of a datagram by its number, from 0. */
  fate: (number: number) => Fate = () => 'arrives';
  /** Datagrams so far, by fate. */
  readonly fates: Record<Fate, number> = { arrives: 0, late: 0, lost: 0, twice: 0 };
  readonly #sockets = new Set<Socket>();
  readonly #rtsp = createServer((client) => this.#connect(client));
  /** Sockets that receive RTP and RTCP from the server, and send them to the client. */
  readonly #relays: readonly [UdpSocket, UdpSocket] = [createSocket('udp4'), createSocket('udp4')];
  readonly #serverPort: number;
  #clientPorts: readonly number[] = [];
  #count = 0;
  #held: Buffer | undefined;

  private constructor(serverPort: number) {
    this.#serverPort = serverPort;
    this.#relays[0].on('message', (datagram) => this.#pass(datagram));
    this.#relays[1].on('message', (report) => this.#send(report, 1));
  }

  /** Opens a path to the RTSP port of the server. */
  static async open(serverPort: number): Promise<LossyPath> {
    const path = new LossyPath(serverPort);
    for (const relay of path.#relays) await once(relay.bind(0, '127.0.0.1'), 'listening');
    await once(path.#rtsp.listen(0, '127.0.0.1'), 'listening');
    return path;
  }

  /** The RTSP port for the client. */
  get port(): number {
    return (this.#rtsp.address() as AddressInfo).port;
  }

  close(): void {
    this.#rtsp.close();
    for (const socket of this.#sockets) socket.destroy();
    for (const relay of this.#relays) relay.close();
  }

  #connect(client: Socket): void {
    const server = connect(this.#serverPort, '127.0.0.1');
    const own = this.#relays.map((relay) => relay.address().port).join('-');
    this.#forward(client, server, (line) =>
      line.replace(/client_port=(\d+)-(\d+)/, (_all, ...ports) => {
        this.#clientPorts = ports.slice(0, 2).map(Number);
        return `client_port=${own}`;
      }),
    );
    this.#forward(server, client, (line) =>
      line
        .replace(/client_port=\d+-\d+/, `client_port=${this.#clientPorts.join('-')}`)
        .replace(/server_port=\d+-\d+/, `server_port=${own}`),
    );
  }

  #forward(from: Socket, to: Socket, rewriteLine: (line: string) => string): void {
    this.#sockets.add(from);
    from.on('error', () => undefined);
    from.on('close', () => to.destroy());
    const lines = createInterface(from).on('error', () => undefined);
    lines.on('line', (line) => to.write(`${rewriteLine(line)}\r\n`));
  }

  #pass(datagram: Buffer): void {
    const late = this.#held;
    const fate = this.fate(this.#count++);
    this.fates[fate]++;
    this.#held = fate === 'late' ? datagram : undefined;
    for (let n = 0; n < copies[fate]; n++) this.#send(datagram, 0);
    if (late !== undefined) this.#send(late, 0);
  }

  #send(datagram: Buffer, channel: 0 | 1): void {
    const port = this.#clientPorts[channel];
    if (port !== undefined) this.#relays[channel].send(datagram, port, '127.0.0.1');
  }
}
