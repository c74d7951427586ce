/** The code of the parental lock, which somebody who guesses soon has to wait for, and changes of what is locked. */
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Settings } from '../device/settings.ts';
import { fail } from '../errors.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import { parentalList } from './parental-control.ts';

const pinSetting = 'config.ParentalControl.servicepin.0';

/** Wrong codes until everybody has to wait, and seconds for which they count: there are 10,000 codes. */
const mostFailures = 5;
const failuresLast = 300;

export class ParentalLock {
  readonly #services: Services;
  readonly #settings: Settings;
  readonly #failures = new RateLimiterMemory({ points: mostFailures, duration: failuresLast });

  constructor(services: Services, settings: Settings) {
    this.#services = services;
    this.#settings = settings;
  }

  /** Whether there is a code. */
  get isSet(): boolean {
    return this.#settings.number(pinSetting) > 0;
  }

  /** @throws ReceiverError `pin-wrong`, `too-many-requests` */
  async check(pin: string): Promise<void> {
    const { consumedPoints } = await this.#failures.penalty('pin');
    if (consumedPoints > mostFailures) throw fail('too-many-requests');
    if (!/^\d{1,4}$/.test(pin) || Number(pin) !== this.#settings.number(pinSetting)) throw fail('pin-wrong');
    await this.#failures.delete('pin');
  }

  /** Sets the code; 0 removes it, and with it the lock. `pin`: the present one. @throws ReceiverError like `check` */
  async change(code: number, pin: string): Promise<void> {
    if (this.isSet) await this.check(pin);
    await this.#settings.keep(pinSetting, String(code));
  }

  /** Whether a service or bouquet is on the list of locked ones, or absent from that of free ones. */
  lists(reference: ServiceReference): boolean {
    const list = this.#list();
    return list.has(reference) === (list.kind === 'blacklist');
  }

  /** Locks a service or bouquet, or frees it. @throws ReceiverError like `check`, `file-unwritable` */
  async lock(reference: ServiceReference, isLocked: boolean, pin: string): Promise<void> {
    if (this.isSet) await this.check(pin);
    const { kind } = this.#list();
    await this.#services.changeParental(kind, reference, isLocked === (kind === 'blacklist'));
  }

  #list() {
    return parentalList({ services: this.#services, settings: this.#settings });
  }
}
