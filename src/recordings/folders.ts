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
  /** Absolute, with a slash at the end; at least one. */
  readonly all: readonly string[];
  /** Where a recording goes that names no folder. */
  readonly default: string;

  /** What a path of another box means. */
  readonly #home: string;

  /** @param folders absolute paths, the default one first, unless `preferred`, which is one of them or in one, is */
  constructor(folders: readonly string[], preferred?: string) {
    this.all = folders.map((folder) => withSlash(posix.normalize(folder)));
    const [first] = this.all;
    if (first === undefined) throw new Error('a receiver has at least one folder for recordings');
    this.#home = first;
    this.default = preferred === undefined ? first : withSlash(posix.normalize(preferred));
  }

  /** The one chosen last: the default one, as long as nobody can choose. */
  get current(): string {
    return this.default;
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
 * The folders of the configuration, and what an Enigma2 folder says of them: its list of folders (`config.movielist.videodirs`) and
 * its default one (`config.usage.default_path`), as far as they lie in one of the configured. Nobody else's folder is opened up by it.
 */
export function recordingFolders(configured: readonly string[], settings: Settings): RecordingFolders {
  const own = new RecordingFolders(configured);
  /** Undefined for what is none of ours; `<default>` and the like stand for no folder. */
  const known = (path: string) => {
    try {
      return path.startsWith('/') ? withSlash(own.named(path)) : undefined;
    } catch {
      return undefined;
    }
  };
  const listed = stringList(settings.get('config.movielist.videodirs')).flatMap((path) => known(path) ?? []);
  const preferred = known(settings.get('config.usage.default_path'));
  const all = new Set([...own.all, ...listed, ...(preferred === undefined ? [] : [preferred])]);
  return new RecordingFolders([...all], preferred);
}

/** Undefined where nothing is. */
const realPath = (path: string) => realpath(path).catch(() => undefined);
