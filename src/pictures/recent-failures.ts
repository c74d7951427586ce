/** Remembers what has failed, so that it is not tried again for some time. Bounded: the oldest is forgotten first. */

const maxRemembered = 20_000;

export class RecentFailures {
  readonly #forMs: number;
  /** When each failed, by `performance.now()`; the oldest first. */
  readonly #failedAt = new Map<string, number>();

  constructor(forMs: number) {
    this.#forMs = forMs;
  }

  add(key: string): void {
    this.#failedAt.delete(key);
    this.#failedAt.set(key, performance.now());
    const [oldest] = this.#failedAt.size > maxRemembered ? this.#failedAt.keys() : [];
    if (oldest !== undefined) this.#failedAt.delete(oldest);
  }

  has(key: string): boolean {
    const failedAt = this.#failedAt.get(key);
    if (failedAt === undefined) return false;
    if (performance.now() - failedAt < this.#forMs) return true;
    this.#failedAt.delete(key);
    return false;
  }
}
