/** A real server with scripted answers, a simple `get` for it, and a clock that only pauses advance. */
import { once } from 'node:events';
import { createServer, get as httpGet, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type HlsOptions, readHls } from '../../src/iptv/hls.ts';
import { StreamError } from '../../src/iptv/stream-error.ts';
import type { Get } from '../../src/iptv/web.ts';

/** A body, a status without a body, or a function that answers. */
export type Answer = string | Buffer | number | ((response: ServerResponse, request: IncomingMessage) => void);

/** Lines of a media playlist of 6 s, without its end. */
export const media = (firstNumber: number, ...lines: readonly string[]) =>
  ['#EXTM3U', '#EXT-X-TARGETDURATION:6', `#EXT-X-MEDIA-SEQUENCE:${firstNumber}`, ...lines].join('\n');

/** Segments of 6 s at these addresses. */
export const segments = (...uris: readonly string[]) => uris.flatMap((uri) => ['#EXTINF:6,', uri]);

export class HlsServer {
  /** Requested paths, with their ranges. */
  readonly requests: string[] = [];
  readonly #scripts = new Map<string, Answer[]>();
  readonly #server = createServer((request, response) => this.#respond(request, response));

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  /** Sets the answers to successive requests; the last one is repeated. */
  script(path: string, ...answers: readonly Answer[]): void {
    this.#scripts.set(path, [...answers]);
  }

  /** Adds segments that contain their own name without the extension. */
  offer(...paths: readonly string[]): void {
    for (const path of paths) this.script(path, path.replace(/^.*\/|\.\w+$/g, ''));
  }

  /** Returns how often a path was requested. */
  count(path: string): number {
    return this.requests.filter((one) => one === path).length;
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const { url = '', headers } = request;
    this.requests.push(headers.range === undefined ? url : `${url} ${headers.range}`);
    const answers = this.#scripts.get(url) ?? [404];
    const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? 404;
    if (typeof answer === 'function') answer(response, request);
    else if (typeof answer === 'number') response.writeHead(answer).end();
    else respondWith(Buffer.from(answer), response, headers.range);
  }
}

function respondWith(body: Buffer, response: ServerResponse, range: string | undefined): void {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  if (from === undefined) response.end(body);
  else response.writeHead(206).end(body.subarray(Number(from), Number(to) + 1));
}

export const get: Get = async (url, { signal, range }) => {
  const headers = range && { Range: `bytes=${range.from}-${range.from + range.length - 1}` };
  const request = httpGet(url, { signal, agent: false, ...(headers && { headers }) });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const { statusCode: status = 0, headers: answered } = response;
  if (status === 302) {
    response.destroy();
    return await get(new URL(answered.location ?? '', url).href, { signal, ...(range && { range }) });
  }
  if (status !== 200 && status !== 206) {
    response.destroy();
    throw new StreamError(`the server answered ${status}`, { status });
  }
  return { url, body: response };
};

/** A clock that records pauses. */
export class FakeTime {
  /** Milliseconds. */
  readonly pauses: number[] = [];
  #now = 0;

  readonly now = (): number => this.#now;
  readonly pause = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    this.pauses.push(milliseconds);
    this.#now += milliseconds;
  };
}

export interface Reading extends Partial<HlsOptions> {
  /** Stops after this number of bytes. */
  readonly bytes?: number;
}

export async function textOf(stream: AsyncIterable<Buffer>, bytes = Number.POSITIVE_INFINITY): Promise<string> {
  let text = '';
  for await (const part of stream) {
    text += part.toString('latin1');
    if (text.length >= bytes) break;
  }
  return text;
}

/** Reads a stream of a server; fetches the first playlist as the caller of `readHls` does. */
export async function* stream(server: HlsServer, path: string, options: Partial<HlsOptions> = {}) {
  const signal = options.signal ?? new AbortController().signal;
  const source = server.url(path);
  const { url, body } = await get(source, { signal });
  const first = { source, url, text: Buffer.concat(await body.toArray()).toString() };
  yield* readHls(first, { get, signal, maxBandwidth: 0, ...new FakeTime(), ...options });
}
