/** What is in a folder, read piece by piece: tens of thousands of names at once would hold up everybody else. */
import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';

/** Entries that the system is asked for at once. */
const atOnce = 256;

/** In no order. @throws Error as of the file system */
export async function folderEntries(folder: string): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(folder, { bufferSize: atOnce })) entries.push(entry);
  return entries;
}

/** Names alone. @throws Error as of the file system */
export async function folderNames(folder: string): Promise<Set<string>> {
  return new Set((await folderEntries(folder)).map(({ name }) => name));
}
