/** Tunes to the service of a reference. */

import { fail } from '../base/errors.ts';
import { arrivesScrambled } from '../dvb/scrambling.ts';
import type { PlacedService } from '../dvb/triplet.ts';
import type { Purpose, TuneOptions, TunerLease, TunerPool } from '../dvb/tuner-pool.ts';
import type { NetworkStreams } from '../iptv/network-streams.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';

export interface Tuned {
  readonly lease: TunerLease;
  /** The service tuned to; of alternatives, the chosen one. All ids are 0 for a stream without them. */
  readonly service: PlacedService;
  /** Tunes to the same service again. */
  readonly tune: () => Promise<TunerLease>;
}

export interface TuningParts {
  readonly services: Pick<Services, 'playable' | 'listedStream' | 'nameOf'>;
  readonly pool: Pick<TunerPool, 'tune'>;
  readonly network: Pick<NetworkStreams, 'tune'>;
}

const noService = { originalNetworkId: 0, transportStreamId: 0, serviceId: 0 };

/**
 * Tunes to a service, or to the first of several alternatives that can be received now. Undefined if there is neither a
 * broadcast service nor a network stream. Viewers get no scrambled service; recordings do, since it may become clear.
 * @throws ReceiverError like `TunerPool.tune` and `NetworkStreams.tune`; `scrambled`
 */
export async function tuneFirst(
  { services, pool, network }: TuningParts,
  reference: ServiceReference,
  purpose: Purpose,
  user: string,
  options?: TuneOptions,
): Promise<Tuned | undefined> {
  let failure: unknown;
  for (const one of services.playable(reference)) {
    const { placed, isStream } = one;
    if (!isStream && !placed) continue;
    const service = placed ?? noService;
    const tuneStream = async () => {
      const listed = reference.isStream ? services.listedStream(one) : one;
      // An address that a client sends is not fetched from within the local network: the stream must be in a bouquet.
      if (listed === undefined) throw fail('unsupported', `a stream that is no longer in a bouquet ('${one.name}')`);
      return network.tune(listed, purpose, user);
    };
    const tune = () => (isStream ? tuneStream() : pool.tune(service, purpose, user, options));
    try {
      const lease = await tune();
      const isScrambled = purpose === 'stream' && (await arrivesScrambled(lease));
      if (!isScrambled && lease.lost === undefined) return { lease, service, tune };
      failure =
        lease.lost === undefined ? fail('scrambled', services.nameOf(one)) : fail('tuners-busy', user, lease.lost);
      lease.release();
    } catch (error) {
      failure = error;
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}
