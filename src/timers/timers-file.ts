/** The file `timers.xml` of the Enigma2 folder: read at startup, replaced atomically. */
import { isUtf8 } from 'node:buffer';
import { fail } from '../base/errors.ts';
import { FileRefused, keepDamaged, readRegularFile, replaceWithPieces, unwritable } from '../base/files.ts';
import type { Timer } from './timer.ts';
import { formatTimers, noTimers, parseTimers, type TimersText } from './timers-text.ts';

/**
 * Reads a timers file. Returns the intact timers of a damaged file, and none if the file is missing.
 * @throws ReceiverError `file-unreadable` if the file exists but cannot be read
 */
export async function readTimers(path: string): Promise<TimersText> {
  try {
    return await parseTimers(textOf(await readRegularFile(path)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return noTimers;
    if (error instanceof FileRefused) return { ...noTimers, damage: error.message };
    // Returning an empty list would overwrite the file with the next change.
    throw fail('file-unreadable', path, (error as Error).message);
  }
}

/** Decodes UTF-8, UTF-16 or ISO 8859-1, with or without a byte order mark. */
function textOf(bytes: Buffer): string {
  const start = bytes.subarray(0, 2).toString('hex');
  if (start === 'fffe' || start === '3c00') return withoutMark(bytes.toString('utf16le'));
  if (start === 'feff' || start === '003c') {
    const swapped = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2))).swap16();
    return withoutMark(swapped.toString('utf16le'));
  }
  // A truncated file may end within a character.
  const isUtf8Text = isUtf8(bytes.subarray(0, bytes.lastIndexOf('>') + 1));
  return withoutMark(bytes.toString(isUtf8Text ? 'utf8' : 'latin1'));
}

const withoutMark = (text: string) => text.replace(/^\ufeff/, '');

export class TimersFile {
  readonly path: string;
  /** Content of the file other than timers. */
  #others: readonly string[] = [];
  /** Whether a damaged file has yet to be copied: the next write would lose the part that could not be read. */
  #mustKeepDamaged = false;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Like `readTimers`, with the problems of the file as messages. A damaged file is also kept as `timers.xml.damaged`.
   * @throws ReceiverError `file-unreadable` if the file exists but cannot be read
   */
  async read(): Promise<Pick<TimersText, 'timers' | 'problems'>> {
    const { timers, others, problems, damage } = await readTimers(this.path);
    this.#others = others;
    if (damage === undefined) return { timers, problems };
    const kept = await this.#keepDamaged().catch((error: Error) => error);
    const where = kept instanceof Error ? `a copy cannot be saved: ${kept.message}` : `a copy is in ${kept}`;
    return { timers, problems: [`${this.path}: ${damage}; timers read: ${timers.length}; ${where}`, ...problems] };
  }

  /** Resolves once the list is on the disk. Only one call at a time. @throws ReceiverError `file-unwritable` */
  async write(timers: readonly Timer[]): Promise<void> {
    if (this.#mustKeepDamaged) await this.#keepDamaged().catch(unwritable(this.path));
    await replaceWithPieces(this.path, formatTimers(timers, this.#others));
  }

  async #keepDamaged(): Promise<string> {
    this.#mustKeepDamaged = true;
    const kept = await keepDamaged(this.path);
    this.#mustKeepDamaged = false;
    return kept;
  }
}
