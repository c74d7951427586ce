/** Responses that are produced while they are sent. */
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonDocument } from '../../../src/http/write/json.ts';
import { sendPieces } from '../../../src/http/write/replies.ts';
import { type Piece, WrittenList } from '../../../src/http/write/written-list.ts';

const pieceSize = 64 * 1024;

/** A list at the end of a document. */
const place = {
  form: { format: 'json', item: () => [], separator: '' },
  head: '',
  tail: '',
  empty: 'none',
} as const;

/** A list of one short and `pieces` - 1 long pieces, all of one letter. It counts the requested pieces. */
class Letters extends WrittenList<string> {
  asked = 0;
  readonly #pieces: number;
  readonly #failsAt: number;

  constructor(pieces: number, failsAt = Number.POSITIVE_INFINITY) {
    super();
    this.#pieces = pieces;
    this.#failsAt = failsAt;
  }

  async *bytes(): AsyncGenerator<Buffer> {
    while (this.asked < this.#pieces) {
      if (this.asked > 0) await setImmediate();
      if (this.asked >= this.#failsAt) throw new Error('no more');
      yield Buffer.alloc(this.asked++ === 0 ? 10 : pieceSize, 'x');
    }
  }

  piece(): Piece {
    return { list: this, ...place };
  }
}

/** A list of numbered lines, which come asynchronously. */
class Lines extends WrittenList<string> {
  readonly #first: number;
  readonly #end: number;
  readonly #fails: boolean;

  constructor(first: number, count: number, { fails = false } = {}) {
    super();
    this.#fails = fails;
    this.#first = first;
    this.#end = first + count;
  }

  async *bytes(): AsyncGenerator<Buffer> {
    for (let next = this.#first; next < this.#end; ) {
      await setImmediate();
      if (this.#fails) throw new Error('no more');
      let text = '';
      while (text.length < pieceSize && next < this.#end) text += `${next++}\n`;
      yield Buffer.from(text);
    }
  }

  piece(): Piece {
    return { list: this, ...place };
  }

  get text(): string {
    return Array.from({ length: this.#end - this.#first }, (_, n) => `${this.#first + n}\n`).join('');
  }
}

describe('a response with a WrittenList', () => {
  const app = Fastify();
  let pieces: () => Iterable<Piece> = () => [];
  let port = 0;

  app.get('/', (_, reply) => sendPieces(reply.type('text/plain'), pieces()));
  beforeAll(async () => {
    await app.listen({ port: 0, host: '127.0.0.1' });
    ({ port } = app.server.address() as AddressInfo);
  });
  afterAll(() => app.close());

  const get = async () => fetch(`http://127.0.0.1:${port}/`);

  it('is sent whole, with its length, if it is small', async () => {
    pieces = () => ['before ', new Letters(1).piece(), ' after'];
    const reply = await get();
    expect(reply.headers.get('content-length')).toBe('23');
    expect(await reply.text()).toBe(`before ${'x'.repeat(10)} after`);
  });

  it('is sent whole if it is a record of several long texts', async () => {
    const record = { shortdesc: 's'.repeat(32_000), longdesc: 'l'.repeat(32_000), next: 'n'.repeat(3000) };
    const flat = { a: 'x'.repeat(65_523) };
    for (const value of [{ ...record, events: { none: null } }, flat]) {
      pieces = () => jsonDocument(value);
      const reply = await get();
      const text = `${JSON.stringify(value, null, 1)}\n`;
      expect(reply.headers.get('content-length')).toBe(String(text.length));
      expect(await reply.text()).toBe(text);
    }
  });

  it('is sent whole even if workers write its list', async () => {
    const lines = new Lines(0, 1000);
    pieces = () => ['before ', lines.piece(), ' after'];
    const reply = await get();
    const text = `before ${lines.text} after`;
    expect(reply.headers.get('content-length')).toBe(String(text.length));
    expect(await reply.text()).toBe(text);
    const many = new Lines(0, 100_000);
    pieces = () => ['before ', many.piece(), ' between ', new Lines(7, 3).piece(), ' after'];
    expect(await (await get()).text()).toBe(`before ${many.text} between 7\n8\n9\n after`);
    // Nothing has been sent yet, so the client gets an error.
    pieces = () => ['before ', new Lines(0, 9, { fails: true }).piece()];
    expect((await get()).status).toBe(500);
  });

  it('is sent in pieces if it is large, with the text around the list', async () => {
    const list = new Letters(30);
    pieces = () => ['before ', list.piece(), ' between ', new Letters(1).piece(), ' after'];
    const text = await (await get()).text();
    expect(text).toHaveLength('before  between  after'.length + 20 + 29 * pieceSize);
    expect(text).toMatch(/^before x+ between x{10} after$/);
  });

  it('waits for a client that does not read, and stops when it disconnects', async () => {
    const list = new Letters(Number.POSITIVE_INFINITY);
    pieces = () => [list.piece()];
    const accepted = once(app.server, 'connection') as Promise<[Socket]>;
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'readable');
    // Wait until no further piece is requested: the buffers of both sockets are full.
    for (let before = -1, quiet = 0; quiet < 200; quiet = list.asked === before ? quiet + 1 : 0) {
      before = list.asked;
      await setImmediate();
      expect(list.asked).toBeLessThan(1000);
    }
    const [served] = await accepted;
    const gone = new Promise((resolve) => served.once('close', resolve));
    socket.destroy();
    await gone;
    const stopped = list.asked;
    for (let turn = 0; turn < 50; turn++) await setImmediate();
    expect(list.asked - stopped).toBeLessThan(10);
  });

  it('has the right bytes, however many responses are sent concurrently and however slowly they are read', async () => {
    const lists: Lines[] = [];
    pieces = () => {
      const list = new Lines(lists.length * 1_000_000, lists.length % 3 === 0 ? 10 : 900_000);
      lists.push(list);
      return [list.piece()];
    };
    const replies = await Promise.all(Array.from({ length: 9 }, get));
    // By now their sockets are full and their memory is still in use.
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    const texts = await Promise.all(replies.map((reply) => reply.text()));
    expect(new Set(texts)).toEqual(new Set(lists.map(({ text }) => text)));
  });

  it('has another text in place of an empty list', async () => {
    pieces = () => ['before ', new Letters(0).piece(), ' after'];
    expect(await (await get()).text()).toBe('before none after');
  });

  it('is aborted if the list fails', async () => {
    pieces = () => [new Letters(100, 20).piece()];
    await expect((await get()).text()).rejects.toThrow();
  });
});
