/** The tags available for recordings: `movietags` in the Enigma2 folder, one per line. */
import { readRegularFile, replaceFile, unwritable } from '../files.ts';
import { oneByOne } from '../one-by-one.ts';
import { oneTag } from './meta-file.ts';

export class Tags {
  readonly #path: string;
  #all: readonly string[] = [];
  /** Serialises changes. */
  readonly #next = oneByOne();

  private constructor(path: string) {
    this.#path = path;
  }

  /** Reads the file; a missing file has no tags. */
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
   * Adds tags to the file and removes others. Whitespace in a tag becomes `_`. Changes run one after the other.
   * @throws ReceiverError `file-unwritable`
   */
  change({
    add = [],
    remove = [],
  }: {
    readonly add?: readonly string[];
    readonly remove?: readonly string[];
  }): Promise<void> {
    return this.#next(async () => {
      await this.reload();
      const gone = new Set(remove.map(oneTag));
      const all = [...new Set([...this.#all, ...add.map(oneTag)])].filter((tag) => tag !== '' && !gone.has(tag));
      if (all.join('\n') === this.#all.join('\n')) return;
      const text = all.map((tag) => `${tag}\n`).join('');
      await replaceFile(this.#path, Buffer.from(text)).catch(unwritable(this.#path));
      this.#all = all;
    });
  }

  /** Reads the file again. */
  async reload(): Promise<void> {
    const text = await readRegularFile(this.#path).then(String, () => '');
    this.#all = text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  }
}
