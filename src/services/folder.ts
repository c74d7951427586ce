/** Reads and writes the lists of one Enigma2 folder; the only file of services/ that touches the disk. */
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { fail } from '../errors.ts';
import { replaceFile } from '../files.ts';

/** Where Enigma2 looks for a bouquet file, in this order. */
const bouquetFolders = ['alternatives', 'bouquets', ''];
/** A list longer than this is no list: 60,000 services take about 5 MB. */
const longestFile = 64 * 1024 * 1024;

export class Enigma2Folder {
  readonly path: string;
  /** Sub-folder in which a bouquet file was found, by its name. */
  readonly #found = new Map<string, string>();

  constructor(path: string) {
    this.path = path;
  }

  /**
   * A file's bytes; undefined if there is none of that name.
   * @throws ReceiverError `file-unreadable`
   */
  async read(name: string): Promise<Buffer | undefined> {
    const path = join(this.path, name);
    try {
      const { size } = await fs.stat(path);
      if (size > longestFile) throw fail('file-unreadable', path, `${size} bytes are too many`);
      return await fs.readFile(path);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw code === 'file-unreadable' ? error : fail('file-unreadable', path, message);
    }
  }

  /** When a file was last changed, in milliseconds; undefined if it is not there. */
  async changedAt(name: string): Promise<number | undefined> {
    try {
      return (await fs.stat(join(this.path, name))).mtimeMs;
    } catch {
      return undefined;
    }
  }

  /** Every bouquet file of the folder, roots and alternatives too, by name: in the order of the names. */
  async readBouquets(): Promise<Map<string, Buffer>> {
    this.#found.clear();
    for (const folder of bouquetFolders) {
      for (const name of await this.#names(folder)) {
        if (/\.(?:tv|radio)$/.test(name) && !this.#found.has(name)) this.#found.set(name, folder);
      }
    }
    const files = [...this.#found].sort(([a], [b]) => (a < b ? -1 : 1));
    const bytes = await Promise.all(files.map(([name, folder]) => this.read(join(folder, name))));
    return new Map(files.flatMap(([name], i) => (bytes[i] === undefined ? [] : [[name, bytes[i]]])));
  }

  /** Writes a bouquet file where it was found, a new one into the folder itself. */
  async writeBouquet(name: string, bytes: Uint8Array): Promise<void> {
    await this.write(join(this.#found.get(name) ?? '', name), bytes);
  }

  /** Replaces a file as a whole, atomically. */
  async write(name: string, bytes: Uint8Array): Promise<void> {
    await replaceFile(join(this.path, name), bytes);
  }

  /** Puts a file that could not be understood out of the way of the one that will take its place. */
  async setAside(name: string): Promise<void> {
    await fs.rename(join(this.path, name), join(this.path, `${name}.unreadable`));
  }

  async #names(folder: string): Promise<string[]> {
    try {
      const entries = await fs.readdir(join(this.path, folder), { withFileTypes: true });
      return entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
    } catch {
      return [];
    }
  }
}
