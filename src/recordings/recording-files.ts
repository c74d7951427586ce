/** The files of a recording that begins, and what is written to them while it runs and when it ends. */
import { access, appendFile, lstat, mkdir, open, readFile, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { fail } from '../errors.ts';
import { replaceFile } from '../files.ts';
import { type Cut, formatCuts } from './cuts-file.ts';
import { withSlash } from './folders.ts';
import { editMeta, formatMeta, type MetaChanges, type NewMeta } from './meta-file.ts';
import type { RecordingOrder } from './recording-order.ts';

/** Names tried: what is there in such numbers is a mistake. */
const mostNumbers = 999;

/**
 * Makes the file of a recording, empty, and what is known of it beside it. A name that is taken is numbered: there is such a file, or a
 * recording of ours, one of `own`, to which the new one is added. An empty file that is nobody's makes way. `named` is told the name before
 * there is a file.
 * @throws ReceiverError `disk-full`, `file-unwritable`
 */
export async function beginFiles(
  folder: string,
  name: string,
  { meta, event }: { readonly meta: NewMeta; readonly event: Uint8Array | undefined },
  own: Set<string>,
  named: RecordingOrder['named'],
): Promise<string> {
  const base = withSlash(folder) + name;
  try {
    await mkdir(folder, { recursive: true });
    const path = await unusedFile(base, own, named);
    try {
      // What a recording of this name may have left behind is not about this one.
      await Promise.all(['.ap', '.sc', '.cuts'].map((suffix) => rm(path + suffix, { force: true })));
      await replaceFile(`${path}.meta`, formatMeta(meta));
      if (event) await replaceFile(eventPath(path), event);
    } catch (error) {
      await giveUpFiles(path, own);
      throw error;
    }
    return path;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') throw fail('disk-full', folder);
    throw fail('file-unwritable', `${base}.ts`, message);
  }
}

/** Removes what `beginFiles` has made, as far as that goes. */
export async function giveUpFiles(path: string, own: Set<string>): Promise<void> {
  await removeFiles(path).catch(() => undefined);
  own.delete(path);
}

/** The part of a recording that comes after one, `by` 1, or before it, -1: `NAME`, `NAME_001`, `NAME_002`. Undefined before the first. */
export function partBeside(path: string, by: 1 | -1): string | undefined {
  const [, base = path, digits = '0'] = /^(.+)_(\d{3})$/.exec(path) ?? [];
  const number = Number(digits) + by;
  return number < 0 ? undefined : base + partNumber(number);
}

const partNumber = (number: number) => (number === 0 ? '' : `_${String(number).padStart(3, '0')}`);

/** Makes `BASE.ts`, or the first of `BASE_001.ts`, ... that is free. */
async function unusedFile(base: string, own: Set<string>, named?: (path: string) => Promise<void>): Promise<string> {
  for (let number = 0; ; number++) {
    const name = base + partNumber(number);
    const path = `${name}.ts`;
    if (own.has(path)) continue;
    own.add(path);
    try {
      if ((await writtenLast(path)) === undefined) await named?.(name);
      await (await open(path, 'wx', 0o644)).close();
      return path;
    } catch (error) {
      own.delete(path);
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || number === mostNumbers) throw error;
    }
  }
}

/**
 * When a file was written to last, in milliseconds since 1970; undefined when there is none. An empty one is removed: what is left of a
 * recording that was broken off, by a power cut, before it had its first byte.
 */
export async function writtenLast(path: string): Promise<number | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (!found?.isFile() || found.size > 0) return found?.mtimeMs;
  // On a disk that can only be read it stays, and counts as little.
  await removeFiles(path).catch(() => undefined);
  return undefined;
}

/** What the first part of a recording is called, of which `path` (without extension) is one: `NAME` for `NAME_002` if that is there. */
export async function firstName(path: string): Promise<string> {
  const first = /^(.+)_\d{3}$/.exec(path)?.[1];
  const isThere =
    first !== undefined &&
    (await access(`${first}.ts`).then(
      () => true,
      () => false,
    ));
  return basename(isThere ? first : path);
}

/** Adds a mark, as a box does: at the end of the file, wherever it lies. */
export async function addMark(path: string, position: number): Promise<void> {
  const mark: Cut = { kind: 2, position };
  await appendFile(`${path}.cuts`, formatCuts([mark]));
}

/** Changes what the `.meta` file of a recording says; one that is not there any more is not made anew. */
export async function changeMeta(path: string, changes: MetaChanges): Promise<void> {
  const meta = `${path}.meta`;
  const bytes = await readFile(meta).catch(() => undefined);
  if (bytes) await replaceFile(meta, editMeta(bytes, changes));
}

/** Removes a recording with everything beside it. */
export async function removeFiles(path: string): Promise<void> {
  const all = [
    path,
    ...['.ap', '.sc', '.cuts', '.meta', '.meta.writing'].map((suffix) => path + suffix),
    ...['', '.writing'].map((suffix) => eventPath(path) + suffix),
  ];
  await Promise.all(all.map((one) => rm(one, { force: true })));
}

const eventPath = (path: string) => `${path.slice(0, -'.ts'.length)}.eit`;
