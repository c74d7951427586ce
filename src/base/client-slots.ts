/**
 * Limits how many slots (connections, streams, jobs) clients take at once: all of them together, each client, and each
 * IPv6 /64, within which a device chooses its addresses freely.
 */
import { fail } from './errors.ts';
import { networkOf } from './ip-prefixes.ts';

/** Fraction of all slots that one network may take, so that some remain for others. */
const maxNetworkShare = 3 / 4;

export class ClientSlots {
  readonly #maxTotal: number;
  readonly #maxPerNetwork: number;
  readonly #maxPerClient: number;
  readonly #clients = new Counts();
  readonly #networks = new Counts();
  #count = 0;

  /** @param maxPerClient at least 1; default: three quarters of `maxTotal` */
  constructor(maxTotal: number, maxPerClient?: number) {
    this.#maxTotal = maxTotal;
    this.#maxPerNetwork = Math.max(1, Math.floor(maxTotal * maxNetworkShare));
    this.#maxPerClient = maxPerClient ?? this.#maxPerNetwork;
  }

  get count(): number {
    return this.#count;
  }

  /**
   * Why a client gets no slot: `all` are taken, or its `own` share is; undefined if it gets one. `client`: its address
   * or another key.
   */
  refusal(client: string): 'all' | 'own' | undefined {
    if (this.#count >= this.#maxTotal) return 'all';
    const isOver =
      this.#clients.of(client) >= this.#maxPerClient || this.#networks.of(networkOf(client, 64)) >= this.#maxPerNetwork;
    return isOver ? 'own' : undefined;
  }

  /**
   * Takes a slot without checking the limits. Returns the function that releases it; further calls of that do nothing.
   */
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

  /**
   * Takes a slot if the limits permit. Returns the function that releases it.
   * @throws ReceiverError `too-many-clients`
   */
  enter(client: string): () => void {
    const refusal = this.refusal(client);
    if (refusal === 'all') throw fail('too-many-clients', this.#maxTotal);
    if (refusal === 'own') throw fail('too-many-clients', this.#maxPerClient, ' at this address');
    return this.take(client);
  }
}

/** A counter for each name; those at zero take no memory. */
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
