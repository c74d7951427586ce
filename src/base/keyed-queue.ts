import { once } from './once.ts';

/**
 * Runs actions, some at a time, and those of the same key one after the other. An action that takes longer than `placeMs`
 * gives its place to the next one, and continues beside it.
 */
export class KeyedQueue {
  readonly #maxAtATime: number;
  readonly #placeMs: number;
  /** The last action of each key. */
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(maxAtATime: number, placeMs: number) {
    this.#maxAtATime = maxAtATime;
    this.#placeMs = placeMs;
  }

  /** Whether an action of a key runs or waits. */
  has(key: string): boolean {
    return this.#last.has(key);
  }

  /** Runs an action, and returns its result once the key is free. A failed action does not stop the next ones. */
  async run<Result>(key: string, action: () => Promise<Result>): Promise<Result> {
    const result = this.#runAfter(this.#last.get(key), action);
    const done = result
      .catch(() => undefined)
      .then(() => {
        if (this.#last.get(key) === done) this.#last.delete(key);
      });
    this.#last.set(key, done);
    await done;
    return result;
  }

  /** Resolves when the actions that run or wait now have ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#last.values());
  }

  async #runAfter<Result>(previous: Promise<unknown> | undefined, action: () => Promise<Result>): Promise<Result> {
    await previous;
    if (this.#running < this.#maxAtATime) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const leave = once(() => {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    });
    const timer = setTimeout(leave, this.#placeMs).unref();
    try {
      return await action();
    } finally {
      clearTimeout(timer);
      leave();
    }
  }
}
