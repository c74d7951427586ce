/**
 * Lists the tables of transponders on this machine under names for clients: the tables of dtv-scan-tables
 * (`dvb-t/de-Berlin`), the networks of Enigma2's XML files (`satellites.xml/Astra 19.2E`), and the built-in rasters
 * (`us-atsc`). Paths never come from a client.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fail } from '../base/errors.ts';
import { positionIn } from '../base/orbital-position.ts';
import { serialQueue } from '../base/serial-queue.ts';
import type { TransponderParameters } from '../dvb/transponder.ts';
import { rasters } from './american-rasters.ts';
import { type ListedNetwork, listNetworks, readInitialTable } from './transponder-tables.ts';

export interface ScanTable {
  readonly name: string;
  readonly kind: TransponderParameters['kind'];
  /** Orbital position in tenths of a degree east; undefined unless it is a satellite. */
  readonly position: number | undefined;
  /** ISO 3166 code in lower case; empty if the name does not begin with one. */
  readonly country: string;
}

export interface TableFile extends ScanTable {
  readonly path: string;
  /** Name of the network, in a file with several. */
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

export interface FoundTables {
  /** Ordered by kind and name. */
  readonly tables: readonly TableFile[];
  /** Files that cannot be read, with the reason. */
  readonly problems: readonly string[];
}

const builtIn = Object.keys(rasters).map(
  (name): TableFile => ({
    ...{ name, kind: 'atsc', position: undefined, country: name.slice(0, 2), path: name, network: undefined },
  }),
);

/** Lists all tables in these folders, and the built-in rasters. */
export async function scanTables(places: readonly string[]): Promise<FoundTables> {
  const problems: string[] = [];
  const byName = new Map(builtIn.map((table) => [table.name, table]));
  for (const place of places) {
    const found = [...(await Promise.all(inFolders(place))), ...(await inFiles(place, problems))];
    for (const table of found.flat()) if (!byName.has(table.name)) byName.set(table.name, table);
  }
  return { tables: [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), problems };
}

/** Reads the transponders of the table with this name. @throws ReceiverError `not-found`, `file-unreadable` */
export async function readScanTable(
  places: readonly string[],
  name: string,
): Promise<readonly TransponderParameters[]> {
  const { tables, problems } = await scanTables(places);
  const table = tables.find((one) => one.name === name);
  const reasons = problems.length === 0 ? '' : ` (${problems.join('; ')})`;
  if (table === undefined) throw fail('not-found', `the table '${name}'${reasons}`);
  return readInitialTable(table.path, table.network);
}

function inFolders(place: string): readonly Promise<readonly TableFile[]>[] {
  return Object.entries(folders).map(async ([folder, kind]) => {
    const entries = await readdir(join(place, folder), { withFileTypes: true }).catch(() => []);
    return (
      entries
        // A file whose name is not UTF-8 could not be opened.
        .filter((one) => one.isFile() && !one.name.includes('\ufffd'))
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
        })
    );
  });
}

async function inFiles(place: string, problems: string[]): Promise<readonly (readonly TableFile[])[]> {
  return Promise.all(
    files.map(async (file) => {
      const path = join(place, file);
      const networks = await networksIn(path).catch((error: Error) => {
        problems.push(error.message);
        return [];
      });
      return networks.map(({ name, kind, position }): TableFile => {
        return { name: `${file}/${name}`, kind, position, country: '', path, network: name };
      });
    }),
  );
}

/** Networks by path of the file, cached: parsing a file of 1 MB takes a second on a box. */
const cache = new Map<string, { readonly version: string; readonly networks: readonly ListedNetwork[] }>();
/** One file at a time, to limit the memory for simultaneous requests. */
const inTurn = serialQueue();

function networksIn(path: string): Promise<readonly ListedNetwork[]> {
  return inTurn(async () => {
    const status = await stat(path).catch(() => undefined);
    if (status === undefined) return [];
    const version = `${status.mtimeMs} ${status.size} ${status.ino}`;
    const known = cache.get(path);
    if (known?.version === version) return known.networks;
    const networks = await listNetworks(path);
    cache.set(path, { version, networks });
    return networks;
  });
}
