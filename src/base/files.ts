/**
 * Creates folders, reads files that other programs may have put there, and replaces files atomically: after a power cut
 * either the old or the new file is there, never a part of one. The npm package write-file-atomic does not sync the
 * folder, so the new file could be lost.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';
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
 * folder fails with ENOENT, as in /proc. Returns the outermost folder that it created; undefined if all existed.
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
    // The system's message would name this folder, but the parent is what is wrong.
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

/** Undoes `createFolder`: removes the folder and its parents up to `outermost`, as long as they are empty. */
export async function removeFolders(path: string, outermost: string): Promise<void> {
  try {
    for (let folder = resolve(path); folder.length >= outermost.length; folder = dirname(folder)) await rmdir(folder);
  } catch {
    // Not empty, or already gone.
  }
}

const kindOf = (path: string) => stat(path).catch(() => undefined);

/** Whether something has this name, be it a link that leads nowhere, or a file that cannot be looked at. */
export const exists = (path: string) =>
  lstat(path).then(
    () => true,
    ({ code = '' }: NodeJS.ErrnoException) => !['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(code),
  );
export const isRegularFile = async (path: string) => (await kindOf(path))?.isFile() ?? false;
export const isFolder = async (path: string) => (await kindOf(path))?.isDirectory() ?? false;

/**
 * Whether an absolute path, which need not exist yet, lies in one of these folders after resolving links. `..` is
 * refused: where it leads depends on what exists.
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

/** Default for the maximum size of a file that is read as a whole. */
export const maxFileBytes = 64 * 2 ** 20;

/** A path is no readable file. The message continues a sentence that begins with the path: `is not a regular file`. */
export class FileRefused extends Error {}

/**
 * Flags to open a file that other programs may have put there. Without O_NONBLOCK, opening a pipe waits for its writer.
 */
export const readFlags = constants.O_RDONLY | constants.O_NONBLOCK;

/** @throws FileRefused */
function checkRegularFile(status: Stats, maxBytes: number): void {
  if (!status.isFile()) throw new FileRefused('is not a regular file');
  if (status.size > maxBytes) throw new FileRefused(`is larger than ${maxBytes} bytes`);
}

/**
 * Reads a file that other programs may have put there, through links unless `flags` has O_NOFOLLOW. Refuses pipes and
 * devices, which may block or never end, and files of more than `maxBytes`; a list of 60,000 services takes about 5 MB.
 * @throws FileRefused, or the system's error
 */
export async function readRegularFile(path: string, maxBytes = maxFileBytes, flags = 0): Promise<Buffer> {
  const file = await open(path, readFlags | flags);
  try {
    checkRegularFile(await file.stat(), maxBytes);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/**
 * The real path of an open file or folder: what was opened, even if its name or a link has changed since. On systems
 * without /proc, `name` is resolved again.
 * @throws the system's error
 */
export const realPathOf = ({ fd }: FileHandle, name: string) =>
  process.platform === 'linux' ? readlink(`/proc/self/fd/${fd}`) : realpath(name);

/**
 * A path through which other functions reach an open file or folder, even if it has been renamed or replaced. Valid
 * until the handle is closed. On systems without /proc, `name`.
 */
export const pathByHandle = ({ fd }: FileHandle, name: string) =>
  process.platform === 'linux' ? `/proc/self/fd/${fd}` : name;

/**
 * Like `pathByHandle`, for a program that this one has started, as the same user. `name` also where that program may not
 * look into this process, because its executable has capabilities of its own.
 */
export const pathForChild = ({ fd }: FileHandle, name: string) =>
  process.platform === 'linux' && statSync('/proc/self/fd').uid === process.getuid?.()
    ? `/proc/${process.pid}/fd/${fd}`
    : name;

/**
 * Synchronous version of `readRegularFile`, for small files at the start.
 * @throws FileRefused, or the system's error
 */
export function readRegularFileSync(path: string, maxBytes = maxFileBytes): Buffer {
  const file = openSync(path, readFlags);
  try {
    checkRegularFile(fstatSync(file), maxBytes);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Keeps a damaged file that is about to be replaced: as `PATH.damaged`, or as `PATH.damaged.1`, `.2` and so on if that
 * exists. Returns the path of the copy. Another call before the file is replaced returns the same path.
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

/** A file that is being written, under a temporary name. */
export interface TemporaryFile {
  readonly path: string;
  readonly file: FileHandle;
}

const temporaryName = /^\.[0-9a-f]{16}\.writing$/;

/** Whether `createTemporary` makes such names. */
export const isTemporary = (name: string) => temporaryName.test(name);

/**
 * Creates a file that is renamed to its final name once it is complete. Users with access to the folder cannot guess
 * its name, and an existing file or link of that name is never opened. The name is short, so that a file with the
 * longest name that the file system allows can be replaced. native/storage/file_io.h is the counterpart for native
 * threads.
 * @throws the system's error
 */
export async function createTemporary(folder: string, mode = 0o644): Promise<TemporaryFile> {
  const path = join(folder, `.${randomBytes(8).toString('hex')}.writing`);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  return { path, file: await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode) };
}

/**
 * Time without a write after which a temporary file counts as abandoned, in folders where other programs may be
 * writing.
 */
export const abandonedAfterMs = 86_400_000;

/**
 * Removes the temporary files that a killed process has left in a folder. `unchangedForMs`: time without a write after
 * which a file counts as abandoned; 0 in folders where only this process writes.
 */
export async function removeTemporaries(folder: string, unchangedForMs = 0): Promise<void> {
  const isAbandoned = async (path: string) =>
    unchangedForMs === 0 || Date.now() - ((await lstat(path).catch(() => undefined))?.mtimeMs ?? 0) > unchangedForMs;
  const names = await readdir(folder).catch(() => []);
  for (const path of names.filter(isTemporary).map((name) => join(folder, name)))
    if (await isAbandoned(path)) await rm(path, { force: true }).catch(() => undefined);
}

/**
 * Replaces the file at `path` atomically by what `write` puts into a new one: a temporary file in the same folder,
 * fsync, rename. The calling thread does not wait for the disk. `mode`: the permissions of the file.
 * @throws the error of `write` or of the system; the old file is then unchanged
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

/**
 * Replaces the file at `path` atomically by this content, and creates its folder if needed.
 * @throws the system's error
 */
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

/**
 * Replaces the file at `path` atomically by a text of many pieces, made in time slices.
 * @throws ReceiverError `file-unwritable`
 */
export async function replaceWithPieces(path: string, pieces: Iterable<string>): Promise<void> {
  const slice = new TimeSlice();
  const made: Buffer[] = [];
  for (const piece of pieces) {
    if (slice.isOver) await slice.next();
    made.push(Buffer.from(piece));
  }
  await replaceFile(path, Buffer.concat(made)).catch(unwritable(path));
}

/** An argument for `catch`: rethrows a ReceiverError; throws any other error as `file-unwritable` with this path. */
export const unwritable =
  (path: string) =>
  (error: Error): never => {
    throw error instanceof ReceiverError ? error : fail('file-unwritable', path, error.message);
  };
