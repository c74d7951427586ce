/**
 * Compresses text responses (documents, errors, playlists) of any size if the client accepts it, but never media or partial
 * files (Content-Range). @fastify/compress does the work on zlib's threads. Small responses, mostly those that clients poll,
 * are compressed synchronously, which is faster than starting a thread.
 *
 * The plugin hooks into routes, so it must be registered before them. Unknown paths need a route as well.
 */
import zlib from 'node:zlib';
import compress from '@fastify/compress';
import type { FastifyInstance, FastifyRequest, onSendHookHandler } from 'fastify';
import { varyBy } from './vary.ts';

/** Level 1 takes a third of the time of level 4 and yields a tenth more bytes, which suits slow set-top boxes. */
const level = process.arch === 'x64' || process.arch === 'arm64' ? 4 : 1;

/** Supported codings, in our order of preference. */
const codings = ['gzip', 'br'] as const;

/** Maximum characters of Accept-Encoding; a longer header is ignored. Browsers send 30. */
const maxAcceptEncodingLength = 1024;

const textual = /^(?!text\/event-stream)(text\/|application\/(.*[+-])?(json|xml|mpegurl|javascript)\b|image\/svg)/i;

export async function registerCompression(app: FastifyInstance): Promise<void> {
  app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    const accepted = headers['accept-encoding'];
    if (accepted !== undefined && accepted.length > maxAcceptEncodingLength) delete headers['accept-encoding'];
    else if (accepted?.includes('*')) headers['accept-encoding'] = withoutWildcard(accepted);
    done();
  });
  await app.register(compress, {
    // A client may prefer the uncompressed form.
    encodings: [...codings, 'identity'],
    customTypes: textual,
    // Compress everything that is not empty.
    threshold: 1,
    /** Bodies of up to this many bytes are compressed synchronously. */
    syncThreshold: 4096,
    zlibOptions: { level },
    brotliOptions: { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: level } },
    // The decompression of request bodies would answer 415, but a POST may carry any bytes.
    globalDecompression: false,
  });
  app.addHook('onRoute', (route) => {
    // The plugin has appended its hook last. It must run before Fastify's own hook of a HEAD route, which keeps only the
    // length of the body.
    const hooks = [route.onSend ?? []].flat();
    route.onSend = [...hooks.slice(-1), addVary, ...hooks.slice(0, -1)];
  });
}

/** Returns whether the client accepts a file that is stored as gzip, even if it prefers another coding. */
export function acceptsGzip({ headers }: FastifyRequest): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(headers['accept-encoding'] ?? ''));
}

/** The plugin sets Vary on compressed responses only, but a cache needs it on uncompressed ones too (RFC 9110 §12.5.5). */
const addVary: onSendHookHandler = (_request, reply, payload, done) => {
  if (textual.test(String(reply.getHeader('content-type') ?? ''))) varyBy(reply, 'Accept-Encoding');
  done(null, payload);
};

/**
 * Replaces `*` in Accept-Encoding, which stands for the codings not listed (RFC 9110 §12.5.3), by their names. The plugin
 * treats it as gzip, even next to `gzip;q=0`.
 */
function withoutWildcard(accepted: string): string {
  const unnamed = codings.filter((coding) => !new RegExp(`\\b${coding}\\b`, 'i').test(accepted));
  return accepted.replace(/\*([^,]*)/g, (_, weight: string) => unnamed.map((coding) => coding + weight).join(', '));
}
