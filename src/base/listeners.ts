/**
 * The listeners of one event. They are called synchronously, in the order in which they were added, so they must be
 * quick. Unlike with Node's EventEmitter, the details are typed, only the owner can trigger the event, and `add`
 * returns the function that removes the listener.
 */
export class Listeners<Details extends readonly unknown[]> {
  readonly #listeners = new Set<(...details: Details) => void>();

  /**
   * Adds a listener; returns the function that removes it. Bound to this object, so that its owner can expose it as a
   * property.
   */
  readonly add = (listener: (...details: Details) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Calls every current listener. */
  call(...details: Details): void {
    for (const listener of [...this.#listeners]) listener(...details);
  }
}
