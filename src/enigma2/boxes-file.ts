/**
 * `enigma2.json` in the data folder: the tuners and the last imported bouquets of each box, for times when it is
 * switched off.
 */
import { join } from 'node:path';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { keepDamaged, readRegularFile, replaceFile } from '../base/files.ts';
import type { StoredBouquet } from './imported-bouquets.ts';

const Stored = Type.Object({
  tuners: Type.Integer({ minimum: 1, maximum: 32 }),
  bouquets: Type.Array(
    Type.Object({
      reference: Type.String(),
      file: Type.String(),
      name: Type.String(),
      entries: Type.Array(Type.String()),
    }),
  ),
});
export interface StoredBox {
  readonly tuners: number;
  /** As they were last imported. */
  readonly bouquets: readonly StoredBouquet[];
}

/** By the name of the box: `HOST`, or `HOST:PORT`. */
const Content = Type.Record(Type.String(), Stored);

const pathIn = (dataDir: string) => join(dataDir, 'enigma2.json');

/** Reads the file. A damaged one counts as empty, and is kept beside it. */
export async function readBoxes(dataDir: string): Promise<Map<string, StoredBox>> {
  try {
    const content: unknown = JSON.parse(String(await readRegularFile(pathIn(dataDir))));
    if (!Value.Check(Content, content)) throw new Error('it is damaged');
    return new Map(Object.entries(content));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') await keepDamaged(pathIn(dataDir)).catch(() => undefined);
    return new Map();
  }
}

/** @throws Error of the system */
export function saveBoxes(dataDir: string, boxes: ReadonlyMap<string, StoredBox>): Promise<void> {
  return replaceFile(pathIn(dataDir), Buffer.from(`${JSON.stringify(Object.fromEntries(boxes))}\n`));
}
