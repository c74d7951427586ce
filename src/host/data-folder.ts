/**
 * The data folder belongs to one process at a time. A process that writes there (the receiver, or a command that
 * changes the guide) locks it first. The lock file contains the process id and the URL of the owner.
 *
 * The kernel releases the lock when the process ends, even by kill -9 or a power cut, so a stale lock cannot remain.
 */
import { join, resolve } from 'node:path';
import { fail } from '../base/errors.ts';
import { createFolder } from '../base/files.ts';
import { type FileLock, native } from '../base/native.ts';

/** The process that holds a data folder. Fields it has not reported are undefined. */
export interface FolderOwner {
  readonly pid: number | undefined;
  /** Base URL of its web interface, such as `http://localhost:8080/`; undefined while it does not serve. */
  readonly http: string | undefined;
  /** The ports on which it listens. */
  readonly ports: readonly number[];
}

const unknownOwner: FolderOwner = { pid: undefined, http: undefined, ports: [] };

const lockPath = (folder: string) => join(folder, 'receiverd.lock');

export class DataFolder {
  /** Absolute path. */
  readonly path: string;
  readonly #lock: FileLock;

  private constructor(path: string, lock: FileLock) {
    this.path = path;
    this.#lock = lock;
  }

  /**
   * Locks the folder, creating it if needed, until `release()` or the end of the process.
   * @throws ReceiverError `folder-in-use` with the owner, `file-unreadable` if the lock file cannot be created
   */
  static async lock(folder: string): Promise<DataFolder> {
    const path = resolve(folder);
    await createFolder(path);
    const locked = new DataFolder(path, take(path));
    locked.#writeOwner(undefined, []);
    return locked;
  }

  /** The process that has locked the folder; undefined if none has. */
  static owner(folder: string): FolderOwner | undefined {
    const note = native.FileLock.holder(lockPath(resolve(folder)));
    return note === undefined ? undefined : parseNote(note);
  }

  /** Writes the URL of this process's web interface and its ports into the lock file. */
  announce(http: string, ports: readonly number[]): void {
    this.#writeOwner(http, ports);
  }

  /** Releases the folder. A second call does nothing. */
  release(): void {
    this.#lock.release();
  }

  #writeOwner(http: string | undefined, ports: readonly number[]): void {
    this.#lock.writeNote(`${JSON.stringify({ pid: process.pid, http, ports })}\n`);
  }
}

function take(folder: string): FileLock {
  try {
    return new native.FileLock(lockPath(folder));
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    if (error.code !== 'BUSY') throw fail('file-unreadable', lockPath(folder), error.message);
    throw fail('folder-in-use', folder, ownerText(DataFolder.owner(folder)));
  }
}

function ownerText({ pid, http }: FolderOwner = unknownOwner): string {
  const process = pid === undefined ? 'another process' : `process ${pid}`;
  return http === undefined ? process : `${process}, ${http}`;
}

function parseNote(note: string): FolderOwner {
  try {
    const { pid, http, ports } = JSON.parse(note) as { pid?: unknown; http?: unknown; ports?: unknown };
    return {
      pid: typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0 ? pid : undefined,
      http: typeof http === 'string' && /^https?:\/\//.test(http) ? http : undefined,
      ports: Array.isArray(ports) ? ports.filter((port): port is number => Number.isSafeInteger(port)) : [],
    };
  } catch {
    return unknownOwner;
  }
}
