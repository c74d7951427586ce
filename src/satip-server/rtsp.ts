/**
 * RTSP (RFC 2326) as a SAT>IP server needs it: requests out of the bytes of a connection, and replies.
 *
 * What comes is hostile. A request has at most 8 kB; frames of an interleaved client (its receiver reports) and bodies
 * are skipped without being kept.
 */

export interface RtspRequest {
  readonly method: string;
  readonly url: string;
  /** `1.0` */
  readonly version: string;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
}

export interface RtspReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of type text/parameters, unless the headers say otherwise. */
  readonly body?: string;
}

/** Ends the handling of a request with this reply. */
export class RtspError extends Error {
  readonly reply: RtspReply;

  constructor(status: number, body = '', headers: Readonly<Record<string, string>> = {}) {
    super(`${status} ${body}`);
    this.reply = { status, body, headers };
  }
}

/** Bytes of a request without its body. */
export const longestRequest = 8192;
/** Of a body, which nobody needs. */
const longestBody = 0xffff;
const frameMark = '$'.charCodeAt(0);
const frameHeader = 4;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** What a connection has sent: a request, or a frame. */
export type Received = RtspRequest | 'frame';

export class RequestReader {
  #bytes: Buffer = Buffer.alloc(0);
  /** Bytes of a frame or a body that are still to come. */
  #skip = 0;

  /**
   * @throws RtspError 400, 413 or 414, after which the connection makes no more sense: a browser may have been made to
   *   send requests inside another protocol
   */
  *take(chunk: Buffer): Generator<Received, void, undefined> {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    for (;;) {
      const skipped = Math.min(this.#skip, this.#bytes.length);
      this.#skip -= skipped;
      this.#bytes = this.#bytes.subarray(skipped);
      const next = this.#next();
      if (next === undefined) break;
      yield next;
    }
    // The chunk may be a small part of a large piece of memory.
    this.#bytes = Buffer.from(this.#bytes);
  }

  #next(): Received | undefined {
    let start = 0;
    while (this.#bytes[start] === lineFeed || this.#bytes[start] === carriageReturn) start++;
    this.#bytes = this.#bytes.subarray(start);
    if (this.#bytes[0] === frameMark) {
      if (this.#bytes.length < frameHeader) return undefined;
      this.#skip = frameHeader + this.#bytes.readUInt16BE(2);
      return 'frame';
    }
    const length = headLength(this.#bytes);
    if (length > longestRequest || (length === 0 && this.#bytes.length >= longestRequest)) throw new RtspError(414);
    if (length === 0) return undefined;
    const head = this.#bytes.toString('latin1', 0, length);
    const request = parseRequest(head);
    const body = Number(request.headers.get('content-length') ?? 0);
    if (!(body >= 0 && body <= longestBody)) throw new RtspError(413);
    this.#skip = head.length + body;
    return request;
  }
}

/** With the empty line that ends it; 0 if that is not there. */
function headLength(bytes: Buffer): number {
  const ends = ['\n\n', '\n\r\n'].map((end) => {
    const at = bytes.subarray(0, longestRequest).indexOf(end);
    return at < 0 ? Number.POSITIVE_INFINITY : at + end.length;
  });
  const length = Math.min(...ends);
  return Number.isFinite(length) ? length : 0;
}

/** @throws RtspError 400 */
function parseRequest(head: string): RtspRequest {
  const [start = '', ...lines] = head.trim().split(/\r?\n/);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  const [, method = '', url = '', version = ''] = /^([A-Z_]+) (\S+) RTSP\/(\d\.\d)\s*$/.exec(start) ?? [];
  const cseq = headers.get('cseq');
  if (method === '') throw new RtspError(400, 'Check-Syntax: request', cseq === undefined ? {} : { CSeq: cseq });
  return { method, url, version, headers };
}

const reasons: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  413: 'Request Entity Too Large',
  414: 'Request-URI Too Long',
  454: 'Session Not Found',
  457: 'Invalid Range',
  461: 'Unsupported Transport',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
  505: 'RTSP Version Not Supported',
  551: 'Option not supported',
};

/** `cseq`: that of the request, which every reply has. */
export function formatReply({ status, headers = {}, body = '' }: RtspReply, cseq: string | undefined): string {
  const lines = [`RTSP/1.0 ${status} ${reasons[status] ?? ''}`];
  if (cseq !== undefined) lines.push(`CSeq: ${cseq}`);
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== '') {
    if (headers['Content-Type'] === undefined) lines.push('Content-Type: text/parameters');
    lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

export interface RtspTarget {
  /** Of `/stream=N`. */
  readonly stream: number | undefined;
  /** Without `?`; undefined if there is none. */
  readonly query: string | undefined;
}

/** @throws RtspError 404 for a path that is none of this server */
export function targetOf(url: string): RtspTarget {
  const match = /^(?:rtsp:\/\/[^/?]*)?\/?(?:stream=(\d{1,5}))?\/?(?:\?(.*))?$/i.exec(url);
  if (match === null && url !== '*') throw new RtspError(404);
  const [, stream, query] = match ?? [];
  return { stream: stream === undefined ? undefined : Number(stream), query: query === '' ? undefined : query };
}

/** How a client wants its packets: UDP ports, or the first of two channels of its connection. */
export type Transport =
  | { readonly kind: 'udp'; readonly rtp: number; readonly rtcp: number }
  | { readonly kind: 'tcp'; readonly channel: number };

/** The first of the list that can be had. @throws RtspError 461 for none, multicast for example */
export function parseTransport(text: string): Transport {
  for (const one of text.split(',')) {
    const [protocol = '', ...words] = one.split(';').map((word) => word.trim().toLowerCase());
    const pair = (name: string) => {
      const [, first, second] = new RegExp(`^${name}=(\\d{1,5})(?:-(\\d{1,5}))?$`, 'm').exec(words.join('\n')) ?? [];
      return first === undefined ? undefined : ([Number(first), Number(second ?? Number(first) + 1)] as const);
    };
    if (words.includes('multicast')) continue;
    if (protocol === 'rtp/avp/tcp') {
      const [channel] = pair('interleaved') ?? [0];
      if (channel < 0xff) return { kind: 'tcp', channel };
    } else if (protocol === 'rtp/avp' || protocol === 'rtp/avp/udp') {
      const [rtp, rtcp] = pair('client_port') ?? [0, 0];
      if (rtp > 0 && rtp <= 0xffff && rtcp > 0 && rtcp <= 0xffff) return { kind: 'udp', rtp, rtcp };
    }
  }
  throw new RtspError(461);
}
