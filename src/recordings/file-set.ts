/** The files of one recording: it itself with the parts that it is split into, and the small ones beside it. */
import { lstat } from 'node:fs/promises';
import { basename, dirname, extname } from 'node:path';
import { folderNames } from './folder-entries.ts';

export interface FileSet {
  /** With a slash at the end. */
  readonly folder: string;
  /** Name of the recording, `Ships.ts`. */
  readonly name: string;
  /** Names of all its files that are there: the recording first, then its parts, then the small ones. */
  readonly files: readonly string[];
  /** Bytes of them together. */
  readonly size: number;
}

/** After the whole name, `Ships.ts.meta`. */
const ofName = ['.meta', '.ap', '.sc', '.cuts', '_mp.jpg'];
/** After the name without its ending, `Ships.eit`. */
const ofBase = ['.eit', '.jpg', '.txt'];

const withoutEnding = (name: string) => name.slice(0, name.length - extname(name).length);

/**
 * Looks what there is of a recording. What stands beside two recordings of one name (`Ships.eit` of `Ships.ts` and `Ships.mkv`) is
 * neither's alone and belongs to no set. `isRecording`: by its name.
 */
export async function fileSetOf(path: string, isRecording: (name: string) => boolean): Promise<FileSet> {
  const folder = `${dirname(path)}/`.replace('//', '/');
  const name = basename(path);
  const base = withoutEnding(name);
  const names = await folderNames(folder);
  const parts: string[] = [];
  while (names.has(partName(name, parts.length + 1))) parts.push(partName(name, parts.length + 1));
  const isShared = [...names].some((other) => other !== name && isRecording(other) && withoutEnding(other) === base);
  const beside = [...ofName.map((suffix) => name + suffix), ...(isShared ? [] : ofBase.map((suffix) => base + suffix))];
  const files = [name, ...parts, ...beside.filter((one) => names.has(one))];
  const sizes = await Promise.all(files.map(async (one) => (await lstat(folder + one)).size));
  return { folder, name, files, size: sizes.reduce((sum, size) => sum + size, 0) };
}

const partName = (name: string, number: number) => `${name}.${String(number).padStart(3, '0')}`;

/** The name of a file of the set when the recording is called `next`. */
export function renamedFile({ name }: FileSet, file: string, next: string): string {
  if (file.startsWith(name)) return next + file.slice(name.length);
  return withoutEnding(next) + file.slice(withoutEnding(name).length);
}
