/** How what an operation made goes out: in one piece when it is small, as a stream that lets others run when it is not. */
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { ByteSource, Piece } from './written-list.ts';

/** Characters that are put together before they are sent: about half a millisecond of work on a slow core. */
const pieceLength = 16384;
/** Up to here an answer is sent whole, with its length. */
const wholeLength = 4 * pieceLength;

/**
 * Sends a document that is made while it is sent, as fast as the client reads it. Whatever is at hand at once and small goes out
 * whole, with its length.
 */
export function sendPieces(reply: FastifyReply, pieces: Iterable<Piece>): FastifyReply {
  const document = new DocumentBytes(pieces);
  const start: Buffer[] = [];
  let length = 0;
  while (length < wholeLength) {
    const piece = document.now();
    if (piece === undefined) break;
    start.push(piece);
    length += piece.length;
  }
  const whole = start.length === 1 && start[0] !== undefined ? start[0] : Buffer.concat(start);
  return reply.send(document.ended ? whole : Readable.from(rest(whole, document), { objectMode: false }));
}

async function* rest(start: Buffer, document: DocumentBytes): AsyncGenerator<Buffer, void, undefined> {
  yield start;
  while (!document.ended) {
    const piece = await document.next();
    if (piece.length > 0) yield piece;
  }
}

/** The bytes of a document, text and lists that write themselves alike. */
class DocumentBytes {
  readonly #pieces: Iterator<Piece>;
  /** The list that is being written. */
  #list: ByteSource | undefined;
  /** Its next piece is made while the one before is on its way. */
  #ahead: Promise<Buffer> | undefined;
  #ended = false;

  constructor(pieces: Iterable<Piece>) {
    this.#pieces = pieces[Symbol.iterator]();
  }

  get ended(): boolean {
    return this.#ended && this.#list === undefined;
  }

  /** What can be made at once: text up to the next list, with the beginning of the list. Undefined when that list goes on. */
  now(): Buffer | undefined {
    if (this.ended || this.#list !== undefined) return undefined;
    const text = Buffer.from(this.#text());
    if (this.#list === undefined) return text;
    const list: ByteSource = this.#list;
    const first = list.take();
    if (list.ended) this.#list = undefined;
    return Buffer.concat([text, first]);
  }

  /** The next piece; empty only at the end. */
  async next(): Promise<Buffer> {
    const list = this.#list;
    if (list === undefined) {
      // Other requests and the tuners' messages come in between two pieces.
      await setImmediate();
      return this.now() ?? Buffer.alloc(0);
    }
    const piece = await (this.#ahead ?? list.next());
    this.#ahead = undefined;
    if (list.ended) {
      this.#list = undefined;
    } else {
      this.#ahead = list.next();
      // Nobody may be waiting for it any more when it fails: then the one who asks next hears of it.
      this.#ahead.catch(() => undefined);
    }
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
