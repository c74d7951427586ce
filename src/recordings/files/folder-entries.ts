/** Reads folders in chunks: reading tens of thousands of names at once would block the event loop. */
import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';

/** Entries requested from the system at a time. */
const chunkEntries = 256;

/** The entries of a folder, unordered. @throws Error from the file system */
export async function folderEntries(folder: string): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(folder, { bufferSize: chunkEntries })) entries.push(entry);
  return entries;
}

/** The names in a folder. @throws Error from the file system */
export async function folderNames(folder: string): Promise<Set<string>> {
  return new Set((await folderEntries(folder)).map(({ name }) => name));
}
