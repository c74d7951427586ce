/**
 * Copies files in chunks, so that progress can be watched and the copy cancelled at any time: `fs.copyFile` allows
 * neither.
 */
import { constants } from 'node:fs';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { createTemporary, exists, FileRefused, reading, syncFolder } from '../base/files.ts';

const pieceSize = 4 << 20;

export interface CopyProgress {
  readonly signal: AbortSignal;
  /** Reports newly copied bytes. */
  onBytes(count: number): void;
}

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
      const { path, file } = await createTemporary(to);
      made.push(path);
      await copyFile(from + name, file, progress);
    }
    progress.signal.throwIfAborted();
    for (const [n, name] of files.entries()) {
      // A rename would replace it: what was recorded or renamed while this was copied.
      if (await exists(to + name)) throw Object.assign(new Error(`${to + name} exists`), { code: 'EEXIST' });
      await rename(made[n] as string, to + name);
      named.push(to + name);
    }
    await syncFolder(to);
  } catch (error) {
    await Promise.all([...made, ...named].map((path) => unlink(path).catch(() => undefined)));
    throw error;
  }
}

/** Closes the target. */
async function copyFile(from: string, target: FileHandle, { signal, onBytes }: CopyProgress): Promise<void> {
  try {
    const source = await open(from, reading | constants.O_NOFOLLOW);
    try {
      if (!(await source.stat()).isFile()) throw new FileRefused(`'${from}' is not a regular file`);
      await copyBytes(source, target, signal, onBytes);
      // A Date counts whole milliseconds, and can round up to a second that has not begun.
      const { atimeMs, mtimeMs } = await source.stat();
      await target.utimes(atimeMs / 1000, mtimeMs / 1000);
      await target.sync();
    } finally {
      await source.close();
    }
  } finally {
    await target.close();
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
