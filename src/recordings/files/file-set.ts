/** The files of one recording: the recording itself with its parts, and its side files. */
import { lstat } from 'node:fs/promises';
import { dirname, extname, parse } from 'node:path';
import { folderNames } from './folder-entries.ts';

export interface FileSet {
  /** With a trailing slash. */
  readonly folder: string;
  /** Name of the recording, such as `Ships.ts`. */
  readonly name: string;
  /** Names of all existing files: the recording first, then its parts, then the side files. */
  readonly files: readonly string[];
  /** Total bytes. */
  readonly size: number;
}

/** Extensions of recordings. */
const extensions = new Set(
  '.ts .trp .m2ts .mts .mpg .mpeg .m2p .vob .mkv .mp4 .m4v .avi .divx .mov .flv .wmv .webm .ogm .mp3 .mp2 .m4a .aac .ac3 .flac .ogg .oga .mka .wav'.split(
    ' ',
  ),
);
/** Whether a file of this name is a recording. */
export const isRecordingName = (name: string) => !name.startsWith('.') && extensions.has(extname(name).toLowerCase());

/** Appended to the full name: `Ships.ts.meta`. */
const ofName = ['.meta', '.ap', '.sc', '.cuts', '_mp.jpg'];
/** Appended to the name without extension: `Ships.eit`. */
const ofBase = ['.eit', '.jpg', '.txt', '.nfo'];

/**
 * Finds the files of a recording. Side files that are not regular files, such as links, are left out, and so are files
 * shared by two recordings of the same base name (`Ships.eit` of `Ships.ts` and `Ships.mkv`).
 */
export async function fileSetOf(path: string): Promise<FileSet> {
  const folder = `${dirname(path)}/`.replace('//', '/');
  const { base: name, name: base } = parse(path);
  const names = await folderNames(folder);
  const parts: string[] = [];
  while (names.has(partName(name, parts.length + 1))) parts.push(partName(name, parts.length + 1));
  const isShared = [...names].some((other) => other !== name && isRecordingName(other) && parse(other).name === base);
  const beside = [...ofName.map((suffix) => name + suffix), ...(isShared ? [] : ofBase.map((suffix) => base + suffix))];
  const existing = [name, ...parts, ...beside.filter((one) => names.has(one))];
  const checked = await Promise.all(existing.map(async (file) => ({ file, status: await lstat(folder + file) })));
  const found = checked.filter(({ file, status }) => file === name || status.isFile());
  return {
    folder,
    name,
    files: found.map(({ file }) => file),
    size: found.reduce((sum, { status }) => sum + status.size, 0),
  };
}

/** Name of a further part of a split recording, from 1. */
export const partName = (name: string, number: number) => `${name}.${String(number).padStart(3, '0')}`;

/** Whether a file is a further part of the recording `name`. */
export const isPart = (name: string, file: string) =>
  file.startsWith(`${name}.`) && /^\d{3,}$/.test(file.slice(name.length + 1));

/** The name that a file of the set gets when the recording is renamed to `next`. */
export function renamedFile({ name }: FileSet, file: string, next: string): string {
  if (file.startsWith(name)) return next + file.slice(name.length);
  return parse(next).name + file.slice(parse(name).name.length);
}
