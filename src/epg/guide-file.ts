/** Guide files of any kind: XMLTV and Enigma2's epg.dat, plain or gzipped. The first bytes tell the format. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { bounded } from '../bounded.ts';
import { ReceiverError } from '../errors.ts';
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
    await pipeline(bounded(whole, 'the guide file', largestEpgDat), createWriteStream(path), {
      signal: options.signal,
    });
    return { format: 'epg.dat', ...(await guide.importEpgDat(path)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Yields the file itself: decompressed if it starts with the magic of RFC 1952. */
async function* unpacked(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const { head, whole } = await peek(source, 2);
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* whole;
    return;
  }
  const plain = createGunzip({ chunkSize: pieceLength });
  // The reader of `plain` gets the same error.
  pipeline(whole, plain).catch(() => undefined);
  try {
    for await (const piece of plain) yield piece as Buffer;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!String(code).startsWith('Z_')) throw error;
    throw new ReceiverError('xmltv-malformed', `the guide file is damaged: ${message}`);
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
