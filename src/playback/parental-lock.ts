/** The code of the parental lock, which somebody who guesses soon has to wait for, and changes of what is locked. */
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { fail, tooManyRequests } from '../base/errors.ts';
import { serialQueue } from '../base/serial-queue.ts';
import type { Settings } from '../config/enigma2-settings.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import { parentalList } from './parental-control.ts';

const pinSetting = 'config.ParentalControl.servicepin.0';

/**
 * Wrong codes until a client has to wait, and until everybody has to; and seconds for which they count. There are 10,000
 * codes.
 */
const maxFailures = 5;
const maxFailuresInAll = 50;
const failuresLast = 300;
const everybody = '';

export class ParentalLock {
  readonly #services: Services;
  readonly #settings: Settings;
  readonly #inTurn = serialQueue();
  readonly #failures = new RateLimiterMemory({ points: maxFailures, duration: failuresLast });

  constructor(services: Services, settings: Settings) {
    this.#services = services;
    this.#settings = settings;
  }

  /** Whether there is a code. */
  get isSet(): boolean {
    return this.#settings.number(pinSetting) > 0;
  }

  /** `client`: the account or address that gives the code. @throws ReceiverError `pin-wrong`, `too-many-requests` */
  check(pin: string, client: string): Promise<void> {
    return this.#inTurn(() => this.#check(pin, client));
  }

  async #check(pin: string, client: string): Promise<void> {
    // A client that has to wait counts no more for everybody, and none is remembered beyond the bound of all.
    const own = await this.#failures.get(client);
    if (own !== null && own.consumedPoints >= maxFailures) throw tooManyRequests(own.msBeforeNext);
    const all = await this.#failures.get(everybody);
    if (all !== null && all.consumedPoints >= maxFailuresInAll) throw tooManyRequests(all.msBeforeNext);
    if (/^\d{1,4}$/.test(pin) && Number(pin) === this.#settings.number(pinSetting)) {
      await this.#failures.delete(client);
      return;
    }
    for (const one of [client, everybody]) await this.#failures.penalty(one);
    throw fail('pin-wrong');
  }

  /** Sets the code; 0 removes it, and with it the lock. `pin`: the present one. @throws ReceiverError like `check` */
  async change(code: number, pin: string, client: string): Promise<void> {
    if (this.isSet) await this.check(pin, client);
    await this.#settings.keep(pinSetting, String(code));
  }

  /** Whether a service or bouquet is on the list of locked ones, or absent from that of free ones. */
  lists(reference: ServiceReference): boolean {
    const list = this.#list();
    return list.has(reference) === (list.kind === 'blacklist');
  }

  /** Locks a service or bouquet, or frees it. @throws ReceiverError like `check`, `file-unwritable` */
  async lock(reference: ServiceReference, isLocked: boolean, pin: string, client: string): Promise<void> {
    if (this.isSet) await this.check(pin, client);
    const { kind } = this.#list();
    await this.#services.changeParental(kind, reference, isLocked === (kind === 'blacklist'));
  }

  #list() {
    return parentalList({ services: this.#services, settings: this.#settings });
  }
}
