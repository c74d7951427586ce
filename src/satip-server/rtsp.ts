/**
 * RTSP (RFC 2326) as far as a SAT>IP server needs it: parses the requests of a connection and formats replies.
 *
 * The input may be hostile. A request may have 8 kB; frames of an interleaved client (its receiver reports) and bodies
 * are skipped without being buffered.
 */

export interface RtspRequest {
  readonly method: string;
  readonly url: string;
  /** `1.0` */
  readonly version: string;
  /** Values by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
}

export interface RtspReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Content type text/parameters, unless the headers have another one. */
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
export const maxRequestBytes = 8192;
/** Bytes of a body, which is skipped. */
const maxBodyBytes = 0xffff;
const frameMark = '$'.charCodeAt(0);
const frameHeaderBytes = 4;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** A request, or a frame of an interleaved client. */
export type Received = RtspRequest | 'frame';

export class RequestReader {
  #bytes: Buffer = Buffer.alloc(0);
  /** Bytes of a frame or a body that are still to be skipped. */
  #bytesToSkip = 0;

  /**
   * Reads a chunk and yields what is complete.
   * @throws RtspError 400, 413 or 414; close the connection then: a browser may have been made to send requests inside
   *   another protocol
   */
  *read(chunk: Buffer): Generator<Received, void, undefined> {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    for (;;) {
      const skipped = Math.min(this.#bytesToSkip, this.#bytes.length);
      this.#bytesToSkip -= skipped;
      this.#bytes = this.#bytes.subarray(skipped);
      const next = this.#next();
      if (next === undefined) break;
      yield next;
    }
    // Copied, since the chunk may be a small part of a large buffer.
    this.#bytes = Buffer.from(this.#bytes);
  }

  #next(): Received | undefined {
    let start = 0;
    while (this.#bytes[start] === lineFeed || this.#bytes[start] === carriageReturn) start++;
    this.#bytes = this.#bytes.subarray(start);
    if (this.#bytes[0] === frameMark) {
      if (this.#bytes.length < frameHeaderBytes) return undefined;
      this.#bytesToSkip = frameHeaderBytes + this.#bytes.readUInt16BE(2);
      return 'frame';
    }
    const length = headLength(this.#bytes);
    if (length > maxRequestBytes || (length === 0 && this.#bytes.length >= maxRequestBytes)) throw new RtspError(414);
    if (length === 0) return undefined;
    const head = this.#bytes.toString('latin1', 0, length);
    const request = parseRequest(head);
    const body = Number(request.headers.get('content-length') ?? 0);
    if (!(body >= 0 && body <= maxBodyBytes)) throw new RtspError(413);
    this.#bytesToSkip = head.length + body;
    return request;
  }
}

/** Length of the head with the empty line that ends it; 0 if it is incomplete. */
function headLength(bytes: Buffer): number {
  const ends = ['\n\n', '\n\r\n'].map((end) => {
    const at = bytes.subarray(0, maxRequestBytes).indexOf(end);
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

/** Formats a reply. `cseq`: the CSeq of the request. */
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
  /** N of `/stream=N`. */
  readonly stream: number | undefined;
  /** Without `?`; undefined if there is none. */
  readonly query: string | undefined;
}

/** Parses the URL of a request. @throws RtspError 404 for a path that this server does not have */
export function targetOf(url: string): RtspTarget {
  const match = /^(?:rtsp:\/\/[^/?]*)?\/?(?:stream=(\d{1,5}))?\/?(?:\?(.*))?$/i.exec(url);
  if (match === null && url !== '*') throw new RtspError(404);
  const [, stream, query] = match ?? [];
  return { stream: stream === undefined ? undefined : Number(stream), query: query === '' ? undefined : query };
}

/** Where a client wants its packets: UDP ports, or the first of two channels of its connection. */
export type Transport =
  | { readonly kind: 'udp'; readonly rtp: number; readonly rtcp: number }
  | { readonly kind: 'tcp'; readonly channel: number };

/** Returns the first supported transport of the list. @throws RtspError 461 if there is none (multicast only, say) */
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
