/**
 * Edits of several entries of a bouquet. An edit is applied to the receiver's current list, in which another client may have
 * added, removed, hidden or renamed entries since the user chose them.
 */
import type { Result } from '../../../client/client.ts';

export type Entry = Result<'get', '/bouquets/{file}'>['entries'][number];
/** What an edit sends of an entry. */
export type EditedEntry = Pick<Entry, 'reference' | 'own' | 'hidden'>;

/** An entry, and its index in the list it was taken from. */
export interface Taken {
  readonly place: number;
  readonly entry: Entry;
}

/** The reference without its name and its flags: a flag hides the entry. */
export function identityOf({ reference }: Pick<Entry, 'reference'>): string {
  const [type, , ...rest] = reference.split(':');
  return [type, ...rest.slice(0, 9)].join(':');
}

/** Indices in `now` of the chosen entries, -1 for those that are gone. */
function placesOf(now: readonly Entry[], chosen: readonly Entry[]): readonly number[] {
  const left = new Set(now.keys());
  const take = (places: readonly number[] = []) => {
    const place = places.find((one) => left.has(one)) ?? -1;
    left.delete(place);
    return place;
  };
  const byReference = placesBy(now, ({ reference }) => reference);
  const exact = chosen.map(({ reference }) => take(byReference.get(reference)));
  // Hidden or renamed since. Markers differ in their names only.
  const byIdentity = placesBy(now, (entry) => (entry.kind === 'marker' ? '' : identityOf(entry)));
  return chosen.map((entry, index) => {
    const place = exact[index] ?? -1;
    return place >= 0 || entry.kind === 'marker' ? place : take(byIdentity.get(identityOf(entry)));
  });
}

/** The chosen entries in the order of `now`, each with its index. Removed entries are left out. */
export function find(now: readonly Entry[], chosen: readonly Entry[]): readonly Taken[] {
  const places = [...placesOf(now, chosen)].sort((a, b) => a - b);
  return places.flatMap((place) => {
    const entry = now[place];
    return entry ? { place, entry } : [];
  });
}

/** The list in the order of `wanted`; entries that it lacks follow. */
export function ordered(now: readonly Entry[], wanted: readonly Entry[]): readonly Entry[] {
  const places = placesOf(now, wanted).filter((place) => place >= 0);
  const rest = new Set(now.keys());
  for (const place of places) rest.delete(place);
  return [...places, ...rest].flatMap((place) => now[place] ?? []);
}

function placesBy(entries: readonly Entry[], keyOf: (entry: Entry) => string): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [place, entry] of entries.entries()) {
    const key = keyOf(entry);
    const known = places.get(key);
    if (known) known.push(place);
    else places.set(key, [place]);
  }
  return places;
}

/** The list without the taken entries. */
export function without(now: readonly Entry[], taken: readonly Taken[]): readonly Entry[] {
  const places = new Set(taken.map(({ place }) => place));
  return now.filter((_, index) => !places.has(index));
}

/** The list with entries back at the places that they were taken from. */
export function restored(now: readonly Entry[], taken: readonly Taken[]): readonly Entry[] {
  const list = [...now];
  for (const { place, entry } of taken) list.splice(place, 0, entry);
  return list;
}

/** The list with entries inserted, the first of them at this index. Beyond the end means at the end. */
export function inserted<One>(now: readonly One[], entries: readonly One[], place: number): readonly One[] {
  return [...now.slice(0, place), ...entries, ...now.slice(place)];
}

/** The entries that a marker heads: itself, and all up to the next marker. */
export function sectionOf(entries: readonly Entry[], marker: number): readonly Entry[] {
  const next = entries.findIndex(({ kind }, index) => index > marker && kind === 'marker');
  return entries.slice(marker, next < 0 ? undefined : next);
}

/** The entries that match; with a marker that matches, its whole section. */
export function filtered(entries: readonly Entry[], matches: (place: number) => boolean): readonly Entry[] {
  let isWhole = false;
  return entries.filter(({ kind }, place) => {
    const isMatch = matches(place);
    if (kind === 'marker') isWhole = isMatch;
    return isMatch || isWhole;
  });
}

/** A key for each entry that survives a reload: its identity, for markers with the name, and a number for equal ones. */
export function keysOf(entries: readonly Entry[]): readonly string[] {
  return uniqueKeys(entries.map((entry) => (entry.kind === 'marker' ? entry.reference : identityOf(entry))));
}

/** Numbers equal keys. */
export function uniqueKeys(keys: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return keys.map((key) => {
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return `${key} ${count}`;
  });
}
