/** The PIN of the parental lock, with limited attempts, and changes to the list of locked services. */
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { fail, tooManyRequests } from '../base/errors.ts';
import { serialQueue } from '../base/serial-queue.ts';
import type { Settings } from '../config/enigma2-settings.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import { parentalList } from './parental-control.ts';

const pinSetting = 'config.ParentalControl.servicepin.0';

/**
 * Wrong PINs after which a client has to wait, wrong PINs after which all clients have to wait, and seconds for which a
 * wrong PIN counts. There are 10,000 PINs.
 */
const maxClientFailures = 5;
const maxTotalFailures = 50;
const failureSeconds = 300;
/** The key under which the failures of all clients are counted. */
const allClients = '';

export class ParentalLock {
  readonly #services: Services;
  readonly #settings: Settings;
  readonly #serial = serialQueue();
  readonly #failures = new RateLimiterMemory({ points: maxClientFailures, duration: failureSeconds });

  constructor(services: Services, settings: Settings) {
    this.#services = services;
    this.#settings = settings;
  }

  /** Whether a PIN is set. */
  get isSet(): boolean {
    return this.#settings.number(pinSetting) > 0;
  }

  /**
   * Checks a PIN. `client`: the account or address that sends it.
   * @throws ReceiverError `pin-wrong`, `too-many-requests`
   */
  check(pin: string, client: string): Promise<void> {
    return this.#serial(() => this.#check(pin, client));
  }

  async #check(pin: string, client: string): Promise<void> {
    // Attempts of a client that has to wait do not count for all clients. The total also limits the clients remembered.
    const own = await this.#failures.get(client);
    if (own !== null && own.consumedPoints >= maxClientFailures) throw tooManyRequests(own.msBeforeNext);
    const all = await this.#failures.get(allClients);
    if (all !== null && all.consumedPoints >= maxTotalFailures) throw tooManyRequests(all.msBeforeNext);
    if (/^\d{1,4}$/.test(pin) && Number(pin) === this.#settings.number(pinSetting)) {
      await this.#failures.delete(client);
      return;
    }
    for (const one of [client, allClients]) await this.#failures.penalty(one);
    throw fail('pin-wrong');
  }

  /** Sets the PIN; 0 removes it, and with it the lock. `pin`: the current one. @throws ReceiverError like `check` */
  async change(newPin: number, pin: string, client: string): Promise<void> {
    if (this.isSet) await this.check(pin, client);
    await this.#settings.keep(pinSetting, String(newPin));
  }

  /** Whether a service or bouquet is on the blacklist, or not on the whitelist. */
  lists(reference: ServiceReference): boolean {
    const list = this.#list();
    return list.has(reference) === (list.kind === 'blacklist');
  }

  /** Locks or unlocks a service or bouquet. @throws ReceiverError like `check`, `file-unwritable` */
  async lock(reference: ServiceReference, isLocked: boolean, pin: string, client: string): Promise<void> {
    if (this.isSet) await this.check(pin, client);
    const { kind } = this.#list();
    await this.#services.changeParental(kind, reference, isLocked === (kind === 'blacklist'));
  }

  #list() {
    return parentalList({ services: this.#services, settings: this.#settings });
  }
}
