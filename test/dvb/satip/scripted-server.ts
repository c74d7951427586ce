/**
 * A SAT>IP server for tests of the client: plays transport streams by frequency, in a loop and in real time, with the
 * faults that a test asks for. On the wire it sends only what a server of EN 50585 sends.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';

const packetSize = 188;
const packetsInDatagram = 7;
/** Milliseconds between bursts of packets, and between reports. */
const burstIntervalMs = 20;
const reportIntervalMs = 200;

export interface Stream {
  /** Path of a transport stream. */
  readonly path: string;
  /** Bits per second. */
  readonly bitRate: number;
  /** Send all packets unchanged, whatever PIDs are requested: for rates at which filtering takes too long. */
  readonly whole?: boolean;
}

/** Faults; they may change at any time. */
export interface Faults {
  /** Wrong replies by method: a code, and a line of text. */
  refuse?: Readonly<Record<string, readonly [code: number, line: string]>>;
  /** Sequence numbers of datagrams that are lost, and of those that change places with the previous one. */
  loses?: (sequence: number) => boolean;
  swaps?: (sequence: number) => boolean;
  /** Sends no reports. */
  silent?: boolean;
  /** A method that it receives and does not answer. */
  ignores?: string;
  /** Answers nothing. */
  dead?: boolean;
}

interface Session {
  readonly id: string;
  readonly stream: number;
  /** RTP, and reports if `channel` is 1. */
  send: (bytes: Buffer, channel: 0 | 1) => void;
  query: URLSearchParams;
  pids: Set<number> | 'all';
  playing: boolean;
  sequence: number;
  at: number;
  held: Buffer | undefined;
  /** Continuity counters by PID. */
  readonly counters: Map<number, number>;
  /** The connection of a session over TCP. */
  readonly interleaved: Socket | undefined;
}

type Reply = (code: number, phrase: string, more?: readonly string[], body?: string) => void;

export class ScriptedServer {
  readonly faults: Faults = {};
  /** Bytes of transport stream so far. */
  sent = 0;
  /** Requests so far: method and address without the server. */
  readonly requests: string[] = [];
  readonly #streams: ReadonlyMap<string, Omit<Stream, 'path'> & { readonly bytes: Buffer }>;
  readonly #sessions = new Map<string, Session>();
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => this.#serve(socket));
  readonly #udp = createSocket('udp4');
  #ids = 0;
  #timers: NodeJS.Timeout[] = [];
  #port = 0;

  /** Streams by the value of `freq`. */
  constructor(streams: Readonly<Record<string, Stream>>) {
    this.#streams = new Map(
      Object.entries(streams).map(([freq, { path, ...rest }]) => [freq, { bytes: readFileSync(path), ...rest }]),
    );
  }

  get port(): number {
    return this.#port;
  }

  /** Sessions that have not ended. */
  get sessions(): number {
    return this.#sessions.size;
  }

  /** Listens, on its previous port if it had one. */
  async start(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
    let last = performance.now();
    const play = () => {
      const now = performance.now();
      for (const session of this.#sessions.values()) if (session.playing) this.#play(session, now - last);
      last = now;
    };
    const report = () => {
      for (const session of this.#sessions.values()) if (session.playing && !this.faults.silent) this.#report(session);
    };
    this.#timers = [setInterval(play, burstIntervalMs), setInterval(report, reportIntervalMs)];
  }

  /** Stops without notifying clients, like a power failure. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#sessions.clear();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async close(): Promise<void> {
    await this.stop();
    this.#udp.close();
  }

  /** Forgets all sessions, as after a restart of its program. */
  forget(): void {
    this.#sessions.clear();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    let text = '';
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      // A session over TCP ends with its connection.
      for (const [id, { interleaved }] of this.#sessions) if (interleaved === socket) this.#sessions.delete(id);
    });
    socket.on('data', (bytes) => {
      text += bytes.toString();
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const [start = '', ...lines] = text.slice(0, end).split('\r\n');
        text = text.slice(end + 4);
        const headers = new Map(lines.map((line) => line.split(': ', 2) as [string, string]));
        if (!this.faults.dead) this.#answer(socket, start, headers);
      }
    });
  }

  #answer(socket: Socket, start: string, headers: ReadonlyMap<string, string>): void {
    const [method = '', address = ''] = start.split(' ');
    const { pathname, search } = new URL(address);
    this.requests.push(`${method} ${pathname.slice(1)}${search}`);
    const reply: Reply = (code, phrase, more = [], body = '') => {
      const length = body === '' ? [] : [`Content-Length: ${body.length}`];
      const head = [`RTSP/1.0 ${code} ${phrase}`, `CSeq: ${headers.get('CSeq')}`, ...more, ...length];
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    };
    const refusal = this.faults.refuse?.[method];
    const session = this.#sessions.get(headers.get('Session') ?? '');
    if (method === this.faults.ignores) return;
    if (refusal) reply(refusal[0], 'Refused', ['Content-Type: text/parameters'], `${refusal[1]}\r\n`);
    else if (method === 'SETUP') this.#setUp(socket, new URLSearchParams(search), headers, reply);
    else if (session === undefined) reply(454, 'Session Not Found');
    else this.#use(session, method, new URLSearchParams(search), reply);
  }

  #use(session: Session, method: string, query: URLSearchParams, reply: Reply): void {
    if (method === 'TEARDOWN') this.#sessions.delete(session.id);
    if (method === 'PLAY') this.#change(session, query);
    const body = method === 'DESCRIBE' ? `v=0\r\na=fmtp:33 ${this.#state(session)}\r\n` : '';
    reply(200, 'OK', [`Session: ${session.id}`], body);
    if (method === 'PLAY') session.playing = true;
  }

  #setUp(socket: Socket, query: URLSearchParams, headers: ReadonlyMap<string, string>, reply: Reply): void {
    const transport = headers.get('Transport') ?? '';
    const [, port] = /client_port=(\d+)/.exec(transport) ?? [];
    if (!this.#streams.has(query.get('freq') ?? '')) {
      reply(404, 'Not Found');
      return;
    }
    const stream = ++this.#ids;
    const id = `00${stream}`;
    const send =
      port === undefined
        ? (bytes: Buffer, channel: number) => {
            const head = Buffer.from([0x24, channel, bytes.length >> 8, bytes.length & 0xff]);
            if (socket.writable) socket.write(Buffer.concat([head, bytes]));
          }
        : (bytes: Buffer, channel: number) => this.#udp.send(bytes, Number(port) + channel, '127.0.0.1');
    const interleaved = port === undefined ? socket : undefined;
    // Near the end of the range, so that sequence numbers wrap around soon.
    const start = { playing: false, sequence: 65_500, at: 0, held: undefined, counters: new Map(), interleaved };
    this.#sessions.set(id, { id, stream, send, query, pids: new Set([0]), ...start });
    reply(200, 'OK', [`Session: ${id};timeout=30`, `com.ses.streamID: ${stream}`, `Transport: ${transport}`]);
  }

  #change(session: Session, query: URLSearchParams): void {
    if (query.has('freq')) session.query = query;
    const pids = query.get('pids');
    const list = (name: string) => (query.get(name) ?? '').split(',').flatMap((one) => (one === '' ? [] : Number(one)));
    if (pids === 'all') session.pids = 'all';
    else if (pids !== null) session.pids = new Set(pids === 'none' ? [] : list('pids'));
    if (session.pids === 'all') return;
    for (const pid of list('addpids')) session.pids.add(pid);
    for (const pid of list('delpids')) session.pids.delete(pid);
  }

  #state({ query, pids }: Session): string {
    const lock = this.#streams.has(query.get('freq') ?? '') ? 1 : 0;
    const wanted = pids === 'all' ? 'all' : [...pids].join(',');
    return `ver=1.1;tuner=1,${lock * 200},${lock},${lock * 12},${query.get('freq')},8,dvbt;pids=${wanted}`;
  }

  #play(session: Session, milliseconds: number): void {
    const stream = this.#streams.get(session.query.get('freq') ?? '');
    if (stream === undefined) return;
    const packets = Math.floor(stream.bytes.length / packetSize);
    const due = Math.round((milliseconds * stream.bitRate) / 8000 / packetSize);
    if (stream.whole) {
      for (let n = 0; n < due; n += packetsInDatagram) {
        const at = (session.at % (packets - packetsInDatagram)) * packetSize;
        this.#send(session, [stream.bytes.subarray(at, at + packetsInDatagram * packetSize)]);
        session.at += packetsInDatagram;
      }
      return;
    }
    const chosen: Buffer[] = [];
    for (let n = 0; n < due; n++) {
      const at = (session.at++ % packets) * packetSize;
      const packet = stream.bytes.subarray(at, at + packetSize);
      const pid = packet.readUInt16BE(1) & 0x1fff;
      if (session.pids === 'all' || session.pids.has(pid)) chosen.push(continued(packet, pid, session.counters));
    }
    for (let n = 0; n < chosen.length; n += packetsInDatagram)
      this.#send(session, chosen.slice(n, n + packetsInDatagram));
  }

  #send(session: Session, packets: readonly Buffer[]): void {
    const sequence = session.sequence++ & 0xffff;
    const head = Buffer.alloc(12);
    head.writeUInt16BE(0x8021, 0);
    head.writeUInt16BE(sequence, 2);
    head.writeUInt32BE(session.stream, 8);
    const datagram = Buffer.concat([head, ...packets]);
    this.sent += datagram.length - head.length;
    const { held } = session;
    session.held = undefined;
    if (this.faults.swaps?.(sequence) && held === undefined) {
      session.held = datagram;
      return;
    }
    if (!this.faults.loses?.(sequence)) session.send(datagram, 0);
    if (held !== undefined) session.send(held, 0);
  }

  #report(session: Session): void {
    const text = Buffer.from(this.#state(session));
    const head = Buffer.from([0x80, 204, 0, 0, 0, 0, 0, session.stream, ...Buffer.from('SES1'), 0, 0, 0, text.length]);
    const padding = Buffer.alloc((4 - (text.length % 4)) % 4);
    head.writeUInt16BE((head.length + text.length + padding.length) / 4 - 1, 2);
    session.send(Buffer.concat([head, text, padding]), 1);
  }
}

/** Sets the continuity counter to the next of the PID: at the restart of the loop it would jump. */
function continued(packet: Buffer, pid: number, counters: Map<number, number>): Buffer {
  const copy = Buffer.from(packet);
  const flags = copy[3] as number;
  const counter = ((counters.get(pid) ?? 0) + ((flags >> 4) & 1)) & 0x0f;
  counters.set(pid, counter);
  copy[3] = (flags & 0xf0) | counter;
  return copy;
}
