/**
 * Creates folders, reads files of others, and replaces files so that a power cut leaves either the old or the new one, never a torn one. The
 * npm package write-file-atomic does not sync the folder, so its new file could be gone after the cut.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import {
  copyFile,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fail, ReceiverError } from './errors.ts';
import { TimeSlice } from './time-slice.ts';

/**
 * Creates a folder and its missing parents; the folder may exist already. Use this instead of Node's recursive mkdir
 * for every path from the configuration or a request: Node's never returns on a file system where mkdir in an existing
 * folder fails with ENOENT, as in /proc. Returns the outermost folder that it has created; undefined if there is none.
 * @throws the system's error; nothing is left behind then
 */
export async function createFolder(path: string, mode = 0o777): Promise<string | undefined> {
  const folder = resolve(path);
  const parent = dirname(folder);
  const above = (await exists(parent)) ? undefined : await createFolder(parent, mode);
  try {
    await mkdir(folder, { mode });
    return above ?? folder;
  } catch (error) {
    if (await isFolder(folder)) return above;
    if (above !== undefined) await removeFolders(parent, above);
    // What the system says would be misleading: the parent exists, and may be the one that is no folder.
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: `'${parent}' takes no new folders`,
      ENOTDIR: `'${parent}' is not a folder`,
      EEXIST: 'a file has this name',
    };
    const reason = reasons[(error as NodeJS.ErrnoException).code ?? ''];
    if (reason === undefined) throw error;
    const message = `'${folder}' cannot be created: ${reason}`;
    throw Object.assign(new Error(message, { cause: error }), { syscall: 'mkdir' });
  }
}

/** Undoes `createFolder`: removes a folder and its parents up to `outermost`, unless somebody has put something there. */
export async function removeFolders(path: string, outermost: string): Promise<void> {
  try {
    for (let folder = resolve(path); folder.length >= outermost.length; folder = dirname(folder)) await rmdir(folder);
  } catch {
    // Not empty, or already gone.
  }
}

const kindOf = (path: string) => stat(path).catch(() => undefined);

export const exists = async (path: string) => (await kindOf(path)) !== undefined;
export const isRegularFile = async (path: string) => (await kindOf(path))?.isFile() ?? false;
export const isFolder = async (path: string) => (await kindOf(path))?.isDirectory() ?? false;

/**
 * Whether an absolute path, which need not exist yet, lies in one of these folders after resolving links. `..` is refused:
 * where it leads depends on what exists.
 */
export async function isBelow(path: string, folders: readonly string[]): Promise<boolean> {
  if (!path.startsWith('/') || path.split('/').includes('..')) return false;
  let there = resolve(path);
  let real = await realPath(there);
  while (real === undefined) {
    there = dirname(there);
    real = await realPath(there);
  }
  const within = withSlash(real);
  const roots = await Promise.all(folders.map(realPath));
  return roots.some((root) => root !== undefined && within.startsWith(withSlash(root)));
}

const realPath = (path: string) => realpath(path).catch(() => undefined);
const withSlash = (path: string) => (path.endsWith('/') ? path : `${path}/`);

/** Bound in bytes of the files that are read as a whole, unless the reader says otherwise. */
export const largestFile = 64 * 2 ** 20;

/** What is there cannot be read as a file. The message follows its path: `is not a regular file`. */
export class FileRefused extends Error {}

/** Flags to read what others may have put there: opening a pipe would wait for its writer otherwise. */
export const reading = constants.O_RDONLY | constants.O_NONBLOCK;

/** @throws FileRefused */
function refuseOthers(status: Stats, longest: number): void {
  if (!status.isFile()) throw new FileRefused('is not a regular file');
  if (status.size > longest) throw new FileRefused(`is larger than ${longest} bytes`);
}

/**
 * Reads a file that others may have put there, through links unless `flags` has O_NOFOLLOW. Refuses pipes and devices,
 * which may never begin or end, and more than `longest` bytes; a list of 60,000 services takes about 5 MB.
 * @throws FileRefused, or the system's error
 */
export async function readRegularFile(path: string, longest = largestFile, flags = 0): Promise<Buffer> {
  const file = await open(path, reading | flags);
  try {
    refuseOthers(await file.stat(), longest);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/**
 * The real path of an open file or folder. Unlike a name that was resolved before, it cannot lead elsewhere by now. On
 * systems without /proc, `name` resolved again.
 * @throws the system's error
 */
export const realPathOf = ({ fd }: FileHandle, name: string) =>
  process.platform === 'linux' ? readlink(`/proc/self/fd/${fd}`) : realpath(name);

/**
 * The path by which other functions reach what is held open, whatever becomes of its name. Valid until it is closed.
 * On systems without /proc, `name`.
 */
export const pathByHandle = ({ fd }: FileHandle, name: string) =>
  process.platform === 'linux' ? `/proc/self/fd/${fd}` : name;

/** The same at once, for small files at the start. @throws FileRefused, or the system's error */
export function readRegularFileSync(path: string, longest = largestFile): Buffer {
  const file = openSync(path, reading);
  try {
    refuseOthers(fstatSync(file), longest);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Keeps what is at a path and will be replaced: as `PATH.damaged`, or `PATH.damaged.1` and so on if those are taken.
 * Returns that path. It is the same again while nothing has been replaced.
 * @throws the system's error
 */
export async function keepDamaged(path: string): Promise<string> {
  const own = await lstat(path);
  for (let number = 0; ; number++) {
    const kept = `${path}.damaged${number === 0 ? '' : `.${number}`}`;
    const other = await lstat(kept).catch(() => undefined);
    if (other?.ino === own.ino && other.dev === own.dev) return kept;
    if (other !== undefined) continue;
    await link(path, kept).catch((error: Error) => {
      // Some file systems have no links.
      if (!own.isFile()) throw error;
      return copyFile(path, kept, constants.COPYFILE_EXCL);
    });
    return kept;
  }
}

/** A file that is being written. */
export interface TemporaryFile {
  readonly path: string;
  readonly file: FileHandle;
}

const temporaryName = /^\.[0-9a-f]{16}\.writing$/;

/** Whether a file of this name is one of `createTemporary`. */
export const isTemporary = (name: string) => temporaryName.test(name);

/**
 * Creates a file that gets its real name by a rename once it is complete. Others with access to the folder cannot guess
 * its name, and an existing file or link of that name is never opened. It is short: any name that the file system allows
 * can be replaced. native/storage/file_io.h has the same for native threads.
 * @throws the system's error
 */
export async function createTemporary(folder: string, mode = 0o644): Promise<TemporaryFile> {
  const path = join(folder, `.${randomBytes(8).toString('hex')}.writing`);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  return { path, file: await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode) };
}

/** Milliseconds without a write after which a temporary file counts as left, in folders where others may be writing. */
export const abandonedAfter = 86_400_000;

/**
 * Removes the temporary files that a killed process has left in a folder. `unchangedFor`: milliseconds without a write
 * after which a file counts as left; 0 where nobody else writes.
 */
export async function removeTemporaries(folder: string, unchangedFor = 0): Promise<void> {
  const isLeft = async (path: string) =>
    unchangedFor === 0 || Date.now() - ((await lstat(path).catch(() => undefined))?.mtimeMs ?? 0) > unchangedFor;
  const names = await readdir(folder).catch(() => []);
  for (const path of names.filter(isTemporary).map((name) => join(folder, name)))
    if (await isLeft(path)) await rm(path, { force: true }).catch(() => undefined);
}

/**
 * Replaces `path` by what `write` puts into the new file, atomically: a temporary file in the same folder, fsync,
 * rename. The calling thread does not wait for the disk. `mode`: the permissions of the file.
 * @throws the error of `write` or of the system; the old file is still there then
 */
export async function replaceBy(
  path: string,
  write: (file: FileHandle) => Promise<unknown>,
  mode = 0o644,
): Promise<void> {
  const temporary = await createTemporary(dirname(path), mode);
  try {
    try {
      await write(temporary.file);
      await temporary.file.sync();
    } finally {
      await temporary.file.close();
    }
    await rename(temporary.path, path);
  } catch (error) {
    // On a full disk, the unfinished file would take space that later writes need.
    await rm(temporary.path, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Writes `path` by `replaceBy`, and creates its folder if needed. @throws the system's error */
export async function replaceFile(path: string, content: Uint8Array, mode = 0o644): Promise<void> {
  await createFolder(dirname(path));
  await replaceBy(path, (file) => file.writeFile(content), mode);
}

/** Makes new names in the folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Does the same with a text built from many pieces, in turns. @throws ReceiverError `file-unwritable` */
export async function replaceWithPieces(path: string, pieces: Iterable<string>): Promise<void> {
  const slice = new TimeSlice();
  const made: Buffer[] = [];
  for (const piece of pieces) {
    if (slice.isOver) await slice.next();
    made.push(Buffer.from(piece));
  }
  await replaceFile(path, Buffer.concat(made)).catch(unwritable(path));
}

/** For `catch`: throws a ReceiverError as it is, and for any other error `file-unwritable` about this file or folder. */
export const unwritable =
  (path: string) =>
  (error: Error): never => {
    throw error instanceof ReceiverError ? error : fail('file-unwritable', path, error.message);
  };
