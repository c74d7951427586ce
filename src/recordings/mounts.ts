/**
 * Which file system holds each recording folder. While it is not mounted, its folder is one of the disk below, where a
 * recording would be hidden as soon as the file system is back.
 *
 * A file system is expected at a mount point that held the folder before (`locations.json` in the data folder), or that
 * /etc/fstab names.
 */
import { readdir, realpath } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { createFolder, isFolder, readRegularFileSync, replaceFile } from '../base/files.ts';
import { serialQueue } from '../base/serial-queue.ts';
import { contentOf, unescapeMount } from '../device/host.ts';

/** Maximum folders that are remembered; the oldest go first. */
const maxFolders = 64;
const maxBytes = 1 << 20;

export class LocationMounts {
  readonly #file: string;
  readonly #onError: (error: Error) => void;
  /** Mount points, by the folder on their file system. */
  readonly #known: Map<string, string>;
  readonly #next = serialQueue();

  /** Reads `locations.json` in the data folder; a missing or damaged one remembers nothing. */
  constructor(dataDir: string, onError: (error: Error) => void = () => undefined) {
    this.#file = join(dataDir, 'locations.json');
    this.#onError = onError;
    this.#known = new Map(readKnown(this.#file));
  }

  /** The mount point above a path at which the expected file system is missing; undefined if none is. */
  async missingAt(path: string): Promise<string | undefined> {
    // First: the slash has an automounter mount it.
    await isFolder(`${path}/`);
    const real = await nearestReal(path);
    const mounted = mountPoints();
    // Unknown on systems without /proc.
    if (mounted.size === 0) return undefined;
    return [...this.#known.values(), ...tableEntries()].find((one) => isWithin(real, one) && !mounted.has(one));
  }

  /** Remembers the file system of a folder that is there, unless it also holds the data folder. */
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
    await this.#next(write).catch(this.#onError);
  }

  /** Forgets a folder that is no location any more. The file follows with the next change. */
  forget(folder: string): void {
    this.#known.delete(folder);
  }

  /**
   * Creates a location that does not exist when the receiver starts, unless its file system seems to be missing.
   * Returns why it was not created; empty if it is there.
   * @throws the system's error
   */
  async create(location: string): Promise<string> {
    const mount = await this.missingAt(location);
    if (mount !== undefined) return `${mount} is not mounted`;
    if (await isFolder(location)) return '';
    const parent = dirname(posix.resolve(location));
    const isOwn = parent === posix.resolve(dirname(this.#file));
    if (!isOwn && (await isEmpty(parent)) && !mountPoints().has(await nearestReal(parent)))
      return `it does not exist, and ${parent} is empty, like a mount point whose disk is missing; create it if it has none`;
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
    const known: unknown = JSON.parse(readRegularFileSync(file, maxBytes).toString());
    const isPath = (value: unknown): value is string => typeof value === 'string' && value.startsWith('/');
    return Object.entries(known ?? {})
      .filter((entry): entry is [string, string] => entry.every(isPath))
      .slice(-maxFolders);
  } catch {
    return [];
  }
}

/** The real path. Only its first part need exist. */
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
 * Where file systems are mounted. Automounters are none, nor is a folder mounted onto itself, as systemd does for a
 * service: that exists without its disk, and for the service only.
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
  const byId = new Map(mounts.map((one) => [one.id, one]));
  const isOwn = ({ parent, device, root, folder }: (typeof mounts)[number]) => {
    const above = byId.get(parent);
    return above?.device === device && root === posix.join(above.root, posix.relative(above.folder, folder));
  };
  return new Set(mounts.filter((one) => one.kind !== 'autofs' && !isOwn(one)).map(({ folder }) => folder));
}

/** The mount points of /etc/fstab. */
function tableEntries(): string[] {
  const fields = contentOf('/etc/fstab')
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .map((line) => line.trim().split(/[ \t]+/)[1] ?? '');
  return fields
    .filter((folder) => folder.startsWith('/') && folder !== '/')
    .map((folder) => posix.resolve(unescapeMount(folder)));
}
