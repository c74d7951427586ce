/** Service lists in Enigma2's formats: lamedb version 4 and bouquets. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const namespace = 0xc00000;
/** The reference of a service, by its number from 1. */
export const reference = (service: number) =>
  `1:0:1:${service.toString(16).toUpperCase()}:${(1 + (service >> 12)).toString(16).toUpperCase()}:1:${namespace.toString(16).toUpperCase()}:0:0:0:`;

/** The reference of a bouquet, by the name of its file. */
export const bouquetReference = (file: string) => `1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "${file}" ORDER BY bouquet`;

export interface BenchBouquet {
  readonly file: string;
  /** Numbers of its services. */
  readonly services: readonly number[];
}

/** Writes lamedb and bouquets. The services have these names and are numbered from 1. */
export function writeLists(folder: string, names: readonly string[], bouquets: readonly BenchBouquet[]): void {
  mkdirSync(folder, { recursive: true });
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
  const streams = [...new Set(names.map((_, n) => 1 + ((n + 1) >> 12)))];
  const transponder = (stream: number) => `${hex(namespace, 8)}:${hex(stream, 4)}:0001`;
  const transponders = streams.map(
    (stream) => `${transponder(stream)}\n\ts ${10_700_000 + stream * 40_000}:27500000:1:4:192:2:0:1:2:0:2\n/\n`,
  );
  const entries = names.map((name, n) => {
    const stream = 1 + ((n + 1) >> 12);
    return `${hex(n + 1, 4)}:${hex(namespace, 8)}:${hex(stream, 4)}:0001:1:0\n${name}\np:bench\n`;
  });
  writeFileSync(
    join(folder, 'lamedb'),
    `eDVB services /4/\ntransponders\n${transponders.join('')}end\nservices\n${entries.join('')}end\nHave a lot of bugs!\n`,
  );
  const listed = bouquets.map(({ file }) => `#SERVICE ${bouquetReference(file)}\n`);
  writeFileSync(join(folder, 'bouquets.tv'), `#NAME Bouquets (TV)\n${listed.join('')}`);
  writeFileSync(join(folder, 'bouquets.radio'), '#NAME Bouquets (Radio)\n');
  for (const { file, services } of bouquets) {
    const lines = services.map((number) => `#SERVICE ${reference(number)}\n`);
    writeFileSync(join(folder, file), `#NAME ${file.split('.')[1]}\n${lines.join('')}`);
  }
}
