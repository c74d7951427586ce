/** The real Enigma2 folders for tests: RECEIVERD_TEST_DATA/enigma2; absent ones are skipped. */
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const root = join(process.env.RECEIVERD_TEST_DATA ?? '/nonexistent', 'enigma2');

/** Names of the folders there are. */
export const enigma2Folders: readonly string[] = existsSync(root) ? readdirSync(root).sort() : [];

/** One file of a folder; undefined if it has none of that name. */
export async function readFile(folder: string, name: string): Promise<Buffer | undefined> {
  const path = join(root, folder, name);
  return existsSync(path) ? await fs.readFile(path) : undefined;
}

/** An empty folder that lasts as long as the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'receiverd-services-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A copy of a real folder that lasts as long as the test. */
export function copyOf(folder: string): string {
  const copy = temporaryFolder();
  cpSync(join(root, folder), copy, { recursive: true });
  return copy;
}
