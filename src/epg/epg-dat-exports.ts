/**
 * Exports the guide as epg.dat. Concurrent readers share the file of one export. It is deleted once it is open, so that
 * its space is freed when the last reader or the process ends.
 */
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { serialQueue } from '../base/serial-queue.ts';
import type { Guide } from './guide.ts';

/** Files that exist at the same time. */
const maxFiles = 2;
/** Milliseconds for which a file is given to further readers. */
const maxAgeMs = 60_000;
/** Bytes per read. */
const chunkBytes = 256 * 1024;

interface ExportedFile {
  readonly handle: FileHandle;
  readonly generation: number;
  /** When it was exported, by `performance.now()`. */
  readonly exportedAt: number;
  readonly readers: Set<Readable>;
}

export class EpgDatExports {
  readonly #guide: Guide;
  /** Files that are being read, oldest first. */
  readonly #files: ExportedFile[] = [];
  readonly #serial = serialQueue();

  constructor(guide: Guide) {
    this.#guide = guide;
  }

  /**
   * Returns the guide as epg.dat. The file is written completely first, because its header depends on its end. While
   * two files are being read, the newer one is shared for a minute even if the guide has changed; afterwards a third
   * file is exported and the readers of the oldest are aborted.
   * @throws ReceiverError `file-unwritable`
   */
  open(): Promise<Readable> {
    return this.#serial(async () => this.#read(this.#shared() ?? (await this.#export())));
  }

  #shared(): ExportedFile | undefined {
    const newest = this.#files.at(-1);
    if (newest === undefined || performance.now() - newest.exportedAt > maxAgeMs) return undefined;
    return newest.generation === this.#guide.generation || this.#files.length >= maxFiles ? newest : undefined;
  }

  async #export(): Promise<ExportedFile> {
    if (this.#files.length >= maxFiles)
      for (const reader of this.#files[0]?.readers ?? [])
        reader.destroy(new Error('aborted: a newer export replaces this one'));
    const { generation } = this.#guide;
    const folder = await mkdtemp(join(tmpdir(), 'receiverd-epg-'));
    try {
      const path = join(folder, 'epg.dat');
      await this.#guide.exportEpgDat(path);
      return { handle: await open(path), generation, exportedAt: performance.now(), readers: new Set() };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  #read(file: ExportedFile): Readable {
    if (file.readers.size === 0) this.#files.push(file);
    const reader = Readable.from(chunksOf(file.handle), { objectMode: false, highWaterMark: chunkBytes });
    file.readers.add(reader);
    // The response reports the error.
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

async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer, void, undefined> {
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
