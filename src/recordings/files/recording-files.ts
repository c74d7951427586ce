/** Creates the files of a recording, and updates them while it runs and when it ends. */
import { constants } from 'node:fs';
import { lstat, open, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { fail, ReceiverError } from '../../base/errors.ts';
import { exists, readRegularFile, replaceFile } from '../../base/files.ts';
import { type Cut, formatCuts } from './cuts-file.ts';
import { isFull } from './disk-trouble.ts';
import { cut } from './file-name.ts';
import { editMeta, formatMeta, type MetaChanges, type NewMeta } from './meta-file.ts';
import type { RecordingSpec } from './recording-spec.ts';

/** Highest number appended to a name that is taken. */
const maxNumber = 999;

/** A folder: its path, and the path by which it is held open. Both have a trailing slash. */
export interface OpenFolder {
  readonly folder: string;
  readonly at: string;
}

interface SideFiles {
  readonly meta: NewMeta;
  readonly event: Uint8Array | undefined;
  /** For media servers. */
  readonly nfo: string | undefined;
}

/**
 * Creates the empty file of a recording and its side files, and returns its path, which is added to `own`. The name
 * gets a number if it is taken by a file, by a recording in `own`, or by a link beside it. An empty file that belongs to no recording is
 * replaced. `onNamed` is called with the path before the file exists.
 * @throws ReceiverError `disk-full`, `file-unwritable`
 */
export async function createFiles(
  { folder, at }: OpenFolder,
  name: string,
  { meta, event, nfo }: SideFiles,
  own: Set<string>,
  onNamed: RecordingSpec['onNamed'],
): Promise<string> {
  try {
    const path = await unusedFile({ folder, at }, name, own, onNamed);
    const file = at + basename(path);
    try {
      // Side files of an earlier recording of this name.
      await Promise.all(['.ap', '.sc', '.cuts'].map((suffix) => rm(file + suffix, { force: true })));
      await writeSideFile(`${file}.meta`, formatMeta(meta));
      if (event) await writeEvent(file, event);
      if (nfo !== undefined) await writeSideFile(besidePath(file, '.nfo'), Buffer.from(nfo));
    } catch (error) {
      await removeFiles(file).catch(() => undefined);
      own.delete(path);
      throw error;
    }
    return path;
  } catch (error) {
    throw writeFailure(folder + name, error as NodeJS.ErrnoException);
  }
}

/** The error for a recording that cannot be created. `path`: without extension. */
export function writeFailure(path: string, error: NodeJS.ErrnoException): ReceiverError {
  if (error instanceof ReceiverError) return error;
  if (isFull(error)) return fail('disk-full', `${dirname(path)}/`);
  return fail('file-unwritable', `${path}.ts`, error.message);
}

/**
 * The path of the part after a recording (`by` 1) or before it (-1): `NAME`, `NAME_001`, `NAME_002`. Undefined before
 * the first.
 */
export function adjacentPart(path: string, by: 1 | -1): string | undefined {
  const [, base = path, digits = '0'] = /^(.+)_(\d{3})$/.exec(path) ?? [];
  const number = Number(digits) + by;
  return number < 0 ? undefined : base + partNumber(number);
}

/** The suffix of a numbered name: `_001`; '' for 0. */
export const partNumber = (number: number) => (number === 0 ? '' : `_${String(number).padStart(3, '0')}`);

/** Bytes of a name with its extension: the limit of common file systems less the longest suffix of a side file. */
export const maxFileNameBytes = 255 - '_mp.jpg'.length;

/** A name with a number, for which a long name is shortened. */
export function numberedName(base: string, number: number, extension: string): string {
  const suffix = partNumber(number) + extension;
  return cut(base, maxFileNameBytes - Buffer.byteLength(suffix)) + suffix;
}

/** The first name that is free in a folder. @throws ReceiverError `file-exists` if a thousand are taken */
export async function freeName(folder: string, base: string, extension: string): Promise<string> {
  for (let number = 0; number <= maxNumber; number++) {
    const name = numberedName(base, number, extension);
    if (!(await exists(folder + name))) return name;
  }
  throw fail('file-exists', base + extension);
}

/** Creates `NAME.ts`, or the first of `NAME_001.ts`, `NAME_002.ts` and so on that is free. */
async function unusedFile(
  { folder, at }: OpenFolder,
  base: string,
  own: Set<string>,
  onNamed?: (path: string) => Promise<void>,
): Promise<string> {
  for (let number = 0; ; number++) {
    const name = base + partNumber(number);
    const [path, file] = [`${folder}${name}.ts`, `${at}${name}.ts`];
    if (own.has(path)) continue;
    own.add(path);
    try {
      for (const beside of sideFilesOf(file)) await refuseLink(beside);
      if ((await lastWritten(file)) === undefined) await onNamed?.(folder + name);
      await (await open(file, 'wx', 0o644)).close();
      return path;
    } catch (error) {
      own.delete(path);
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number === maxNumber) throw error;
    }
  }
}

/**
 * When a file was last written to, in milliseconds since 1970; undefined if there is none. Removes an empty file: it is
 * left over from a recording that a power cut interrupted before its first byte.
 */
export async function lastWritten(path: string): Promise<number | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isFile() || found.size > 0) return found?.mtimeMs;
  // On a read-only disk the empty file stays.
  await removeFiles(path).catch(() => undefined);
  return undefined;
}

/**
 * The name of the first part of a recording, for `path` (without extension) of any part: `NAME` for `NAME_002` if that
 * exists.
 */
export async function firstPartName(path: string): Promise<string> {
  const first = /^(.+)_\d{3}$/.exec(path)?.[1];
  return basename(first !== undefined && (await exists(`${first}.ts`)) ? first : path);
}

/** Appends a mark to the `.cuts` file, regardless of its position, as a box does. */
export async function addMark(path: string, position: number): Promise<void> {
  const mark: Cut = { kind: 2, position };
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(`${path}.cuts`, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o644);
  try {
    await file.appendFile(formatCuts([mark]));
  } finally {
    await file.close();
  }
}

/** Writes the `.eit` file of a recording. */
export const writeEvent = (path: string, event: Uint8Array) => writeSideFile(besidePath(path, '.eit'), event);

/** Changes the `.meta` file of a recording; a missing file is not created again. */
export async function changeMeta(path: string, changes: MetaChanges): Promise<void> {
  const meta = `${path}.meta`;
  const bytes = await readSideFile(meta).catch(() => undefined);
  if (bytes) await writeSideFile(meta, editMeta(bytes, changes));
}

/** Bytes of a side file. Most have a few kilobytes; the access points of a day have 3 MB. */
const maxSideFileBytes = 16 << 20;

/**
 * Reads a file beside a recording. A link is refused: it could expose any file of the machine.
 * @throws FileRefused, or the system's error
 */
export const readSideFile = (path: string) => readRegularFile(path, maxSideFileBytes, constants.O_NOFOLLOW);

/** Writes a file beside a recording. A link is refused: it is not ours. @throws the system's error */
export async function writeSideFile(path: string, content: Uint8Array): Promise<void> {
  await refuseLink(path);
  await replaceFile(path, content);
}

/** @throws Error with the code `EEXIST` for a link, or anything else but a file */
async function refuseLink(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isFile() === false) throw Object.assign(new Error(`${path} is not a regular file`), { code: 'EEXIST' });
}

/** Removes a recording with all files beside it, but no links. */
export async function removeFiles(path: string): Promise<void> {
  const all = [path, ...sideFilesOf(path)];
  await Promise.all(all.map((one) => refuseLink(one).then(() => rm(one, { force: true }))));
}

const sideFilesOf = (path: string) => [
  ...['.ap', '.sc', '.cuts', '.meta'].map((suffix) => path + suffix),
  ...['.eit', '.nfo'].map((suffix) => besidePath(path, suffix)),
];
const besidePath = (path: string, suffix: string) => path.slice(0, -'.ts'.length) + suffix;
