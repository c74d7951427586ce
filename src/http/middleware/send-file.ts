/**
 * Sends files from the disk with ranges, conditional requests and HEAD (RFC 9110), using @fastify/send. A file that is still
 * being written is sent up to its current end. A request for several ranges gets the whole file.
 */
import { type FileHandle, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../base/errors.ts';
import { pathByHandle } from '../../base/files.ts';
import { once } from '../../base/once.ts';
import { contentDisposition } from './content-disposition.ts';

/** Loaded when the first file is sent, because its table of media types would slow down every start. */
const sender = once(async () => (await import('@fastify/send')).default);

/** Bytes per read. It is large because players load a recording as fast as they can. */
const bytesPerRead = 256 * 1024;

/** Maximum characters of a Range header; a longer header is ignored (RFC 9110 §14.2). Players request one range. */
const maxRangeLength = 1024;

export interface FileOptions {
  /** The value of Cache-Control. */
  readonly caching: string;
  /** The subject of the error text if the file does not exist. */
  readonly what: string;
  /** File name for saving in a browser. Range requests come from players, which need none. */
  readonly saveAs?: string | undefined;
  /** The open file, if the caller holds it open. It is closed with the response. */
  readonly handle?: FileHandle | undefined;
}

/**
 * Corrects Range headers that @fastify/send treats wrongly (RFC 9110 §14.1.2). A suffix longer than the file stands for the
 * whole file, even if that is empty, and an invalid range is ignored. Returns undefined for no range.
 */
async function normalizedRange(range: string | undefined, path: string): Promise<string | undefined> {
  if (range === undefined || range.length > maxRangeLength) return undefined;
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
  // The response has already emitted 'close', so the file is closed here.
  if (raw.closed || raw.destroyed || request.raw.socket.destroyed) {
    await handle?.close();
    return reply.send();
  }
  raw.once('close', () => void handle?.close());
  const source = handle === undefined ? path : pathByHandle(handle, path);
  const { type, statusCode, headers, stream: opened } = await prepareFile(request, source);
  const hasBody = request.method !== 'HEAD' && statusCode < 300;
  const stream = handle !== undefined && hasBody ? bytesOf(handle, headers) : opened;
  // @fastify/send opens the path itself, but that may lead to another file by now: send from the handle instead.
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

/** Reads the part of the file that these headers announce. */
function bytesOf(handle: FileHandle, headers: Readonly<Record<string, unknown>>): Readable {
  const length = Number(headers['Content-Length']);
  if (!(length > 0)) return Readable.from([]);
  const start = Number(/^bytes (\d+)-/.exec(String(headers['Content-Range']))?.[1] ?? 0);
  return handle.createReadStream({ start, end: start + length - 1, highWaterMark: bytesPerRead, autoClose: false });
}

/** Has @fastify/send prepare the status, headers and stream of a response with this file. */
async function prepareFile(request: FastifyRequest, path: string) {
  const { send } = await sender();
  const { headers } = request.raw;
  headers.range = await normalizedRange(headers.range, path);
  // If-Match takes precedence (RFC 9110 §13.2.2), but @fastify/send evaluates both.
  if (headers['if-match'] !== undefined) delete headers['if-unmodified-since'];
  return send(request.raw, `/${encodeURIComponent(basename(path))}`, {
    root: dirname(path),
    cacheControl: false,
    contentType: false,
    dotfiles: 'allow',
    index: false,
    highWaterMark: bytesPerRead,
  });
}

/** The media type of a file, by the extension of its name. */
async function mediaType(path: string): Promise<string> {
  const { mime } = await sender();
  const type = mime.getType(path) ?? 'application/octet-stream';
  return /^(text\/|application\/(json|javascript)$)/.test(type) ? `${type}; charset=utf-8` : type;
}
