/** Finds a tuner for a service that a client has named. */
import type { DvbTriplet } from '../dvb/triplet.ts';
import type { Purpose, TunerLease, TunerPool } from '../dvb/tuner-pool.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';

export interface Tuned {
  readonly lease: TunerLease;
  /** Of several alternatives, the chosen one. */
  readonly service: DvbTriplet;
}

/**
 * Tunes to a service, or to the first of several alternatives for which a tuner is available. Undefined if there is no
 * broadcast service.
 * @throws ReceiverError as `TunerPool.tune`
 */
export async function tuneFirst(
  { services, pool }: { readonly services: Pick<Services, 'playable'>; readonly pool: Pick<TunerPool, 'tune'> },
  reference: ServiceReference,
  purpose: Purpose,
  user: string,
): Promise<Tuned | undefined> {
  let failure: unknown;
  for (const { dvb: service } of services.playable(reference)) {
    if (!service) continue;
    try {
      return { lease: await pool.tune(service, purpose, user), service };
    } catch (error) {
      failure = error;
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}
