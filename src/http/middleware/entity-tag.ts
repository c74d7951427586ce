/**
 * Conditional requests (RFC 9110 §13.1.2): a response that the client has cached is not sent again. Unlike with
 * @fastify/etag, which hashes every response, only some routes have a tag.
 */
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { varyBy } from './vary.ts';

/**
 * Sets the ETag of the reply. Returns true if the client has sent the same tag; the caller then replies with 304. The tag
 * is weak, because the plain and the compressed form share it. A 304 has Vary like its 200 (RFC 9110 §15.4.5).
 */
export function setEntityTag(request: FastifyRequest, reply: FastifyReply, opaque: string): boolean {
  const tag = `W/"${opaque}"`;
  reply.header('ETag', tag);
  varyBy(reply, 'Accept-Encoding');
  return matches(request.headers['if-none-match'], tag);
}

/** Computes the tag of a short body. Equal bodies have equal tags. */
export const tagOf = (body: object) => createHash('sha1').update(JSON.stringify(body)).digest('base64url');

/** True if any of the listed tags matches in a weak comparison. */
function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const opaque = (text: string) => text.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((one) => opaque(one) === opaque(tag));
}
