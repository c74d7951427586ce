/**
 * ClientSlots that clients share, with a maximum for each client and one for all. All clients of one /64 of IPv6 together get
 * three quarters: a device chooses its addresses there.
 */

import { fail } from './errors.ts';
import { networkOf } from './ip-prefixes.ts';

/** The part of all places that one client, or one network, may take, so that others get in. */
const largestShare = 3 / 4;

export class ClientSlots {
  readonly #inAll: number;
  readonly #share: number;
  readonly #perClient: number;
  readonly #clients = new Counts();
  readonly #networks = new Counts();
  #count = 0;

  /** `perClient`: at least 1; three quarters of all unless given. */
  constructor(inAll: number, perClient?: number) {
    this.#inAll = inAll;
    this.#share = Math.max(1, Math.floor(inAll * largestShare));
    this.#perClient = perClient ?? this.#share;
  }

  get count(): number {
    return this.#count;
  }

  /** Why a client gets none; undefined if it does. `client`: its address, or any other name of it. */
  refusal(client: string): 'all' | 'own' | undefined {
    if (this.#count >= this.#inAll) return 'all';
    const isOver =
      this.#clients.of(client) >= this.#perClient || this.#networks.of(networkOf(client, 64)) >= this.#share;
    return isOver ? 'own' : undefined;
  }

  /** Takes one, also beyond the bounds. Returns the function that gives it back; a second call does nothing. */
  take(client: string): () => void {
    const network = networkOf(client, 64);
    this.#count++;
    this.#clients.add(client, 1);
    this.#networks.add(network, 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#count--;
      this.#clients.add(client, -1);
      this.#networks.add(network, -1);
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

/** Counts by name, those above zero. */
class Counts {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, by: number): void {
    const count = this.of(name) + by;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
  }
}
