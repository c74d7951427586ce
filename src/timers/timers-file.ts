/** `timers.xml` of the Enigma2 folder on disk: read at startup, written atomically. */
import { isUtf8 } from 'node:buffer';
import { rename } from 'node:fs/promises';
import { fail } from '../errors.ts';
import { readRegularFile, replaceWithPieces } from '../files.ts';
import type { Timer } from './timer.ts';
import { formatTimers, parseTimers, type TimersText } from './timers-text.ts';

const nothing: TimersText = { timers: [], others: [], problems: [] };

export class TimersFile {
  readonly path: string;
  /** Content of the file other than our timers. */
  #others: readonly string[] = [];

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Returns the timers of the file, and its problems in words for people. A missing file has no timers; a file that is
   * not a timer list is renamed to `timers.xml_old`.
   * @throws ReceiverError `file-unreadable` if the file exists but cannot be read
   */
  async read(): Promise<Pick<TimersText, 'timers' | 'problems'>> {
    let bytes: Buffer;
    try {
      bytes = await readRegularFile(this.path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return nothing;
      // An empty list would overwrite it.
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
      return { timers: [], problems: [`${(error as Error).message}; kept as ${aside}`] };
    }
  }

  /** Resolves once the list is on the disk. Only one call at a time. @throws ReceiverError `file-unwritable` */
  write(timers: readonly Timer[]): Promise<void> {
    return replaceWithPieces(this.path, formatTimers(timers, this.#others));
  }
}
