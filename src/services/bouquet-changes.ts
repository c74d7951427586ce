/** Edits of bouquets by users: each is one step, and saved at once. */
import { fail } from '../base/errors.ts';
import { maxFileBytes } from '../base/files.ts';
import { type BouquetKind, rootFiles } from './bouquets.ts';
import { bouquetFileOf } from './query.ts';
import { referenceFlags, ServiceReference } from './reference.ts';
import type { EditableLists, Services } from './services.ts';

/** The wanted state of an entry. */
export interface WantedEntry {
  /** As listed; its name and hidden flag are ignored. */
  readonly reference: ServiceReference;
  /** Name of the entry; empty: that of the service. */
  readonly name: string;
  readonly isHidden: boolean;
}

/** Changes of a bouquet; undefined fields stay unchanged. */
export interface BouquetChange {
  readonly name?: string | undefined;
  readonly isHidden?: boolean | undefined;
  readonly entries?: readonly WantedEntry[] | undefined;
}

/** Maximum number of entries of a bouquet. */
export const maxEntries = 20_000;

/** Adds a bouquet; returns the name of its file. */
export async function addBouquet(services: Services, kind: BouquetKind, name: string): Promise<string> {
  return services.change((lists) => lists.addBouquet(checkedName(name), kind).file);
}

/** Changes a bouquet. @throws ReceiverError `not-found`, `parameter-invalid`, `too-large` */
export async function changeBouquet(services: Services, file: string, change: BouquetChange): Promise<void> {
  const { name, isHidden, entries } = change;
  await services.change((lists) => {
    const bouquet = bouquetOf(lists, file);
    if (name !== undefined) bouquet.rename(checkedName(name));
    if (isHidden !== undefined) setHidden(services, lists, file, isHidden);
    if (entries === undefined) return;
    bouquet.replace(entries.map(written));
    if (bouquet.format().length > maxFileBytes) throw fail('too-large', `the bouquet ${file}`, maxFileBytes);
  });
}

/** The entries that `hideEverywhere` has changed in a bouquet. */
export interface HiddenEntries {
  readonly file: string;
  readonly services: readonly ServiceReference[];
}

/** Hides services in all bouquets that list them, or shows them again. Returns what that has changed. */
export async function hideEverywhere(
  services: Services,
  references: readonly ServiceReference[],
  isHidden: boolean,
): Promise<readonly HiddenEntries[]> {
  const wanted = new Set(references.map(({ identity }) => identity));
  return services.change((lists) =>
    lists.bouquets().flatMap((bouquet) => {
      const { file, entries } = bouquet;
      // The members of alternatives are not channels of a list.
      if (isRoot(file) || file.startsWith('alternatives.')) return [];
      const isChanged = (one: ServiceReference) => wanted.has(one.identity) && one.isHidden !== isHidden;
      const all = entries.map(({ reference }) => reference);
      const changed = all.filter(isChanged);
      if (changed.length === 0) return [];
      bouquet.replace(all.map((one) => (isChanged(one) ? withHidden(one, isHidden) : one)));
      return { file, services: changed };
    }),
  );
}

/** Orders the bouquets of a root; bouquets that `files` omits follow. @throws ReceiverError `not-found` */
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

/** Removes a bouquet. Its file is renamed, as on a box. @throws ReceiverError `not-found` */
export async function removeBouquet(services: Services, file: string): Promise<void> {
  await services.change((lists) => {
    bouquetOf(lists, file);
    lists.removeBouquet(file);
  });
}

const isRoot = (file: string) => Object.values(rootFiles).some((root) => root === file);

/** Returns the bouquet of a file that is not a root. @throws ReceiverError `not-found` */
function bouquetOf(lists: EditableLists, file: string) {
  const bouquet = isRoot(file) ? undefined : lists.bouquet(file);
  if (bouquet === undefined) throw fail('not-found', `bouquet ${file}`);
  return bouquet;
}

/** The entries of a root, including bouquets that no list references. */
function rootOf(services: Services, kind: BouquetKind): readonly ServiceReference[] {
  return (services.list(services.root(kind), { hidden: true })?.entries ?? []).map(({ reference }) => reference);
}

/** Sets the hidden flag in the root that lists the bouquet. */
function setHidden(services: Services, lists: EditableLists, file: string, isHidden: boolean): void {
  for (const kind of ['tv', 'radio'] as const) {
    const references = rootOf(services, kind);
    if (!references.some(({ path }) => bouquetFileOf(path) === file)) continue;
    const changed = references.map((reference) =>
      bouquetFileOf(reference.path) === file ? withHidden(reference, isHidden) : reference,
    );
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

/** Characters of a bouquet's or entry's name. */

const maxNameLength = 200;

/** Normalizes the name of a bouquet. @throws ReceiverError `parameter-invalid` if it is empty */
function checkedName(name: string): string {
  const plain = name
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, maxNameLength);
  if (plain === '') throw fail('parameter-invalid', 'name', 'must not be empty');
  return plain;
}
