/**
 * Compression of everything that is text, whatever its size, whenever the client accepts it: answers, errors, playlists. Media and
 * parts of files (Content-Range) never. The work is done on zlib's threads, except for answers so small that it is over before a
 * thread would have begun: those that clients poll for.
 *
 * It is a hook of the whole server rather than of its routes, because unknown paths are answered without a route.
 */
import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { FastifyInstance } from 'fastify';

/** Level 1 takes a third of the time of 4 for a tenth more bytes: right for the slow cores of set-top boxes. */
const level = process.arch === 'x64' || process.arch === 'arm64' ? 4 : 1;
const brotli = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: level } };

interface Coding {
  whole(body: Buffer): Promise<Buffer>;
  stream(): Transform;
}

/** Bytes up to which a body is compressed at once, with a window that just holds it. */
const smallBody = 4096;
const smallGzip = { level, windowBits: 12, memLevel: 5 };

const gzip = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.gzip);
const brotliCompress = promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);

/** What can be made, best first where the client has no preference. */
const codings: Readonly<Record<string, Coding>> = {
  gzip: {
    whole: async (body) => (body.length <= smallBody ? zlib.gzipSync(body, smallGzip) : gzip(body, { level })),
    stream: () => zlib.createGzip({ level }),
  },
  br: { whole: (body) => brotliCompress(body, brotli), stream: () => zlib.createBrotliCompress(brotli) },
};

const textual = /^(?!text\/event-stream)(text\/|application\/(.*[+-])?(json|xml|mpegurl|javascript)\b|image\/svg)/i;

export function registerCompression(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!textual.test(String(reply.getHeader('content-type') ?? ''))) return payload;
    reply.header('Vary', 'Accept-Encoding');
    if (reply.hasHeader('content-encoding') || reply.hasHeader('content-range')) return payload;
    const name = acceptedCoding(request.headers['accept-encoding']);
    const coding = name === undefined ? undefined : codings[name];
    if (coding === undefined) return payload;
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) {
      if (payload.length === 0) return payload;
      const body = await coding.whole(Buffer.isBuffer(payload) ? payload : Buffer.from(payload));
      reply.header('Content-Encoding', name).header('Content-Length', body.length);
      return body;
    }
    if (!(payload instanceof Readable)) return payload;
    reply.header('Content-Encoding', name).removeHeader('Content-Length');
    // Errors of either end reach the reply through the stream that is returned.
    return pipeline(payload, coding.stream(), () => {});
  });
}

/** The coding to use for this Accept-Encoding (RFC 9110 §12.5.3), undefined for none. Weights count, 0 refuses. */
export function acceptedCoding(header: string | string[] | undefined): string | undefined {
  const weights = new Map<string, number>();
  for (const item of String(header ?? '').split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    if (name === '') continue;
    const weight = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1);
    weights.set(name === 'x-gzip' ? 'gzip' : name, Number.isFinite(weight) ? weight : 0);
  }
  let best: string | undefined;
  let bestWeight = weights.get('identity') ?? 0;
  for (const name of Object.keys(codings)) {
    const weight = weights.get(name) ?? weights.get('*') ?? 0;
    if (weight > bestWeight || (weight === bestWeight && weight > 0 && best === undefined)) {
      best = name;
      bestWeight = weight;
    }
  }
  return best;
}
