/** Files of the disk as answers: ranges, conditional requests and HEAD as RFC 9110 has them, by @fastify/send. */
import { basename, dirname } from 'node:path';
import send from '@fastify/send';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../errors.ts';
import { sendError } from './failures.ts';

/** Sends the file of this absolute path, cacheable as `caching` says, or 404 and `what` when it is not there. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  { caching, what }: { readonly caching: string; readonly what: string },
): Promise<FastifyReply> {
  const { type, statusCode, headers, stream } = await send(request.raw, `/${encodeURIComponent(basename(path))}`, {
    root: dirname(path),
    cacheControl: false,
    dotfiles: 'allow',
    index: false,
  });
  if (statusCode === 416) {
    stream.destroy();
    return reply.code(statusCode).header('Content-Range', headers['Content-Range']).send();
  }
  if (type !== 'file') {
    stream.destroy();
    return sendError(request, reply, fail('not-found', what));
  }
  return reply.code(statusCode).headers(headers).header('Cache-Control', caching).send(stream);
}
