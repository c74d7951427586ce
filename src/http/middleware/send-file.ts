/**
 * Sends files from the disk with ranges, conditional requests and HEAD (RFC 9110), using @fastify/send. A file that is still
 * being written is sent up to its current end. A request for several ranges gets the whole file.
 */
import { type FileHandle, open } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { basename, dirname } from 'node:path';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../base/errors.ts';
import { pathByHandle, readFlags } from '../../base/files.ts';
import { once } from '../../base/once.ts';
import { contentDisposition } from '../write/content-disposition.ts';

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
async function normalizedRange(range: string | undefined, file: FileHandle): Promise<string | undefined> {
  if (range === undefined || range.length > maxRangeLength) return undefined;
  if (range.includes(',')) return range;
  const [whole, start = '', end = ''] = /^bytes=\s*(?:(\d+)\s*)?-\s*(?:(\d+)\s*)?$/i.exec(range) ?? [];
  if (whole === undefined || start + end === '') return undefined;
  if (start !== '') return range;
  const { size } = await file.stat();
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
  const file = handle ?? (await open(path, readFlags).catch(() => undefined));
  if (file === undefined) throw fail('not-found', what);
  let sending = false;
  try {
    const { type, statusCode, headers } = await prepareFile(request, file, path);
    if (statusCode === 416) {
      reply.header('Content-Range', headers['Content-Range']);
      throw fail('range-not-satisfiable');
    }
    if (type !== 'file') throw statusCode === 412 ? fail('precondition-failed') : fail('not-found', what);
    if (statusCode < 300) headers['Content-Type'] = await mediaType(path);
    reply.code(statusCode).headers(headers).header('Cache-Control', caching);
    if (saveAs !== undefined && request.headers.range === undefined) {
      reply.header('Content-Disposition', contentDisposition('attachment', saveAs));
    }
    // A response without a body needs no file. Of a client that has gone, 'close' has been emitted already.
    const gone = raw.closed || raw.destroyed || request.raw.socket.destroyed;
    if (gone || request.method === 'HEAD' || statusCode >= 300) return reply.send(Readable.from([]));
    raw.once('close', () => void file.close());
    sending = true;
    return reply.send(bytesOf(file, headers));
  } finally {
    if (!sending) await file.close();
  }
}

/** Reads the part of the file that these headers announce. */
function bytesOf(handle: FileHandle, headers: Readonly<Record<string, unknown>>): Readable {
  const length = Number(headers['Content-Length']);
  if (!(length > 0)) return Readable.from([]);
  const start = Number(/^bytes (\d+)-/.exec(String(headers['Content-Range']))?.[1] ?? 0);
  return handle.createReadStream({ start, end: start + length - 1, highWaterMark: bytesPerRead, autoClose: false });
}

/**
 * Has @fastify/send decide on the status and the headers of a response with this file. It opens the path itself for any
 * method but HEAD. By then the path may lead to another file, and the client may have gone: an error of that stream,
 * which nobody waits for any more, would end the process.
 */
async function prepareFile({ raw: { headers } }: FastifyRequest, file: FileHandle, path: string) {
  const { send } = await sender();
  const source = pathByHandle(file, path);
  const range = await normalizedRange(headers.range, file);
  // If-Match takes precedence (RFC 9110 §13.2.2), but @fastify/send evaluates both.
  const conditions = headers['if-match'] === undefined ? {} : { 'if-unmodified-since': undefined };
  const head = { method: 'HEAD', headers: { ...headers, range, ...conditions } } as IncomingMessage;
  return send(head, `/${encodeURIComponent(basename(source))}`, {
    root: dirname(source),
    cacheControl: false,
    contentType: false,
    dotfiles: 'allow',
    index: false,
  });
}

/** The media type of a file, by the extension of its name. */
async function mediaType(path: string): Promise<string> {
  const { mime } = await sender();
  const type = mime.getType(path) ?? 'application/octet-stream';
  return /^(text\/|application\/(json|javascript)$)/.test(type) ? `${type}; charset=utf-8` : type;
}
