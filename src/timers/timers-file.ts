/** `timers.xml` of the Enigma2 folder on the disk: read at the start, written as a whole or not at all. */
import { isUtf8 } from 'node:buffer';
import { readFile, rename } from 'node:fs/promises';
import { fail } from '../errors.ts';
import { replaceWithPieces } from '../files.ts';
import type { Timer } from './timer.ts';
import { formatTimers, parseTimers, type TimersText } from './timers-text.ts';

const nothing: TimersText = { timers: [], others: [], problems: [] };

export class TimersFile {
  readonly path: string;
  /** What is in the file and is no timer of ours. */
  #others: readonly string[] = [];
  /** One writing after the other. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.path = path;
  }

  /**
   * The timers of the file, and what is wrong with it, for people. A file that is not there holds none; one that is no list of timers
   * is kept aside as `timers.xml_old`. @throws ReceiverError `file-unreadable` when it is there and the disk does not give it
   */
  async read(): Promise<Pick<TimersText, 'timers' | 'problems'>> {
    let bytes: Buffer;
    try {
      bytes = await readFile(this.path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return nothing;
      // An empty list would be written over it.
      throw fail('file-unreadable', this.path, (error as Error).message);
    }
    try {
      const text = bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1').replace(/^\ufeff/, '');
      const { timers, others, problems } = await parseTimers(text, this.path);
      this.#others = others;
      return { timers, problems };
    } catch (error) {
      const aside = `${this.path}_old`;
      await rename(this.path, aside);
      return { timers: [], problems: [`${(error as Error).message}; it is kept as ${aside}`] };
    }
  }

  /** Resolves when the list is on the disk. @throws ReceiverError `file-unwritable` */
  write(timers: readonly Timer[]): Promise<void> {
    const written = this.#written.then(() => replaceWithPieces(this.path, formatTimers(timers, this.#others)));
    this.#written = written.catch(() => undefined);
    return written;
  }
}
