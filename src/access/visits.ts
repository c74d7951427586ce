/**
 * Records which accounts have used the receiver recently, with which app and from where. Sessions are not stored, so
 * there is no list of them.
 */
import type { Clock, UnixSeconds } from '../base/clock.ts';

/** The requests of one app of one account from one address. */
export interface Visit {
  /** Name of the account. */
  readonly account: string;
  readonly address: string;
  /** User-Agent of the requests, cut to `maxAgentLength` characters; may be empty. */
  readonly agent: string;
  /** Time of the latest request. */
  readonly last: UnixSeconds;
}

/** A household has fewer devices. If there are more visits, the oldest is forgotten. */
const maxVisits = 64;
const maxAgentLength = 200;

export class Visits {
  readonly #clock: Clock;
  /** By account, address and User-Agent; the latest is last. */
  readonly #visits = new Map<string, Visit>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records a request. */
  note(account: string, address: string, agent: string): void {
    const visit = { account, address, agent: agent.slice(0, maxAgentLength), last: this.#clock.now() };
    const key = `${account}\n${address}\n${visit.agent}`;
    this.#visits.delete(key);
    this.#visits.set(key, visit);
    const [first] = this.#visits.keys();
    if (this.#visits.size > maxVisits && first !== undefined) this.#visits.delete(first);
  }

  /** Latest first. */
  get all(): readonly Visit[] {
    return [...this.#visits.values()].reverse();
  }
}
