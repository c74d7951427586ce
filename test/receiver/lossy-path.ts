/** A bad network between a SAT>IP client and its server: RTSP passes, and RTP arrives as a test says. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** What happens to a datagram: one that is late changes places with the next one. */
export type Fate = 'arrives' | 'late' | 'lost' | 'twice';
/** That go out at once. */
const copies: Readonly<Record<Fate, number>> = { arrives: 1, late: 0, lost: 0, twice: 2 };

/** One session at a time. */
export class LossyPath {
  /** Of the datagram with this number; they are counted from 0. */
  fate: (number: number) => Fate = () => 'arrives';
  /** So far. */
  readonly fates: Record<Fate, number> = { arrives: 0, late: 0, lost: 0, twice: 0 };
  readonly #sockets = new Set<Socket>();
  readonly #rtsp = createServer((client) => this.#connect(client));
  /** Where the server sends RTP and RTCP to, and from where both go to the client. */
  readonly #relays: readonly [UdpSocket, UdpSocket] = [createSocket('udp4'), createSocket('udp4')];
  readonly #server: number;
  #clientPorts: readonly number[] = [];
  #count = 0;
  #held: Buffer | undefined;

  private constructor(server: number) {
    this.#server = server;
    this.#relays[0].on('message', (datagram) => this.#pass(datagram));
    this.#relays[1].on('message', (report) => this.#send(report, 1));
  }

  /** To the RTSP port of the server. */
  static async open(server: number): Promise<LossyPath> {
    const path = new LossyPath(server);
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
    const server = connect(this.#server, '127.0.0.1');
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

  #forward(from: Socket, to: Socket, rewritten: (line: string) => string): void {
    this.#sockets.add(from);
    from.on('error', () => undefined);
    from.on('close', () => to.destroy());
    const lines = createInterface(from).on('error', () => undefined);
    lines.on('line', (line) => to.write(`${rewritten(line)}\r\n`));
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
