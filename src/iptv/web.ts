/** The HTTP client of network streams: redirects, cookies, ranges, and errors of sloppy or hostile servers. */
import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
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
  /** Aborts the request and the reading of the body. */
  readonly signal: AbortSignal;
  /** Requests only these bytes. */
  readonly range?: { readonly from: number; readonly length: number };
  /** Milliseconds for the server to answer, and between two pieces of the body. Default: 10 s. */
  readonly timeoutMs?: number | undefined;
  /** Further header fields, such as If-None-Match. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The body of a POST request, and its header fields. */
export interface WebContent {
  readonly type: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface WebAnswer {
  /** The address after redirects: relative addresses in the body refer to it. */
  readonly url: string;
  readonly headers?: IncomingHttpHeaders;
  readonly body: Readable;
}

/** Sends a GET request, and accepts status 200 or 206. @throws StreamError */
export type Get = (url: string, request: WebRequest) => Promise<WebAnswer>;

/** Marks the requests of a receiver, so that receivers that relay streams do not do so in a circle. */
export const receiverHeader = 'x-receiverd';

const maxRedirects = 5;
const defaultTimeoutMs = 10_000;
/** Bytes to skip for a range that the server ignores; compressed bytes without any output. */
const maxSkippedBytes = 64 * 1024 * 1024;
const maxBarrenBytes = 1024 * 1024;

export interface WebClientOptions {
  readonly guard: StreamGuard;
  /** Header fields of every request. Hosts other than the first get only `crossHostHeaders`. */
  readonly headers: Readonly<Record<string, string>>;
}

const crossHostHeaders = new Set(['user-agent', 'referer', receiverHeader]);

/** The requests of one stream. */
export class WebClient {
  readonly #options: WebClientOptions;
  readonly #agents = {
    'http:': new HttpAgent({ keepAlive: true, maxSockets: 4 }),
    'https:': new HttpsAgent({ keepAlive: true, maxSockets: 4 }),
  };
  readonly #cookies = new CookieJar();
  /** Host of the first request. */
  #host: string | undefined;

  constructor(options: WebClientOptions) {
    this.#options = options;
  }

  readonly get: Get = async (address, request) => {
    let url = parsed(address);
    let status = 0;
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      const response = await this.#request(url, request);
      const { headers } = response;
      status = response.statusCode ?? 0;
      this.#cookies.store(url, headers['set-cookie'], headers.date);
      if (status === 200 || status === 206) {
        const isCompressed = /^(?:x-)?gzip$/i.test(headers['content-encoding'] ?? '');
        const body = bodyOf(response, {
          ...{ range: status === 200 ? request.range : undefined, isCompressed },
          timeoutMs: request.timeoutMs ?? defaultTimeoutMs,
        });
        return { url: url.href, headers, body: Readable.from(body, { objectMode: false }) };
      }
      response.destroy();
      if (status < 300 || status > 399 || headers.location === undefined)
        throw new StreamError(statusMessage(status, headers['x-hdhomerun-error']), { status });
      // Each character is a byte as sent, in an encoding that only the server knows.
      const location = headers.location.replace(
        /[\x80-\xff]/g,
        (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
      );
      url = parsed(location, url.href);
    }
    throw new StreamError('it is redirected too often', { status });
  };

  /**
   * Sends a POST request, and accepts any status from 200 to 299. Redirects are refused: the content is for this server.
   * @throws StreamError
   */
  async post(address: string, content: WebContent, signal: AbortSignal): Promise<void> {
    const response = await this.#request(parsed(address), { signal }, content);
    response.destroy();
    const { statusCode: status = 0 } = response;
    if (status >= 300 && status <= 399)
      throw new StreamError(`the server redirects to another address (status ${status})`, { status });
    if (status < 200 || status > 299) throw new StreamError(statusMessage(status), { status });
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #request(url: URL, request: WebRequest, content?: WebContent): Promise<IncomingMessage> {
    const { signal, range, headers: further, timeoutMs = defaultTimeoutMs } = request;
    const isSecure = url.protocol === 'https:';
    const port = Number(url.port || (isSecure ? 443 : 80));
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0) this.#options.guard.admit([host], port);
    const headers = { ...this.#headers(url), ...further };
    if (range) headers.range = `bytes=${range.from}-${range.from + range.length - 1}`;
    if (content) {
      Object.assign(headers, content.headers, { 'content-type': content.type });
      headers['content-length'] = String(Buffer.byteLength(content.body));
    }
    const agent = this.#agents[isSecure ? 'https:' : 'http:'];
    const lookup = this.#options.guard.lookup(port);
    // Streaming servers send invalid headers (two lengths, lone line feeds, control characters) that players accept.
    const method = content ? 'POST' : 'GET';
    const options = { method, headers, agent, signal, lookup, insecureHTTPParser: true };
    return new Promise((resolve, reject) => {
      const sent = (isSecure ? httpsRequest : httpRequest)(url, options);
      const timer = setTimeout(() => sent.destroy(new StreamError('the server does not answer')), timeoutMs);
      sent.on('response', (response) => {
        clearTimeout(timer);
        resolve(response);
      });
      sent.on('error', (error) => reject(streamError(error)));
      // Also emitted without a response, after an answer that upgrades the protocol.
      sent.on('close', () => {
        clearTimeout(timer);
        reject(new StreamError('the server has closed the connection'));
      });
      sent.end(content?.body);
    });
  }

  #headers(url: URL): Record<string, string> {
    this.#host ??= url.host;
    const all = Object.entries(this.#options.headers);
    const headers = Object.fromEntries(
      url.host === this.#host ? all : all.filter(([name]) => crossHostHeaders.has(name)),
    );
    const cookie = this.#cookies.header(url, headers.cookie);
    // `identity`, since ranges refer to the uncompressed stream.
    return { ...headers, 'accept-encoding': 'identity', ...(cookie && { cookie }) };
  }
}

function parsed(address: string, base?: string): URL {
  const url = urlOf(address, base);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new StreamError('it leads to an address without http or https', { isFinal: true, code: 'not-allowed' });
}

interface BodyOptions {
  /** The bytes to extract if the server has ignored the range. */
  readonly range: WebRequest['range'];
  readonly isCompressed: boolean;
  /** Milliseconds between two pieces. */
  readonly timeoutMs: number;
}

/** Yields the requested bytes. @throws StreamError */
async function* bodyOf(
  response: IncomingMessage,
  { range, isCompressed, timeoutMs }: BodyOptions,
): AsyncGenerator<Buffer> {
  try {
    const pieces = piecesOf(response, timeoutMs);
    yield* partOf(isCompressed ? decompressed(pieces) : pieces, range);
  } catch (error) {
    throw streamError(error);
  } finally {
    response.destroy();
  }
}

async function* piecesOf(response: IncomingMessage, timeoutMs: number): AsyncGenerator<Buffer> {
  const pieces = response[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  for (;;) {
    const silence = new StreamError(`no data for ${timeoutMs / 1000} seconds`);
    const timer = setTimeout(() => response.destroy(silence), timeoutMs);
    const { done, value } = await pieces.next().finally(() => clearTimeout(timer));
    if (done) return;
    yield value;
  }
}

async function* partOf(pieces: AsyncIterable<Buffer>, range: WebRequest['range']): AsyncGenerator<Buffer> {
  let [skipped, left] = [range?.from ?? 0, range?.length ?? Number.POSITIVE_INFINITY];
  if (skipped > maxSkippedBytes) throw new StreamError('the server does not support ranges', { isFinal: true });
  for await (const value of pieces) {
    const rest = value.subarray(Math.min(skipped, value.length));
    const piece = rest.subarray(0, left);
    skipped -= value.length - rest.length;
    left -= piece.length;
    if (piece.length > 0) yield piece;
    if (left <= 0) return;
  }
}

/** Decompresses the body of a server that compresses unasked. Some only claim to. */
async function* decompressed(pieces: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const { done, value: first } = await pieces.next();
  if (done) return;
  /** Compressed bytes since the last output. An endless number of them would keep a core busy. */
  let barrenBytes = 0;
  const all = (async function* () {
    yield first;
    for await (const piece of pieces) {
      barrenBytes += piece.length;
      if (barrenBytes > maxBarrenBytes) throw new StreamError('the compressed response contains no data');
      yield piece;
    }
  })();
  // RFC 1952 §2.3.1.
  if (first[0] !== 0x1f) return yield* all;
  for await (const piece of pipeline(all, createGunzip(), () => undefined)) {
    barrenBytes = 0;
    yield piece;
  }
}

/** Error for the status line of Shoutcast 1, `ICY 200 OK`: it has no transport streams. Undefined for other answers. */
function shoutcastError(answer: Buffer | undefined): StreamError | undefined {
  const [, digits] = /^ICY (\d{3})/.exec(answer?.toString('latin1', 0, 7) ?? '') ?? [];
  if (digits === undefined) return undefined;
  if (digits === '200')
    return new StreamError('the server speaks ICY, as Shoutcast does, and not HTTP', { isFinal: true });
  const status = Number(digits);
  return new StreamError(statusMessage(status), { status });
}

/** `reason`: the one that HDHomeRun devices give, such as `805 All Tuners In Use`. */
function statusMessage(status: number, reason?: string | readonly string[]): string {
  const text = typeof reason === 'string' && /^[ -~]{1,60}$/.test(reason) ? ` (${reason})` : '';
  return `the server answers with status ${status}${text}`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  ECONNRESET: 'the server has closed the connection',
  ERR_STREAM_PREMATURE_CLOSE: 'the server has closed the connection',
  Z_BUF_ERROR: 'the server has closed the connection',
  Z_DATA_ERROR: 'the compressed response is damaged',
  HPE_HEADER_OVERFLOW: 'the header of the response is too large',
};

function streamError(error: unknown): unknown {
  if (error instanceof StreamError || (error as Error).name === 'AbortError') return error;
  const { code = '', rawPacket } = error as NodeJS.ErrnoException & { readonly rawPacket?: Buffer };
  const shoutcast = code.startsWith('HPE_') ? shoutcastError(rawPacket) : undefined;
  if (shoutcast !== undefined) return shoutcast;
  const other = code.startsWith('HPE_') ? 'the response is not valid HTTP' : systemReason(error);
  return new StreamError(reasons[code] ?? other);
}
