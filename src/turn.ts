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
