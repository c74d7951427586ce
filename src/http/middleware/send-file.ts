/**
 * Sends files of the disk with ranges, conditional requests and HEAD as in RFC 9110, using @fastify/send. A file that
 * is still being written is sent up to its present end. A request for several ranges gets the whole file.
 */
import { type FileHandle, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../base/errors.ts';
import { pathByHandle } from '../../base/files.ts';
import { once } from '../../base/once.ts';
import { contentDisposition } from './content-disposition.ts';

/** Loaded with the first file, because its table of media types would slow down every start. */
const sender = once(async () => (await import('@fastify/send')).default);

/** Bytes per read: players load a recording as fast as they can. */
const piece = 256 * 1024;

/** Characters of a Range header; a longer one counts as none (RFC 9110 §14.2). Players ask for one range. */
const longestRange = 1024;

export interface FileOptions {
  /** Cache-Control. */
  readonly caching: string;
  /** The subject of the error text if the file does not exist. */
  readonly what: string;
  /** File name for saving in a browser. Range requests come from players, which need none. */
  readonly saveAs?: string | undefined;
  /** The file, if it is held open; closed with the response. */
  readonly handle?: FileHandle | undefined;
}

/**
 * What @fastify/send gets wrong of a Range header (RFC 9110 §14.1.2): more than the whole file from its end is the whole
 * file, also of an empty one, and what is no range does not count.
 */
async function plainRange(range: string | undefined, path: string): Promise<string | undefined> {
  if (range === undefined || range.length > longestRange) return undefined;
  if (range.includes(',')) return range;
  const [whole, start = '', end = ''] = /^bytes=\s*(?:(\d+)\s*)?-\s*(?:(\d+)\s*)?$/i.exec(range) ?? [];
  if (whole === undefined || start + end === '') return undefined;
  if (start !== '') return range;
  const size = await stat(path).then(
    (status) => status.size,
    () => 0,
  );
  if (Number(end) < size) return range;
  return size > 0 ? 'bytes=0-' : undefined;
}

/**
 * Sends the file at an absolute path, which the caller has checked to be accessible. @throws ReceiverError `not-found`,
 * `precondition-failed`, `range-not-satisfiable`
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  { caching, what, saveAs, handle }: FileOptions,
): Promise<FastifyReply> {
  const { raw } = reply;
  // The event 'close' of such a response has passed.
  if (raw.closed || raw.destroyed || request.raw.socket.destroyed) {
    await handle?.close();
    return reply.send();
  }
  raw.once('close', () => void handle?.close());
  const source = handle === undefined ? path : pathByHandle(handle, path);
  const { type, statusCode, headers, stream: opened } = await lookedAt(request, source);
  const hasBody = request.method !== 'HEAD' && statusCode < 300;
  const stream = handle !== undefined && hasBody ? bytesOf(handle, headers) : opened;
  // The path would be opened again, and may be that of another file by then.
  if (stream !== opened) opened.destroy();
  if (statusCode === 416) {
    stream.destroy();
    reply.header('Content-Range', headers['Content-Range']);
    throw fail('range-not-satisfiable');
  }
  if (type !== 'file') {
    stream.destroy();
    throw statusCode === 412 ? fail('precondition-failed') : fail('not-found', what);
  }
  if (statusCode < 300) headers['Content-Type'] = await mediaType(path);
  reply.code(statusCode).headers(headers).header('Cache-Control', caching);
  if (saveAs !== undefined && request.headers.range === undefined) {
    reply.header('Content-Disposition', contentDisposition('attachment', saveAs));
  }
  return reply.send(stream);
}

/** The bytes that these headers announce. */
function bytesOf(handle: FileHandle, headers: Readonly<Record<string, unknown>>): Readable {
  const length = Number(headers['Content-Length']);
  if (!(length > 0)) return Readable.from([]);
  const start = Number(/^bytes (\d+)-/.exec(String(headers['Content-Range']))?.[1] ?? 0);
  return handle.createReadStream({ start, end: start + length - 1, highWaterMark: piece, autoClose: false });
}

/** What @fastify/send makes of a file that a request asks for. */
async function lookedAt(request: FastifyRequest, path: string) {
  const { send } = await sender();
  const given = request.raw.headers;
  given.range = await plainRange(given.range, path);
  // RFC 9110 §13.2.2; @fastify/send looks at both.
  if (given['if-match'] !== undefined) delete given['if-unmodified-since'];
  return send(request.raw, `/${encodeURIComponent(basename(path))}`, {
    root: dirname(path),
    cacheControl: false,
    contentType: false,
    dotfiles: 'allow',
    index: false,
    highWaterMark: piece,
  });
}

/** By the ending of its name. */
async function mediaType(path: string): Promise<string> {
  const { mime } = await sender();
  const type = mime.getType(path) ?? 'application/octet-stream';
  return /^(text\/|application\/(json|javascript)$)/.test(type) ? `${type}; charset=utf-8` : type;
}
