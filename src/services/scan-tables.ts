/**
 * The tables of transponders that this machine has, under names that clients may use: what dtv-scan-tables installs
 * (`dvb-t/de-Berlin`), and the networks of Enigma2's XML files (`satellites.xml/Astra 19.2E`). Paths never come from a
 * client.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TransponderParameters } from '../dvb/transponder.ts';
import { fail } from '../errors.ts';
import { listNetworks, readInitialTable } from './initial-tables.ts';
import { positionIn } from './positions.ts';

export interface ScanTable {
  readonly name: string;
  readonly kind: TransponderParameters['kind'];
  /** Of satellites: tenths of a degree east. */
  readonly position: number | undefined;
  /** ISO 3166 code in small letters; empty if the name does not begin with one. */
  readonly country: string;
  readonly path: string;
  /** Which of the networks in the file. */
  readonly network: string | undefined;
}

const folders: Readonly<Record<string, TransponderParameters['kind']>> = {
  'dvb-s': 'satellite',
  'dvb-t': 'terrestrial',
  'dvb-c': 'cable',
  'isdb-t': 'terrestrial',
  atsc: 'atsc',
};
const files = ['satellites.xml', 'cables.xml', 'terrestrial.xml', 'atsc.xml'] as const;

/** All tables in these folders, by kind and name. A folder or a file that cannot be read has none. */
export async function scanTables(places: readonly string[]): Promise<readonly ScanTable[]> {
  const found = await Promise.all(places.flatMap((place) => [...inFolders(place), ...inFiles(place)]));
  const byName = new Map<string, ScanTable>();
  for (const table of found.flat()) if (!byName.has(table.name)) byName.set(table.name, table);
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The transponders of the table with this name. @throws ReceiverError `not-found`, `file-unreadable` */
export async function readScanTable(
  places: readonly string[],
  name: string,
): Promise<readonly TransponderParameters[]> {
  const table = (await scanTables(places)).find((one) => one.name === name);
  if (table === undefined) throw fail('not-found', `the table '${name}'`);
  return readInitialTable(table.path, table.network);
}

function inFolders(place: string): readonly Promise<readonly ScanTable[]>[] {
  return Object.entries(folders).map(async ([folder, kind]) => {
    const entries = await readdir(join(place, folder), { withFileTypes: true }).catch(() => []);
    return entries
      .filter((one) => one.isFile())
      .map(({ name }) => {
        const [, country = ''] = /^([a-z]{2})-/.exec(name) ?? [];
        const position = kind === 'satellite' ? positionIn(name) : undefined;
        return {
          name: `${folder}/${name}`,
          kind,
          position,
          country,
          path: join(place, folder, name),
          network: undefined,
        };
      });
  });
}

function inFiles(place: string): readonly Promise<readonly ScanTable[]>[] {
  return files.map(async (file) => {
    const path = join(place, file);
    const networks = await listNetworks(path).catch(() => []);
    return networks.map(({ name, kind, position }) => {
      return { name: `${file}/${name}`, kind, position, country: '', path, network: name };
    });
  });
}
