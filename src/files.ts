/** Writing files so that a power cut leaves either the old or the new one, never a torn one. */
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fail } from './errors.ts';
import { Turn } from './turn.ts';

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

/** The same with a text of many pieces, which are made in turns. @throws ReceiverError `file-unwritable` */
export async function replaceWithPieces(path: string, pieces: Iterable<string>): Promise<void> {
  const turn = new Turn();
  const made: Buffer[] = [];
  for (const piece of pieces) {
    if (turn.isOver) await turn.next();
    made.push(Buffer.from(piece));
  }
  try {
    await replaceFile(path, Buffer.concat(made));
  } catch (error) {
    throw fail('file-unwritable', path, (error as Error).message);
  }
}
