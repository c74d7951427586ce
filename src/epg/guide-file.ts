/** Guide files of any kind: XMLTV and Enigma2's epg.dat, plain or compressed. The first bytes tell the format. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ReadableStream } from 'node:stream/web';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { fail, ReceiverError } from '../base/errors.ts';
import { limitBytes } from '../base/limit-bytes.ts';
import type { EpgDatImport, Guide } from './guide.ts';
import { importXmltv, pieceLength, type XmltvImportOptions, type XmltvStatistics } from './xmltv.ts';

export type ImportedGuide =
  | ({ readonly format: 'xmltv' } & XmltvStatistics)
  | ({ readonly format: 'epg.dat' } & EpgDatImport);

/** Bound of an epg.dat in bytes; those of set-top boxes have ten million or so at most. */
const largestEpgDat = 256 * 2 ** 20;

/** Follows the four bytes that give the byte order. */
const epgDatName = Buffer.from('ENIGMA_EPG');
const headLength = 4 + epgDatName.length;

/**
 * Imports a guide file. An XMLTV document is read as it arrives. An epg.dat is read from its end, so it goes to a
 * temporary file first.
 * @throws ReceiverError; whatever was read before the error stays in the guide.
 */
export async function importGuideFile(
  guide: Guide,
  source: AsyncIterable<Uint8Array>,
  options: XmltvImportOptions,
): Promise<ImportedGuide> {
  const { head, whole } = await peek(unpacked(source), headLength);
  if (!head.subarray(4, headLength).equals(epgDatName)) {
    return { format: 'xmltv', ...(await importXmltv(guide, whole, options)) };
  }
  const folder = await mkdtemp(join(tmpdir(), 'receiverd-epg-'));
  try {
    const path = join(folder, 'epg.dat');
    await pipeline(limitBytes(whole, 'the guide file', largestEpgDat), createWriteStream(path), {
      signal: options.signal,
    });
    return { format: 'epg.dat', ...(await guide.importEpgDat(path)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** How a compressed file begins. Those without a reader are only named. */
const compressions: readonly { readonly name: string; readonly magic: readonly number[]; readonly read?: Unpack }[] = [
  { name: 'gzip', magic: [0x1f, 0x8b], read: gunzipped },
  { name: 'xz', magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], read: unxzipped },
  { name: 'bzip2', magic: [0x42, 0x5a, 0x68] },
  { name: 'zip', magic: [0x50, 0x4b, 3, 4] },
  { name: 'zstd', magic: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: '7z', magic: [0x37, 0x7a, 0xbc, 0xaf] },
];

type Unpack = (source: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array, void, undefined>;

/** Yields the file itself, decompressed. @throws ReceiverError `unsupported`, `xmltv-malformed` */
async function* unpacked(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const { head, whole } = await peek(source, Math.max(...compressions.map(({ magic }) => magic.length)));
  const found = compressions.find(({ magic }) => magic.every((byte, at) => head[at] === byte));
  if (found === undefined) yield* whole;
  else if (found.read !== undefined) yield* found.read(whole);
  else throw fail('unsupported', `a guide file compressed by ${found.name}, where gzip and xz are read,`);
}

const damaged = (message: string) => new ReceiverError('xmltv-malformed', `the guide file is damaged: ${message}`);

/** RFC 1952. */
async function* gunzipped(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const plain = createGunzip({ chunkSize: pieceLength });
  // The reader of `plain` gets the same error.
  pipeline(source, plain).catch(() => undefined);
  try {
    for await (const piece of plain) yield piece as Buffer;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!String(code).startsWith('Z_')) throw error;
    throw damaged(message);
  }
}

/** The format of XZ Utils, in which guides for Enigma2 usually come. */
async function* unxzipped(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const { XzReadableStream } = await import('xz-decompress');
  let failure: unknown;
  const read = async function* () {
    try {
      yield* source;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  try {
    const plain = new XzReadableStream(ReadableStream.from(read()));
    for await (const piece of plain as AsyncIterable<Uint8Array>) {
      yield piece;
      await setImmediate();
    }
  } catch (error) {
    throw failure ?? (error instanceof ReceiverError ? error : damaged((error as Error).message));
  }
}

/** Returns the first bytes (fewer if the source has not as many), and a source that still yields all of them. */
async function peek(
  source: AsyncIterable<Uint8Array>,
  length: number,
): Promise<{ readonly head: Buffer; readonly whole: AsyncIterable<Uint8Array> }> {
  const iterator = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let ended = false;
  while (head.length < length && !ended) {
    const { done, value } = await iterator.next();
    ended = done === true;
    if (!ended) head = Buffer.concat([head, value as Uint8Array]);
  }
  const whole = async function* () {
    if (head.length > 0) yield head;
    if (!ended) yield* { [Symbol.asyncIterator]: () => iterator };
  };
  return { head, whole: whole() };
}
