/**
 * Picons: the logo of a service, an image in a picon folder under a name made of the reference or of the service's name.
 *
 * The folders are read once into a map of file names; a look-up is a few tries in it, no access to the disk.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
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

export class Picons {
  /** File name without ending to path, of the first folder that has it. */
  readonly #paths: ReadonlyMap<string, string>;
  readonly #default: string | undefined;

  private constructor(paths: ReadonlyMap<string, string>) {
    this.#paths = paths;
    this.#default = paths.get(defaultPicon);
  }

  /** Reads the folders, of which the first that has a name wins. One that is not there counts for nothing. */
  static async read(folders: readonly string[]): Promise<Picons> {
    const paths = new Map<string, string>();
    for (const folder of folders) {
      const names = await readdir(folder).catch(() => []);
      for (const ending of endings) {
        for (const name of names) {
          if (!name.toLowerCase().endsWith(`.${ending}`)) continue;
          const base = name.slice(0, -ending.length - 1).normalize('NFKD');
          if (!paths.has(base)) paths.set(base, join(folder, name));
        }
      }
    }
    return new Picons(paths);
  }

  /** Path of a service's picon; undefined if it has none of its own. */
  find(reference: ServiceReference, name = ''): string | undefined {
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
    return this.#default;
  }
}
