/** Which app of whom was here lately, and from where: sessions are signed and not stored, so nothing else tells. */
import type { Clock, UnixSeconds } from '../base/clock.ts';

export interface Visit {
  /** Name of the account. */
  readonly account: string;
  readonly address: string;
  /** User-Agent of its requests; may be empty. */
  readonly agent: string;
  readonly last: UnixSeconds;
}

/** A household has fewer devices; then the one that was here longest ago is forgotten. */
const most = 64;
/** Characters of a User-Agent that are kept. */
const longestAgent = 200;

export class Visits {
  readonly #clock: Clock;
  /** Latest last. */
  readonly #visits = new Map<string, Visit>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(account: string, address: string, agent: string): void {
    const visit = { account, address, agent: agent.slice(0, longestAgent), last: this.#clock.now() };
    const key = `${account}\n${address}\n${visit.agent}`;
    this.#visits.delete(key);
    this.#visits.set(key, visit);
    const [first] = this.#visits.keys();
    if (this.#visits.size > most && first !== undefined) this.#visits.delete(first);
  }

  /** Latest first. */
  get all(): readonly Visit[] {
    return [...this.#visits.values()].reverse();
  }
}
