/** Reads a folder in chunks: reading tens of thousands of names at once would block everything else. */
import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';

/** Entries requested from the system at once. */
const atOnce = 256;

/** Unordered. @throws Error from the file system */
export async function folderEntries(folder: string): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(folder, { bufferSize: atOnce })) entries.push(entry);
  return entries;
}

/** Only the names. @throws Error from the file system */
export async function folderNames(folder: string): Promise<Set<string>> {
  return new Set((await folderEntries(folder)).map(({ name }) => name));
}
