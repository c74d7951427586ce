/** Places that clients share, with a maximum for each client and one for all. */
import { fail } from './errors.ts';

/** The part of all places that one client may take, so that others get in. */
const largestShare = 3 / 4;

export class Places {
  readonly #inAll: number;
  readonly #perClient: number;
  readonly #taken = new Map<string, number>();
  #count = 0;

  /** `perClient`: at least 1; three quarters of all unless given. */
  constructor(inAll: number, perClient = Math.max(1, Math.floor(inAll * largestShare))) {
    this.#inAll = inAll;
    this.#perClient = perClient;
  }

  get count(): number {
    return this.#count;
  }

  /** Why a client gets none; undefined if it does. */
  refusal(client: string): 'all' | 'own' | undefined {
    if (this.#count >= this.#inAll) return 'all';
    return (this.#taken.get(client) ?? 0) >= this.#perClient ? 'own' : undefined;
  }

  /** Takes one, also beyond the bounds. Returns the function that gives it back; a second call does nothing. */
  take(client: string): () => void {
    this.#count++;
    this.#taken.set(client, (this.#taken.get(client) ?? 0) + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#count--;
      const left = (this.#taken.get(client) ?? 0) - 1;
      if (left > 0) this.#taken.set(client, left);
      else this.#taken.delete(client);
    };
  }

  /** Takes one within the bounds. @throws ReceiverError `too-many-clients` */
  enter(client: string): () => void {
    const refusal = this.refusal(client);
    if (refusal === 'all') throw fail('too-many-clients', this.#inAll);
    if (refusal === 'own') throw fail('too-many-clients', this.#perClient, ' at this address');
    return this.take(client);
  }
}
