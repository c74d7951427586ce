/**
 * Cross-origin requests: any page may read, or those of the origins that the owner names, so every answer, errors and unknown paths
 * too, allows them, and OPTIONS is answered everywhere with the same five headers. What a page of another site may not do is change
 * something (sites.ts).
 */
import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { varyBy } from './vary.ts';

/** Among the origins: every one. */
export const anyOrigin = '*';

/** Answers OPTIONS, with an Origin and without, letter for letter as the product promises, and marks every other answer. */
export async function registerCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  // The plugin's `credentials` would put this header on every answer; it belongs to OPTIONS alone.
  app.addHook('onRequest', ({ method }, reply, done) => {
    if (method === 'OPTIONS') reply.header('Access-Control-Allow-Credentials', 'true');
    done();
  });
  await app.register(cors, {
    origin: origins.includes(anyOrigin) ? anyOrigin : [...origins],
    // A string: the plugin would join a list with blanks.
    methods: 'GET,PUT,POST,DELETE,OPTIONS',
    allowedHeaders: 'Content-Type',
    maxAge: 86_400,
    optionsSuccessStatus: 200,
    strictPreflight: false,
  });
}

/** For answers that are given before routing, where no plugin has had its turn. */
export function allowOrigins(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): void {
  if (origins.includes(anyOrigin)) {
    reply.header('Access-Control-Allow-Origin', anyOrigin);
    return;
  }
  varyBy(reply, 'Origin');
  const { origin } = request.headers;
  if (origin !== undefined && origins.includes(origin)) reply.header('Access-Control-Allow-Origin', origin);
}
