/**
 * The stream port (8001): `GET /SREF` returns the live transport stream of that service. The web port offers the same
 * streams, by `open`.
 *
 * The bytes arrive from the tuner's native thread as Buffers of many packets and go to the socket unchanged. If a client reads
 * too slowly, its native queue fills up, and the client is dropped. Other clients are not affected.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Writable } from 'node:stream';
import type { Logger } from 'pino';
import type { AccessControl } from '../../access/access-control.ts';
import { ClientSlots } from '../../base/client-slots.ts';
import type { Clock, UnixSeconds } from '../../base/clock.ts';
import { fail, ReceiverError } from '../../base/errors.ts';
import { Listeners } from '../../base/listeners.ts';
import { plainAddress } from '../../base/network-addresses.ts';
import { urlOf } from '../../base/url.ts';
import type { Configuration } from '../../config/config.ts';
import { noNumber } from '../../dvb/pool-tuner.ts';
import { sendStream } from '../../dvb/send-stream.ts';
import type { ServiceStream } from '../../dvb/tuner.ts';
import type { TunerPool } from '../../dvb/tuner-pool.ts';
import type { NetworkStreams } from '../../iptv/network-streams.ts';
import { receiverHeader } from '../../iptv/web.ts';
import { type Tuned, tuneFirst } from '../../recordings/tuning.ts';
import type { ServiceReference } from '../../services/reference.ts';
import type { Services } from '../../services/services.ts';
import { challenge } from '../middleware/failures.ts';
import { discardRestOfBody } from '../middleware/lingering-close.ts';
import { integer, type ParameterValues, readParameters, text } from '../middleware/parameters.ts';
import { parseQueryLists, queryText } from '../middleware/query.ts';
import { securityHeaders } from '../middleware/security-headers.ts';
import { mayBeFromPage } from '../middleware/sites.ts';
import type { OpenStream, StreamClient } from '../parts/parts.ts';

export interface StreamServerParts {
  readonly pool: TunerPool;
  readonly network: NetworkStreams;
  readonly clock: Clock;
  readonly accessControl: AccessControl;
  readonly log: Logger;
  readonly services: Services;
}

export type StreamServerOptions = Pick<Configuration['stream'], 'clientBound' | 'maximumClients'> & {
  readonly bind: string;
  readonly port: number;
};

/** Timeouts in milliseconds. A live stream has no end, so only the time until the request has arrived is limited. */
export const streamLimits = { headersTimeout: 30_000, requestTimeout: 30_000 };

const weekSeconds = 7 * 86_400;

export const streamParameters = {
  duration: integer('seconds after which the stream ends; absent: never', {
    minimum: 1,
    maximum: weekSeconds,
    example: 3600,
  }),
  ticket: text('replaces a login; playlists contain it once there are accounts', { example: '72.1767290400.k3Vt' }),
};

/** A parsed request for a live stream. */
export interface StreamRequest extends ParameterValues<typeof streamParameters> {
  /** Without its first slash. */
  readonly path: string;
}

/** How a port names services in its paths. */
export interface StreamPort {
  /** The reference that a path stands for. @throws ReceiverError `service-not-found` */
  referenceOf(path: string): string | Promise<string>;
  /** Headers of a response to a failure. */
  errorHeaders(error: unknown): Readonly<Record<string, string>>;
}

/** Port 8001: a path is a reference, percent-encoded or plain, with or without its trailing colon. */
export const ownPort: StreamPort = { referenceOf: decode, errorHeaders: () => ({}) };

export class StreamServer {
  readonly #parts: StreamServerParts;
  readonly #options: StreamServerOptions;
  readonly server: Server;
  readonly #clients = new Set<LiveStream>();
  readonly #slots: ClientSlots;
  readonly #listeners = new Listeners<[]>();
  #dropped = 0;
  #port = 0;

  constructor(parts: StreamServerParts, options: StreamServerOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#slots = new ClientSlots(options.maximumClients);
    this.server = createServer({ ...streamLimits, keepAliveTimeout: 5_000 }, this.answer);
  }

  /** The port it listens on: the configured one, or for 0 the assigned one. */
  get port(): number {
    return this.#port;
  }

  get clients(): readonly StreamClient[] {
    return [...this.#clients];
  }

  /** Number of clients dropped because they were too slow, since the receiver started. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Calls `listener` whenever a client connects or disconnects. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** @throws Error of the system if the port is in use. */
  async start(): Promise<void> {
    this.server.listen(this.#options.port, this.#options.bind);
    await once(this.server, 'listening');
    this.#port = (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.close();
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  /** Answers a request. Also used for the HTTPS port. */
  readonly answer = (request: IncomingMessage, response: ServerResponse): void =>
    void this.#answer(request, response, ownPort);

  /** Returns what answers the requests of another port with streams. */
  readonly answerOf =
    (port: StreamPort) =>
    (request: IncomingMessage, response: ServerResponse): void =>
      void this.#answer(request, response, port);

  async #answer(request: IncomingMessage, response: ServerResponse, port: StreamPort): Promise<void> {
    discardRestOfBody(request, response);
    response.setHeader('Access-Control-Allow-Origin', '*');
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    let url: string | undefined;
    try {
      if (request.method !== 'GET' && request.method !== 'HEAD') throw fail('method-not-allowed', request.method ?? '');
      const { headers } = request;
      const parsed = parseStreamRequest(request.url ?? '/');
      await this.#parts.accessControl.admit(request, response, {
        ticket: parsed.ticket,
        isFromPage: mayBeFromPage({ headers, host: headers.host ?? '' }),
      });
      const named = this.#reference(await port.referenceOf(parsed.path));
      url = named.url;
      const reference = this.#sendable(named, request);
      url = reference.url;
      if (request.method === 'HEAD') {
        response.writeHead(200, { 'Content-Type': 'video/mp2t' }).end();
        return;
      }
      let isClosed = false;
      response.once('close', () => {
        isClosed = true;
      });
      const stream = await this.#open(reference, request);
      if (isClosed) return stream.leave();
      response.writeHead(200, { 'Content-Type': 'video/mp2t', 'Cache-Control': 'no-store', Connection: 'close' });
      response.flushHeaders();
      await stream.sendTo(response, parsed.duration);
    } catch (error) {
      for (const [name, value] of Object.entries(port.errorHeaders(error))) {
        if (!response.headersSent) response.setHeader(name, value);
      }
      this.#refuse(error, response, url);
    }
  }

  /**
   * Tunes to a service for a client of another port, which that port has already admitted.
   * @throws ReceiverError as the stream port answers
   */
  async open(text: string, request: IncomingMessage): Promise<OpenStream> {
    return this.#open(this.check(text, request), request);
  }

  /** Resolves the service that a client requests. @throws ReceiverError as `#sendable` */
  check(text: string, request: IncomingMessage): ServiceReference {
    return this.#sendable(this.#reference(text), request);
  }

  /**
   * The entry of the service lists to send to the client. HEAD does not tune, so it is answered by what the tuners are known
   * to receive.
   * @throws ReceiverError as `#listed`; for HEAD also `service-not-found`, `not-receivable`
   */
  #sendable(named: ServiceReference, request: IncomingMessage): ServiceReference {
    const reference = this.#listed(named, request);
    if (request.method !== 'HEAD') return reference;
    const { services, pool } = this.#parts;
    const members = services.playable(reference).filter(({ isStream, placed }) => isStream || placed !== undefined);
    if (members.length === 0) throw fail('service-not-found', reference.format());
    const isReceivable = members.some(({ isStream, placed }) => isStream || (placed && pool.canReceive(placed)));
    if (!isReceivable) throw fail('not-receivable', reference.format());
    return reference;
  }

  async #open(reference: ServiceReference, request: IncomingMessage): Promise<OpenStream> {
    const { clock, accessControl } = this.#parts;
    const leave = this.#slots.enter(accessControl.peers.clientOf(request));
    try {
      const address = plainAddress(request.socket.remoteAddress);
      const isForReceiver = request.headers[receiverHeader] !== undefined;
      const tune = () => this.#tune(reference, address, isForReceiver);
      const tuned = await tune();
      const { clientBound: maxQueueBytes } = this.#options;
      const client = new LiveStream({ reference, address, since: clock.now(), maxQueueBytes, tune }, tuned);
      return {
        sendTo: (output, duration) => this.#send(client, output, duration).finally(leave),
        leave() {
          client.leave();
          leave();
        },
      };
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #send(client: LiveStream, output: Writable, duration: number | undefined): Promise<void> {
    const { address, reference } = client;
    this.#clients.add(client);
    this.#listeners.call();
    try {
      const end = await client.run(output, duration);
      if (client.isSlow) this.#dropped++;
      if (end !== '') this.#parts.log.info({ client: address, service: nameOf(reference) }, `stream ended: ${end}`);
    } finally {
      this.#clients.delete(client);
      this.#listeners.call();
    }
  }

  /**
   * The entry of the service lists to send to the client.
   * @throws ReceiverError `service-not-found`; `not-allowed` if the client is this receiver; `unsupported` for a network
   *   stream that the client has to open itself
   */
  #listed(reference: ServiceReference, { headers }: IncomingMessage): ServiceReference {
    const { network, services } = this.#parts;
    const mark = headers[receiverHeader];
    if (mark === network.mark) throw fail('not-allowed', 'a stream that leads back to itself');
    // A broadcast service, or a group of alternatives.
    if (!reference.isStream) {
      if (reference.isAlternatives || services.find(reference)) return reference;
      throw fail('service-not-found', reference.format());
    }
    if (mark !== undefined) throw fail('unsupported', 'relaying for a receiver, which could lead in a circle,');
    if (!network.canReceive(reference)) throw fail('unsupported', `the kind of '${reference.name}'`);
    const listed = services.listedStream(reference);
    // Only listed streams: otherwise clients could use the receiver to reach any address of the local network.
    if (listed === undefined)
      throw fail('unsupported', `playing the stream '${reference.streamName}', which is in no bouquet,`);
    return listed;
  }

  /** Parses a reference. @throws ReceiverError `service-not-found` for any error, so that players get a 404 */
  #reference(text: string): ServiceReference {
    try {
      return this.#parts.services.resolve(text);
    } catch {
      throw fail('service-not-found', text);
    }
  }

  async #tune(reference: ServiceReference, address: string, isForReceiver: boolean): Promise<Tuned> {
    const tuned = await tuneFirst(this.#parts, reference, 'stream', address, { isForReceiver });
    if (tuned === undefined) throw fail('service-not-found', reference.format());
    return tuned;
  }

  /** Sends an error. `url`: address of a network stream, to which the client is redirected if we cannot receive it. */
  #refuse(error: unknown, response: ServerResponse, url: string | undefined): void {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    let known = error instanceof ReceiverError ? error : fail('internal');
    if (known.code === 'unsupported' && url !== undefined) {
      const location = webLocation(url);
      if (location !== undefined) {
        this.#parts.log.info(`left to the player: ${known.message}`);
        response.writeHead(302, { Location: location }).end();
        return;
      }
      known = fail('unsupported', 'leaving to the player what has no address of http or https');
    }
    if (known.http === 403 || known.http > 500) this.#parts.log.info(`stream refused: ${known.message}`);
    if (!(error instanceof ReceiverError)) this.#parts.log.error(error, 'stream failed');
    if (known.code === 'login-needed') response.setHeader('WWW-Authenticate', challenge);
    if (known.code === 'too-many-clients') response.setHeader('Retry-After', '30');
    if (known.retryAfter !== undefined) response.setHeader('Retry-After', known.retryAfter);
    if (known.code === 'method-not-allowed') response.setHeader('Allow', 'GET,HEAD');
    const body = JSON.stringify({ result: false, message: known.message, error: known.code });
    response.writeHead(known.http, { 'Content-Type': 'application/json; charset=utf-8' }).end(body);
  }
}

/** The address for a Location header (RFC 9110 §10.2.2), in ASCII; undefined unless it is one of http or https. */
function webLocation(url: string): string | undefined {
  const parsed = /^https?:\/\//i.test(url) ? urlOf(url) : undefined;
  // An address that is ASCII already stays exactly as in the list.
  return parsed && /^[\x21-\x7e]+$/.test(url) ? url : parsed?.href;
}

/** The service for the log, without the address of a network stream, which may contain a password. */
const nameOf = (reference: ServiceReference) => (reference.isStream ? reference.name : reference.toString());

interface LiveStreamParts extends Pick<StreamClient, 'reference' | 'address' | 'since'> {
  /** Maximum bytes waiting for the client. */
  readonly maxQueueBytes: number;
  /** Gets another tuner for the service. */
  readonly tune: () => Promise<Tuned>;
}

/** One stream to one client. */
class LiveStream implements StreamClient {
  readonly reference: ServiceReference;
  readonly address: string;
  readonly since: UnixSeconds;
  readonly #parts: LiveStreamParts;
  #tuned: Tuned;
  #stream: ServiceStream;

  /** Takes ownership of the lease. */
  constructor(parts: LiveStreamParts, tuned: Tuned) {
    this.reference = parts.reference;
    this.address = parts.address;
    this.since = parts.since;
    this.#parts = parts;
    this.#tuned = tuned;
    this.#stream = this.#open();
  }

  get tuner(): number | undefined {
    const { number } = this.#tuned.lease.pooled;
    return number === noNumber ? undefined : number;
  }

  /**
   * Sends until the client disconnects, the tuner stops, the queue overflows or `duration` seconds have passed. If the tuner
   * fails or is given to another user, the stream resumes with another tuner. Returns why the client was dropped, or an empty
   * text.
   */
  async run(output: Writable, duration: number | undefined): Promise<string> {
    const timeout = duration === undefined ? undefined : setTimeout(() => this.close(), duration * 1000);
    let end = '';
    try {
      do {
        await sendStream(this.#stream, output);
        end = this.#lost;
        this.#tuned.lease.release();
      } while (end !== '' && this.#stream.reason !== 'closed' && (await this.#tuneAgain(output)));
    } finally {
      clearTimeout(timeout);
      this.#tuned.lease.release();
    }
    // A graceful end would wait until a slow client has read the rest of the socket's buffer.
    if (this.isSlow) output.destroy();
    else output.end();
    return this.isSlow ? 'the client is too slow' : end;
  }

  get isSlow(): boolean {
    return this.#stream.reason === 'overflow';
  }

  close(): void {
    this.#stream.close();
  }

  /** Closes the stream without sending it; to be called instead of `run`. */
  leave(): void {
    this.close();
    this.#tuned.lease.release();
  }

  /** Why the tuner is lost; empty if it is not. The end of the stream may be reported before the loss of its tuner. */
  get #lost(): string {
    const { lost, pooled } = this.#tuned.lease;
    return lost ?? (pooled.frontEnd && this.#stream.reason === 'failed' ? `${pooled.name} has failed` : '');
  }

  #open(): ServiceStream {
    const { lease } = this.#tuned;
    return lease.tuner.openStream(lease.serviceId, { maxQueuedBytes: this.#parts.maxQueueBytes });
  }

  /** Resumes with another tuner. Returns false if there is none or the client has disconnected. */
  async #tuneAgain(output: Writable): Promise<boolean> {
    try {
      this.#tuned = await this.#parts.tune();
      this.#stream = this.#open();
      return !output.destroyed;
    } catch {
      return false;
    }
  }
}

/**
 * Parses a request target: `/PATH?duration=SECONDS`. Old clients write `?` between all parameters (formats reference §10.1).
 * @throws ReceiverError `parameter-invalid`
 */
export function parseStreamRequest(target: string): StreamRequest {
  const path = target.replace(/^\/+/, '');
  const mark = path.indexOf('?');
  const query = parseQueryLists(queryText(path).replaceAll('?', '&'));
  return { path: mark < 0 ? path : path.slice(0, mark), ...readParameters(streamParameters, { query }) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw fail('service-not-found', text);
  }
}
