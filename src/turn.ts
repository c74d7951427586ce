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
