/** Reads and writes the lists of one Enigma2 folder; the only file of services/ that touches the disk. */
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { fail } from '../base/errors.ts';
import { FileRefused, keepDamaged, readRegularFile, replaceFile, unwritable } from '../base/files.ts';
import type { Problem } from './lines.ts';

/** Folders in which Enigma2 looks for a bouquet file, in this order. */
export const bouquetFolders = ['alternatives', 'bouquets', ''];

export class Enigma2Folder {
  readonly path: string;
  /** Sub-folder of each bouquet file, by its name. */
  readonly #found = new Map<string, string>();
  /** Files that are not regular files or too large, with the reason. */
  readonly #refused = new Map<string, string>();

  constructor(path: string) {
    this.path = path;
  }

  /** Files that count as missing: not regular files, such as pipes, or too large. */
  get problems(): readonly Problem[] {
    return Array.from(this.#refused, ([name, text]) => ({ file: join(this.path, name), line: 0, text }));
  }

  /**
   * Reads a file; undefined if it does not exist, or counts as missing (see `problems`).
   * @throws ReceiverError `file-unreadable`
   */
  async read(name: string): Promise<Buffer | undefined> {
    const path = join(this.path, name);
    this.#refused.delete(name);
    try {
      return await readRegularFile(path);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      if (!(error instanceof FileRefused)) throw fail('file-unreadable', path, message);
      this.#refused.set(name, message);
      return undefined;
    }
  }

  /** Returns a file's modification time in milliseconds; undefined if it does not exist. */
  async changedAt(name: string): Promise<number | undefined> {
    try {
      return (await fs.stat(join(this.path, name))).mtimeMs;
    } catch {
      return undefined;
    }
  }

  /**
   * Reads every bouquet file of the folder, including roots and alternatives, by name and in order of names: files with
   * the usual extensions, and files with any extension that one of them references.
   */
  async readBouquets(): Promise<Map<string, Buffer>> {
    this.#found.clear();
    const folderOf = new Map<string, string>();
    for (const folder of bouquetFolders)
      for (const name of await this.#names(folder)) if (!folderOf.has(name)) folderOf.set(name, folder);
    const read = new Map<string, Buffer>();
    let wanted = [...folderOf.keys()].filter((name) => /\.(?:tv|radio)$/.test(name));
    while (wanted.length > 0) {
      for (const name of wanted) this.#found.set(name, folderOf.get(name) ?? '');
      const files = await Promise.all(wanted.map(async (name) => [name, await this.read(this.#pathOf(name))] as const));
      const named = new Set<string>();
      for (const [name, bytes] of files) {
        if (bytes === undefined) continue;
        read.set(name, bytes);
        for (const one of referencedFiles(bytes)) if (folderOf.has(one) && !this.#found.has(one)) named.add(one);
      }
      wanted = [...named];
    }
    return new Map([...read].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Path of a bouquet file relative to this folder. */
  #pathOf(name: string): string {
    return join(this.#found.get(name) ?? '', name);
  }

  /** Writes a bouquet file to where it was found, a new one to the folder itself. */
  async writeBouquet(name: string, bytes: Uint8Array): Promise<void> {
    await this.write(this.#pathOf(name), bytes);
  }

  /** Renames a bouquet file to `NAME.del`, as a box does: it is no longer read, but not lost. */
  async removeBouquet(name: string): Promise<void> {
    const path = join(this.path, this.#pathOf(name));
    this.#found.delete(name);
    await fs.rename(path, `${path}.del`).catch((error: NodeJS.ErrnoException) => {
      // A bouquet that was never saved has no file.
      if (error.code !== 'ENOENT') throw fail('file-unwritable', path, error.message);
    });
  }

  /**
   * Replaces a whole file atomically. A file that counted as missing is kept as `NAME.damaged`. @throws ReceiverError
   * `file-unwritable`
   */
  async write(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.path, name);
    if (this.#refused.has(name)) await keepDamaged(path);
    this.#refused.delete(name);
    await replaceFile(path, bytes).catch(unwritable(path));
  }

  /** Renames a file that could not be parsed, to make room for its replacement. */
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

/** Returns the names of the files that a bouquet file references. */
function referencedFiles(bytes: Buffer): string[] {
  // Most bouquets reference none, and may have some megabytes.
  if (!bytes.includes('BOUQUET')) return [];
  const text = bytes.toString('latin1');
  return Array.from(text.matchAll(/FROM BOUQUET \\?"([^"\\/\n]{1,255})/g), ([, name = '']) =>
    Buffer.from(name, 'latin1').toString('utf8'),
  );
}
