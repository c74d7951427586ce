/** Searches that this browser remembers: those that a person has saved under a name, and the latest ones. */
import { type Signal, signal } from '@preact/signals';

/** As in the address: text and filters. */
export type Query = Readonly<Record<string, string>>;

export interface SavedSearch {
  readonly name: string;
  readonly query: Query;
}

const mostSaved = 50;
const mostLatest = 8;

const savedKey = 'searches';
const latestKey = 'latest-searches';

export const saved: Signal<readonly SavedSearch[]> = signal(read(savedKey));
export const latest: Signal<readonly SavedSearch[]> = signal(read(latestKey));

/** Saves it in place of one with the same name. */
export function save(name: string, query: Query): void {
  const others = saved.value.filter((one) => one.name !== name);
  write(saved, savedKey, [...others, { name, query }].slice(-mostSaved));
}

export function forget(name: string): void {
  write(
    saved,
    savedKey,
    saved.value.filter((one) => one.name !== name),
  );
}

/** Remembers it as the latest, in place of the beginnings of its text. */
export function remember(query: Query): void {
  const text = query.text ?? '';
  const others = latest.value.filter(({ query: { text: other = '' } }) => !text.startsWith(other));
  write(latest, latestKey, [{ name: text, query }, ...others].slice(0, mostLatest));
}

export function forgetLatest(): void {
  write(latest, latestKey, []);
}

/** What other programs have written there is dropped. */
function read(key: string): readonly SavedSearch[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isSearch) : [];
  } catch {
    return [];
  }
}

function isSearch(value: unknown): value is SavedSearch {
  if (typeof value !== 'object' || value === null || !('name' in value) || !('query' in value)) return false;
  const { name, query } = value;
  const isQuery = typeof query === 'object' && query !== null;
  return typeof name === 'string' && isQuery && Object.values(query).every((one) => typeof one === 'string');
}

function write(list: Signal<readonly SavedSearch[]>, key: string, searches: readonly SavedSearch[]): void {
  list.value = searches;
  try {
    localStorage.setItem(key, JSON.stringify(searches));
  } catch {
    // The browser stores nothing: they last as long as the page.
  }
}
