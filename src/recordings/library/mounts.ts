/**
 * Detects recording folders whose file system is not mounted. A recording written there would go to the disk below the
 * mount point, and be hidden as soon as the file system is mounted.
 *
 * A file system is expected at each mount point that has held a recording folder before (`locations.json` in the data
 * folder), and at each mount point of /etc/fstab.
 */
import { readdir, realpath } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { createFolder, isFolder, readRegularFileSync, replaceFile } from '../../base/files.ts';
import { serialQueue } from '../../base/serial-queue.ts';
import { contentOf, unescapeMount } from '../../device/host.ts';

/** Folders that are remembered; the oldest are forgotten first. */
const maxFolders = 64;
/** Bytes of `locations.json`. */
const maxFileBytes = 1 << 20;

export class LocationMounts {
  readonly #file: string;
  readonly #onError: (error: Error) => void;
  /** Mount points by recording folder. */
  readonly #known: Map<string, string>;
  readonly #serial = serialQueue();

  /** Reads `locations.json` in the data folder; a missing or damaged file counts as empty. */
  constructor(dataDir: string, onError: (error: Error) => void = () => undefined) {
    this.#file = join(dataDir, 'locations.json');
    this.#onError = onError;
    this.#known = new Map(readKnown(this.#file));
  }

  /** The mount point above a path whose expected file system is not mounted; undefined if all are. */
  async missingMountAbove(path: string): Promise<string | undefined> {
    // Access with a slash, so that an automounter mounts the file system first.
    await isFolder(`${path}/`);
    const real = await nearestReal(path);
    const mounted = mountPoints();
    // Without /proc, mount points are unknown.
    if (mounted.size === 0) return undefined;
    return [...this.#known.values(), ...fstabMountPoints()].find((one) => isWithin(real, one) && !mounted.has(one));
  }

  /** Remembers the mount point of an existing folder, unless the data folder is on the same file system. */
  async remember(folder: string): Promise<void> {
    const [real, data] = await Promise.all([nearestReal(folder), nearestReal(dirname(this.#file))]);
    const above = [...mountPoints()].filter((one) => isWithin(real, one)).sort((a, b) => b.length - a.length);
    const mount = above[0] === undefined || isWithin(data, above[0]) ? '/' : above[0];
    if ((this.#known.get(folder) ?? '/') === mount) return;
    this.#known.delete(folder);
    if (mount !== '/') this.#known.set(folder, mount);
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxFolders && oldest !== undefined) this.#known.delete(oldest);
    const write = () => replaceFile(this.#file, Buffer.from(`${JSON.stringify(Object.fromEntries(this.#known))}\n`));
    await this.#serial(write).catch(this.#onError);
  }

  /** Forgets a folder that is no longer a location. The file is updated with the next change. */
  forget(folder: string): void {
    this.#known.delete(folder);
  }

  /**
   * Creates a missing location when the receiver starts, unless its file system seems not to be mounted. Returns why it
   * was not created; '' if it exists now.
   * @throws the system's error
   */
  async create(location: string): Promise<string> {
    const mount = await this.missingMountAbove(location);
    if (mount !== undefined) return `${mount} is not mounted`;
    if (await isFolder(location)) return '';
    const parent = dirname(posix.resolve(location));
    const isOwn = parent === posix.resolve(dirname(this.#file));
    if (!isOwn && (await isEmpty(parent)) && !mountPoints().has(await nearestReal(parent)))
      return `it does not exist, and ${parent} is empty like the mount point of a missing disk; create the folder if no disk belongs there`;
    await createFolder(location);
    return '';
  }
}

const isWithin = (path: string, folder: string) =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

const isEmpty = (folder: string) =>
  readdir(folder).then(
    (names) => names.length === 0,
    () => false,
  );

function readKnown(file: string): [folder: string, mount: string][] {
  try {
    const known: unknown = JSON.parse(readRegularFileSync(file, maxFileBytes).toString());
    const isPath = (value: unknown): value is string => typeof value === 'string' && value.startsWith('/');
    return Object.entries(known ?? {})
      .filter((entry): entry is [string, string] => entry.every(isPath))
      .slice(-maxFolders);
  } catch {
    return [];
  }
}

/** Resolves the links of a path. Only its first part needs to exist. */
async function nearestReal(path: string): Promise<string> {
  let there = posix.resolve(path);
  let rest = '';
  for (;;) {
    const real = await realpath(there).catch(() => undefined);
    if (real !== undefined) return posix.join(real, rest);
    rest = posix.join(posix.basename(there), rest);
    there = dirname(there);
  }
}

/**
 * The mount points of file systems. Without automounters, and without folders mounted onto themselves, which systemd
 * does for a service: such a mount point exists even if the disk is missing.
 */
function mountPoints(): ReadonlySet<string> {
  const mounts = contentOf('/proc/self/mountinfo')
    .split('\n')
    .flatMap((line) => {
      const [id = '', parent = '', device = '', root, folder] = line.split(' ');
      if (root === undefined || folder === undefined) return [];
      const kind = line.slice(line.indexOf(' - ') + 3).split(' ', 1)[0];
      return [{ id, parent, device, kind, root: unescapeMount(root), folder: unescapeMount(folder) }];
    });
  const byId = new Map(mounts.map((mount) => [mount.id, mount]));
  const isOwn = ({ parent, device, root, folder }: (typeof mounts)[number]) => {
    const above = byId.get(parent);
    return above?.device === device && root === posix.join(above.root, posix.relative(above.folder, folder));
  };
  return new Set(mounts.filter((one) => one.kind !== 'autofs' && !isOwn(one)).map(({ folder }) => folder));
}

/** The mount points of /etc/fstab. */
function fstabMountPoints(): string[] {
  const fields = contentOf('/etc/fstab')
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .map((line) => line.trim().split(/[ \t]+/)[1] ?? '');
  return fields
    .filter((folder) => folder.startsWith('/') && folder !== '/')
    .map((folder) => posix.resolve(unescapeMount(folder)));
}
