/** Access to tuners on behalf of timers. */
import type { TunerLease, TunerPool } from '../dvb/tuner-pool.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import type { Reception } from './timer-list.ts';

export class TimerReception {
  readonly #services: Pick<Services, 'playable'>;
  readonly #pool: Pick<TunerPool, 'receivers' | 'tune' | 'describe'>;

  constructor(services: Pick<Services, 'playable'>, pool: Pick<TunerPool, 'receivers' | 'tune' | 'describe'>) {
    this.#services = services;
    this.#pool = pool;
  }

  /** How a service can be received; of alternatives, the first member that can be. Undefined for a network stream. */
  of(reference: ServiceReference): Reception | undefined {
    const candidates = this.#candidates(reference).map((dvb) => ({
      multiplex: `${dvb.originalNetworkId}:${dvb.transportStreamId}`,
      tuners: this.#pool.receivers(dvb),
    }));
    return candidates.find(({ tuners }) => tuners.length > 0) ?? candidates[0];
  }

  /**
   * Tunes to a service, or to the first of several alternatives for which a tuner is available. Returns undefined if
   * none is needed.
   * @throws ReceiverError `not-receivable`, `no-signal`, `service-not-found`
   */
  async tune(reference: ServiceReference, user: string): Promise<TunerLease | undefined> {
    let failure: unknown;
    for (const service of this.#candidates(reference)) {
      try {
        return await this.#pool.tune(service, 'recording', user);
      } catch (error) {
        failure = error;
      }
    }
    if (failure !== undefined) throw failure;
    return undefined;
  }

  /** Names a service in messages; for alternatives, their first member. */
  describe(reference: ServiceReference): string {
    const [service] = this.#candidates(reference);
    return service === undefined ? reference.format() : this.#pool.describe(service);
  }

  #candidates(reference: ServiceReference) {
    return this.#services.playable(reference).flatMap(({ dvb }) => dvb ?? []);
  }
}
