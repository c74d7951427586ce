/**
 * Pictures on disk, in a folder of their own, up to a number of bytes. The picture that has not been used for the longest
 * time is removed first. File names are hashes of the keys, so that no key can lead out of the folder.
 */
import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder, isRegularFile, isTemporary, replaceBy } from '../base/files.ts';
import { once } from '../base/once.ts';
import { pictureFormatOf } from './picture-format.ts';

export interface StoredPicture {
  readonly path: string;
  /** When it was stored, in milliseconds of the system's clock. */
  readonly storedAt: number;
}

/** Bounds of a picture: larger ones would take too much memory in the browser that decodes them. */
const maxSide = 4096;
const maxPixels = 9_000_000;
/** Pictures in the folder. Each takes about 200 bytes of memory. */
const maxPictures = 10_000;

const ownName = /^[0-9a-f]{40}\.(?:png|jpg|webp)$/;

interface Entry {
  readonly name: string;
  readonly bytes: number;
  readonly storedAt: number;
}

export class PictureStore {
  readonly #folder: string;
  readonly #maxBytes: number;
  /** By hash, the least recently used first. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  readonly #read = once(() => this.#readFolder());

  /** `maxBytes`: 0 stores nothing. */
  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  get isOff(): boolean {
    return this.#maxBytes === 0;
  }

  async find(key: string): Promise<StoredPicture | undefined> {
    if (this.isOff) return undefined;
    await this.#read();
    const hash = hashOf(key);
    const entry = this.#entries.get(hash);
    if (entry === undefined) return undefined;
    const path = join(this.#folder, entry.name);
    // Somebody may have emptied the folder.
    const exists = await isRegularFile(path);
    if (this.#entries.get(hash) !== entry) return this.find(key);
    this.#forget(hash);
    if (!exists) return undefined;
    this.#remember(hash, entry);
    return { path, storedAt: entry.storedAt };
  }

  /** Stores a picture; false if the bytes are no picture, or one that is too large. @throws the system's error */
  async put(key: string, bytes: Buffer): Promise<boolean> {
    const format = pictureFormatOf(bytes);
    if (this.isOff || format === undefined || bytes.length > this.#maxBytes) return false;
    const { width, height, extension } = format;
    if (Math.min(width, height) < 1 || Math.max(width, height) > maxSide || width * height > maxPixels) return false;
    await this.#read();
    const hash = hashOf(key);
    const name = `${hash}.${extension}`;
    await createFolder(this.#folder, 0o700);
    await replaceBy(join(this.#folder, name), (file) => file.writeFile(bytes));
    const before = this.#entries.get(hash);
    if (before !== undefined && before.name !== name) await this.#unlink(before);
    this.#forget(hash);
    this.#remember(hash, { name, bytes: bytes.length, storedAt: Date.now() });
    await this.#removeExcess();
    return true;
  }

  async #removeExcess(): Promise<void> {
    for (const [hash, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes && this.#entries.size <= maxPictures) return;
      this.#forget(hash);
      await this.#unlink(entry);
    }
  }

  #remember(hash: string, entry: Entry): void {
    this.#entries.set(hash, entry);
    this.#bytes += entry.bytes;
  }

  #forget(hash: string): void {
    this.#bytes -= this.#entries.get(hash)?.bytes ?? 0;
    this.#entries.delete(hash);
  }

  #unlink({ name }: Entry): Promise<void> {
    return rm(join(this.#folder, name), { force: true }).catch(() => undefined);
  }

  /** Lists the folder, and removes what an interrupted write has left. */
  async #readFolder(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    const found: Entry[] = [];
    for (const name of names) {
      const path = join(this.#folder, name);
      if (isTemporary(name)) await rm(path, { force: true }).catch(() => undefined);
      const status = ownName.test(name) ? await stat(path).catch(() => undefined) : undefined;
      if (status?.isFile()) found.push({ name, bytes: status.size, storedAt: status.mtimeMs });
    }
    found.sort((a, b) => a.storedAt - b.storedAt);
    for (const entry of found) this.#remember(entry.name.slice(0, 40), entry);
    await this.#removeExcess();
  }
}

const hashOf = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 40);
