/**
 * Cross-origin requests: any page may read, so every answer, errors and unknown paths too, allows every origin, and OPTIONS is
 * answered everywhere with the same five headers. What a page of another site may not do is change something: `fromOtherSite`
 * tells such requests apart, and operations that change state refuse them.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Letter for letter what the product promises; every OPTIONS request gets all five. */
const preflightHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Credentials': 'true',
  'Access-Control-Allow-Headers': 'Content-Type',
  'Access-Control-Allow-Methods': 'GET,PUT,POST,DELETE,OPTIONS',
  'Access-Control-Max-Age': '86400',
} as const;

export function allowOrigins(reply: FastifyReply): void {
  reply.header('Access-Control-Allow-Origin', preflightHeaders['Access-Control-Allow-Origin']);
}

export function answerPreflight(reply: FastifyReply): FastifyReply {
  return reply.headers(preflightHeaders).code(200).send('');
}

export function registerCors(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.method === 'OPTIONS') return answerPreflight(reply);
    allowOrigins(reply);
  });
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
