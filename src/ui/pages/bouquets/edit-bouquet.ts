/** Sends edits of bouquets. */
import { receiver } from '../../shared/receiver.ts';
import type { EditedEntry, Entry } from './edits.ts';

type Edited = (now: readonly Entry[]) => readonly EditedEntry[];

/** Applies an edit to the receiver's current list. Resolves to whether it was accepted. */
export type Edit = (edited: Edited) => Promise<boolean>;

/** Replaces the entries of a bouquet by an edit of those that it has now. @throws Refused, Unreachable */
export async function editBouquet(file: string, edited: Edited): Promise<unknown> {
  const now = await receiver.get('/bouquets/{file}', { file });
  const plain = edited(now.entries).map(({ reference, own, hidden }) => ({ reference, own, hidden }));
  return receiver.put('/bouquets/{file}', { file, entries: JSON.stringify(plain) });
}
