/** Sorts long lists in time slices: `Array.prototype.sort` would block the event loop until it is done. */
import { TimeSlice } from '../../base/time-slice.ts';

type Compare<T> = (a: T, b: T) => number;

/** Items sorted without yielding. */
const runLength = 256;

/** Sorts items; the sort is stable. */
export function sortInSlices<T>(items: readonly T[], compare: Compare<T>): Promise<T[]> {
  const runs: T[][] = [];
  for (let at = 0; at < items.length; at += runLength) runs.push(items.slice(at, at + runLength));
  return mergeRuns(runs, compare, (run) => run.sort(compare));
}

/** Merges sorted lists. */
export function mergeInSlices<T>(lists: readonly (readonly T[])[], compare: Compare<T>): Promise<T[]> {
  return mergeRuns(
    lists.map((list) => [...list]),
    compare,
    (list) => list,
  );
}

async function mergeRuns<T>(lists: T[][], compare: Compare<T>, prepare: (list: T[]) => T[]): Promise<T[]> {
  const slice = new TimeSlice();
  let runs: T[][] = [];
  for (const list of lists) {
    if (slice.isOver) await slice.next();
    runs.push(prepare(list));
  }
  while (runs.length > 1) {
    const next: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const [left, right] = [runs[at] as T[], runs[at + 1]];
      next.push(right === undefined ? left : await mergePair(left, right, compare, slice));
    }
    runs = next;
  }
  return runs[0] ?? [];
}

async function mergePair<T>(
  left: readonly T[],
  right: readonly T[],
  compare: Compare<T>,
  slice: TimeSlice,
): Promise<T[]> {
  const all: T[] = [];
  let [l, r] = [0, 0];
  while (l < left.length || r < right.length) {
    if (all.length % runLength === 0 && slice.isOver) await slice.next();
    const takesLeft = r >= right.length || (l < left.length && compare(left[l] as T, right[r] as T) <= 0);
    all.push((takesLeft ? left[l++] : right[r++]) as T);
  }
  return all;
}
