/**
 * Cross-origin requests: any page may read, so every answer, errors and unknown paths too, allows every origin, and OPTIONS is
 * answered everywhere with the same five headers. What a page of another site may not do is change something: `fromOtherSite`
 * tells such requests apart, and operations that change state refuse them.
 */
import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const everyOrigin = '*';

/** Answers OPTIONS, with an Origin and without, letter for letter as the product promises, and marks every other answer. */
export async function registerCors(app: FastifyInstance): Promise<void> {
  // The plugin's `credentials` would put this header on every answer; it belongs to OPTIONS alone.
  app.addHook('onRequest', async ({ method }, reply) => {
    if (method === 'OPTIONS') reply.header('Access-Control-Allow-Credentials', 'true');
  });
  await app.register(cors, {
    origin: everyOrigin,
    // A string: the plugin would join a list with blanks.
    methods: 'GET,PUT,POST,DELETE,OPTIONS',
    allowedHeaders: 'Content-Type',
    maxAge: 86_400,
    optionsSuccessStatus: 200,
    strictPreflight: false,
  });
}

/** For answers that are given before routing, where no plugin has had its turn. */
export function allowOrigins(reply: FastifyReply): void {
  reply.header('Access-Control-Allow-Origin', everyOrigin);
}

/**
 * True for what a browser sends on behalf of a page of another site: it says so itself (Sec-Fetch-Site, with Origin as what
 * older ones have). Programs send neither.
 */
export function fromOtherSite({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'cross-site';
  const { origin, host } = headers;
  return origin !== undefined && origin !== 'null' && origin.replace(/^[a-z]+:\/\//, '') !== host;
}
