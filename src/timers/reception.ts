/** Access to tuners on behalf of timers. */
import type { PlacedService } from '../dvb/triplet.ts';
import type { TunerLease, TunerPool } from '../dvb/tuner-pool.ts';
import { type TuningParts, tuneFirst } from '../recordings/tuning.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Assignment, Reception } from './conflicts.ts';

export interface TimerReceptionParts extends TuningParts {
  readonly pool: Pick<TunerPool, 'receivers' | 'namespaceOf' | 'clashes' | 'tune' | 'describe'>;
}

export function timerReception(parts: TimerReceptionParts) {
  const { services, pool } = parts;
  const candidates = (reference: ServiceReference) =>
    services.playable(reference).flatMap(({ placed, isStream }) => (isStream ? [] : (placed ?? [])));
  return {
    /**
     * How a service can be received. For alternatives: how the first member that a tuner can receive is received.
     * Undefined for a network stream.
     */
    of(reference: ServiceReference): Reception | undefined {
      const all = candidates(reference).map((dvb) => ({
        multiplex: [dvb.originalNetworkId, dvb.transportStreamId, pool.namespaceOf(dvb)].join(':'),
        tuners: pool.receivers(dvb),
      }));
      return all.find(({ tuners }) => tuners.length > 0) ?? all[0];
    },

    /** Undefined for a network stream, which needs no tuner. @throws ReceiverError like `tuneFirst` */
    async tune(reference: ServiceReference, user: string): Promise<TunerLease | undefined> {
      return (await tuneFirst(parts, reference, 'timer', user))?.lease;
    },

    /** Whether both multiplexes cannot be received at the same time by these tuners. */
    clash: (one: Assignment, other: Assignment) =>
      pool.clashes(anyService(one.multiplex), one.tuner, anyService(other.multiplex), other.tuner),

    /** Names a service in messages; for alternatives, their first member. */
    describe(reference: ServiceReference): string {
      const [service] = candidates(reference);
      return service === undefined ? reference.format() : pool.describe(service);
    },
  };
}

/**
 * A service that stands for all services of a multiplex. The namespace distinguishes feeds with the same identifiers.
 */
function anyService(multiplex: string): PlacedService {
  const [originalNetworkId, transportStreamId, namespace] = multiplex.split(':');
  const place = namespace ? { namespace: Number(namespace) } : {};
  return {
    originalNetworkId: Number(originalNetworkId),
    transportStreamId: Number(transportStreamId),
    serviceId: 0,
    ...place,
  };
}
