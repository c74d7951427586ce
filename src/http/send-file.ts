/**
 * Files of the disk as answers: ranges, conditional requests and HEAD as RFC 9110 has them, by @fastify/send. One that is still being
 * written is sent up to its present end; of several ranges the whole.
 */
import { basename, dirname } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../errors.ts';
import { once } from '../once.ts';
import { contentDisposition } from './content-disposition.ts';

/** Loaded with the first file: its table of media types would cost every start. */
const sender = once(async () => (await import('@fastify/send')).default.send);

/** Bytes read at once: players take a recording as fast as they can. */
const piece = 256 * 1024;

export interface FileOptions {
  /** Cache-Control. */
  readonly caching: string;
  /** What is not found when the file is not there. */
  readonly what: string;
  /** Name under which a browser saves it; a request for a range is a player's, and needs none. */
  readonly saveAs?: string | undefined;
}

/** Sends the file of this absolute path, of which the caller knows that it may be read. @throws ReceiverError `not-found`, `range-not-satisfiable` */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  { caching, what, saveAs }: FileOptions,
): Promise<FastifyReply> {
  const send = await sender();
  const { type, statusCode, headers, stream } = await send(request.raw, `/${encodeURIComponent(basename(path))}`, {
    root: dirname(path),
    cacheControl: false,
    dotfiles: 'allow',
    index: false,
    highWaterMark: piece,
  });
  if (statusCode === 416) {
    stream.destroy();
    reply.header('Content-Range', headers['Content-Range']);
    throw fail('range-not-satisfiable');
  }
  if (type !== 'file') {
    stream.destroy();
    throw fail('not-found', what);
  }
  if (statusCode < 300) reply.type('application/octet-stream');
  reply.code(statusCode).headers(headers).header('Cache-Control', caching);
  if (saveAs !== undefined && request.headers.range === undefined) {
    reply.header('Content-Disposition', contentDisposition('attachment', saveAs));
  }
  return reply.send(stream);
}
