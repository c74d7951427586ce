/**
 * The stream port (8001): `GET /SREF` returns the live transport stream of that service.
 *
 * The bytes arrive from the tuner's native thread as Buffers of many packets and go to the socket unchanged. The native
 * queue of a client that reads too slowly fills up to its bound, and then the client is dropped. Other clients are not
 * affected.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { Clock, UnixSeconds } from '../../clock.ts';
import { sendStream } from '../../dvb/send-stream.ts';
import type { DvbTriplet } from '../../dvb/triplet.ts';
import type { ServiceStream } from '../../dvb/tuner.ts';
import type { TunerLease, TunerPool } from '../../dvb/tuner-pool.ts';
import { fail, ReceiverError } from '../../errors.ts';
import { Listeners } from '../../listeners.ts';
import type { ServiceReference } from '../../services/reference.ts';
import type { Services } from '../../services/services.ts';
import { type ParameterValues, readParameters, whole } from '../gate/parameters.ts';
import { parseQuery, queryText } from '../gate/query.ts';

/** One client of the stream port. */
export interface StreamClient {
  readonly reference: ServiceReference;
  readonly address: string;
  readonly since: UnixSeconds;
  /** Number of the tuner that feeds it. */
  readonly tuner: number;
  /** Bytes sent so far. */
  readonly sent: number;
}

export interface StreamServerParts {
  readonly pool: TunerPool;
  readonly clock: Clock;
  readonly log: Logger;
  readonly services: Services;
}

export interface StreamServerOptions {
  readonly bind: string;
  readonly port: number;
  /** Maximum bytes waiting for one client. */
  readonly clientBound: number;
  readonly maximumClients: number;
}

const week = 7 * 86_400;

export const streamParameters = {
  duration: whole('seconds after which the stream ends; absent: never', { minimum: 1, maximum: week }),
};

/** A parsed request for a live stream. */
export interface StreamRequest extends ParameterValues<typeof streamParameters> {
  readonly reference: string;
}

export class StreamServer {
  readonly #parts: StreamServerParts;
  readonly #options: StreamServerOptions;
  readonly #server: Server;
  readonly #clients = new Set<LiveStream>();
  readonly #listeners = new Listeners<[]>();
  #port = 0;

  constructor(parts: StreamServerParts, options: StreamServerOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#server = createServer((request, response) => void this.#answer(request, response));
    // A live stream has no end, so only the time until the request has arrived is limited.
    this.#server.requestTimeout = 30_000;
    this.#server.keepAliveTimeout = 5_000;
  }

  /** The port it listens on: the configured one, or for 0 the assigned one. */
  get port(): number {
    return this.#port;
  }

  get clients(): readonly StreamClient[] {
    return [...this.#clients];
  }

  /** Calls `listener` whenever a client connects or disconnects. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** @throws Error of the system if the port is in use. */
  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#options.port, this.#options.bind, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.close();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('Access-Control-Allow-Origin', '*');
    try {
      if (request.method !== 'GET' && request.method !== 'HEAD') throw fail('method-not-allowed', request.method ?? '');
      const wanted = parseStreamRequest(request.url ?? '/');
      const reference = this.#reference(wanted.reference);
      if (reference.url !== undefined) {
        response.writeHead(302, { Location: reference.url }).end();
        return;
      }
      if (!reference.isAlternatives && !this.#parts.services.find(reference)) {
        throw fail('service-not-found', reference.format());
      }
      if (request.method === 'HEAD') {
        response.writeHead(200, { 'Content-Type': 'video/mp2t' }).end();
        return;
      }
      await this.#send(reference, wanted, request, response);
    } catch (error) {
      this.#refuse(error, response);
    }
  }

  async #send(
    reference: ServiceReference,
    wanted: StreamRequest,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { clock } = this.#parts;
    if (this.#clients.size >= this.#options.maximumClients)
      throw fail('too-many-clients', this.#options.maximumClients);
    const address = request.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
    let gone = false;
    response.once('close', () => {
      gone = true;
    });
    const { lease, service } = await this.#tune(reference, address);
    if (gone) {
      lease.release();
      return;
    }
    const stream = lease.tuner.openStream(service.serviceId, { bound: this.#options.clientBound });
    const client = new LiveStream(reference, address, clock.now(), lease, stream, response);
    this.#clients.add(client);
    this.#listeners.call();
    try {
      await client.run(wanted.duration);
      if (stream.reason === 'overflow') {
        this.#parts.log.info({ client: address, service: reference.toString() }, 'stream client dropped: too slow');
      }
    } finally {
      this.#clients.delete(client);
      lease.release();
      this.#listeners.call();
    }
  }

  /** Any wrong address is a 404 for a player, whatever is wrong with it. */
  #reference(text: string): ServiceReference {
    try {
      return this.#parts.services.resolve(text);
    } catch {
      throw fail('service-not-found', text);
    }
  }

  /** Tunes to the service, or to the first member of a group of alternatives for which a tuner is available. */
  async #tune(reference: ServiceReference, address: string): Promise<{ lease: TunerLease; service: DvbTriplet }> {
    let failure: unknown = fail('service-not-found', reference.format());
    for (const { dvb: service } of this.#parts.services.playable(reference)) {
      if (!service) continue;
      try {
        return { lease: await this.#parts.pool.tune(service, 'stream', address), service };
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  #refuse(error: unknown, response: ServerResponse): void {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const known = error instanceof ReceiverError ? error : fail('internal');
    if (!(error instanceof ReceiverError)) this.#parts.log.error(error, 'stream failed');
    if (known.code === 'too-many-clients') response.setHeader('Retry-After', '30');
    if (known.code === 'method-not-allowed') response.setHeader('Allow', 'GET,HEAD');
    const body = JSON.stringify({ result: false, message: known.message, error: known.code });
    response.writeHead(known.http, { 'Content-Type': 'application/json; charset=utf-8' }).end(body);
  }
}

/** One stream to one client. */
class LiveStream implements StreamClient {
  readonly reference: ServiceReference;
  readonly address: string;
  readonly since: UnixSeconds;
  readonly tuner: number;
  sent = 0;
  readonly #stream: ServiceStream;
  readonly #response: ServerResponse;

  constructor(
    reference: ServiceReference,
    address: string,
    since: UnixSeconds,
    lease: TunerLease,
    stream: ServiceStream,
    response: ServerResponse,
  ) {
    this.reference = reference;
    this.address = address;
    this.since = since;
    this.tuner = lease.pooled.number;
    this.#stream = stream;
    this.#response = response;
  }

  /** Sends until the client disconnects, the tuner stops, the queue overflows or `duration` seconds have passed. */
  async run(duration: number | undefined): Promise<void> {
    const response = this.#response;
    response.writeHead(200, { 'Content-Type': 'video/mp2t', 'Cache-Control': 'no-store', Connection: 'close' });
    response.flushHeaders();
    const limit = duration === undefined ? undefined : setTimeout(() => this.close(), duration * 1000);
    try {
      await sendStream(this.#stream, response, (bytes) => {
        this.sent += bytes;
      });
    } finally {
      clearTimeout(limit);
    }
    // A graceful end would wait for a slow client to take the rest of the socket's buffer.
    if (this.#stream.reason === 'overflow') response.destroy();
    else response.end();
  }

  close(): void {
    this.#stream.close();
  }
}

/**
 * Parses a request target: `/SREF`, fully percent-encoded or not at all, with or without the trailing colon, and
 * `?duration=SECONDS`. Old clients write `?` between all parameters (formats reference §10.1).
 * @throws ReceiverError `service-not-found`, `parameter-invalid`
 */
export function parseStreamRequest(target: string): StreamRequest {
  const path = target.replace(/^\/+/, '');
  const mark = path.indexOf('?');
  const encoded = mark < 0 ? path : path.slice(0, mark);
  const query = parseQuery(queryText(path).replaceAll('?', '&'));
  return { reference: decode(encoded), ...readParameters(streamParameters, query) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw fail('service-not-found', text);
  }
}
