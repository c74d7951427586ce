/**
 * Cross-origin requests. Pages of any origin, or only of the configured ones, may read. So every response allows them,
 * including errors and unknown paths, and OPTIONS gets the same five headers everywhere. Pages of another site must not
 * change anything (sites.ts).
 */
import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { varyBy } from './vary.ts';

/** Stands for every origin. */
export const anyOrigin = '*';

/**
 * Answers OPTIONS, with and without an Origin, exactly as the interface promises, and adds the header to every other
 * response.
 */
export async function registerCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  // The plugin's `credentials` would put this header on every response, but it belongs to OPTIONS alone.
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

/** For responses sent before routing, which the plugin never sees. */
export function allowOrigins(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): void {
  if (origins.includes(anyOrigin)) {
    reply.header('Access-Control-Allow-Origin', anyOrigin);
    return;
  }
  varyBy(reply, 'Origin');
  const { origin } = request.headers;
  if (origin !== undefined && origins.includes(origin)) reply.header('Access-Control-Allow-Origin', origin);
}
