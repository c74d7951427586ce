/**
 * Long loops that yield to other work: after a turn, which is short enough to wait for, whatever else is queued runs.
 *
 *   const turn = new Turn();
 *   for (const one of thousands) {
 *     if (turn.isOver) await turn.next();
 *     ...
 *   }
 */
import { setImmediate } from 'node:timers/promises';

/** Milliseconds. */
const turnLength = 1;

export class Turn {
  #end = performance.now() + turnLength;

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Yields until everything queued before has run. */
  async next(): Promise<void> {
    await setImmediate();
    this.#end = performance.now() + turnLength;
  }
}

/** The work on a value: yields often, returns the value. */
export type Steps<Value> = Generator<undefined, Value, undefined>;

/** Items sorted at once; more would take too long for a step. */
const run = 64;

type Compare<Item> = (a: Item, b: Item) => number;

/** The items in order, equal ones as they were before. */
export function* sorted<Item>(items: readonly Item[], compare: Compare<Item>): Steps<Item[]> {
  let runs: Item[][] = [];
  for (let start = 0; start < items.length; start += run) {
    runs.push(items.slice(start, start + run).sort(compare));
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
 * A value that takes many steps: in turns for those who can wait for it, at once for those who cannot. Each goes on where
 * another has stopped.
 */
export class Gradual<Value> {
  readonly #begin: () => Steps<Value>;
  #work: Steps<Value> | undefined;
  #made: { readonly value: Value } | undefined;

  constructor(begin: () => Steps<Value>) {
    this.#begin = begin;
  }

  /** At once. */
  get value(): Value {
    for (;;) {
      const made = this.#step();
      if (made !== undefined) return made.value;
    }
  }

  /** In turns. */
  async ready(): Promise<Value> {
    const turn = new Turn();
    for (;;) {
      const made = this.#step();
      if (made !== undefined) return made.value;
      if (turn.isOver) await turn.next();
    }
  }

  /** As a part of other work. */
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
