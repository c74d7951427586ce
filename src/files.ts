/** Creates folders, and replaces files so that a power cut leaves either the old or the new one, never a torn one. */
import { mkdirSync, statSync } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fail } from './errors.ts';
import { Turn } from './turn.ts';

/**
 * Creates a folder and its missing parents; the folder may exist already. Use this instead of Node's recursive mkdir
 * for every path from the configuration or a request: Node's never returns on a file system where mkdir in an existing
 * folder fails with ENOENT, as in /proc.
 * @throws the system's error
 */
export async function createFolder(path: string, mode = 0o777): Promise<void> {
  const folder = resolve(path);
  const create = (parentCreated: boolean) =>
    mkdir(folder, { mode }).catch(async (error: NodeJS.ErrnoException) => {
      if (await isFolder(folder)) return;
      if (error.code !== 'ENOENT' || parentCreated) throw error;
      if (await isFolder(dirname(folder))) throw refusal(folder, error);
      await createFolder(dirname(folder), mode);
      await create(true);
    });
  await create(false);
}

/** The same, synchronously: for start-up. */
export function createFolderSync(path: string, mode = 0o777): void {
  const folder = resolve(path);
  const create = (parentCreated: boolean) => {
    try {
      mkdirSync(folder, { mode });
    } catch (error) {
      if (isFolderSync(folder)) return;
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' || parentCreated) throw error;
      if (isFolderSync(dirname(folder))) throw refusal(folder, error as NodeJS.ErrnoException);
      createFolderSync(dirname(folder), mode);
      create(true);
    }
  };
  create(false);
}

const isFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

function isFolderSync(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** "No such file or directory" would be misleading if the parent exists. */
function refusal(folder: string, error: NodeJS.ErrnoException): NodeJS.ErrnoException {
  error.message = `'${folder}' cannot be created: '${dirname(folder)}' takes no new folders`;
  return error;
}

/**
 * Writes `path` atomically: a temporary `PATH.writing` (the suffix Enigma2 uses) in the same folder, fsync, rename.
 * Creates the folder if needed. The calling thread does not wait for the disk. Only one call per path at a time.
 */
export async function replaceFile(path: string, content: Uint8Array): Promise<void> {
  await createFolder(dirname(path));
  const temporary = `${path}.writing`;
  try {
    const file = await open(temporary, 'w', 0o644);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    // On a full disk, the unfinished file would take space that later writes need.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Does the same with a text built from many pieces, in turns. @throws ReceiverError `file-unwritable` */
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
