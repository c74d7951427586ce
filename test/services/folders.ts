/** Real Enigma2 folders for tests, in RECEIVERD_TEST_DATA/enigma2. Tests of missing ones are skipped. */
import { cpSync, existsSync, readdirSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import type { Services } from '../../src/services/services.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const root = join(process.env.RECEIVERD_TEST_DATA ?? '/nonexistent', 'enigma2');

/** Names of the available folders. */
export const enigma2Folders: readonly string[] = existsSync(root) ? readdirSync(root).sort() : [];

/** Reads a file of a folder; undefined if it does not exist. */
export async function readFile(folder: string, name: string): Promise<Buffer | undefined> {
  const path = join(root, folder, name);
  return existsSync(path) ? await fs.readFile(path) : undefined;
}

/** Copies a real folder for the duration of the test. */
export function copyOf(folder: string): string {
  const copy = temporaryFolder();
  cpSync(join(root, folder), copy, { recursive: true });
  return copy;
}

/** Removes the first entry of a bouquet, as a user might. */
export function removeFirst(services: Services, file: string): void {
  services.edit(({ bouquet }) => {
    const list = bouquet(file);
    list?.replace(list.entries.slice(1).map(({ reference }) => reference));
  });
}
