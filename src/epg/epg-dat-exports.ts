/**
 * The guide as epg.dat, for readers of any speed: they share the file of one export, which has no name any more, so that
 * its space is freed with the last reader or with the process.
 */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { serialQueue } from '../base/serial-queue.ts';
import type { Guide } from './guide.ts';

/** Files at once. */
const maxFiles = 2;
/** A file is shared for this long. */
const maxAgeMs = 60_000;
/** Bytes per read. */
const piece = 256 * 1024;

interface ExportedFile {
  readonly handle: FileHandle;
  readonly generation: number;
  /** Of `performance.now()`. */
  readonly made: number;
  readonly readers: Set<Readable>;
}

export class EpgDatExports {
  readonly #guide: Guide;
  /** Files that are being read, oldest first. */
  readonly #files: ExportedFile[] = [];
  readonly #inTurn = serialQueue();

  constructor(guide: Guide) {
    this.#guide = guide;
  }

  /**
   * Returns the guide as a file, which is written as a whole first because its header depends on its end. While two
   * files are being read, the newer one is shared for a minute even if the guide has changed; after that, a third file
   * aborts the readers of the oldest.
   * @throws ReceiverError `file-unwritable`
   */
  open(): Promise<Readable> {
    return this.#inTurn(async () => this.#read(this.#shared() ?? (await this.#make())));
  }

  #shared(): ExportedFile | undefined {
    const newest = this.#files.at(-1);
    if (newest === undefined || performance.now() - newest.made > maxAgeMs) return undefined;
    return newest.generation === this.#guide.generation || this.#files.length >= maxFiles ? newest : undefined;
  }

  async #make(): Promise<ExportedFile> {
    if (this.#files.length >= maxFiles)
      for (const reader of this.#files[0]?.readers ?? []) reader.destroy(new Error('a newer export takes its place'));
    const { generation } = this.#guide;
    const folder = await mkdtemp(join(tmpdir(), 'receiverd-epg-'));
    try {
      const path = join(folder, 'epg.dat');
      await this.#guide.exportEpgDat(path);
      return { handle: await open(path), generation, made: performance.now(), readers: new Set() };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  #read(file: ExportedFile): Readable {
    if (file.readers.size === 0) this.#files.push(file);
    const reader = Readable.from(piecesOf(file.handle), { objectMode: false, highWaterMark: piece });
    file.readers.add(reader);
    // The response gets the error too.
    reader.on('error', () => undefined);
    reader.on('close', () => {
      file.readers.delete(reader);
      if (file.readers.size > 0) return;
      this.#files.splice(this.#files.indexOf(file), 1);
      void file.handle.close();
    });
    return reader;
  }
}

async function* piecesOf(file: FileHandle): AsyncGenerator<Buffer, void, undefined> {
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(piece), 0, piece, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
