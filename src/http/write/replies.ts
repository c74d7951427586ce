/**
 * Sends documents: in one piece, with their length, if they are small and quickly written, otherwise as a stream that
 * is written as fast as the client reads it.
 */
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { returnMemory, takeMemory, wholeAnswer } from '../../epg/event-list.ts';
import { type Piece, Slot, type WrittenList } from './written-list.ts';

/** Characters of text collected before they are sent: about half a millisecond of work on a slow core. */
const pieceLength = 16384;
/** A document of fewer bytes is sent whole. As a stream, one of 75 kB takes 0.1 ms of a desktop core more. */
const wholeLength = 256 * 1024;
/**
 * Bytes of a stream that are written ahead of the client: workers write the next piece while one is in transit. Not more
 * than a piece, because the memory of a list's pieces is used again.
 */
const ahead = 256 * 1024;

/** A reply that has been sent, or soon will be. */
export type Sent = FastifyReply | Promise<FastifyReply>;

/**
 * The bytes of a document, in pieces, the last of which is the generator's result. Other requests and the tuners'
 * messages get their turn between two of them. Adds to `lists` those whose memory is in use.
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
      if (text.length < pieceLength) continue;
      yield Buffer.from(text);
      text = '';
      await nextTurn();
      continue;
    }
    let begun = false;
    lists.push(piece.list);
    for await (const bytes of piece.list.bytes(piece.form)) {
      if (bytes.length === 0) continue;
      if (!begun) yield Buffer.from(text + piece.head);
      begun = true;
      yield bytes;
    }
    text = begun ? piece.tail : text + piece.empty;
  }
  return Buffer.from(text);
}

/** Sends a document that is produced while it is sent. */
export async function sendPieces(reply: FastifyReply, document: Iterable<Piece>): Promise<FastifyReply> {
  const memory = takeMemory();
  const lists: WrittenList<unknown>[] = [];
  const pieces = bytesOf(document, lists);
  const start = [memory];
  let [done, length]: [boolean | undefined, number] = [false, 0];
  while (!done && length < wholeLength && start.length === 1) {
    const { value, ...piece } = await pieces.next();
    done = piece.done;
    if (length + value.length > memory.length) start.push(value);
    else length += value.copy(memory, length);
  }
  const sent = () => {
    returnMemory(memory);
    void endAll(lists);
  };
  if (reply.raw.destroyed) sent();
  else reply.raw.once('close', sent);
  start[0] = memory.subarray(0, length);
  if (done && start.length === 1) return reply.send(start[0]);
  return reply.send(Readable.from(joined(start, pieces), { objectMode: false, highWaterMark: ahead }));
}

async function endAll(lists: readonly WrittenList<unknown>[]): Promise<void> {
  await Promise.all(lists.map((list) => list.end()));
}

async function* joined(start: readonly Buffer[], rest: ReturnType<typeof bytesOf>): AsyncGenerator<Buffer> {
  yield* start;
  const last = yield* rest;
  if (last !== undefined) yield last;
}

/** All bytes of such a document. */
export async function documentBytes(document: Iterable<Piece>): Promise<Buffer> {
  const lists: WrittenList<unknown>[] = [];
  return wholeAnswer({ bytes: () => joined([], bytesOf(document, lists)), end: () => endAll(lists) });
}
