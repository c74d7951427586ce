/** How what an operation made goes out: in one piece when it is small, as a stream that lets others run when it is not. */
import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { type ByteSource, type Piece, pieceMemory } from './written-list.ts';

/** Characters that are put together before they are sent: about half a millisecond of work on a slow core. */
const pieceLength = 16384;
/** Up to so much text an answer is sent whole, with its length, unless there is a list in it that takes longer than a moment. */
const wholeLength = 4 * pieceLength;
/** Pieces of one answer that may be made or on their way to the socket at once, beside its beginning. */
const piecesUnderWay = 3;
/** Memory that is kept for the next answers while many are asked for, and afterwards; more is taken when more are under way at once. */
const keptMemory = 16;
const restingMemory = 2;
/** Milliseconds after which more than that is let go. */
const rest = 10_000;

/** A reply that has been given its answer, or is soon. */
export type Sent = FastifyReply | Promise<FastifyReply>;

/**
 * Sends a document that is made while it is sent, as fast as the client reads it. Whatever is at hand soon and small goes out whole,
 * with its length.
 */
export function sendPieces(reply: FastifyReply, pieces: Iterable<Piece>): Sent {
  const document = new DocumentBytes(pieces);
  const memory = takeMemory();
  const start = new Beginning(memory);
  while (start.textLength < wholeLength && document.now(start));
  return document.waits ? sendWithFirst(reply, document, start, memory) : sendFrom(reply, document, start, memory);
}

/** The same of a document with a list of which nothing can be had at once: with the first that workers make of it. */
async function sendWithFirst(
  reply: FastifyReply,
  document: DocumentBytes,
  start: Beginning,
  memory: Buffer,
): Promise<FastifyReply> {
  start.add(await document.next(start.free));
  while (start.textLength < wholeLength && document.now(start));
  return sendFrom(reply, document, start, memory);
}

function sendFrom(reply: FastifyReply, document: DocumentBytes, start: Beginning, memory: Buffer): FastifyReply {
  if (!document.ended) return reply.send(new DocumentStream(start.bytes, memory, document));
  // When the last byte has left, and not when the client is gone: somebody may still be reading the memory then.
  reply.raw.once('finish', () => giveBack(memory));
  return reply.send(start.bytes);
}

/** Bytes of a long answer that go to a socket at a time: some tenths of a millisecond of copying. */
const bytesAtOnce = 512 * 1024;
/** So many of these in one turn of the event loop, of all answers together. */
const longSendsOfTurn = 2;

/**
 * Sends bytes that are ready. Megabytes go out in turns, one client after the other: what the sockets of many clients take at once,
 * everybody else would have to wait for.
 */
export function sendBytes(reply: FastifyReply, bytes: Buffer): FastifyReply {
  if (bytes.length <= pieceMemory) return reply.send(bytes);
  return reply.header('Content-Length', bytes.length).send(new BytesInTurns(bytes));
}

class BytesInTurns extends Readable {
  readonly #bytes: Buffer;
  #sent = 0;

  constructor(bytes: Buffer) {
    super({ highWaterMark: 1 });
    this.#bytes = bytes;
  }

  override _read(): void {
    const from = this.#sent;
    this.#sent += bytesAtOnce;
    if (from >= this.#bytes.length) this.push(null);
    else inTurn(() => this.push(this.#bytes.subarray(from, this.#sent)));
  }
}

/** Who has a long answer to send, in the order in which they came. */
const senders: (() => void)[] = [];
let isSending = false;

function inTurn(send: () => void): void {
  senders.push(send);
  if (!isSending) setImmediate(sendSome);
  isSending = true;
}

function sendSome(): void {
  for (const send of senders.splice(0, longSendsOfTurn)) send();
  isSending = senders.length > 0;
  if (isSending) setImmediate(sendSome);
}

/** The same as a stream, for an operation whose answer is such a document. */
export function documentStream(pieces: Iterable<Piece>): Readable {
  return new DocumentStream(Buffer.alloc(0), takeMemory(), new DocumentBytes(pieces));
}

/** All bytes of such a document, made in turns. */
export async function documentBytes(pieces: Iterable<Piece>): Promise<Buffer> {
  const document = new DocumentBytes(pieces);
  const memory = takeMemory();
  const made: Buffer[] = [];
  let length = 0;
  const copy = () => {
    made.push(Buffer.from(memory.subarray(0, length)));
    length = 0;
  };
  while (!document.ended) {
    // One behind the other, so that most documents are copied once.
    if (length > pieceMemory / 2) copy();
    const bytes = await document.next(memory.subarray(length), 'on workers');
    if (bytes.buffer === memory.buffer) length += bytes.length;
    else {
      copy();
      made.push(bytes);
    }
  }
  copy();
  giveBack(memory);
  return made.length === 1 ? (made[0] as Buffer) : Buffer.concat(made);
}

/**
 * Memory for pieces, used again and again. Buffers that are made for every piece and thrown away are many megabytes a second, of
 * which V8 sees only that they are many: it collects the whole heap every few of them, and all answers wait for it.
 */
const kept: Buffer[] = [];

function takeMemory(): Buffer {
  return kept.pop() ?? Buffer.allocUnsafeSlow(pieceMemory);
}

function giveBack(memory: Buffer): void {
  if (kept.length >= keptMemory) return;
  kept.push(memory);
  if (kept.length > restingMemory && resting === undefined) resting = setTimeout(letGo, rest).unref();
}

let resting: NodeJS.Timeout | undefined;

/** Who asks at this moment takes new memory, once in a while. */
function letGo(): void {
  resting = undefined;
  kept.length = Math.min(kept.length, restingMemory);
}

/** The first bytes of an answer, put together. */
class Beginning {
  #memory: Buffer;
  length = 0;
  /** Of its text, in bytes. */
  textLength = 0;

  constructor(memory: Buffer) {
    this.#memory = memory;
  }

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.length);
  }

  addText(text: string): void {
    // UTF-8 has three bytes for a unit of UTF-16 at most.
    this.#need(3 * text.length);
    const bytes = this.#memory.write(text, this.length);
    this.length += bytes;
    this.textLength += bytes;
  }

  /** Where the next bytes go. */
  get free(): Buffer {
    return this.#memory.subarray(this.length);
  }

  /** Bytes that may have been written into `free`. */
  add(piece: Buffer): void {
    if (piece.buffer !== this.#memory.buffer) {
      this.#need(piece.length);
      piece.copy(this.#memory, this.length);
    }
    this.length += piece.length;
  }

  #need(bytes: number): void {
    if (this.#memory.length - this.length >= bytes) return;
    this.#memory = Buffer.concat([this.bytes], this.length + bytes + pieceMemory);
  }
}

/**
 * A document that is too long to be sent whole. Into a response of ours it writes itself, because only who writes is told when the
 * bytes have left and their memory is free for the next piece. Anything else (a compressor) reads it like any stream.
 */
class DocumentStream extends Readable {
  readonly #document: DocumentBytes;
  #start: Buffer | undefined;
  readonly #memory: Buffer;

  /** `start` may lie in `memory`. */
  constructor(start: Buffer, memory: Buffer, document: DocumentBytes) {
    super();
    this.#start = start;
    this.#memory = memory;
    this.#document = document;
  }

  override _read(): void {
    const start = this.#start;
    this.#start = undefined;
    const piece = start === undefined ? this.#document.next() : Promise.resolve(start);
    piece.then(
      (bytes) => {
        if (bytes.length > 0) this.push(bytes);
        else if (this.#document.ended) this.push(null);
        else this._read();
      },
      (error: Error) => this.destroy(error),
    );
  }

  override pipe<T extends NodeJS.WritableStream>(destination: T, options?: { end?: boolean }): T {
    if (!(destination instanceof ServerResponse) || options?.end === false) return super.pipe(destination, options);
    this.#writeTo(destination).catch((error: Error) => this.destroy(error));
    return destination;
  }

  async #writeTo(response: ServerResponse): Promise<void> {
    const document = this.#document;
    const spare = new Spare(piecesUnderWay);
    const made: { readonly place: Buffer; readonly piece: Promise<Buffer> }[] = [];
    const make = (place: Buffer) => {
      const piece = document.next(place);
      // Nobody may be waiting for it any more when it fails.
      piece.catch(() => undefined);
      made.push({ place, piece });
    };
    let place = this.#memory;
    let piece = this.#start ?? Buffer.alloc(0);
    for (;;) {
      // Made on workers while the one before is on its way, as far as there is memory for it already.
      while (!document.ended && made.length < document.parallel) {
        const memory = spare.now();
        if (memory === undefined) break;
        make(memory);
      }
      if (made.length === 0 && document.ended) break;
      const sent = place;
      response.write(piece, () => spare.add(sent));
      if (made.length === 0) make(await spare.next());
      const next = made.shift();
      if (next === undefined || this.destroyed) return;
      place = next.place;
      piece = await next.piece;
      if (this.destroyed) return;
    }
    // Whoever watches this stream has to see it end before the response does.
    this.push(null);
    this.resume();
    await once(this, 'end');
    response.end(piece, () => {
      giveBack(place);
      spare.giveBack();
    });
  }
}

/** Memory of one answer: so many pieces beside the first, taken when they are needed. */
class Spare {
  readonly #free: Buffer[] = [];
  #untaken: number;
  #wake: (() => void) | undefined;

  constructor(pieces: number) {
    this.#untaken = pieces;
  }

  add(memory: Buffer): void {
    this.#free.push(memory);
    this.#wake?.();
  }

  now(): Buffer | undefined {
    const memory = this.#free.pop();
    if (memory !== undefined || this.#untaken === 0) return memory;
    this.#untaken--;
    return takeMemory();
  }

  /** Waits for what is on its way. */
  async next(): Promise<Buffer> {
    for (;;) {
      const memory = this.now();
      if (memory !== undefined) return memory;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  giveBack(): void {
    for (const memory of this.#free) giveBack(memory);
  }
}

/** The bytes of a document, text and lists that write themselves alike. */
class DocumentBytes {
  readonly #pieces: Iterator<Piece>;
  /** The list that is being written. */
  #list: ByteSource | undefined;
  #waits = false;
  #ended = false;

  constructor(pieces: Iterable<Piece>) {
    this.#pieces = pieces[Symbol.iterator]();
  }

  /** True when there is no further piece, though some may still be made. */
  get ended(): boolean {
    return this.#ended && this.#list === undefined;
  }

  /** Nothing could be had at once of the list that has begun. */
  get waits(): boolean {
    return this.#waits && this.#list !== undefined;
  }

  /** How many pieces may be asked for before the first has come. */
  get parallel(): number {
    return this.#list?.parallel ?? 1;
  }

  /** Adds what can be made at once: text up to the next list, with the beginning of the list. False when that list goes on. */
  now(start: Beginning): boolean {
    if (this.ended || this.#list !== undefined) return false;
    start.addText(this.#text());
    return this.#list === undefined || this.#begin(start);
  }

  #begin(start: Beginning): boolean {
    if (this.#list === undefined) return true;
    const list: ByteSource = this.#list;
    const piece = list.take(start.free);
    start.add(piece);
    this.#waits = piece.length === 0;
    if (list.ended) this.#list = undefined;
    return true;
  }

  /** The next piece, if it fits into `memory` there. It may be empty. Lists begin here and now, or are made on workers as a whole. */
  async next(memory?: Buffer, lists: 'at once' | 'on workers' = 'at once'): Promise<Buffer> {
    const list = this.#list;
    if (list === undefined) {
      // Other requests and the tuners' messages come in between two pieces.
      await nextTurn();
      const start = new Beginning(memory ?? Buffer.allocUnsafeSlow(pieceMemory));
      start.addText(this.#text());
      if (lists === 'at once') this.#begin(start);
      return start.bytes;
    }
    const piece = list.next(memory);
    if (list.parallel === undefined) await piece;
    if (list.ended) this.#list = undefined;
    return piece;
  }

  /** Text, until it is long enough or a list comes. */
  #text(): string {
    let text = '';
    while (text.length < pieceLength) {
      const { done, value } = this.#pieces.next();
      if (done) {
        this.#ended = true;
        break;
      }
      if (typeof value !== 'string') {
        this.#list = value.list.open(value.form, value.frame);
        break;
      }
      text += value;
    }
    return text;
  }
}
