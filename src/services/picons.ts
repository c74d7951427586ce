/**
 * Picons: the logo of a service, an image in a picon folder, named after the reference or the service's name.
 *
 * The folders are read into a map of file names. A look-up tries a few names in it and does not access the disk.
 * `refresh` rereads the folders whose modification time shows that they have changed.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TimeSlice } from '../base/time-slice.ts';
import { referenceTypes, ServiceReference } from './reference.ts';

/** Extensions of picon files, the preferred one first. */
const endings = ['png', 'svg'];
/** Used for a service without a picon, if the folder has it. */
const defaultPicon = 'picon_default';

/**
 * Returns file names without extension to try for a service, best first: the ten numbers of the reference in
 * increasingly general forms, then the service's name. `name` is the plain name, empty if unknown.
 */
export function piconCandidates(reference: ServiceReference, name: string): string[] {
  const candidates = [reference.piconName];
  const [serviceType, serviceId, transportStreamId, networkId, namespace, ...rest] = reference.fields;
  const general = (type: number, firstField: number) =>
    ServiceReference.of({
      type,
      flags: reference.flags,
      fields: [firstField, serviceId, transportStreamId, networkId, (namespace & 0xffff0000) >>> 0, ...rest],
    }).piconName;
  candidates.push(general(reference.type, serviceType), general(referenceTypes.dvb, serviceType));
  if (serviceType !== 2) candidates.push(general(referenceTypes.dvb, 1));
  if (name !== '') {
    const reduced = reducedName(name);
    const withoutDefinition = reduced.replace(/(?:fhd|uhd|hd|sd|4k)$/, '');
    const file = fileName(name);
    candidates.push(reduced, withoutDefinition, file);
    if (name.length > 6) candidates.push(file.replace(/(?<! ) *s\d\de\d\d$/i, ''));
  }
  return [...new Set(candidates)].filter((candidate) => candidate !== '');
}

/**
 * Reduces a service name to `[a-z0-9]`: accents are dropped, "&" becomes "and", "+" "plus", "*" "star". Empty if
 * nothing is left. Das Erste HD: `daserstehd`.
 */
export function reducedName(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('&', 'and')
    .replaceAll('+', 'plus')
    .replaceAll('*', 'star')
    .replace(/[^a-z0-9]/g, '');
}

/** Converts a name to a file name: lower case, without characters that file systems reject. */
function fileName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[\\/:*?"<>|\p{Cc}]/gu, '')
    .replaceAll('.', '_')
    .normalize('NFKD')
    .trim();
}

/** Characters of a name. File names are not longer, and normalizing a text takes quadratic time. */
const maxNameLength = 255;

/** Cached look-ups, which are valid until the folders change. */
const maxCachedPaths = 32_768;

export class Picons {
  readonly #folders: readonly PiconFolder[];
  /** Paths by file name without extension, from the first folder that has it. */
  #paths: ReadonlyMap<string, string> = new Map();
  /** Cached look-ups by reference and name; null = no picon. */
  readonly #found = new Map<string, string | null>();
  #generation = 0;
  #refreshing: Promise<void> | undefined;

  private constructor(folders: readonly string[]) {
    this.#folders = folders.map((folder) => new PiconFolder(folder));
  }

  /** Reads the folders; the first one that has a name wins. A missing folder is ignored. */
  static async read(folders: readonly string[]): Promise<Picons> {
    const picons = new Picons(folders);
    await picons.reload();
    return picons;
  }

  /** Increases whenever a reading found the folders changed. */
  get generation(): number {
    return this.#generation;
  }

  /** Rereads the folders that have changed. Costs one stat each; concurrent calls share it. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#read(false).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** Rereads every folder. */
  reload(): Promise<void> {
    return this.#read(true);
  }

  async #read(all: boolean): Promise<void> {
    const changed = await Promise.all(this.#folders.map((folder) => folder.read(all)));
    if (!changed.includes(true)) return;
    const paths = new Map<string, string>();
    const slice = new TimeSlice();
    for (const { path: folder, names } of this.#folders) {
      for (const ending of endings) {
        for (const name of names) {
          if (slice.isOver) await slice.next();
          if (!name.toLowerCase().endsWith(`.${ending}`)) continue;
          const base = name.slice(0, -ending.length - 1).normalize('NFKD');
          if (!paths.has(base)) paths.set(base, join(folder, name));
        }
      }
    }
    this.#paths = paths;
    this.#found.clear();
    this.#generation++;
  }

  /** Returns the path of a service's picon; undefined if it has none. */
  find(reference: ServiceReference, given = ''): string | undefined {
    if (this.#paths.size === 0) return undefined;
    const name = given.length > maxNameLength ? '' : given;
    const key = `${reference.identity} ${name}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known === null ? undefined : known;
    const path = this.#findPath(reference, name);
    if (this.#found.size >= maxCachedPaths) this.#found.clear();
    this.#found.set(key, path ?? null);
    return path;
  }

  #findPath(reference: ServiceReference, name: string): string | undefined {
    for (const candidate of piconCandidates(reference, name)) {
      const path = this.#paths.get(candidate.normalize('NFKD'));
      if (path !== undefined) return path;
    }
    return undefined;
  }

  /** Returns the path of a picon by its file name, with or without extension. */
  byFileName(name: string): string | undefined {
    if (name.length > maxNameLength) return undefined;
    return this.#paths.get(name.replace(/\.(?:png|svg)$/i, '').normalize('NFKD'));
  }

  /** Path of the picon for services without one; undefined if there is none. */
  get fallback(): string | undefined {
    return this.#paths.get(defaultPicon);
  }
}

/** The file names of one folder, as last read. */
class PiconFolder {
  readonly path: string;
  names: readonly string[] = [];
  /** Modification time of the folder in milliseconds; undefined if it does not exist. */
  #changedAtMs: number | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** Reads the folder if it has changed, or always. Returns whether it was read. */
  async read(always: boolean): Promise<boolean> {
    // Before reading, so that a change while the names are read is noticed the next time.
    const changed = await stat(this.path).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
    if (changed === this.#changedAtMs && !always) return false;
    this.#changedAtMs = changed;
    this.names = changed === undefined ? [] : await readdir(this.path).catch(() => []);
    return true;
  }
}
