/** The tags that may be put on recordings: `movietags` of the Enigma2 folder, one a line. */
import { readFile } from 'node:fs/promises';
import { fail } from '../errors.ts';
import { replaceFile } from '../files.ts';
import { oneTag } from './meta-file.ts';

export class Tags {
  readonly #path: string;
  #all: readonly string[] = [];
  /** Until the last change is through. */
  #idle: Promise<unknown> = Promise.resolve();

  private constructor(path: string) {
    this.#path = path;
  }

  /** Reads the file; one that is not there holds none. */
  static async read(path: string): Promise<Tags> {
    const tags = new Tags(path);
    await tags.reload();
    return tags;
  }

  /** In the file's order. */
  get all(): readonly string[] {
    return this.#all;
  }

  /**
   * Puts tags into the file and takes others out; what has blanks in it gets `_` for them. One change after the other.
   * @throws ReceiverError `file-unwritable`
   */
  change({
    add = [],
    remove = [],
  }: {
    readonly add?: readonly string[];
    readonly remove?: readonly string[];
  }): Promise<void> {
    const changed = this.#idle.then(async () => {
      await this.reload();
      const gone = new Set(remove.map(oneTag));
      const all = [...new Set([...this.#all, ...add.map(oneTag)])].filter((tag) => tag !== '' && !gone.has(tag));
      if (all.join('\n') === this.#all.join('\n')) return;
      try {
        await replaceFile(this.#path, Buffer.from(all.map((tag) => `${tag}\n`).join('')));
      } catch (error) {
        throw fail('file-unwritable', this.#path, (error as Error).message);
      }
      this.#all = all;
    });
    this.#idle = changed.catch(() => undefined);
    return changed;
  }

  /** Reads the file again. */
  async reload(): Promise<void> {
    const text = await readFile(this.#path, 'utf8').catch(() => '');
    this.#all = text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  }
}
