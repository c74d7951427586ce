/**
 * Time slices for long loops: a loop that yields whenever its slice is over never holds up requests.
 *
 *   const slice = new TimeSlice();
 *   for (const item of thousands) {
 *     if (slice.isOver) await slice.next();
 *     ...
 *   }
 *
 * Service lists are built this way rather than in a worker that posts them: to receive 20,000 services by postMessage holds
 * the main thread for 30 ms on a PC, 100,000 for 0.6 s (structured clone); a slice holds it for one.
 */
import { setImmediate } from 'node:timers/promises';

const sliceMs = 1;

export class TimeSlice {
  #end = performance.now() + sliceMs;

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Yields to the event loop until everything queued before has run, and begins the next slice. */
  async next(): Promise<void> {
    await setImmediate();
    this.#end = performance.now() + sliceMs;
  }
}

/** A computation in small steps: yields after each, and returns the value. */
export type Steps<Value> = Generator<undefined, Value, undefined>;

/** Items sorted in one step. */
const runLength = 64;

type Compare<Item> = (a: Item, b: Item) => number;

/** A stable merge sort in small steps. */
export function* sorted<Item>(items: readonly Item[], compare: Compare<Item>): Steps<Item[]> {
  let runs: Item[][] = [];
  for (let start = 0; start < items.length; start += runLength) {
    runs.push(items.slice(start, start + runLength).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const longer: Item[][] = [];
    for (let n = 0; n < runs.length; n += 2) longer.push(yield* merged(runs[n] ?? [], runs[n + 1] ?? [], compare));
    runs = longer;
  }
  return runs[0] ?? [];
}

function* merged<Item>(first: Item[], second: Item[], compare: Compare<Item>): Steps<Item[]> {
  const all: Item[] = [];
  let [a, b] = [0, 0];
  while (a < first.length && b < second.length) {
    const [one, other] = [first[a] as Item, second[b] as Item];
    const isFirst = compare(one, other) <= 0;
    all.push(isFirst ? one : other);
    if (isFirst) a++;
    else b++;
    yield;
  }
  return all.concat(first.slice(a), second.slice(b));
}

/**
 * A value that takes many steps to compute, computed once: in time slices for callers that can wait (`ready`), at once
 * for those that cannot (`value`). Each caller resumes where another stopped.
 */
export class IncrementalValue<Value> {
  readonly #begin: () => Steps<Value>;
  #work: Steps<Value> | undefined;
  #made: { readonly value: Value } | undefined;

  constructor(begin: () => Steps<Value>) {
    this.#begin = begin;
  }

  /** Computes what is left without yielding. */
  get value(): Value {
    for (;;) {
      const made = this.#step();
      if (made !== undefined) return made.value;
    }
  }

  /** Computes what is left in time slices. */
  async ready(): Promise<Value> {
    const slice = new TimeSlice();
    for (;;) {
      const made = this.#step();
      if (made !== undefined) return made.value;
      if (slice.isOver) await slice.next();
    }
  }

  /** Computes what is left as part of another computation. */
  *steps(): Steps<Value> {
    for (;;) {
      const made = this.#step();
      if (made !== undefined) return made.value;
      yield;
    }
  }

  #step(): { readonly value: Value } | undefined {
    if (this.#made !== undefined) return this.#made;
    this.#work ??= this.#begin();
    const { done, value } = this.#work.next();
    if (!done) return undefined;
    this.#work = undefined;
    this.#made = { value };
    return this.#made;
  }
}
