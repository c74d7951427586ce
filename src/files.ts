/** Writing files so that a power cut leaves either the old or the new one, never a torn one. */
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes `path` atomically: a temporary `PATH.writing` (the suffix Enigma2 uses) in the same folder, fsync, rename. Makes the folder
 * if needed. The calling thread does not wait for the disk. One call a path at a time.
 */
export async function replaceFile(path: string, content: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.writing`;
  const file = await open(temporary, 'w', 0o644);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
