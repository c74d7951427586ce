/** Responses that are produced while they are sent. */
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonDocument } from '../../src/http/json.ts';
import { sendBytes, sendPieces } from '../../src/http/replies.ts';
import { type ByteSource, type Piece, WrittenList } from '../../src/http/written-list.ts';

const pieceSize = 64 * 1024;

/** A list of `pieces` pieces of one letter, which counts how many were requested. */
class Letters extends WrittenList<string> {
  asked = 0;
  readonly #pieces: number;
  readonly #failsAt: number;

  constructor(pieces: number, failsAt = Number.POSITIVE_INFINITY) {
    super();
    this.#pieces = pieces;
    this.#failsAt = failsAt;
  }

  open(): ByteSource {
    const make = (size: number) => {
      this.asked++;
      return Buffer.alloc(size, 'x');
    };
    const list = this;
    return {
      get ended() {
        return list.asked >= list.#pieces;
      },
      take: () => make(10),
      next: async () => {
        await setImmediate();
        if (this.asked >= this.#failsAt) throw new Error('no more');
        return make(pieceSize);
      },
    };
  }

  piece(): Piece {
    const none = { head: '', separator: '', tail: '', empty: '' };
    return { list: this, form: { kind: 'json', write: String }, frame: none };
  }
}

/** Numbered lines, written into the given memory; `onWorkers`: nothing is available immediately. */
class Lines extends WrittenList<string> {
  readonly #first: number;
  readonly #end: number;
  readonly #onWorkers: boolean;
  readonly #fails: boolean;

  constructor(first: number, count: number, { onWorkers = false, fails = false } = {}) {
    super();
    this.#fails = fails;
    this.#onWorkers = onWorkers;
    this.#first = first;
    this.#end = first + count;
  }

  open(): ByteSource {
    let next = this.#first;
    const end = this.#end;
    const make = (bytes: number, memory: Buffer) => {
      let length = 0;
      while (length < bytes && next < end) length += memory.write(`${next++}\n`, length);
      return memory.subarray(0, length);
    };
    return {
      get ended() {
        return next >= end;
      },
      take: (memory = Buffer.alloc(1024)) => make(this.#onWorkers ? 0 : 100, memory),
      next: async (memory = Buffer.alloc(pieceSize)) => {
        // Scribbles over the memory before the piece is due, whoever still reads it.
        memory.fill('#');
        await setImmediate();
        if (this.#fails) throw new Error('no more');
        return make(memory.length / 2, memory);
      },
    };
  }

  piece(): Piece {
    const none = { head: '', separator: '', tail: '', empty: '' };
    return { list: this, form: { kind: 'json', write: String }, frame: none };
  }

  get text(): string {
    return Array.from({ length: this.#end - this.#first }, (_, n) => `${this.#first + n}\n`).join('');
  }
}

describe('a response with a list that writes itself', () => {
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
    const lines = new Lines(0, 1000, { onWorkers: true });
    pieces = () => ['before ', lines.piece(), ' after'];
    const reply = await get();
    const text = `before ${lines.text} after`;
    expect(reply.headers.get('content-length')).toBe(String(text.length));
    expect(await reply.text()).toBe(text);
    const many = new Lines(0, 100_000, { onWorkers: true });
    pieces = () => ['before ', many.piece(), ' between ', new Lines(7, 3, { onWorkers: true }).piece(), ' after'];
    expect(await (await get()).text()).toBe(`before ${many.text} between 7\n8\n9\n after`);
    // Nothing has been sent yet, so the client gets an error.
    pieces = () => ['before ', new Lines(0, 9, { onWorkers: true, fails: true }).piece()];
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
    // Until no further piece is requested: the buffers of both sockets are full.
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

  it('has the right bytes, however many are sent at once and however slowly they are read', async () => {
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

  it('is cut off if it cannot be finished', async () => {
    pieces = () => [new Letters(100, 20).piece()];
    await expect((await get()).text()).rejects.toThrow();
  });
});

describe('a response whose bytes are ready', () => {
  const app = Fastify();
  const bytes = Buffer.from(Array.from({ length: 3 << 20 }, (_, n) => (n * 7) ^ (n >> 9)));
  let begun = 0;
  app.get<{ Querystring: { length: number } }>('/', (request, reply) => {
    begun++;
    return sendBytes(reply.type('application/octet-stream'), bytes.subarray(0, request.query.length));
  });
  let url = '';
  beforeAll(async () => {
    url = await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => app.close());

  it.each([0, 1, 512 << 10, (512 << 10) + 1, 3 << 20])('is sent whole, with its length: %i bytes', async (length) => {
    const reply = await fetch(`${url}/?length=${length}`);
    expect(reply.headers.get('content-length')).toBe(String(length));
    expect(bytes.subarray(0, length).equals(Buffer.from(await reply.arrayBuffer()))).toBe(true);
    const head = await fetch(`${url}/?length=${length}`, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(length));
  });

  it('yields to others between two parts, and ends when its client disconnects', async () => {
    const before = begun;
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`GET /?length=${bytes.length} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await once(socket, 'readable');
    expect((await fetch(`${url}/?length=1`)).status).toBe(200);
    socket.destroy();
    expect((await fetch(`${url}/?length=1`)).status).toBe(200);
    expect(begun - before).toBe(3);
  });
});
