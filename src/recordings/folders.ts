/**
 * The folders that recordings live in, and the one way from a path that a client names to a file of theirs.
 *
 * What is asked for has to lie in one of the folders, by its name and, after links, by where it really is: nothing else of the
 * machine can be reached. Clients keep paths of the box they had before, `/media/hdd/movie/` and `/hdd/movie/`: these mean the
 * default folder where the receiver has no such folder itself.
 */
import { realpath } from 'node:fs/promises';
import { posix } from 'node:path';
import { stringList } from '../device/setting-keys.ts';
import type { Settings } from '../device/settings.ts';
import { fail } from '../errors.ts';

/** Paths under which the boxes of the Enigma2 world keep recordings. */
const boxFolders = ['/media/hdd/movie/', '/hdd/movie/'];

export class RecordingFolders {
  #all: readonly string[];
  /** Where a recording goes that names no folder. */
  readonly default: string;
  #current: string;

  /** What a path of another box means. */
  readonly #home: string;

  /**
   * @param folders absolute paths, the default one first, unless `preferred`, which is one of them or in one, is
   * @param current the one chosen last; absent: the default one
   */
  constructor(folders: readonly string[], preferred?: string, current?: string) {
    this.#all = folders.map((folder) => withSlash(posix.normalize(folder)));
    const [first] = this.#all;
    if (first === undefined) throw new Error('a receiver has at least one folder for recordings');
    this.#home = first;
    this.default = preferred === undefined ? first : withSlash(posix.normalize(preferred));
    this.#current = current === undefined ? this.default : withSlash(posix.normalize(current));
  }

  /** Absolute, with a slash at the end; at least one. */
  get all(): readonly string[] {
    return this.#all;
  }

  /** The one chosen last. */
  get current(): string {
    return this.#all.includes(this.#current) ? this.#current : this.default;
  }

  /** Makes one of the folders the chosen one. */
  choose(folder: string): void {
    this.#current = withSlash(folder);
  }

  /** Adds one, which is a normal path. */
  add(folder: string): void {
    this.#all = [...this.#all, withSlash(folder)];
  }

  /** Takes one away that is not the default one. */
  remove(folder: string): void {
    if (withSlash(folder) !== this.default) this.#all = this.#all.filter((one) => one !== withSlash(folder));
  }

  /**
   * The path in one of the folders that a client means: absolute, without `..` and doubled slashes, as its name says and not where
   * links lead. Whether there is such a file is not looked at. @throws ReceiverError `outside-locations`
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
   * The same for a file or folder that is there, with nothing but folders of ours behind its links.
   * @throws ReceiverError `outside-locations`, `not-found`
   */
  async existing(path: string): Promise<string> {
    const name = this.named(path);
    const folder = this.folderOf(name) as string;
    const [real, root] = await Promise.all([realPath(name), realPath(folder)]);
    if (real === undefined || root === undefined) throw fail('not-found', `File '${path}'`);
    if (!withSlash(real).startsWith(withSlash(root))) throw fail('outside-locations', path);
    return name;
  }

  /** The innermost of the folders that this path is, or lies in. */
  folderOf(path: string): string | undefined {
    const within = this.all.filter((folder) => withSlash(path).startsWith(folder));
    return within.sort((a, b) => b.length - a.length)[0];
  }
}

export const withSlash = (path: string) => (path.endsWith('/') ? path : `${path}/`);

/**
 * The folders of the configuration, and what an Enigma2 folder says of them: its list of folders (`config.movielist.videodirs`), its
 * default one (`config.usage.default_path`) and the one chosen last (`config.movielist.last_videodir`), as far as they lie in one of the
 * configured or of the roots. Nobody else's folder is opened up by it.
 *
 * @param roots absolute paths of folders in which there may be further ones
 */
export function recordingFolders(
  configured: readonly string[],
  settings: Settings,
  roots: readonly string[] = [],
): RecordingFolders {
  const own = new RecordingFolders(configured);
  const within = roots.map((root) => withSlash(posix.normalize(root)));
  /** Undefined for what is none of ours; `<default>` and the like stand for no folder. */
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
  return new RecordingFolders([...all], preferred, known(settings.get('config.movielist.last_videodir')));
}

/** Undefined where nothing is. */
const realPath = (path: string) => realpath(path).catch(() => undefined);
