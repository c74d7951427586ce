/** What a network stream asks of the web, and what may go wrong. */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { systemReason } from '../base/errors.ts';
import { urlOf } from '../base/url.ts';
import { CookieJar } from './cookies.ts';
import type { StreamGuard } from './guard.ts';
import { StreamError } from './stream-error.ts';

export interface WebRequest {
  /** Ends the request, and the body that is being read. */
  readonly signal: AbortSignal;
  /** Only these bytes. */
  readonly range?: { readonly from: number; readonly length: number };
}

export interface WebAnswer {
  /** After redirects: relative addresses in the body refer to it. */
  readonly url: string;
  readonly body: Readable;
}

/** GETs what has status 200 or 206. @throws StreamError */
export type Get = (url: string, request: WebRequest) => Promise<WebAnswer>;

/** Marks the requests of a receiver: who relays them for another could relay them in a circle. */
export const receiverHeader = 'x-receiverd';

const mostRedirects = 5;
/** Milliseconds until a server answers, and between two pieces of what it sends. */
const patience = 10_000;
/** Bytes. */
const mostSkipped = 64 * 1024 * 1024;
const mostBarren = 1024 * 1024;

export interface WebClientOptions {
  readonly guard: StreamGuard;
  /** Of every request; only these two go to another host than the first. */
  readonly headers: Readonly<Record<string, string>>;
}

const harmless = new Set(['user-agent', 'referer', receiverHeader]);

/** The requests of one stream. */
export class WebClient {
  readonly #options: WebClientOptions;
  readonly #agents = {
    'http:': new HttpAgent({ keepAlive: true, maxSockets: 4 }),
    'https:': new HttpsAgent({ keepAlive: true, maxSockets: 4 }),
  };
  readonly #cookies = new CookieJar();
  /** The first one's. */
  #host: string | undefined;

  constructor(options: WebClientOptions) {
    this.#options = options;
  }

  readonly get: Get = async (address, request) => {
    let url = parsed(address);
    for (let redirects = 0; redirects <= mostRedirects; redirects++) {
      const response = await this.#request(url, request);
      const { statusCode: status = 0, headers } = response;
      this.#cookies.take(url, headers['set-cookie'], headers.date);
      if (status === 200 || status === 206) {
        const isPacked = /^(?:x-)?gzip$/i.test(headers['content-encoding'] ?? '');
        const body = bodyOf(response, { range: status === 200 ? request.range : undefined, isPacked });
        return { url: url.href, body: Readable.from(body, { objectMode: false }) };
      }
      response.destroy();
      if (status < 300 || status > 399 || headers.location === undefined)
        throw new StreamError(statusMessage(status), { status });
      // Its letters are the bytes that were sent, in whatever encoding the server has its files.
      const location = headers.location.replace(
        /[\x80-\xff]/g,
        (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
      );
      url = parsed(location, url.href);
    }
    throw new StreamError('it is redirected too often');
  };

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #request(url: URL, { signal, range }: WebRequest): Promise<IncomingMessage> {
    const isSecure = url.protocol === 'https:';
    const port = Number(url.port || (isSecure ? 443 : 80));
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0) this.#options.guard.admit([host], port);
    const headers = this.#headers(url);
    if (range) headers.range = `bytes=${range.from}-${range.from + range.length - 1}`;
    const agent = this.#agents[isSecure ? 'https:' : 'http:'];
    const lookup = this.#options.guard.lookup(port);
    // Streaming servers write answers by hand: both lengths, line feeds alone, control characters. Players read them.
    const options = { headers, agent, signal, lookup, insecureHTTPParser: true };
    return new Promise((resolve, reject) => {
      const sent = (isSecure ? httpsRequest : httpRequest)(url, options);
      const limit = setTimeout(() => sent.destroy(new StreamError('the server does not answer')), patience);
      sent.on('response', (response) => {
        clearTimeout(limit);
        resolve(response);
      });
      sent.on('error', (error) => reject(streamError(error)));
      // Without a response too, after an answer that changes the protocol.
      sent.on('close', () => {
        clearTimeout(limit);
        reject(new StreamError('the server has closed the connection'));
      });
      sent.end();
    });
  }

  #headers(url: URL): Record<string, string> {
    this.#host ??= url.host;
    const all = Object.entries(this.#options.headers);
    const headers = Object.fromEntries(url.host === this.#host ? all : all.filter(([name]) => harmless.has(name)));
    const cookie = this.#cookies.header(url, headers.cookie);
    // Ranges are those of the stream itself.
    return { ...headers, 'accept-encoding': 'identity', ...(cookie && { cookie }) };
  }
}

function parsed(address: string, base?: string): URL {
  const url = urlOf(address, base);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new StreamError('it leads to what is no address of the web', { isFinal: true, code: 'not-allowed' });
}

interface BodyOptions {
  /** Only these bytes, of a server that knows no ranges. */
  readonly range: WebRequest['range'];
  readonly isPacked: boolean;
}

/** What was asked for. @throws StreamError */
async function* bodyOf(response: IncomingMessage, { range, isPacked }: BodyOptions): AsyncGenerator<Buffer> {
  try {
    const pieces = piecesOf(response);
    yield* partOf(isPacked ? unpacked(pieces) : pieces, range);
  } catch (error) {
    throw streamError(error);
  } finally {
    response.destroy();
  }
}

async function* piecesOf(response: IncomingMessage): AsyncGenerator<Buffer> {
  const pieces = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  for (;;) {
    const silence = new StreamError(`nothing has come for ${patience / 1000} seconds`);
    const limit = setTimeout(() => response.destroy(silence), patience);
    const { done, value } = await pieces.next().finally(() => clearTimeout(limit));
    if (done) return;
    yield value;
  }
}

async function* partOf(pieces: AsyncIterable<Buffer>, range: WebRequest['range']): AsyncGenerator<Buffer> {
  let [skipped, left] = [range?.from ?? 0, range?.length ?? Number.POSITIVE_INFINITY];
  if (skipped > mostSkipped) throw new StreamError('the server sends no parts of files', { isFinal: true });
  for await (const value of pieces) {
    const rest = value.subarray(Math.min(skipped, value.length));
    const piece = rest.subarray(0, left);
    skipped -= value.length - rest.length;
    left -= piece.length;
    if (piece.length > 0) yield piece;
    if (left <= 0) return;
  }
}

/** Of a server that packs although nothing encoded is asked for; some only say so. */
async function* unpacked(pieces: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const { done, value: first } = await pieces.next();
  if (done) return;
  /** Bytes since something came out: without end, they would keep a core busy. */
  let barren = 0;
  const all = (async function* () {
    yield first;
    for await (const piece of pieces) {
      barren += piece.length;
      if (barren > mostBarren) throw new StreamError('what the server has compressed is empty');
      yield piece;
    }
  })();
  // RFC 1952 §2.3.1.
  if (first[0] !== 0x1f) return yield* all;
  for await (const piece of pipeline(all, createGunzip(), () => undefined)) {
    barren = 0;
    yield piece;
  }
}

/** Of the status line of Shoutcast 1, `ICY 200 OK`: such a station has no transport streams. Undefined for others. */
function shoutcastError(answer: Buffer | undefined): StreamError | undefined {
  const [, digits] = /^ICY (\d{3})/.exec(answer?.toString('latin1', 0, 7) ?? '') ?? [];
  if (digits === undefined) return undefined;
  if (digits === '200')
    return new StreamError('the server speaks ICY, as Shoutcast does, and not HTTP', { isFinal: true });
  const status = Number(digits);
  return new StreamError(statusMessage(status), { status });
}

const statusMessage = (status: number) => `the server answers with status ${status}`;

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  ECONNRESET: 'the server has closed the connection',
  ERR_STREAM_PREMATURE_CLOSE: 'the server has closed the connection',
  Z_BUF_ERROR: 'the server has closed the connection',
  Z_DATA_ERROR: 'what the server has compressed is damaged',
};

function streamError(error: unknown): unknown {
  if (error instanceof StreamError || (error as Error).name === 'AbortError') return error;
  const { code = '', rawPacket } = error as NodeJS.ErrnoException & { readonly rawPacket?: Buffer };
  if (code.startsWith('HPE_')) return shoutcastError(rawPacket) ?? new StreamError('the server does not speak HTTP');
  return new StreamError(reasons[code] ?? systemReason(error));
}
