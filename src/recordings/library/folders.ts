/**
 * The recording folders, and the only way from a client's path to a file in them.
 *
 * A path must be in one of the folders, both by its name and with links resolved, so that no other file of the machine
 * can be reached. This holds for playing, moving, deleting and recording. Other machines can write to these folders
 * (NFS, Samba) and replace a folder by a link at any moment. Files and folders are therefore opened first and then
 * checked (`open`, `inFolder`).
 *
 * Clients keep paths of their previous box, `/media/hdd/movie/` and `/hdd/movie/`. These stand for the first folder
 * unless the receiver has such a folder itself.
 */
import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { posix } from 'node:path';
import { fail, ReceiverError } from '../../base/errors.ts';
import { createFolder, exists, isFolder, pathByHandle, readFlags, realPathOf } from '../../base/files.ts';
import { stringList } from '../../config/enigma2-setting-keys.ts';
import type { Settings } from '../../config/enigma2-settings.ts';
import type { LocationMounts } from './mounts.ts';
import { removeFolder } from './show-file.ts';

/** Paths where Enigma2 boxes keep recordings. */
const boxFolders = ['/media/hdd/movie/', '/hdd/movie/'];

/** A folder that is held open. */
export interface HeldFolder {
  /** A path that leads into this folder even if it is renamed or replaced; with a trailing slash. */
  readonly at: string;
  close(): Promise<void>;
}

export class RecordingFolders {
  #all: readonly string[];
  /** The folders that the configuration allows, and everything below them. */
  readonly #roots: readonly string[];
  /** The folder for recordings for which none is specified. */
  readonly default: string;
  #current: string;

  /** The folder for which the paths of a box stand. */
  readonly #boxFolder: string;
  readonly #mounts: LocationMounts | undefined;
  /** Checks in progress, by folder: a second check of a disk that hangs would block another of Node's few threads. */
  readonly #checks = new Map<string, Promise<string>>();

  /**
   * @param folders absolute paths, the default one first unless `preferred` is given
   * @param preferred the default folder: one of `folders`, or a folder in one
   * @param current the folder chosen last; by default the default folder
   * @param roots configured folders: one of `folders` that leads out of them by a link contains nothing
   * @param mounts detects file systems that are not mounted; by default none is expected
   */
  constructor(
    folders: readonly string[],
    preferred?: string,
    current?: string,
    roots: readonly string[] = folders,
    mounts?: LocationMounts,
  ) {
    this.#roots = roots;
    this.#mounts = mounts;
    this.#all = folders.map((folder) => withSlash(posix.normalize(folder)));
    const [first] = this.#all;
    if (first === undefined) throw new Error('a receiver needs at least one recording folder');
    this.#boxFolder = first;
    this.default = preferred === undefined ? first : withSlash(posix.normalize(preferred));
    this.#current = current === undefined ? this.default : withSlash(posix.normalize(current));
  }

  /** Absolute paths with a trailing slash; at least one. */
  get all(): readonly string[] {
    return this.#all;
  }

  /** The folder chosen last. */
  get current(): string {
    return this.#all.includes(this.#current) ? this.#current : this.default;
  }

  /** Chooses one of the folders. */
  choose(folder: string): void {
    this.#current = withSlash(folder);
  }

  /** Adds a folder, given by a normalised path. */
  add(folder: string): void {
    this.#all = [...this.#all, withSlash(folder)];
  }

  /** Removes a folder, except the default one. */
  remove(folder: string): void {
    if (withSlash(folder) === this.default) return;
    this.#all = this.#all.filter((one) => one !== withSlash(folder));
    this.#mounts?.forget(withSlash(folder));
  }

  /** The mount point above an absolute path whose file system is not mounted; undefined if all are. */
  async missingMountAbove(path: string): Promise<string | undefined> {
    return this.#mounts?.missingMountAbove(path);
  }

  /**
   * Why nothing can be recorded into a folder: the reason why its location is missing; '' if it is not. Does not check
   * links. Concurrent calls share one query.
   * @throws ReceiverError `outside-locations`
   */
  async missingReason(folder: string): Promise<string> {
    const name = withSlash(this.resolve(folder));
    const pending = this.#checks.get(name);
    if (pending) return pending;
    const check = this.#reasonOf(name).finally(() => this.#checks.delete(name));
    this.#checks.set(name, check);
    return check;
  }

  async #reasonOf(name: string): Promise<string> {
    const mount = await this.#mounts?.missingMountAbove(name);
    if (mount !== undefined) return `${mount} is not mounted`;
    if ((await this.#existingLocation(name)) === undefined) return 'it does not exist';
    await this.#mounts?.remember(name);
    return '';
  }

  /** The innermost existing location that contains this path. */
  async #existingLocation(name: string): Promise<string | undefined> {
    for (const location of this.#locationsOf(name)) if (await isFolder(location)) return location;
    return undefined;
  }

  /**
   * Resolves a path sent by a client to an absolute path within the folders, without `..` and double slashes. Neither
   * resolves links nor checks whether the file exists.
   * @throws ReceiverError `outside-locations`
   */
  resolve(path: string): string {
    const plain = posix.normalize(path.startsWith('/') ? path : `${this.default}${path}`);
    if (!plain.includes('\0')) {
      if (this.folderOf(plain) !== undefined) return plain;
      for (const folder of boxFolders) {
        if (withSlash(plain).startsWith(folder)) return `${this.#boxFolder}${plain.slice(folder.length)}`;
      }
    }
    throw fail('outside-locations', path);
  }

  /**
   * Like `resolve`, for an existing file or folder. With links resolved, both the file and its parent folder, where the
   * side files are, must be within the folders.
   * @throws ReceiverError `outside-locations`, `not-found`
   */
  async resolveExisting(path: string): Promise<string> {
    const name = this.resolve(path);
    const real = await realPath(name);
    if (real === undefined) throw fail('not-found', `File '${path}'`);
    const above = this.#all.includes(withSlash(name)) ? real : await realPath(posix.dirname(name));
    if (!(await this.#isWithin(real)) || !(await this.#isWithin(above))) throw fail('outside-locations', path);
    return name;
  }

  /**
   * Like `resolve`, for a folder to write into; with a trailing slash. It need not exist yet; the existing part of its
   * path must not lead out of the folders.
   * @throws ReceiverError `outside-locations`
   */
  async resolveForWriting(path: string): Promise<string> {
    const name = withSlash(this.resolve(path));
    const location = (this.folderOf(name) as string).slice(0, -1);
    let existing = name.slice(0, -1);
    while (existing.length > location.length && !(await exists(existing))) existing = posix.dirname(existing);
    const real = await realPath(existing);
    // A location that does not exist contains no link.
    const isMissing = existing === location && real === undefined;
    if (!isMissing && !(await this.#isWithin(real))) throw fail('outside-locations', path);
    return name;
  }

  /**
   * Opens a file for reading; with links resolved, it must be within the folders.
   * @throws ReceiverError `outside-locations`; `not-found`, also for anything but a regular file
   */
  async open(path: string): Promise<FileHandle> {
    const name = this.resolve(path);
    const file = await open(name, readFlags).catch(notFound(`File '${path}'`));
    try {
      if (!(await this.#isWithin(await realPathOf(file, name)))) throw fail('outside-locations', path);
      if (!(await file.stat()).isFile()) throw fail('not-found', `File '${path}'`);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /**
   * Opens a folder, so that the result refers to it until it is closed.
   * @throws ReceiverError `outside-locations`, `not-found`
   */
  async hold(folder: string): Promise<HeldFolder> {
    const name = withSlash(this.resolve(folder));
    const flags = constants.O_RDONLY | constants.O_DIRECTORY;
    const held = await open(name, flags).catch(notFound(`Folder '${folder}'`));
    try {
      if (!(await this.#isWithin(await realPathOf(held, name)))) throw fail('outside-locations', folder);
      return { at: withSlash(pathByHandle(held, name)), close: () => held.close() };
    } catch (error) {
      await held.close();
      throw error;
    }
  }

  /**
   * Calls `use` with a path that leads into the folder, held open until `use` is done. Error messages have the folder's
   * own path.
   * @throws ReceiverError `outside-locations`, `not-found`; the error of `use`
   */
  async inFolder<Result>(folder: string, use: (at: string) => Promise<Result>): Promise<Result> {
    const { at, close } = await this.hold(folder);
    try {
      return await use(at);
    } catch (error) {
      if (error instanceof Error) error.message = error.message.replaceAll(at, withSlash(folder));
      throw error;
    } finally {
      await close();
    }
  }

  /**
   * Creates a folder and the missing folders above it within its location. The location itself must exist: it is not
   * created below the mount point of a missing disk.
   * @throws ReceiverError `outside-locations`, `folder-not-found`; the system's error
   */
  async create(folder: string): Promise<void> {
    const name = withSlash(this.resolve(folder));
    const missing = await this.missingReason(name);
    const location = await this.#existingLocation(name);
    if (missing !== '' || location === undefined) throw folderMissing(name, missing);
    let above = location;
    // Each within a held folder: another machine may replace the folder created last by a link.
    for (const segment of name.slice(location.length).split('/').filter(Boolean)) {
      await this.inFolder(above, (at) => createFolder(at + segment));
      above += `${segment}/`;
    }
  }

  /** Removes a folder if it is empty, and then those above it: up to `levels`, and never a location. */
  async removeEmpty(folder: string, levels: number): Promise<void> {
    let name = withSlash(this.resolve(folder));
    for (let level = 0; level < levels && !this.#all.includes(name); level++) {
      const above = withSlash(posix.dirname(name));
      const own = posix.basename(name);
      const isRemoved = await this.inFolder(above, (at) => removeFolder(at + own)).then(
        () => true,
        () => false,
      );
      if (!isRemoved) return;
      name = above;
    }
  }

  /** The folders that lead out of the roots by a link, and where they lead. */
  async foldersOutsideRoots(): Promise<readonly (readonly [folder: string, real: string])[]> {
    const checked = await Promise.all(this.#all.map(async (folder) => [folder, await realPath(folder)] as const));
    const out: (readonly [string, string])[] = [];
    for (const [folder, real] of checked) {
      if (real !== undefined && !(await this.#isWithin(real))) out.push([folder, real]);
    }
    return out;
  }

  /** Whether a path with links resolved is in one of the folders and in one of the roots; false for undefined. */
  async #isWithin(real: string | undefined): Promise<boolean> {
    if (real === undefined) return false;
    const isIn = async (folders: readonly string[]) => {
      const found = await Promise.all(folders.map(realPath));
      return found.some((one) => one !== undefined && withSlash(real).startsWith(withSlash(one)));
    };
    return (await isIn(this.#all)) && (this.#roots === this.#all || (await isIn(this.#roots)));
  }

  /** The innermost folder that contains this path or equals it. */
  folderOf(path: string): string | undefined {
    return this.#locationsOf(path)[0];
  }

  /** The folders that contain this path or equal it, innermost first. */
  #locationsOf(path: string): readonly string[] {
    return this.all.filter((folder) => withSlash(path).startsWith(folder)).sort((a, b) => b.length - a.length);
  }
}

/** @param missing the reason returned by `RecordingFolders.missingReason` */
export const folderMissing = (folder: string, missing: string) =>
  new ReceiverError('folder-not-found', `'${folder}' is missing: ${missing}`);

export const withSlash = (path: string) => (path.endsWith('/') ? path : `${path}/`);

/**
 * The configured folders and those of an Enigma2 folder: its list (`config.movielist.videodirs`), its default
 * (`config.usage.default_path`) and the last one chosen (`config.movielist.last_videodir`). Only those within the
 * configured folders or the roots count, so that the Enigma2 settings cannot expose any other folder.
 *
 * @param roots absolute paths of folders that may contain further ones
 */
export function recordingFolders(
  configured: readonly string[],
  settings: Settings,
  roots: readonly string[] = [],
  mounts?: LocationMounts,
): RecordingFolders {
  const own = new RecordingFolders(configured);
  const within = roots.map((root) => withSlash(posix.normalize(root)));
  /** Undefined for a folder outside of ours, and for placeholders such as `<default>`. */
  const known = (path: string) => {
    if (!path.startsWith('/') || path.includes('\0')) return undefined;
    const plain = withSlash(posix.normalize(path));
    if (within.some((root) => plain.startsWith(root))) return plain;
    try {
      return withSlash(own.resolve(path));
    } catch {
      return undefined;
    }
  };
  const listed = stringList(settings.get('config.movielist.videodirs')).flatMap((path) => known(path) ?? []);
  const preferred = known(settings.get('config.usage.default_path'));
  const all = new Set([...own.all, ...listed, ...(preferred === undefined ? [] : [preferred])]);
  const current = known(settings.get('config.movielist.last_videodir'));
  return new RecordingFolders([...all], preferred, current, [...own.all, ...within], mounts);
}

/** For `catch`: throws `not-found` if the file is missing or inaccessible, and all other errors unchanged. */
export const notFound =
  (what: string) =>
  (error: NodeJS.ErrnoException): never => {
    throw /^(ENOENT|ENOTDIR|ELOOP|EACCES|ENAMETOOLONG|ENXIO|ENODEV)$/.test(error.code ?? '')
      ? fail('not-found', what)
      : error;
  };

/** Undefined if the path does not exist. */
const realPath = (path: string) => realpath(path).catch(() => undefined);
