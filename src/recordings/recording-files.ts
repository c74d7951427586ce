/** Creates the files of a recording, and updates them while it runs and when it ends. */
import { constants } from 'node:fs';
import { lstat, open, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { fail, ReceiverError } from '../base/errors.ts';
import { exists, readRegularFile, replaceFile } from '../base/files.ts';
import { type Cut, formatCuts } from './cuts-file.ts';
import { isFull } from './disk-trouble.ts';
import { editMeta, formatMeta, type MetaChanges, type NewMeta } from './meta-file.ts';
import type { RecordingSpec } from './recording-order.ts';

/** Names tried; so many existing files are a mistake. */
const mostNumbers = 999;

/** A folder, and the path of it held open, both with a trailing slash. */
export interface OpenFolder {
  readonly folder: string;
  readonly at: string;
}

/**
 * Creates the empty file of a recording and the metadata files beside it, and returns its path. A name is numbered if it
 * is taken by a file, or by one of our recordings in `own`, to which the new path is added. An empty file that belongs
 * to nobody is replaced. `named` is called with the name before the file exists.
 * @throws ReceiverError `disk-full`, `file-unwritable`
 */
export async function beginFiles(
  { folder, at }: OpenFolder,
  name: string,
  { meta, event }: { readonly meta: NewMeta; readonly event: Uint8Array | undefined },
  own: Set<string>,
  named: RecordingSpec['named'],
): Promise<string> {
  try {
    const path = await unusedFile({ folder, at }, name, own, named);
    const file = at + basename(path);
    try {
      // Leftovers of an earlier recording of this name do not belong to this one.
      await Promise.all(['.ap', '.sc', '.cuts'].map((suffix) => rm(file + suffix, { force: true })));
      await replaceFile(`${file}.meta`, formatMeta(meta));
      if (event) await writeEvent(file, event);
    } catch (error) {
      await removeFiles(file).catch(() => undefined);
      own.delete(path);
      throw error;
    }
    return path;
  } catch (error) {
    throw unwritten(folder + name, error as NodeJS.ErrnoException);
  }
}

/** Why there is no recording of this path, without extension. */
export function unwritten(path: string, error: NodeJS.ErrnoException): ReceiverError {
  if (error instanceof ReceiverError) return error;
  if (isFull(error)) return fail('disk-full', `${dirname(path)}/`);
  return fail('file-unwritable', `${path}.ts`, error.message);
}

/**
 * The part after a recording (`by` 1) or before it (-1): `NAME`, `NAME_001`, `NAME_002`. Undefined before the first.
 */
export function partBeside(path: string, by: 1 | -1): string | undefined {
  const [, base = path, digits = '0'] = /^(.+)_(\d{3})$/.exec(path) ?? [];
  const number = Number(digits) + by;
  return number < 0 ? undefined : base + partNumber(number);
}

/** What distinguishes recordings of one name. */
export const partNumber = (number: number) => (number === 0 ? '' : `_${String(number).padStart(3, '0')}`);

/** Creates `NAME.ts`, or the first free one of `NAME_001.ts`, ... */
async function unusedFile(
  { folder, at }: OpenFolder,
  base: string,
  own: Set<string>,
  named?: (path: string) => Promise<void>,
): Promise<string> {
  for (let number = 0; ; number++) {
    const name = base + partNumber(number);
    const [path, file] = [`${folder}${name}.ts`, `${at}${name}.ts`];
    if (own.has(path)) continue;
    own.add(path);
    try {
      if ((await writtenLast(file)) === undefined) await named?.(folder + name);
      await (await open(file, 'wx', 0o644)).close();
      return path;
    } catch (error) {
      own.delete(path);
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number === mostNumbers) throw error;
    }
  }
}

/**
 * When a file was last written to, in milliseconds since 1970; undefined if there is none. Removes an empty file: the
 * remains of a recording that was interrupted, by a power cut, before its first byte.
 */
export async function writtenLast(path: string): Promise<number | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isFile() || found.size > 0) return found?.mtimeMs;
  // On a read-only disk it stays and is ignored.
  await removeFiles(path).catch(() => undefined);
  return undefined;
}

/**
 * The name of the first part of a recording, for `path` (without extension) of any part: `NAME` for `NAME_002` if that
 * exists.
 */
export async function firstName(path: string): Promise<string> {
  const first = /^(.+)_\d{3}$/.exec(path)?.[1];
  return basename(first !== undefined && (await exists(`${first}.ts`)) ? first : path);
}

/** Appends a mark at the end of the file whatever its position, as a box does. */
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
export const writeEvent = (path: string, event: Uint8Array) => replaceFile(eventPath(path), event);

/** Changes the `.meta` file of a recording; a missing file is not created again. */
export async function changeMeta(path: string, changes: MetaChanges): Promise<void> {
  const meta = `${path}.meta`;
  const bytes = await readBeside(meta).catch(() => undefined);
  if (bytes) await replaceFile(meta, editMeta(bytes, changes));
}

/** Side files are a few kilobytes, the access points of a day 3 MB; a larger file is not one. */
const largestSideFile = 16 << 20;

/**
 * Reads a file beside a recording. A link is refused: it could show any file of the machine.
 * @throws FileRefused, or the system's error
 */
export const readBeside = (path: string) => readRegularFile(path, largestSideFile, constants.O_NOFOLLOW);

/** Removes a recording with all files beside it. */
export async function removeFiles(path: string): Promise<void> {
  const all = [path, ...['.ap', '.sc', '.cuts', '.meta'].map((suffix) => path + suffix), eventPath(path)];
  await Promise.all(all.map((one) => rm(one, { force: true })));
}

const eventPath = (path: string) => `${path.slice(0, -'.ts'.length)}.eit`;
