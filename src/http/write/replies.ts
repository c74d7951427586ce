/**
 * Sends documents. A small document that is written quickly is sent whole, with its length. Any other is sent as a stream,
 * which is written as fast as the client reads it.
 */
import { Readable } from 'node:stream';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { returnBuffer, takeBuffer, wholeResponse } from '../../epg/event-response.ts';
import { contentDisposition } from './content-disposition.ts';
import type { CachedResponse } from './response-cache.ts';
import { type Piece, Slot, type WrittenList } from './written-list.ts';

/** Characters of text that are collected into a piece: about half a millisecond of work on a slow core. */
const pieceChars = 16384;
/** Smaller documents are sent whole: streaming 75 kB costs 0.1 ms more on a desktop core. */
const maxWholeBytes = 256 * 1024;
/**
 * Maximum bytes of a stream that are written ahead of the client: workers write the next piece while one is in transit. Must
 * not exceed one piece of a list, because a list reuses a buffer after two further pieces.
 */
const maxBytesAhead = 256 * 1024;

/** A reply that has been sent, or soon will be. */
export type Sent = FastifyReply | Promise<FastifyReply>;

/**
 * Generates the bytes of a document in pieces; the generator's return value is the last piece. Between pieces it lets the
 * event loop run, for other requests and the messages of tuners. Adds each list that it starts to `lists`, so that the
 * caller can release its memory.
 */
async function* bytesOf(
  document: Iterable<Piece>,
  lists: WrittenList<unknown>[],
): AsyncGenerator<Buffer, Buffer, undefined> {
  let text = '';
  for (const piece of document) {
    if (piece instanceof Slot) throw new Error(`a document contains the slot '${piece.of}'`);
    if (typeof piece === 'string') {
      text += piece;
      if (text.length < pieceChars) continue;
      yield Buffer.from(text);
      text = '';
      await yieldToEventLoop();
      continue;
    }
    let hasItems = false;
    lists.push(piece.list);
    for await (const bytes of piece.list.bytes(piece.form)) {
      if (bytes.length === 0) continue;
      if (!hasItems) yield Buffer.from(text + piece.head);
      hasItems = true;
      yield bytes;
    }
    text = hasItems ? piece.tail : text + piece.empty;
  }
  return Buffer.from(text);
}

/** Sends a document: whole if it is small, otherwise in pieces while they are produced. */
export async function sendPieces(reply: FastifyReply, document: Iterable<Piece>): Promise<FastifyReply> {
  const buffer = takeBuffer();
  const lists: WrittenList<unknown>[] = [];
  const pieces = bytesOf(document, lists);
  const start = [buffer];
  let [done, fits, length]: [boolean | undefined, boolean, number] = [false, true, 0];
  while (!done && fits && length < maxWholeBytes) {
    const next = await pieces.next();
    const { value } = next;
    done = next.done;
    fits = length + value.length <= buffer.length;
    if (!fits) start.push(value);
    else length += value.copy(buffer, length);
  }
  const release = () => {
    returnBuffer(buffer);
    void endAll(lists);
  };
  if (reply.raw.destroyed) release();
  else reply.raw.once('close', release);
  start[0] = buffer.subarray(0, length);
  if (done && fits) return reply.send(start[0]);
  return reply.send(Readable.from(joined(start, pieces), { objectMode: false, highWaterMark: maxBytesAhead }));
}

async function endAll(lists: readonly WrittenList<unknown>[]): Promise<void> {
  await Promise.all(lists.map((list) => list.end()));
}

async function* joined(start: readonly Buffer[], rest: ReturnType<typeof bytesOf>): AsyncGenerator<Buffer> {
  yield* start;
  const last = yield* rest;
  if (last !== undefined) yield last;
}

/** Writes a whole document into memory. */
export async function documentBytes(document: Iterable<Piece>): Promise<Buffer> {
  const lists: WrittenList<unknown>[] = [];
  return wholeResponse({ bytes: () => joined([], bytesOf(document, lists)), end: () => endAll(lists) });
}

/** A body that is not a record: a playlist, a picture, a line of text. */
export interface Document {
  readonly contentType: string;
  /** A stream or an iterable is sent while it is produced, as fast as the client reads it. */
  readonly body: Buffer | string | Readable | Iterable<Piece>;
  /** Display name of the file, for `Content-Disposition: inline`. */
  readonly fileName?: string | undefined;
}

export function sendDocument(reply: FastifyReply, { contentType, fileName, body }: Document): Sent {
  if (fileName) reply.header('Content-Disposition', contentDisposition('inline', fileName));
  reply.type(contentType);
  return isComplete(body) || body instanceof Readable ? reply.send(body) : sendPieces(reply, body);
}

/** Reads a document into memory, to send it more than once. */
export async function completeDocument({ body, ...document }: Document): Promise<CachedResponse> {
  if (body instanceof Readable) return { ...document, body: Buffer.concat(await body.toArray()) };
  return { ...document, body: isComplete(body) ? Buffer.from(body) : await documentBytes(body) };
}

function isComplete(body: Document['body']): body is Buffer | string {
  return typeof body === 'string' || Buffer.isBuffer(body);
}
