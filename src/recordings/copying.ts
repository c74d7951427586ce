/**
 * Copies files in chunks, so that progress can be watched and the copy cancelled at any time: `fs.copyFile` allows
 * neither.
 */
import { constants } from 'node:fs';
import { type FileHandle, open, rename, unlink, utimes } from 'node:fs/promises';
import { exists, syncFolder } from '../files.ts';

const pieceSize = 4 << 20;

export interface CopyProgress {
  readonly signal: AbortSignal;
  /** Reports newly copied bytes. */
  onBytes(count: number): void;
}

/** Name of a file while it is being copied: hidden, and not a recording. */
const copyingName = (name: string) => `.${name}.copying`;
export const isCopying = (name: string) => /^\..*\.copying$/.test(name);

/**
 * Copies files from one folder into another, possibly on another file system. The copies get their names, in order,
 * once all of them are on the disk: either all of a set appear or none.
 * @throws Error from the file system, `EEXIST` for a taken name, or `AbortError`; nothing is left behind in either case
 */
export async function copyFiles(
  from: string,
  to: string,
  files: readonly string[],
  progress: CopyProgress,
): Promise<void> {
  const made: string[] = [];
  const named: string[] = [];
  try {
    for (const name of files) {
      made.push(to + copyingName(name));
      await copyFile(from + name, to + copyingName(name), progress);
    }
    progress.signal.throwIfAborted();
    for (const name of files) {
      // A rename would replace it: what was recorded or renamed while this was copied.
      if (await exists(to + name)) throw Object.assign(new Error(`${to + name} exists`), { code: 'EEXIST' });
      await rename(to + copyingName(name), to + name);
      named.push(to + name);
    }
    await syncFolder(to);
  } catch (error) {
    await Promise.all([...made, ...named].map((path) => unlink(path).catch(() => undefined)));
    throw error;
  }
}

async function copyFile(from: string, to: string, { signal, onBytes }: CopyProgress): Promise<void> {
  const source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    // Overwrites the remains of a copy that a power cut interrupted.
    const target = await open(to, 'w', 0o644);
    try {
      await copyBytes(source, target, signal, onBytes);
      await target.sync();
    } finally {
      await target.close();
    }
    // A Date counts whole milliseconds, and can round up to a second that has not begun.
    const { atimeMs, mtimeMs } = await source.stat();
    await utimes(to, atimeMs / 1000, mtimeMs / 1000);
  } finally {
    await source.close();
  }
}

async function copyBytes(
  source: FileHandle,
  target: FileHandle,
  signal: AbortSignal,
  onBytes: (count: number) => void,
): Promise<void> {
  const piece = Buffer.allocUnsafe(pieceSize);
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await source.read(piece, 0, pieceSize);
    if (bytesRead === 0) return;
    for (let at = 0; at < bytesRead; ) {
      at += (await target.write(piece, at, bytesRead - at)).bytesWritten;
    }
    onBytes(bytesRead);
  }
}
