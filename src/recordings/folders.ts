/**
 * The recording folders, and the only way from a client's path to a file in them.
 *
 * A path must lie in one of the folders, by its name and, after resolving links, by its real location: nothing else on
 * the machine can be reached. The same holds for what is played, moved and deleted, and for where recordings go. Others
 * can write to these folders (NFS, Samba) and replace a folder by a link at any moment: what is read or changed is held
 * open first, and then checked (`open`, `inFolder`).
 *
 * Clients keep paths of their previous box, `/media/hdd/movie/` and `/hdd/movie/`. These mean the default folder unless
 * the receiver has such a folder itself.
 */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { posix } from 'node:path';
import { fail, ReceiverError } from '../base/errors.ts';
import { createFolder, isFolder, pathByHandle, reading, realPathOf } from '../base/files.ts';
import { stringList } from '../config/enigma2-setting-keys.ts';
import type { Settings } from '../config/enigma2-settings.ts';
import type { LocationMounts } from './mounts.ts';

/** Paths where Enigma2 boxes keep recordings. */
const boxFolders = ['/media/hdd/movie/', '/hdd/movie/'];

/** A folder that is held open. */
export interface HeldFolder {
  /** Its path, with a trailing slash: it leads into this folder, whatever becomes of its name. */
  readonly at: string;
  close(): Promise<void>;
}

export class RecordingFolders {
  #all: readonly string[];
  /** Where the owner allows folders. */
  readonly #roots: readonly string[];
  /** The folder of recordings that do not name one. */
  readonly default: string;
  #current: string;

  /** The folder that paths of another box mean. */
  readonly #home: string;
  readonly #mounts: LocationMounts | undefined;
  /** By folder: a disk that hangs is not asked a second time, which would take another of Node's few threads. */
  readonly #looks = new Map<string, Promise<string>>();

  /**
   * @param folders absolute paths, the default one first unless `preferred` is given
   * @param preferred the default folder: one of `folders`, or a folder in one
   * @param current the last one chosen; by default the default folder
   * @param roots folders that the owner has configured: one of `folders` that leads out of them contains nothing
   * @param mounts notices a file system that is not mounted; by default none is expected
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
    this.#home = first;
    this.default = preferred === undefined ? first : withSlash(posix.normalize(preferred));
    this.#current = current === undefined ? this.default : withSlash(posix.normalize(current));
  }

  /** Absolute, with a trailing slash; at least one. */
  get all(): readonly string[] {
    return this.#all;
  }

  /** The last one chosen. */
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

  /** The mount point above an absolute path at which a file system is missing; undefined if none is. */
  async unmountedAt(path: string): Promise<string | undefined> {
    return this.#mounts?.missingAt(path);
  }

  /**
   * Why nothing can be recorded into a folder of ours: its location is not there. Empty if it is. Links are not checked.
   * Concurrent calls share one query.
   * @throws ReceiverError `outside-locations`
   */
  async missing(folder: string): Promise<string> {
    const name = withSlash(this.named(folder));
    const there = this.#looks.get(name);
    if (there) return there;
    const look = this.#reasonOf(name).finally(() => this.#looks.delete(name));
    this.#looks.set(name, look);
    return look;
  }

  async #reasonOf(name: string): Promise<string> {
    const mount = await this.#mounts?.missingAt(name);
    if (mount !== undefined) return `${mount} is not mounted`;
    if ((await this.#presentLocation(name)) === undefined) return 'it does not exist';
    await this.#mounts?.remember(name);
    return '';
  }

  /** The innermost location that contains this path and exists. */
  async #presentLocation(name: string): Promise<string | undefined> {
    for (const location of this.#locationsOf(name)) if (await isFolder(location)) return location;
    return undefined;
  }

  /**
   * The path within the folders that a client means: absolute, without `..` and double slashes, with links unresolved.
   * Does not check whether the file exists.
   * @throws ReceiverError `outside-locations`
   */
  named(path: string): string {
    const plain = posix.normalize(path.startsWith('/') ? path : `${this.default}${path}`);
    if (!plain.includes('\0')) {
      if (this.folderOf(plain) !== undefined) return plain;
      for (const folder of boxFolders) {
        if (withSlash(plain).startsWith(folder)) return `${this.#home}${plain.slice(folder.length)}`;
      }
    }
    throw fail('outside-locations', path);
  }

  /**
   * Like `named`, for an existing file or folder whose links stay within our folders. So does the folder that has its
   * name, where the files beside a recording are.
   * @throws ReceiverError `outside-locations`, `not-found`
   */
  async existing(path: string): Promise<string> {
    const name = this.named(path);
    const real = await realPath(name);
    if (real === undefined) throw fail('not-found', `File '${path}'`);
    const above = this.#all.includes(withSlash(name)) ? real : await realPath(posix.dirname(name));
    if (!(await this.#isWithin(real)) || !(await this.#isWithin(above))) throw fail('outside-locations', path);
    return name;
  }

  /**
   * Like `named`, for a folder to write into, with a trailing slash. It need not exist yet; the part of it that does
   * must not lead out of our folders.
   * @throws ReceiverError `outside-locations`
   */
  async forWriting(path: string): Promise<string> {
    const name = withSlash(this.named(path));
    const location = (this.folderOf(name) as string).slice(0, -1);
    let there = name.slice(0, -1);
    while (there.length > location.length && !(await isThere(there))) there = posix.dirname(there);
    const real = await realPath(there);
    // A location on a disk that is not mounted contains nothing that could lead elsewhere.
    const isMissing = there === location && real === undefined;
    if (!isMissing && !(await this.#isWithin(real))) throw fail('outside-locations', path);
    return name;
  }

  /**
   * Opens an existing file to read, whose links stay within our folders.
   * @throws ReceiverError `outside-locations`, `not-found`, also for what is no regular file
   */
  async open(path: string): Promise<FileHandle> {
    const name = this.named(path);
    const file = await open(name, reading).catch(notFound(`File '${path}'`));
    try {
      if (!(await this.#isWithin(await realPathOf(file, name)))) throw fail('outside-locations', path);
      if (!(await file.stat()).isFile()) throw fail('not-found', `File '${path}'`);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Holds a folder open until it is closed. @throws ReceiverError `outside-locations`, `not-found` */
  async hold(folder: string): Promise<HeldFolder> {
    const name = withSlash(this.named(folder));
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
   * Calls `use` with the path of a folder that is held open until `use` is done. Errors name the folder.
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
   * Creates a folder and those above it within its location, as far as they are missing. The location itself must be
   * there: on a disk that is not mounted it is not created.
   * @throws ReceiverError `outside-locations`, `folder-not-found`; the system's error
   */
  async create(folder: string): Promise<void> {
    const name = withSlash(this.named(folder));
    const missing = await this.missing(name);
    const location = await this.#presentLocation(name);
    if (missing !== '' || location === undefined) throw notThere(name, missing);
    let above = location;
    // Each in one that is held, since others can put a link in the place of what was just created.
    for (const segment of name.slice(location.length).split('/').filter(Boolean)) {
      await this.inFolder(above, (at) => createFolder(at + segment));
      above += `${segment}/`;
    }
  }

  /** The folders that lead out of where the owner allows them, and where they lead. */
  async leadingOut(): Promise<readonly (readonly [folder: string, real: string])[]> {
    const looked = await Promise.all(this.#all.map(async (folder) => [folder, await realPath(folder)] as const));
    const out: (readonly [string, string])[] = [];
    for (const [folder, real] of looked) {
      if (real !== undefined && !(await this.#isWithin(real))) out.push([folder, real]);
    }
    return out;
  }

  /** Whether a real path lies in one of our folders, and where folders are allowed; undefined does not. */
  async #isWithin(real: string | undefined): Promise<boolean> {
    if (real === undefined) return false;
    const isIn = async (folders: readonly string[]) => {
      const found = await Promise.all(folders.map(realPath));
      return found.some((one) => one !== undefined && withSlash(real).startsWith(withSlash(one)));
    };
    return (await isIn(this.#all)) && (this.#roots === this.#all || (await isIn(this.#roots)));
  }

  /** The innermost of the folders that contains this path or equals it. */
  folderOf(path: string): string | undefined {
    return this.#locationsOf(path)[0];
  }

  /** The folders that contain this path or equal it, the innermost first. */
  #locationsOf(path: string): readonly string[] {
    return this.all.filter((folder) => withSlash(path).startsWith(folder)).sort((a, b) => b.length - a.length);
  }
}

/** `missing` is the reason that `RecordingFolders.missing` gives. */
export const notThere = (folder: string, missing: string) =>
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
  /** Undefined for a folder that is not ours; `<default>` and the like stand for no folder. */
  const known = (path: string) => {
    if (!path.startsWith('/') || path.includes('\0')) return undefined;
    const plain = withSlash(posix.normalize(path));
    if (within.some((root) => plain.startsWith(root))) return plain;
    try {
      return withSlash(own.named(path));
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

/** For `catch`: the ReceiverError `not-found` about this, unless the system lacks something, such as file handles. */
export const notFound =
  (what: string) =>
  (error: NodeJS.ErrnoException): never => {
    throw /^(ENOENT|ENOTDIR|ELOOP|EACCES|ENAMETOOLONG|ENXIO|ENODEV)$/.test(error.code ?? '')
      ? fail('not-found', what)
      : error;
  };

/** Undefined if nothing is there. */
const realPath = (path: string) => realpath(path).catch(() => undefined);

/** Also of a link that leads nowhere. */
const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );
