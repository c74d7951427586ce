/**
 * The RTSP side of the SAT>IP server: connections and the handling of requests (EN 50585, RFC 2326).
 *
 * A connection carries requests and, for an interleaved stream, the packets. Its requests are handled one after another;
 * the next one is read only after the reply to the previous one.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, isIPv6, type Server, type Socket } from 'node:net';
import type { Logger } from 'pino';
import { ClientSlots } from '../base/client-slots.ts';
import { ReceiverError } from '../base/errors.ts';
import { plainAddress } from '../base/network-addresses.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { parseQuery, type SatipQuery } from '../dvb/satip/query.ts';
import { drained } from './delivery.ts';
import {
  formatReply,
  parseTransport,
  type Received,
  RequestReader,
  RtspError,
  type RtspReply,
  type RtspRequest,
  targetOf,
} from './rtsp.ts';
import { Session } from './session.ts';
import { sessionDescription } from './status.ts';
import type { TunerAllocator } from './tuner-allocator.ts';

export interface RtspServerOptions {
  readonly bind: string;
  readonly port: number;
  /** Maximum number of simultaneous sessions. */
  readonly clients: number;
  /** True if this address may connect. */
  readonly isAllowed: (address: string) => boolean;
  /** Milliseconds of a monotonic clock. Default: the machine's. */
  readonly now?: () => number;
}

/** Maximum simultaneous connections. Some clients open one per request. */
const maxConnections = 64;
/** Maximum simultaneous connections from one address. */
const maxConnectionsPerAddress = 24;
/** Timeout in seconds that replies to SETUP announce; a silent session ends a little later. */
const sessionTimeoutSeconds = 60;
const sessionExpiryMs = 70_000;
/** Milliseconds after which a silent connection is closed. */
const idleTimeoutMs = 120_000;
/** Milliseconds between checks of sessions and signals. */
const checkIntervalMs = 500;
const methods = 'OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN, GET_PARAMETER, SET_PARAMETER';
const noQuery = parseQuery('');

interface Connection {
  readonly socket: Socket;
  readonly local: string;
  readonly remote: string;
  /** A stream announced by DESCRIBE: the query of the next SETUP, and the stream's number. */
  promised: { readonly stream: number; readonly query: string } | undefined;
}

export class RtspServer {
  readonly #tuners: TunerAllocator;
  readonly #options: RtspServerOptions;
  readonly #log: Logger;
  readonly #server: Server;
  readonly #sessions = new Map<string, Session>();
  readonly #sockets = new Set<Socket>();
  readonly #connections = new ClientSlots(maxConnections, maxConnectionsPerAddress);
  readonly #sessionSlots: ClientSlots;
  readonly #now: () => number;
  #watch: NodeJS.Timeout | undefined;
  #lastStream = 0;
  #port = 0;

  constructor(tuners: TunerAllocator, options: RtspServerOptions, log: Logger) {
    this.#tuners = tuners;
    this.#options = options;
    this.#log = log;
    this.#sessionSlots = new ClientSlots(options.clients);
    this.#now = options.now ?? (() => performance.now());
    this.#server = createServer({ noDelay: true }, (socket) => void this.#serve(socket));
  }

  /** The bound port; 0 before `start()`. */
  get port(): number {
    return this.#port;
  }

  /** Addresses of the clients, the longest-running first. */
  get clients(): readonly string[] {
    return [...this.#sessions.values()].map(({ user }) => user);
  }

  /** @throws Error of the system if the port is in use, or not allowed */
  async start(): Promise<void> {
    this.#server.listen(this.#options.port, this.#options.bind);
    await once(this.#server, 'listening');
    this.#server.on('error', (error) => this.#log.warn(error, `SAT>IP server on port ${this.#port}`));
    this.#port = (this.#server.address() as AddressInfo).port;
    this.#watch = setInterval(() => this.#checkSessions(), checkIntervalMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#watch);
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all([...this.#sessions.values()].map((session) => this.#end(session)));
    if (this.#port !== 0) await closed;
  }

  /**
   * Ends silent sessions, and updates the reports of the others. A session ends only at the second check that finds it
   * silent: after a stall of this process, requests may still be waiting to be read.
   */
  #checkSessions(): void {
    for (const session of this.#sessions.values()) {
      const isSilent = this.#now() - session.lastHeard >= sessionExpiryMs;
      if (!isSilent) session.describe();
      else if (session.wasSilent) void this.#end(session);
      session.wasSilent = isSilent;
    }
  }

  async #serve(socket: Socket): Promise<void> {
    socket.on('error', () => undefined);
    const remote = plainAddress(socket.remoteAddress);
    if (!this.#options.isAllowed(remote) || this.#connections.refusal(remote) !== undefined) {
      socket.destroy();
      return;
    }
    const leave = this.#connections.take(remote);
    this.#sockets.add(socket);
    socket.setTimeout(idleTimeoutMs, () => socket.destroy());
    const connection = { socket, remote, local: plainAddress(socket.localAddress), promised: undefined };
    try {
      await this.#readRequests(connection);
    } catch {
      // The client has gone.
    }
    socket.destroy();
    leave();
    this.#sockets.delete(socket);
    for (const session of this.#sessionsOf(socket)) await this.#end(session);
  }

  async #readRequests(connection: Connection): Promise<void> {
    const reader = new RequestReader();
    const { socket } = connection;
    const slice = new TimeSlice();
    for await (const chunk of socket) {
      try {
        for (const received of reader.read(chunk as Buffer)) {
          if (slice.isOver) await slice.next();
          await this.#handle(received, connection);
        }
      } catch (error) {
        if (!(error instanceof RtspError)) throw error;
        socket.end(formatReply(error.reply, undefined));
        return;
      }
    }
  }

  async #handle(received: Received, connection: Connection): Promise<void> {
    if (received === 'frame') {
      for (const session of this.#sessionsOf(connection.socket)) session.lastHeard = this.#now();
      return;
    }
    const reply = await this.#answer(received, connection).catch((error: unknown) => this.#refusal(error));
    const { socket } = connection;
    // Backpressure: no further request is handled until the client has read the replies.
    if (!socket.write(formatReply(reply, printable(received.headers.get('cseq'))))) await drained(socket);
    if (received.headers.get('connection')?.toLowerCase() === 'close') socket.end();
  }

  #sessionsOf(socket: Socket): readonly Session[] {
    return [...this.#sessions.values()].filter(({ connection }) => connection === socket);
  }

  async #answer(request: RtspRequest, connection: Connection): Promise<RtspReply> {
    if (request.version !== '1.0') throw new RtspError(505);
    const required = printable(request.headers.get('require'));
    if (required !== undefined) throw new RtspError(551, '', { Unsupported: required });
    const session = this.#sessionOf(request);
    switch (request.method) {
      case 'OPTIONS':
        return { status: 200, headers: { Public: methods, ...headersOf(session) } };
      case 'GET_PARAMETER':
      case 'SET_PARAMETER':
        return { status: 200, headers: headersOf(session) };
      case 'DESCRIBE':
        return this.#describe(request, connection, session);
      case 'SETUP':
        return this.#setUp(request, connection, session);
      case 'PLAY':
        return this.#play(request, connection, requireSession(session));
      case 'TEARDOWN':
        await this.#end(requireSession(session));
        return { status: 200, headers: headersOf(session) };
      default:
        throw new RtspError(501, '', { Public: methods });
    }
  }

  /**
   * Returns the session of a request; undefined if it names none. @throws RtspError 454 if the session is unknown or
   * over
   */
  #sessionOf({ headers }: RtspRequest): Session | undefined {
    const id = headers.get('session')?.replace(/;.*/, '').trim();
    if (id === undefined) return undefined;
    const session = requireSession(this.#sessions.get(id));
    session.lastHeard = this.#now();
    return session;
  }

  #describe(request: RtspRequest, connection: Connection, session: Session | undefined): RtspReply {
    const accept = request.headers.get('accept') ?? '';
    if (accept !== '' && !/application\/(?:sdp|\*)|\*\/\*/i.test(accept)) throw new RtspError(406);
    const { stream, query } = targetOf(request.url);
    const all = [...this.#sessions.values()].map(({ described }) => described);
    let streams = stream === undefined ? all : all.filter(({ id }) => id === stream);
    if (stream === undefined && query !== undefined) {
      parseQuery(query);
      connection.promised = { stream: this.#nextStream(), query };
      streams = [
        { id: connection.promised.stream, status: 'ver=1.0;src=1;tuner=,,,,,,,,,,,;pids=none', playing: false },
      ];
    }
    if (streams.length === 0) throw new RtspError(404);
    const { capabilities } = this.#tuners;
    const count = (...kinds: string[]) => kinds.reduce((sum, one) => sum + (capabilities.get(one) ?? 0), 0);
    const tuners = [count('DVBS2'), count('DVBT', 'DVBT2'), count('DVBC', 'DVBC2')].join(',');
    return {
      status: 200,
      headers: {
        ...headersOf(session),
        'Content-Type': 'application/sdp',
        'Content-Base': this.#base(connection),
      },
      body: sessionDescription(streams, tuners, connection.local),
    };
  }

  async #setUp(request: RtspRequest, connection: Connection, known: Session | undefined): Promise<RtspReply> {
    const target = targetOf(request.url);
    const transport = parseTransport(request.headers.get('transport') ?? '');
    const promised = connection.promised;
    const isPromised = target.stream !== undefined && promised?.stream === target.stream;
    if (target.stream !== undefined && !isPromised && target.stream !== known?.streamId) throw new RtspError(404);
    const query = parseQuery(target.query ?? (isPromised ? promised.query : ''));
    const session = known ?? this.#open(connection, isPromised ? promised.stream : this.#nextStream());
    connection.promised = undefined;
    try {
      const transportHeader = await session.inTurn(() => session.setUp(transport, connection.socket, query));
      return {
        status: 200,
        headers: {
          Session: `${session.id};timeout=${sessionTimeoutSeconds}`,
          'com.ses.streamID': String(session.streamId),
          Transport: transportHeader,
        },
      };
    } catch (error) {
      if (known === undefined) await this.#end(session);
      throw error;
    }
  }

  async #play(request: RtspRequest, connection: Connection, session: Session): Promise<RtspReply> {
    const { stream, query } = targetOf(request.url);
    if (stream !== undefined && stream !== session.streamId) throw new RtspError(404);
    const range = request.headers.get('range') ?? '';
    if (range !== '' && !range.startsWith('npt=')) throw new RtspError(457);
    const parsed: SatipQuery = query === undefined ? noQuery : parseQuery(query);
    const sequence = await session.inTurn(() => session.play(parsed));
    return {
      status: 200,
      headers: {
        ...headersOf(session),
        'RTP-Info': `url=${this.#base(connection)}stream=${session.streamId};seq=${sequence}`,
        Range: 'npt=0.000-',
      },
    };
  }

  /** Opens a session. @throws RtspError 503 if there are too many */
  #open({ remote }: Connection, streamId: number): Session {
    if (this.#sessionSlots.refusal(remote) !== undefined) throw new RtspError(503, 'No-More: sessions');
    // Not a digit first: some clients remove leading zeros.
    const id = `a${randomBytes(8).toString('hex')}`;
    const leave = this.#sessionSlots.take(remote);
    const session = new Session(this.#tuners, { id, streamId, user: remote, lastHeard: this.#now(), leave });
    this.#sessions.set(id, session);
    return session;
  }

  async #end(session: Session): Promise<void> {
    this.#sessions.delete(session.id);
    session.leave();
    await session.inTurn(() => session.close());
  }

  /** Returns an unused number from 1: VDR treats 0 as no stream. */
  #nextStream(): number {
    const isUsed = (id: number) => [...this.#sessions.values()].some(({ streamId }) => streamId === id);
    do this.#lastStream = (this.#lastStream % 0xffff) + 1;
    while (isUsed(this.#lastStream));
    return this.#lastStream;
  }

  #base({ local }: Connection): string {
    return `rtsp://${isIPv6(local) ? `[${local}]` : local}:${this.#port}/`;
  }

  #refusal(error: unknown): RtspReply {
    if (error instanceof RtspError) return error.reply;
    if (!(error instanceof ReceiverError)) {
      this.#log.error(error, 'SAT>IP request failed');
      return { status: 500 };
    }
    switch (error.code) {
      case 'parameter-invalid':
        return { status: 403, body: `Out-of-Range: ${error.parameter ?? ''}` };
      case 'not-receivable':
        return { status: 404 };
      case 'tuners-busy':
      case 'no-signal':
        return { status: 503, body: 'No-More: frontends' };
      default:
        return { status: 500 };
    }
  }
}

function requireSession(session: Session | undefined): Session {
  if (session === undefined) throw new RtspError(454);
  return session;
}

const printable = (header: string | undefined) => header?.replace(/[^\x20-\x7e]/g, '');

const headersOf = (session: Session | undefined): Record<string, string> =>
  session === undefined ? {} : { Session: session.id };
