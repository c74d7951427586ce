/** Conditional requests (RFC 9110 §13.1.2): an answer the client still has is not sent again. */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { varyBy } from './vary.ts';

/**
 * Puts the tag on the reply and says whether the client has named it, so that a 304 is the answer.
 * The tag is weak: the same one stands for the plain and the compressed form. A 304 tells Vary as its 200 would (RFC 9110 §15.4.5).
 */
export function isFresh(request: FastifyRequest, reply: FastifyReply, opaque: string): boolean {
  const tag = `W/"${opaque}"`;
  reply.header('ETag', tag);
  varyBy(reply, 'Accept-Encoding');
  return matches(request.headers['if-none-match'], tag);
}

/** A tag of a short body: the same for what reads the same. */
export const tagOf = (body: object) => createHash('sha1').update(JSON.stringify(body)).digest('base64url');

/** Any of the listed tags, compared weakly. */
function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const opaque = (text: string) => text.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((one) => opaque(one) === opaque(tag));
}
