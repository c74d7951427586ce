/** Searches in the browser's local storage: saved ones with a name, and recent ones. */
import { type Signal, signal } from '@preact/signals';
import type { Query } from './query.ts';

export interface SavedSearch {
  readonly name: string;
  readonly query: Query;
}

const maxSaved = 50;
const maxRecent = 8;

const savedKey = 'searches';
const recentKey = 'latest-searches';

export const saved: Signal<readonly SavedSearch[]> = signal(read(savedKey));
export const recent: Signal<readonly SavedSearch[]> = signal(read(recentKey));

/** Saves a search; replaces one with the same name. */
export function save(name: string, query: Query): void {
  const others = saved.value.filter((one) => one.name !== name);
  write(saved, savedKey, [...others, { name, query }].slice(-maxSaved));
}

export function forget(name: string): void {
  write(
    saved,
    savedKey,
    saved.value.filter((one) => one.name !== name),
  );
}

/** Adds a recent search. Replaces those whose text is a beginning of its text. */
export function remember(query: Query): void {
  const text = query.text ?? '';
  const others = recent.value.filter(({ query: { text: other = '' } }) => !text.startsWith(other));
  write(recent, recentKey, [{ name: text, query }, ...others].slice(0, maxRecent));
}

export function clearRecent(): void {
  write(recent, recentKey, []);
}

/** Reads the stored searches; invalid ones are dropped. */
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
    // Without local storage, searches last until the page is closed.
  }
}
