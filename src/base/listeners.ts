/**
 * Listeners for an event. They are called synchronously, in the order in which they were added, so must be quick. Unlike
 * Node's EventEmitter this knows the types, cannot be triggered by others by name, and gives back what removes one.
 */
export class Listeners<Details extends readonly unknown[]> {
  readonly #listeners = new Set<(...details: Details) => void>();

  /** Calls `listener` from now on; returns a function that removes it. Bound, so that others can offer it as theirs. */
  readonly add = (listener: (...details: Details) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Calls every current listener. */
  call(...details: Details): void {
    for (const listener of [...this.#listeners]) listener(...details);
  }
}
