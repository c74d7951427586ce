/** The tags available for recordings: `movietags` in the Enigma2 folder, one per line. */
import { ReceiverError } from '../../base/errors.ts';
import { readRegularFile, replaceFile, unwritable } from '../../base/files.ts';
import { serialQueue } from '../../base/serial-queue.ts';
import { oneTag } from './meta-file.ts';

export class Tags {
  readonly #path: string;
  #all: readonly string[] = [];
  #problem: string | undefined;
  /** Serialises changes. */
  readonly #serial = serialQueue();

  private constructor(path: string) {
    this.#path = path;
  }

  /** Reads the file; there are no tags if it is missing or cannot be read. */
  static async read(path: string): Promise<Tags> {
    const tags = new Tags(path);
    await tags.reload();
    return tags;
  }

  /** Why the file cannot be read; undefined if it can. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** All tags, in the order of the file. */
  get all(): readonly string[] {
    return this.#all;
  }

  /**
   * Adds tags to the file and removes others. Whitespace in a tag becomes `_`. Changes run one after the other.
   * @throws ReceiverError `file-unreadable`, `file-unwritable`
   */
  change({
    add = [],
    remove = [],
  }: {
    readonly add?: readonly string[];
    readonly remove?: readonly string[];
  }): Promise<void> {
    return this.#serial(async () => {
      await this.reload();
      if (this.#problem !== undefined) throw new ReceiverError('file-unreadable', this.#problem);
      const removed = new Set(remove.map(oneTag));
      const all = [...new Set([...this.#all, ...add.map(oneTag)])].filter((tag) => tag !== '' && !removed.has(tag));
      if (all.join('\n') === this.#all.join('\n')) return;
      const text = all.map((tag) => `${tag}\n`).join('');
      await replaceFile(this.#path, Buffer.from(text)).catch(unwritable(this.#path));
      this.#all = all;
    });
  }

  /** Reads the file again; if it cannot be read, the tags stay as they are. */
  async reload(): Promise<void> {
    this.#problem = undefined;
    const text = await readRegularFile(this.#path).then(String, ({ code, message }: NodeJS.ErrnoException) => {
      if (code !== 'ENOENT') this.#problem = `${this.#path}: ${message}`;
      return '';
    });
    if (this.#problem !== undefined) return;
    this.#all = text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  }
}
