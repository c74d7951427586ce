/**
 * Work that is done once for each key, some at a time, while those who ask for it wait only briefly: a browser has six
 * connections, and a slow server must not occupy all of them.
 */
import { setTimeout as pause } from 'node:timers/promises';

export interface WorkQueueOptions {
  readonly maxAtATime: number;
  /** Keys that wait; further ones are refused until there is room. */
  readonly maxWaiting: number;
}

export class WorkQueue<Result> {
  readonly #options: WorkQueueOptions;
  readonly #pending = new Map<string, Promise<Result>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Whether the work for a key has begun or waits for its turn. */
  has(key: string): boolean {
    return this.#pending.has(key);
  }

  /**
   * Does `work` for a key unless that has begun already, and waits for its result for `maxWaitMs` at most. Undefined if
   * there is none by then; the work continues.
   */
  async do(key: string, work: () => Promise<Result>, maxWaitMs: number): Promise<Result | undefined> {
    const result = this.#pending.get(key) ?? this.#add(key, work);
    if (result === undefined || maxWaitMs === 0) return undefined;
    const ending = new AbortController();
    const timeout = pause(maxWaitMs, undefined, { ref: false, signal: ending.signal }).catch(() => undefined);
    return Promise.race([result, timeout]).finally(() => ending.abort());
  }

  #add(key: string, work: () => Promise<Result>): Promise<Result> | undefined {
    if (this.#waiting.length >= this.#options.maxWaiting) return undefined;
    const result = this.#turn()
      .then(work)
      .finally(() => {
        this.#pending.delete(key);
        this.#running--;
        this.#waiting.shift()?.();
      });
    this.#pending.set(key, result);
    // Those who wait for it get the error; often nobody does.
    result.catch(() => undefined);
    return result;
  }

  #turn(): Promise<void> {
    if (this.#running < this.#options.maxAtATime) {
      this.#running++;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#waiting.push(() => {
        this.#running++;
        resolve();
      });
    });
  }
}
