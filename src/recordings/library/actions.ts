/**
 * Actions on recordings: delete, restore, move, rename and copy. An action applies to all files of a recording or to
 * none. It begins with the recording itself, followed by the side files; if one of them fails, the steps already done
 * are undone.
 *
 * A move within a file system is a rename. A move to another one is a transfer: a copy that reports its progress and
 * can be cancelled. The original is removed once the copy is on the disk under its final names.
 */
import { rename, rm, stat, statfs } from 'node:fs/promises';
import { extname, parse } from 'node:path';
import { fail, ReceiverError } from '../../base/errors.ts';
import { exists, isFolder, syncFolder, unwritable } from '../../base/files.ts';
import { serialQueue } from '../../base/serial-queue.ts';
import type { Settings } from '../../config/enigma2-settings.ts';
import { copyFiles } from '../files/copying.ts';
import { isFull } from '../files/disk-trouble.ts';
import { type FileSet, fileSetOf, renamedFile } from '../files/file-set.ts';
import { folderNames } from '../files/folder-entries.ts';
import type { Recording } from '../files/recording.ts';
import { maxFileNameBytes, numberedName } from '../files/recording-files.ts';
import { folderMissing, notFound, type RecordingFolders, withSlash } from './folders.ts';
import type { RecordingChanges, RecordingLibrary } from './library.ts';
import { mediaFolders } from './media-names.ts';
import { isTrashed, trashFolder } from './trash-folder.ts';

/** The result of deleting a recording. */
export interface Deletion {
  /** Paths that its files had. */
  readonly files: readonly string[];
  /** The path of the recording in the trash; undefined if it is deleted for good. */
  readonly trashed?: string;
}

export interface ActionParts {
  readonly folders: RecordingFolders;
  readonly library: RecordingLibrary;
  readonly settings: Settings;
  /** The running recordings. */
  readonly active?: {
    /** Whether this file is being written. */
    isActive(path: string): boolean;
    /** Stops the recording to this file; resolves when its files are complete. */
    stop(path: string): Promise<void>;
  };
  readonly onError?: (error: Error) => void;
}

/** A copy in progress. */
export interface Transfer {
  readonly id: number;
  readonly kind: 'move' | 'copy';
  /** Paths of the original and of the copy. */
  readonly from: string;
  readonly to: string;
  /** Bytes copied so far, and bytes of all files. */
  readonly done: number;
  readonly total: number;
}

interface RunningTransfer extends Transfer {
  done: number;
  readonly end: AbortController;
}

export class RecordingActions {
  readonly #parts: ActionParts;
  readonly #transfers = new Map<number, RunningTransfer>();
  #lastId = 0;
  /** Runs actions one after the other, transfers not included. */
  readonly #serial = serialQueue();

  constructor(parts: ActionParts) {
    this.#parts = parts;
  }

  #runAction<Result>(action: () => Promise<Result>): Promise<Result> {
    return this.#serial(action).finally(() => this.#parts.library.notifyChange());
  }

  /** Copies in progress, oldest first. */
  get transfers(): readonly Transfer[] {
    return [...this.#transfers.values()].map(({ end: _, ...transfer }) => transfer);
  }

  /** Cancels a transfer and removes its partial copy. Returns false if there is no transfer with this id. */
  cancel(id: number): boolean {
    const transfer = this.#transfers.get(id);
    transfer?.end.abort();
    return transfer !== undefined;
  }

  /** Reports the error of an action whose caller no longer waits for it. */
  report(error: Error): void {
    if (!(error instanceof ReceiverError && error.code === 'cancelled')) this.#parts.onError?.(error);
  }

  /** Cancels all transfers. */
  stop(): void {
    for (const { end } of this.#transfers.values()) end.abort();
  }

  /** Whether deleted recordings go to the trash first. */
  get usesTrash(): boolean {
    return this.#parts.settings.isOn('config.usage.movielist_trashcan');
  }

  /**
   * Deletes a recording. It is moved to its location's trash if the settings say so, unless it is there already or
   * `forGood` is set. A running recording is stopped first.
   * @throws ReceiverError `not-found`, `outside-locations`, `recording-busy`, `file-unwritable`
   */
  delete(path: string, { forGood = false }: { readonly forGood?: boolean } = {}): Promise<Deletion> {
    return this.#runAction(async () => {
      const set = await this.#idleFileSet(path, 'stopped');
      const current = set.folder + set.name;
      if (forGood || !this.usesTrash || isTrashed(current)) return { files: await this.#remove(set) };
      // A trash folder that is a link must not lead out of the recording folders.
      const trash = await this.#parts.folders.resolveForWriting(trashFolder(await this.#trashRoot(set)));
      await this.#parts.folders.create(trash).catch(unwritable(trash));
      const name = await freeName(trash, set);
      await this.#rename(set, trash, name);
      return { files: set.files.map((file) => set.folder + file), trashed: trash + name };
    });
  }

  /**
   * Moves a recording into another folder and returns its new path.
   * @throws ReceiverError `not-found`, `outside-locations`, `folder-not-found`, `same-folder`, `file-exists`,
   * `recording-active`, `recording-busy`, `disk-full`, `cancelled`, `file-unwritable`
   */
  async move(path: string, folder: string): Promise<string> {
    const moved = await this.#runAction(async () => {
      const set = await this.#idleFileSet(path);
      const to = await this.#destination(set, folder);
      await this.#refuseTaken(set, to, set.name);
      const device = async (one: string) => (await stat(one)).dev;
      if ((await device(set.folder)) === (await device(to))) {
        try {
          await this.#rename(set, to, set.name);
          return to + set.name;
        } catch (error) {
          // Within one device, renaming fails between two mounts of a file system, and on overlay file systems.
          if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
        }
      }
      return { set, transfer: this.#beginTransfer('move', set, to) };
    });
    if (typeof moved === 'string') return moved;
    const { set, transfer } = moved;
    return this.#transfer(transfer, set, () => this.#remove(set));
  }

  /**
   * Creates a folder for recordings unless it exists, and returns its path.
   * @throws ReceiverError `outside-locations`, `folder-not-found` if its location is missing, `bad-name`,
   * `file-unwritable`
   */
  addFolder(path: string): Promise<string> {
    return this.#runAction(async () => {
      const folder = await this.#parts.folders.resolveForWriting(path);
      const location = this.#parts.folders.folderOf(folder) as string;
      if (await isFolder(folder)) return folder;
      for (const name of folder.slice(location.length).split('/').filter(Boolean)) checkedName(name);
      await this.#parts.folders.create(folder).catch(unwritable(folder));
      return folder;
    });
  }

  /** Copies a recording into another folder and returns the copy's path. @throws ReceiverError like `move` */
  async copy(path: string, folder: string): Promise<string> {
    const { set, transfer } = await this.#runAction(async () => {
      const set = await this.#idleFileSet(path);
      const to = await this.#destination(set, folder);
      await this.#refuseTaken(set, to, set.name);
      return { set, transfer: this.#beginTransfer('copy', set, to) };
    });
    return this.#transfer(transfer, set);
  }

  /**
   * Changes the title of a recording and renames its files accordingly. Returns the new path.
   * @throws ReceiverError `not-found`, `outside-locations`, `bad-name`, `file-exists`, `recording-active`,
   * `recording-busy`, `file-unwritable`
   */
  async rename(path: string, title: string): Promise<string> {
    const renamed = await this.#runAction(async () => {
      const set = await this.#idleFileSet(path);
      const ending = extname(set.name);
      const base = title.toLowerCase().endsWith(ending.toLowerCase()) ? title.slice(0, -ending.length) : title;
      const name = checkedName(`${base}${ending}`);
      if (name !== set.name) {
        await this.#refuseTaken(set, set.folder, name);
        await this.#rename(set, set.folder, name);
      }
      return { path: set.folder + name, base };
    });
    const { described } = await this.#parts.library.find(renamed.path);
    if (described) await this.#parts.library.edit(renamed.path, { title: renamed.base });
    return renamed.path;
  }

  /**
   * Changes tags, texts or marks.
   * @throws ReceiverError like `RecordingLibrary.edit`; `recording-busy` during a transfer, which would lose the change
   */
  edit(path: string, changes: RecordingChanges): Promise<Recording> {
    return this.#serial(async () => {
      const { path: current } = await this.#parts.library.find(path);
      for (const { kind, from, to } of this.#transfers.values())
        if (current === to || (current === from && kind === 'move')) throw fail('recording-busy', current);
      return this.#parts.library.edit(current, changes);
    });
  }

  /** Removes the folders that were made for the name of a recording that has left them. */
  #removeFolders({ folder, name }: FileSet): Promise<void> {
    return this.#parts.folders.removeEmpty(folder, mediaFolders(folder + name));
  }

  /** Renames all files, the recording first; if one fails, none is renamed. */
  async #rename(set: FileSet, to: string, name: string): Promise<void> {
    const { folders } = this.#parts;
    await folders.inFolder(set.folder, (from) =>
      folders.inFolder(to, (into) =>
        renameFiles({ ...set, folder: from }, into, name).catch((error: NodeJS.ErrnoException) => {
          throw error.code === 'EXDEV' ? error : fail('file-unwritable', to + name, error.message);
        }),
      ),
    );
    if (to !== set.folder) await this.#removeFolders(set);
  }

  /** Removes all files and returns their paths. The recording is first: if it cannot be removed, no file is. */
  async #remove(set: FileSet): Promise<string[]> {
    await this.#parts.folders.inFolder(set.folder, async (at) => {
      for (const file of set.files) {
        await rm(at + file, { force: true }).catch((error: Error) => {
          if (file === set.name) throw fail('file-unwritable', set.folder + file, error.message);
        });
      }
    });
    await this.#removeFolders(set);
    return set.files.map((file) => set.folder + file);
  }

  /** The outermost folder of the location that is on the recording's file system. */
  async #trashRoot({ folder, name }: FileSet): Promise<string> {
    const location = this.#parts.folders.folderOf(folder + name) ?? folder;
    const { dev } = await stat(folder);
    let root = folder;
    while (root !== location) {
      const above = root.slice(0, root.lastIndexOf('/', root.length - 2) + 1);
      if ((await stat(above)).dev !== dev) break;
      root = above;
    }
    return root;
  }

  /** @throws ReceiverError `recording-active` for a file that is being written */
  refuseActive(path: string): void {
    if (this.#parts.active?.isActive(path)) throw fail('recording-active', path);
  }

  /** The files of a recording. Refuses one that is being transferred or recorded; `stopped`: stops the latter first. */
  async #idleFileSet(path: string, active?: 'stopped'): Promise<FileSet> {
    const { path: current } = await this.#parts.library.find(path);
    for (const { from, to } of this.#transfers.values())
      if (current === from || current === to) throw fail('recording-busy', current);
    if (this.#parts.active?.isActive(current)) {
      if (active === undefined) this.refuseActive(current);
      await this.#parts.active.stop(current);
    }
    return fileSetOf(current).catch(notFound(`File '${path}'`));
  }

  /** @throws ReceiverError `file-exists` if one of the files would overwrite another, or the target of a transfer */
  async #refuseTaken(set: FileSet, to: string, name: string): Promise<void> {
    for (const transfer of this.#transfers.values())
      if (transfer.to === to + name) throw fail('file-exists', to + name);
    await refuseTaken(set, to, name);
  }

  async #destination(set: FileSet, folder: string): Promise<string> {
    const to = withSlash(
      await this.#parts.folders.resolveExisting(folder).catch((error: ReceiverError) => {
        throw error.code === 'not-found' ? fail('folder-not-found', folder) : error;
      }),
    );
    if (!(await isFolder(to))) throw fail('folder-not-found', folder);
    const missing = await this.#parts.folders.missingReason(to);
    if (missing !== '') throw folderMissing(to, missing);
    if (to === set.folder) throw fail('same-folder', folder);
    return to;
  }

  #beginTransfer(kind: Transfer['kind'], set: FileSet, to: string): RunningTransfer {
    const id = ++this.#lastId;
    const from = set.folder + set.name;
    const transfer = { id, kind, from, to: to + set.name, done: 0, total: set.size, end: new AbortController() };
    this.#transfers.set(id, transfer);
    return transfer;
  }

  async #transfer(transfer: RunningTransfer, set: FileSet, then?: () => Promise<unknown>): Promise<string> {
    const to = transfer.to.slice(0, -set.name.length);
    try {
      const { bavail, bsize } = await statfs(to);
      if (bavail * bsize < set.size) throw fail('disk-full', to);
      const progress = {
        signal: transfer.end.signal,
        onBytes: (count: number) => {
          transfer.done += count;
        },
      };
      const { folders } = this.#parts;
      await folders.inFolder(set.folder, (from) =>
        folders.inFolder(to, (into) => copyFiles(from, into, set.files, progress)),
      );
      await then?.();
      return transfer.to;
    } catch (error) {
      if (transfer.end.signal.aborted) throw fail('cancelled', transfer.from);
      const { code } = error as NodeJS.ErrnoException;
      if (isFull(error as NodeJS.ErrnoException)) throw fail('disk-full', to);
      if (code === 'EEXIST') throw fail('file-exists', transfer.to);
      throw error instanceof ReceiverError ? error : fail('file-unwritable', transfer.to, (error as Error).message);
    } finally {
      this.#transfers.delete(transfer.id);
      this.#parts.library.notifyChange();
    }
  }
}

/** @throws ReceiverError `bad-name` unless this is a valid name of a visible file */
function checkedName(name: string): string {
  const bad = /[/\p{Cc}]/u.test(name) || name.startsWith('.') || name.trim() !== name;
  if (bad || Buffer.byteLength(name) > maxFileNameBytes || name === extname(name)) throw fail('bad-name', name);
  return name;
}

/** @throws ReceiverError `file-exists` if one of the files would overwrite another */
async function refuseTaken(set: FileSet, to: string, name: string): Promise<void> {
  for (const file of set.files) {
    const next = to + renamedFile(set, file, name);
    if (next === set.folder + file) continue;
    if (await exists(next)) throw fail('file-exists', next);
  }
}

/** The recording's name; if it is taken, with a number, for which a long name is shortened. */
async function freeName(folder: string, set: FileSet): Promise<string> {
  const names = await folderNames(folder);
  const { name: base, ext } = parse(set.name);
  for (let number = 0; ; number++) {
    const name = number === 0 ? set.name : numberedName(base, number, ext);
    if (!set.files.some((file) => names.has(renamedFile(set, file, name)))) return name;
  }
}

/** @throws the system's error; then all files have their old names again */
async function renameFiles(set: FileSet, to: string, name: string): Promise<void> {
  const done: (readonly [from: string, to: string])[] = [];
  try {
    for (const file of set.files) {
      const step = [set.folder + file, to + renamedFile(set, file, name)] as const;
      await rename(...step);
      done.push(step);
    }
  } catch (error) {
    for (const [from, now] of done.reverse()) await rename(now, from).catch(() => undefined);
    throw error;
  }
  await Promise.all([syncFolder(to), syncFolder(set.folder)]);
}
