/**
 * Copies files in chunks: unlike `fs.copyFile`, this reports progress and can be cancelled at any time.
 */
import { constants } from 'node:fs';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { createTemporary, exists, FileRefused, readFlags, syncFolder } from '../../base/files.ts';

const chunkBytes = 4 << 20;

export interface CopyProgress {
  readonly signal: AbortSignal;
  /** Reports newly copied bytes. */
  onBytes(count: number): void;
}

/**
 * Copies files from one folder into another, possibly on another file system. The copies get their names, in order,
 * once all of them are on the disk: either all files of a set appear or none.
 * @throws Error from the file system, `EEXIST` for a taken name, or `AbortError`; nothing is left behind in either case
 */
export async function copyFiles(
  from: string,
  to: string,
  files: readonly string[],
  progress: CopyProgress,
): Promise<void> {
  const temporary: string[] = [];
  const named: string[] = [];
  try {
    for (const name of files) {
      const { path, file } = await createTemporary(to);
      temporary.push(path);
      await copyFile(from + name, file, progress);
    }
    progress.signal.throwIfAborted();
    for (const [n, name] of files.entries()) {
      // `rename` would replace a file that was recorded or renamed in the meantime.
      if (await exists(to + name)) throw Object.assign(new Error(`${to + name} exists`), { code: 'EEXIST' });
      await rename(temporary[n] as string, to + name);
      named.push(to + name);
    }
    await syncFolder(to);
  } catch (error) {
    await Promise.all([...temporary, ...named].map((path) => unlink(path).catch(() => undefined)));
    throw error;
  }
}

/** Copies contents and times, and closes the target. */
async function copyFile(from: string, target: FileHandle, { signal, onBytes }: CopyProgress): Promise<void> {
  try {
    const source = await open(from, readFlags | constants.O_NOFOLLOW);
    try {
      if (!(await source.stat()).isFile()) throw new FileRefused(`'${from}' is not a regular file`);
      await copyBytes(source, target, signal, onBytes);
      // A Date has whole milliseconds, and could round the time up to the next second.
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
  const chunk = Buffer.allocUnsafe(chunkBytes);
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await source.read(chunk, 0, chunkBytes);
    if (bytesRead === 0) return;
    for (let at = 0; at < bytesRead; ) {
      at += (await target.write(chunk, at, bytesRead - at)).bytesWritten;
    }
    onBytes(bytesRead);
  }
}
