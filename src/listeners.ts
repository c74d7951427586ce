/** Who wants to hear of something. They are called in the order in which they came, on the spot: what they do has to be short. */
export class Listeners<Details extends readonly unknown[]> {
  readonly #listeners = new Set<(...details: Details) => void>();

  /** Calls `listener` from now on; gives what takes it off again. */
  add(listener: (...details: Details) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls everyone who is there now. */
  call(...details: Details): void {
    for (const listener of [...this.#listeners]) listener(...details);
  }
}
