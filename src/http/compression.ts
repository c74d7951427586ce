/**
 * Compression of everything that is text, whatever its size, whenever the client accepts it: answers, errors, playlists. Media and
 * parts of files (Content-Range) never. @fastify/compress does it, on zlib's threads, except for answers so small that it is over
 * before a thread would have begun: those that clients poll for.
 *
 * The plugin works on routes, so it must be registered before them, and unknown paths need a route as well.
 */
import zlib from 'node:zlib';
import compress from '@fastify/compress';
import type { FastifyInstance, onSendHookHandler } from 'fastify';
import { varyBy } from './vary.ts';

/** Level 1 takes a third of the time of 4 for a tenth more bytes: right for the slow cores of set-top boxes. */
const level = process.arch === 'x64' || process.arch === 'arm64' ? 4 : 1;

/** What is made, best first where the client has no preference. */
const codings = ['gzip', 'br'] as const;

const textual = /^(?!text\/event-stream)(text\/|application\/(.*[+-])?(json|xml|mpegurl|javascript)\b|image\/svg)/i;

export async function registerCompression(app: FastifyInstance): Promise<void> {
  app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    const accepted = headers['accept-encoding'];
    if (accepted?.includes('*')) headers['accept-encoding'] = withoutWildcard(accepted);
    done();
  });
  await app.register(compress, {
    // `identity` is no coding to make, but a client may prefer it.
    encodings: [...codings, 'identity'],
    customTypes: textual,
    // Whatever has a byte.
    threshold: 1,
    /** Bytes up to which a body is compressed at once. */
    syncThreshold: 4096,
    zlibOptions: { level },
    brotliOptions: { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: level } },
    // Of bodies of requests: it would answer 415, and a POST may carry any bytes.
    globalDecompression: false,
  });
  app.addHook('onRoute', (route) => {
    // The plugin has put its hook last. Fastify's own of a HEAD route, which leaves only the length of the body, comes after it.
    const hooks = [route.onSend ?? []].flat();
    route.onSend = [...hooks.slice(-1), tellVary, ...hooks.slice(0, -1)];
  });
}

/** The plugin tells it only of what it compresses, but a cache must know it of the plain form too (RFC 9110 §12.5.5). */
const tellVary: onSendHookHandler = (_request, reply, payload, done) => {
  if (textual.test(String(reply.getHeader('content-type') ?? ''))) varyBy(reply, 'Accept-Encoding');
  done(null, payload);
};

/**
 * Accept-Encoding with names in place of `*`, which stands for the codings that are not named (RFC 9110 §12.5.3). The plugin takes
 * it for gzip, even beside `gzip;q=0`.
 */
export function withoutWildcard(accepted: string): string {
  const unnamed = codings.filter((coding) => !new RegExp(`\\b${coding}\\b`, 'i').test(accepted));
  return accepted.replace(/\*([^,]*)/g, (_, weight: string) => unnamed.map((coding) => coding + weight).join(', '));
}
