/** Imports guide files: XMLTV and Enigma2's epg.dat, plain or compressed, recognised by their first bytes. */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ReadableStream } from 'node:stream/web';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { fail, ReceiverError } from '../base/errors.ts';
import { checkKind, epgDatName, peek } from '../base/file-kinds.ts';
import { limitBytes } from '../base/limit-bytes.ts';
import type { EpgDatImport, Guide } from './guide.ts';
import { chunkBytes, importXmltv, type XmltvImportOptions, type XmltvStatistics } from './xmltv.ts';

export type ImportedGuide =
  | ({ readonly format: 'xmltv' } & XmltvStatistics)
  | ({ readonly format: 'epg.dat' } & EpgDatImport);

/** Bytes of an epg.dat. Files of set-top boxes have about ten million at most. */
const maxEpgDatBytes = 256 * 2 ** 20;

/**
 * Imports a guide file. An XMLTV document is read as it arrives. An epg.dat must be read from its end, so it is
 * stored in a temporary file first.
 * @throws ReceiverError `wrong-file` and others; events read before the error stay in the guide.
 */
export async function importGuideFile(
  guide: Guide,
  source: AsyncIterable<Uint8Array>,
  options: XmltvImportOptions,
): Promise<ImportedGuide> {
  const { head, whole } = await checkKind(unpacked(source), 'guide file');
  if (!head.subarray(4, 4 + epgDatName.length).equals(epgDatName)) {
    return { format: 'xmltv', ...(await importXmltv(guide, whole, options)) };
  }
  const folder = await mkdtemp(join(tmpdir(), 'receiverd-epg-'));
  try {
    const path = join(folder, 'epg.dat');
    await pipeline(limitBytes(whole, 'the guide file', maxEpgDatBytes), createWriteStream(path), {
      signal: options.signal,
    });
    return { format: 'epg.dat', ...(await guide.importEpgDat(path)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The first bytes of compressed files. Formats without `read` are only named in the error message. */
const compressions: readonly { readonly name: string; readonly magic: readonly number[]; readonly read?: Unpack }[] = [
  { name: 'gzip', magic: [0x1f, 0x8b], read: gunzip },
  { name: 'xz', magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], read: unxz },
  { name: 'bzip2', magic: [0x42, 0x5a, 0x68] },
  { name: 'zip', magic: [0x50, 0x4b, 3, 4] },
  { name: 'zstd', magic: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: '7z', magic: [0x37, 0x7a, 0xbc, 0xaf] },
];

type Unpack = (source: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array, void, undefined>;

/** Yields the decompressed file. @throws ReceiverError `unsupported`, `xmltv-malformed` */
async function* unpacked(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const { head, whole } = await peek(source, Math.max(...compressions.map(({ magic }) => magic.length)));
  const found = compressions.find(({ magic }) => magic.every((byte, at) => head[at] === byte));
  if (found === undefined) yield* whole;
  else if (found.read !== undefined) yield* found.read(whole);
  else throw fail('unsupported', `a guide file compressed with ${found.name} (only gzip and xz can be read)`);
}

const damaged = (message: string) => new ReceiverError('xmltv-malformed', `the guide file is damaged: ${message}`);

/** Decompresses gzip (RFC 1952). @throws ReceiverError `xmltv-malformed` */
async function* gunzip(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const plain = createGunzip({ chunkSize: chunkBytes });
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

/** Decompresses xz, which is usual for guide files for Enigma2. @throws ReceiverError `xmltv-malformed` */
async function* unxz(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
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
