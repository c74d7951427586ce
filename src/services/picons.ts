/**
 * Picons: the logo of a service, an image in a picon folder under a name made of the reference or of the service's name.
 *
 * The folders are read into a map of file names; a look-up is a few tries in it, no access to the disk. Somebody copies new
 * pictures into a folder now and then: `refresh` reads the folders again of which the time of change says so.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Turn } from '../turn.ts';
import { referenceTypes, ServiceReference } from './reference.ts';

/** Endings of picon files, the preferred one first. */
const endings = ['png', 'svg'];
/** Shown where a service has no picon, if the folder has it. */
const defaultPicon = 'picon_default';

/**
 * Names without ending to try for a service, best first: the ten numbers of the reference, made more and more general, then the
 * service's name. `name` is the plain name, empty if unknown.
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
    if (name.length > 6) candidates.push(file.replace(/ *s\d\de\d\d$/i, ''));
  }
  return [...new Set(candidates)].filter((candidate) => candidate !== '');
}

/**
 * A service name reduced to `[a-z0-9]`: accents dropped, "&" is "and", "+" "plus", "*" "star". Empty if nothing is left.
 * Das Erste HD: `daserstehd`.
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

/** A name as a file name may have it: lower case, without what file systems do not take. */
function fileName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[\\/:*?"<>|\p{Cc}]/gu, '')
    .replaceAll('.', '_')
    .normalize('NFKD')
    .trim();
}

/** Answers that are remembered, until the folders change: lists ask for the same thousands again and again. */
const mostFound = 32_768;

export class Picons {
  readonly #folders: readonly PiconFolder[];
  /** File name without ending to path, of the first folder that has it. */
  #paths: ReadonlyMap<string, string> = new Map();
  /** What was found for a reference and a name; null = nothing. */
  readonly #found = new Map<string, string | null>();
  #generation = 0;
  #refreshing: Promise<void> | undefined;

  private constructor(folders: readonly string[]) {
    this.#folders = folders.map((folder) => new PiconFolder(folder));
  }

  /** Reads the folders, of which the first that has a name wins. One that is not there counts for nothing. */
  static async read(folders: readonly string[]): Promise<Picons> {
    const picons = new Picons(folders);
    await picons.reload();
    return picons;
  }

  /** Rises whenever the folders were found changed. */
  get generation(): number {
    return this.#generation;
  }

  /** Reads the folders again that have changed since. Costs a look at each; who asks meanwhile waits for the same. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#read(false).finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** Reads every folder again. */
  reload(): Promise<void> {
    return this.#read(true);
  }

  async #read(all: boolean): Promise<void> {
    const changed = await Promise.all(this.#folders.map((folder) => folder.read(all)));
    if (!changed.includes(true)) return;
    const paths = new Map<string, string>();
    const turn = new Turn();
    for (const { path: folder, names } of this.#folders) {
      for (const ending of endings) {
        for (const name of names) {
          if (turn.isOver) await turn.next();
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

  /** Path of a service's picon; undefined if it has none of its own. */
  find(reference: ServiceReference, name = ''): string | undefined {
    if (this.#paths.size === 0) return undefined;
    const key = `${reference.identity} ${name}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known === null ? undefined : known;
    const path = this.#look(reference, name);
    if (this.#found.size >= mostFound) this.#found.clear();
    this.#found.set(key, path ?? null);
    return path;
  }

  #look(reference: ServiceReference, name: string): string | undefined {
    for (const candidate of piconCandidates(reference, name)) {
      const path = this.#paths.get(candidate.normalize('NFKD'));
      if (path !== undefined) return path;
    }
    return undefined;
  }

  /** Path of a picon by its file name, with or without ending. */
  byFileName(name: string): string | undefined {
    return this.#paths.get(name.replace(/\.(?:png|svg)$/i, '').normalize('NFKD'));
  }

  /** Path of the picon for services without one; undefined if the folders have none. */
  get fallback(): string | undefined {
    return this.#paths.get(defaultPicon);
  }
}

/** The names of one folder, as they were when it was last read. */
class PiconFolder {
  readonly path: string;
  names: readonly string[] = [];
  /** Time of the folder's last change in milliseconds; undefined while it is not there. */
  #changed: number | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** Reads the folder if it has changed, or in any case; says whether it was read. */
  async read(always: boolean): Promise<boolean> {
    // Asked for first: what changes while the names are read is seen the next time.
    const changed = await stat(this.path).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
    if (changed === this.#changed && !always) return false;
    this.#changed = changed;
    this.names = changed === undefined ? [] : await readdir(this.path).catch(() => []);
    return true;
  }
}
