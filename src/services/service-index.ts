/** Look-ups in the service list, by reference and by DVB identifiers. Built once per state of the list. */
import { type DvbTriplet, isTriplet, tripletKey } from '../dvb/triplet.ts';
import type { Lamedb } from './lamedb.ts';
import type { Queried } from './query.ts';
import type { ServiceReference } from './reference.ts';
import type { SameServices, Service } from './service-list.ts';

/** The indexes for looking up services. */
export class ServiceIndex {
  /** In the order of the list. */
  readonly services: readonly (Service & Queried)[];
  /** All services with identifiers, in the order of the list, then the IPTV channels. */
  readonly same: readonly SameServices[];
  readonly #byTriplet = new Map<number, SameServices & { readonly services: Service[] }>();

  /** @param iptv the channels of IPTV lists, each once: no services of the list, but the guide has their events */
  constructor(list: Lamedb, iptv: readonly Service[]) {
    const services = [...list.records()];
    const all: SameServices[] = [];
    const add = (identity: DvbTriplet, service: Service) => {
      const key = tripletKey(identity);
      const same = this.#byTriplet.get(key);
      if (same) same.services.push(service);
      else {
        const first = { dvb: identity, services: [service], place: all.length };
        this.#byTriplet.set(key, first);
        all.push(first);
      }
    };
    for (const service of services) if (isTriplet(service.identity)) add(service.identity, service);
    for (const service of iptv) if (service.reference.dvb) add(service.reference.dvb, service);
    this.services = services;
    this.same = all;
  }

  /** Finds an exact match, else one by the three ids and the source, else by the three ids alone. */
  find(reference: ServiceReference): Service | undefined {
    const { dvb, fields, source } = reference;
    if (dvb === undefined) return undefined;
    const same = this.ofTriplet(dvb)?.services ?? [];
    if (same.length < 2) return same[0];
    return (
      same.find((one) => one.reference.equals(reference)) ??
      same.find((one) => one.reference.fields.every((field, i) => field === fields[i])) ??
      same.find((one) => one.reference.source === source) ??
      same[0]
    );
  }

  ofTriplet(dvb: DvbTriplet): SameServices | undefined {
    return this.#byTriplet.get(tripletKey(dvb));
  }
}
