/** Changes of bouquets as people make them: each in one step, and then on the disk. */
import { fail } from '../base/errors.ts';
import { largestFile } from '../base/files.ts';
import { type BouquetKind, rootFiles } from './bouquets.ts';
import { bouquetFileOf } from './query.ts';
import { referenceFlags, ServiceReference } from './reference.ts';
import type { EditableLists, Services } from './services.ts';

/** An entry as it is to be. */
export interface WantedEntry {
  /** As listed; its own name and the hidden flag are not looked at. */
  readonly reference: ServiceReference;
  /** Its own name; empty: that of the service. */
  readonly name: string;
  readonly isHidden: boolean;
}

/** What is to change of a bouquet; what is undefined stays as it is. */
export interface BouquetChange {
  readonly name?: string | undefined;
  readonly isHidden?: boolean | undefined;
  readonly entries?: readonly WantedEntry[] | undefined;
}

/** Most entries of a bouquet. */
export const mostEntries = 20_000;

/** Returns the file of the new bouquet. */
export async function addBouquet(services: Services, kind: BouquetKind, name: string): Promise<string> {
  return services.change((lists) => lists.addBouquet(checkedName(name), kind).file);
}

/** @throws ReceiverError `not-found`, `parameter-invalid`, `too-large` */
export async function changeBouquet(services: Services, file: string, change: BouquetChange): Promise<void> {
  const { name, isHidden, entries } = change;
  await services.change((lists) => {
    const bouquet = bouquetOf(lists, file);
    if (name !== undefined) bouquet.rename(checkedName(name));
    if (isHidden !== undefined) changeInRoot(services, lists, file, isHidden);
    if (entries === undefined) return;
    bouquet.replace(entries.map(written));
    if (bouquet.format().length > largestFile) throw fail('too-large', `the bouquet ${file}`, largestFile);
  });
}

/** Puts the bouquets of a root into this order; those that are not named follow. @throws ReceiverError `not-found` */
export async function orderBouquets(services: Services, kind: BouquetKind, files: readonly string[]): Promise<void> {
  await services.change((lists) => {
    const listed = new Map(rootOf(services, kind).map((reference) => [bouquetFileOf(reference.path) ?? '', reference]));
    const unknown = files.find((file) => !listed.has(file));
    if (unknown !== undefined) throw fail('not-found', `bouquet ${unknown}`);
    const named = [...new Set(files)];
    const order = [...named, ...[...listed.keys()].filter((file) => !named.includes(file))];
    lists.bouquet(rootFiles[kind])?.replace(order.flatMap((file) => listed.get(file) ?? []));
  });
}

/** Its file gets another name, under which nobody finds it, as on a box. @throws ReceiverError `not-found` */
export async function removeBouquet(services: Services, file: string): Promise<void> {
  await services.change((lists) => {
    bouquetOf(lists, file);
    lists.removeBouquet(file);
  });
}

/** The bouquet of a file, which is no root. @throws ReceiverError `not-found` */
function bouquetOf(lists: EditableLists, file: string) {
  const isRoot = Object.values(rootFiles).some((root) => root === file);
  const bouquet = isRoot ? undefined : lists.bouquet(file);
  if (bouquet === undefined) throw fail('not-found', `bouquet ${file}`);
  return bouquet;
}

/** What a root shows, with the bouquets that it does not name itself. */
function rootOf(services: Services, kind: BouquetKind): readonly ServiceReference[] {
  return (services.list(services.root(kind), { hidden: true })?.entries ?? []).map(({ reference }) => reference);
}

/** Whether a bouquet is hidden is said where it is listed. */
function changeInRoot(services: Services, lists: EditableLists, file: string, isHidden: boolean): void {
  for (const kind of ['tv', 'radio'] as const) {
    const references = rootOf(services, kind);
    if (!references.some(({ path }) => bouquetFileOf(path) === file)) continue;
    const changed = references.map((one) => (bouquetFileOf(one.path) === file ? withHidden(one, isHidden) : one));
    lists.bouquet(rootFiles[kind])?.replace(changed);
  }
}

function written({ reference, name, isHidden }: WantedEntry): ServiceReference {
  const named = name === reference.name ? reference : reference.withName(name.slice(0, maxNameLength));
  return withHidden(named, isHidden);
}

function withHidden(reference: ServiceReference, isHidden: boolean): ServiceReference {
  if (reference.isHidden === isHidden) return reference;
  const { type, flags, fields, path, name, provider } = reference;
  const { hidden } = referenceFlags;
  return ServiceReference.of({
    type,
    flags: isHidden ? flags | hidden : flags & ~hidden,
    fields,
    path,
    name,
    provider,
  });
}

const maxNameLength = 200;

/** @throws ReceiverError `parameter-invalid` */
function checkedName(name: string): string {
  const plain = name
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, maxNameLength);
  if (plain === '') throw fail('parameter-invalid', 'name', 'must not be empty');
  return plain;
}
