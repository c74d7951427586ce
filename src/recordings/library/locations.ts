/**
 * Adds and removes recording folders at the request of clients, within the configured folders and the configured roots.
 * Added folders are stored in the Enigma2 settings
 * (`config.movielist.videodirs`), beside the existing entries.
 */
import { rmdir } from 'node:fs/promises';
import { posix } from 'node:path';
import { fail } from '../../base/errors.ts';
import { createFolder, isBelow, isFolder, removeFolders, unwritable } from '../../base/files.ts';
import { serialQueue } from '../../base/serial-queue.ts';
import { listLiteral, stringList } from '../../config/enigma2-setting-keys.ts';
import type { Settings } from '../../config/enigma2-settings.ts';
import { folderEntries } from '../files/folder-entries.ts';
import { type RecordingFolders, withSlash } from './folders.ts';

const listKey = 'config.movielist.videodirs';

/** Folders in the response of `foldersIn`. */
const maxListedFolders = 1000;

export class Locations {
  readonly #folders: RecordingFolders;
  readonly #settings: Settings;
  readonly #configured: readonly string[];
  readonly #roots: readonly string[];
  /** Serialises changes. */
  readonly #serial = serialQueue();

  /**
   * @param configured the folders named in the configuration, which cannot be removed
   * @param roots folders below which further ones are allowed
   */
  constructor(
    { folders, settings }: { readonly folders: RecordingFolders; readonly settings: Settings },
    configured: readonly string[],
    roots: readonly string[] = [],
  ) {
    this.#folders = folders;
    this.#settings = settings;
    this.#configured = configured.map(normalised);
    this.#roots = [...configured, ...roots].map(normalised);
  }

  /**
   * Adds a folder, and creates it if `create` is set.
   * @throws ReceiverError `outside-locations`, `file-exists` if it is a location already, `folder-not-found`,
   * `file-unwritable` if it cannot be created or stored; in each case nothing has changed
   */
  add(path: string, { create = false }: { readonly create?: boolean } = {}): Promise<void> {
    return this.#serial(async () => {
      const folder = this.#allowedFolder(path);
      if (this.#folders.all.includes(folder)) throw fail('file-exists', path);
      if (!(await isBelow(folder, this.#roots))) throw fail('outside-locations', path);
      if ((await this.#folders.missingMountAbove(folder)) !== undefined) throw fail('folder-not-found', path);
      const created = create ? await createFolder(folder).catch(unwritable(path)) : undefined;
      try {
        if (!(await isFolder(folder))) throw fail('folder-not-found', path);
        const listed = stringList(this.#settings.get(listKey));
        await this.#settings.keep(listKey, listLiteral([...listed, folder]));
      } catch (error) {
        if (created !== undefined) await removeFolders(folder, created);
        throw error;
      }
      this.#folders.add(folder);
    });
  }

  /**
   * Removes a folder from the list; its contents stay. With `erase`, an empty folder is deleted. Returns whether it was
   * deleted.
   * @throws ReceiverError `not-found` for an unknown folder, `not-allowed` for a configured one and the default one,
   * `file-unwritable`
   */
  remove(path: string, { erase = false }: { readonly erase?: boolean } = {}): Promise<boolean> {
    return this.#serial(async () => {
      const folder = normalised(path);
      if (!this.#folders.all.includes(folder)) throw fail('not-found', `location '${path}'`);
      if (this.#configured.includes(folder) || folder === this.#folders.default)
        throw fail('not-allowed', `removing '${path}', which is set in the configuration,`);
      const listed = stringList(this.#settings.get(listKey)).filter((one) => normalised(one) !== folder);
      await this.#settings.keep(listKey, listLiteral(listed));
      this.#folders.remove(folder);
      if (!erase) return false;
      return rmdir(folder).then(
        () => true,
        () => false,
      );
    });
  }

  /**
   * The folders in which a location may be: without a path, the outermost ones; otherwise, those in this folder, sorted.
   * Links and hidden folders are left out.
   * @throws ReceiverError `outside-locations`, `folder-not-found`
   */
  async foldersIn(path: string): Promise<readonly string[]> {
    if (path === '') return [...new Set(this.#roots)];
    const folder = this.#allowedFolder(path);
    if (!(await isBelow(folder, this.#roots))) throw fail('outside-locations', path);
    const entries = await folderEntries(folder).catch(() => {
      throw fail('folder-not-found', path);
    });
    return entries
      .filter((entry) => entry.isDirectory() && !/^\.|\p{Cc}/u.test(entry.name))
      .map(({ name }) => `${folder}${name}/`)
      .sort((a, b) => a.localeCompare(b))
      .slice(0, maxListedFolders);
  }

  /** Makes the location of this path the current one, and stores that. */
  async choose(path: string): Promise<void> {
    const folder = this.#folders.folderOf(path);
    if (folder === undefined || folder === this.#folders.current) return;
    this.#folders.choose(folder);
    await this.#settings.keep('config.movielist.last_videodir', folder);
  }

  /** The normalised path of a folder that may become a location. @throws ReceiverError `outside-locations` */
  #allowedFolder(path: string): string {
    const folder = normalised(path);
    // A setting is a single line, so control characters are not allowed.
    const isPath = path.startsWith('/') && !/\p{Cc}/u.test(path);
    if (!isPath || !this.#roots.some((root) => folder.startsWith(root))) throw fail('outside-locations', path);
    return folder;
  }
}

const normalised = (path: string) => withSlash(posix.normalize(path));
