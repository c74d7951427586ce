/**
 * Imports the bouquets of a box. What users have changed in them stays: the order, names, removed and added entries, and
 * whether there is such a bouquet at all.
 */
import { isDeepStrictEqual } from 'node:util';
import { appendTo } from '../base/append-to.ts';
import { type BouquetFile, boxBouquetStart, newBouquetFileName } from '../services/bouquet-file.ts';
import { ServiceReference } from '../services/reference.ts';
import type { EditableLists, Services } from '../services/services.ts';
import type { BoxBouquet } from './box.ts';

/** A bouquet as it was last imported. */
export interface StoredBouquet {
  /** As the box writes it. */
  readonly reference: string;
  /** Its file here. */
  readonly file: string;
  readonly name: string;
  /** References with names. */
  readonly entries: readonly string[];
}

/** Resolves to what was imported, for the next time. @throws ReceiverError `file-unwritable`; nothing has changed then */
export function importBouquets(
  services: Services,
  host: string,
  before: readonly StoredBouquet[],
  now: readonly BoxBouquet[],
): Promise<readonly StoredBouquet[]> {
  return services.changeInSteps(function* (lists) {
    const used = new Set<string>();
    for (const old of before) {
      if (now.some(({ reference }) => reference === old.reference)) used.add(old.file);
      else removeUnchanged(lists, old);
      yield;
    }
    const taken = new Set(lists.bouquets().map(({ file }) => file.toLowerCase()));
    const imported: StoredBouquet[] = [];
    for (const bouquet of now) {
      const stored = importBouquet(lists, host, bouquet, { all: before, taken, used });
      taken.add(stored.file.toLowerCase());
      used.add(stored.file);
      imported.push(stored);
      yield;
    }
    return imported;
  });
}

interface ImportState {
  /** As they were last imported. */
  readonly all: readonly StoredBouquet[];
  /** Names of all bouquet files, in small letters. */
  readonly taken: ReadonlySet<string>;
  /** Files of bouquets that the box has: two bouquets may have the same name. */
  readonly used: ReadonlySet<string>;
}

function importBouquet(
  lists: EditableLists,
  host: string,
  { reference, name: ownName, kind, entries }: BoxBouquet,
  { all, taken, used }: ImportState,
): StoredBouquet {
  const name = `${ownName} (${host})`;
  const known = all.find((one) => one.reference === reference);
  const isFree = ({ file }: BouquetFile) => file.startsWith(boxBouquetStart) && file.endsWith(kind) && !used.has(file);
  const file =
    known?.file ??
    lists.bouquets().find((one) => isFree(one) && one.name === name)?.file ??
    newBouquetFileName(`enigma2_${host}_${ownName}`, kind, (one) => taken.has(one));
  const stored = { reference, file, name, entries: entries.map((one) => one.format()) };
  // A bouquet that is no longer there was removed by a user.
  const bouquet = lists.bouquet(file) ?? (known === undefined ? lists.addBouquet(name, kind, file) : undefined);
  if (bouquet === undefined) return stored;
  if (bouquet.name === known?.name) bouquet.rename(name);
  if (isDeepStrictEqual(known?.entries, stored.entries)) return stored;
  const ours = bouquet.entries.map((one) => one.reference);
  bouquet.replace(merged(referencesIn(known?.entries ?? []), entries, ours));
  return stored;
}

function removeUnchanged(lists: EditableLists, old: StoredBouquet): void {
  const bouquet = lists.bouquet(old.file);
  if (bouquet?.entries.map(({ reference }) => reference.format()).join('\n') === old.entries.join('\n'))
    lists.removeBouquet(old.file);
}

/** The references in stored entries, or the entries of a box. */
export const referencesIn = (entries: readonly (string | ServiceReference)[]): readonly ServiceReference[] =>
  entries.flatMap((one) => (typeof one === 'string' ? (ServiceReference.tryParse(one) ?? []) : one));

/** Our entries with what has changed at the box since the last import: added, removed and renamed services. */
export function merged(
  before: readonly ServiceReference[],
  now: readonly ServiceReference[],
  ours: readonly ServiceReference[],
): readonly ServiceReference[] {
  const text = (all: readonly ServiceReference[]) => all.map((one) => one.format()).join('\n');
  if (text(ours) === text(before)) return now;
  const [old, current] = [before, now].map((all) => new Map(all.map((one) => [one.identity, one])));
  const kept = ours.flatMap((one) => {
    const [was, is] = [old?.get(one.identity), current?.get(one.identity)];
    if (was === undefined) return [one];
    if (is === undefined) return [];
    return [one.format() === was.format() ? is : one];
  });
  const there = new Set(kept.map(({ identity }) => identity));
  /** New services by the one before them at the box. */
  const added = new Map<string, ServiceReference[]>();
  let previous = '';
  for (const one of now) {
    if (there.has(one.identity)) previous = one.identity;
    else if (!old?.has(one.identity)) appendTo(added, previous, one);
  }
  const addedAfter = (identity: string) => {
    const all = added.get(identity) ?? [];
    added.delete(identity);
    return all;
  };
  return [...addedAfter(''), ...kept.flatMap((one) => [one, ...addedAfter(one.identity)])];
}
