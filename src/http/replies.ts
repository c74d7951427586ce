/**
 * Sends what an operation produces: in one piece if it is small, otherwise as a stream that yields to other requests.
 */
import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { type ByteSource, type Piece, pieceMemory } from './written-list.ts';

/** Characters collected before they are sent: about half a millisecond of work on a slow core. */
const pieceLength = 16384;
/** Up to this much text, a response is sent whole, with its length, unless it contains a list that takes long. */
const wholeLength = 4 * pieceLength;
/** Pieces of one response that may be in production or in transit to the socket at once, besides its beginning. */
const piecesUnderWay = 3;
/**
 * Number of buffers kept for further responses under load, and at rest. More are allocated if more responses are in
 * progress.
 */
const keptMemory = 16;
const restingMemory = 2;
/** Milliseconds after which the surplus is released. */
const rest = 10_000;

/** A reply that has been sent, or soon will be. */
export type Sent = FastifyReply | Promise<FastifyReply>;

/**
 * Sends a document that is produced while it is sent, as fast as the client reads it. A document that is small and
 * quickly available is sent whole, with its length.
 */
export function sendPieces(reply: FastifyReply, pieces: Iterable<Piece>): Sent {
  const document = new DocumentBytes(pieces);
  const memory = takeMemory();
  const start = new Beginning(memory);
  while (start.textLength < wholeLength && document.now(start));
  return document.waits ? sendWithFirst(reply, document, start, memory) : sendFrom(reply, document, start, memory);
}

/** The same for a document that starts with a list which workers have to write: waits for their first piece. */
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
  // When the last byte has left, not when the client disconnects: the memory may still be read then.
  reply.raw.once('finish', () => giveBack(memory));
  return reply.send(start.bytes);
}

/** Bytes of a long response that go to a socket at a time: some tenths of a millisecond of copying. */
const bytesAtOnce = 512 * 1024;
/** Number of these per turn of the event loop, over all responses. */
const longSendsOfTurn = 2;

/**
 * Sends bytes that are ready. Megabytes are sent in turns, one client after the other. Otherwise all requests would
 * wait for what the sockets of many clients take at once.
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

/** Pending sends of long responses, in order of arrival. */
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

/** The same document as a stream, for an operation that returns it as its response. */
export function documentStream(pieces: Iterable<Piece>): Readable {
  return new DocumentStream(Buffer.alloc(0), takeMemory(), new DocumentBytes(pieces));
}

/** All bytes of such a document, produced in turns. */
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
    // Pieces are written one behind the other, so most documents are copied only once.
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
 * Reusable memory for pieces. Allocating a buffer per piece would amount to many megabytes a second. V8 reacts to that
 * by collecting the whole heap every few megabytes, which delays all responses.
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

/** Releases the surplus. Responses in progress at that moment may have to allocate again. */
function letGo(): void {
  resting = undefined;
  kept.length = Math.min(kept.length, restingMemory);
}

/** The first bytes of a response. */
class Beginning {
  #memory: Buffer;
  length = 0;
  /** Bytes of its text. */
  textLength = 0;

  constructor(memory: Buffer) {
    this.#memory = memory;
  }

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.length);
  }

  addText(text: string): void {
    // A UTF-16 code unit takes at most three bytes in UTF-8.
    this.#need(3 * text.length);
    const bytes = this.#memory.write(text, this.length);
    this.length += bytes;
    this.textLength += bytes;
  }

  /** The place for the next bytes. */
  get free(): Buffer {
    return this.#memory.subarray(this.length);
  }

  /** Adds bytes, which may already have been written into `free`. */
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
 * A document that is too long to be sent whole. Into one of our responses it writes itself, because only the writer
 * learns when the bytes have left and their memory is free for the next piece. Any other destination (a compressor)
 * reads it like any stream.
 */
class DocumentStream extends Readable {
  readonly #document: DocumentBytes;
  #start: Buffer | undefined;
  readonly #memory: Buffer;

  /** `start` may be part of `memory`. */
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
      // If it fails, nothing may be waiting for it any more.
      piece.catch(() => undefined);
      made.push({ place, piece });
    };
    let place = this.#memory;
    let piece = this.#start ?? Buffer.alloc(0);
    for (;;) {
      // Workers write the next pieces while the previous one is in transit, as far as memory is available.
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
    // Observers of this stream must see it end before the response does.
    this.push(null);
    this.resume();
    await once(this, 'end');
    response.end(piece, () => {
      giveBack(place);
      spare.giveBack();
    });
  }
}

/** The memory of one response: up to `pieces` buffers besides the first, taken on demand. */
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

  /** Waits for a buffer in transit. */
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

/** The bytes of a document, from text and from lists that write themselves. */
class DocumentBytes {
  readonly #pieces: Iterator<Piece>;
  /** The list being written. */
  #list: ByteSource | undefined;
  #waits = false;
  #ended = false;

  constructor(pieces: Iterable<Piece>) {
    this.#pieces = pieces[Symbol.iterator]();
  }

  /** True if there is no further piece to request; some may still be in production. */
  get ended(): boolean {
    return this.#ended && this.#list === undefined;
  }

  /** True if the current list had nothing available immediately. */
  get waits(): boolean {
    return this.#waits && this.#list !== undefined;
  }

  /** Number of pieces that may be requested before the first has arrived. */
  get parallel(): number {
    return this.#list?.parallel ?? 1;
  }

  /**
   * Adds what is available immediately: text up to the next list, and the beginning of that list. Returns false if the
   * document has ended or a list is in progress.
   */
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

  /**
   * The next piece, in `memory` if it fits. It may be empty. Lists start here on this thread, or are written by workers
   * entirely.
   */
  async next(memory?: Buffer, lists: 'at once' | 'on workers' = 'at once'): Promise<Buffer> {
    const list = this.#list;
    if (list === undefined) {
      // Other requests and the tuners' messages get their turn between two pieces.
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

  /** Text up to the piece length or the next list. */
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
