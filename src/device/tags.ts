/** The tags that may be put on recordings: `movietags` of the Enigma2 folder, one a line. */
import { readFile } from 'node:fs/promises';

export class Tags {
  readonly #path: string;
  #all: readonly string[] = [];

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

  /** Reads the file again. */
  async reload(): Promise<void> {
    const text = await readFile(this.#path, 'utf8').catch(() => '');
    this.#all = text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  }
}
