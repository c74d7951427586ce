/**
 * Work over long lists that lets the others run: a turn is as long as nobody minds to wait, then comes whoever does.
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

  /** Waits until whoever waited before has run. */
  async next(): Promise<void> {
    await setImmediate();
    this.#end = performance.now() + turnLength;
  }
}
