/**
 * Cross-origin resource sharing (CORS). Pages of every origin, or of the configured origins only, may read. Therefore every
 * response has the header that allows it, including errors and unknown paths, and OPTIONS gets the same five headers
 * everywhere. Changes by pages of other sites are refused in sites.ts.
 */
import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { varyBy } from './vary.ts';

/** Stands for every origin. */
export const anyOrigin = '*';

/**
 * Answers OPTIONS, with or without an Origin, and adds Access-Control-Allow-Origin to every other response.
 */
export async function registerCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  // Set here because the plugin's option `credentials` would add this header to every response, not only to OPTIONS.
  app.addHook('onRequest', ({ method }, reply, done) => {
    if (method === 'OPTIONS') reply.header('Access-Control-Allow-Credentials', 'true');
    done();
  });
  await app.register(cors, {
    origin: origins.includes(anyOrigin) ? anyOrigin : [...origins],
    // A string, because the plugin would join a list with spaces.
    methods: 'GET,PUT,POST,DELETE,OPTIONS',
    allowedHeaders: 'Content-Type',
    maxAge: 86_400,
    optionsSuccessStatus: 200,
    strictPreflight: false,
  });
}

/** Adds Access-Control-Allow-Origin to a response that is sent before routing, which the plugin never sees. */
export function allowOrigins(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): void {
  if (origins.includes(anyOrigin)) {
    reply.header('Access-Control-Allow-Origin', anyOrigin);
    return;
  }
  varyBy(reply, 'Origin');
  const { origin } = request.headers;
  if (origin !== undefined && origins.includes(origin)) reply.header('Access-Control-Allow-Origin', origin);
}
