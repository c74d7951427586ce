/**
 * The service list as the guide search needs it: which services to search, in which order, and the references of each.
 *
 * Made once for every state of the list (its generation), since a search comes with every key that a user presses.
 */
import { type DvbTriplet, tripletKey } from '../dvb/triplet.ts';
import type { Service, Services } from './services.ts';

export interface ListedServices {
  /** Every service once: those of the bouquets in their order, television first, then the others. */
  readonly keys: readonly DvbTriplet[];
  /** The services of the list with these identifiers; several when it is received from several positions. */
  of(key: DvbTriplet): readonly Service[];
}

const made = new WeakMap<Services, { readonly generation: number; readonly listed: ListedServices }>();

/** The list in its present state. */
export function listedServices(services: Services): ListedServices {
  const { generation } = services;
  const known = made.get(services);
  if (known?.generation === generation) return known.listed;
  const listed = arrange(services);
  made.set(services, { generation, listed });
  return listed;
}

function arrange(services: Services): ListedServices {
  const same = new Map<number, Service[]>();
  for (const service of services.all()) {
    const { dvb } = service.reference;
    if (dvb === undefined) continue;
    const others = same.get(tripletKey(dvb));
    if (others === undefined) same.set(tripletKey(dvb), [service]);
    else others.push(service);
  }
  const keys = new Map<number, DvbTriplet>();
  for (const { reference } of [...services.allEntries(), ...services.all()]) {
    const { dvb } = reference;
    if (dvb !== undefined && same.has(tripletKey(dvb))) keys.set(tripletKey(dvb), dvb);
  }
  return { keys: [...keys.values()], of: (key) => same.get(tripletKey(key)) ?? [] };
}
