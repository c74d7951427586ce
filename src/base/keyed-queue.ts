/** Runs actions, some at a time, and those of the same key one after the other. */
export class KeyedQueue {
  readonly #maxAtATime: number;
  /** The last action of each key. */
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(maxAtATime: number) {
    this.#maxAtATime = maxAtATime;
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
    try {
      return await action();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
