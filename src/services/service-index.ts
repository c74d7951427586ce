/** Look-ups in the service list, by reference and by DVB identifiers. Built once per state of the list. */

import type { Steps } from '../base/time-slice.ts';
import { type DvbTriplet, isTriplet, tripletKey } from '../dvb/triplet.ts';
import type { Lamedb } from './lamedb.ts';
import type { Queried } from './query.ts';
import type { ServiceReference } from './reference.ts';
import type { SameServices, Service } from './service-list.ts';

/** Indexes for looking up services. */
export class ServiceIndex {
  readonly #services: (Service & Queried)[] = [];
  readonly #same: SameServices[] = [];
  readonly #byTriplet = new Map<number, SameServices & { readonly services: Service[] }>();

  /**
   * Builds the index. `iptv`: the channels of IPTV lists, each once; they are not in lamedb, but have events. `foreign`: services
   * that other receivers receive for us; those with other identifiers than all in lamedb count.
   */
  static *build(list: Lamedb, iptv: Steps<readonly Service[]>, foreign: Iterable<Service>): Steps<ServiceIndex> {
    const index = new ServiceIndex();
    for (const service of list.records()) {
      index.#services.push(service);
      if (isTriplet(service.identity)) index.#add(service.identity, service);
      yield;
    }
    for (const service of foreign) {
      const { dvb } = service.reference;
      if (dvb && !index.ofTriplet(dvb)) index.#add(dvb, service);
      yield;
    }
    for (const service of yield* iptv) {
      if (service.reference.dvb) index.#add(service.reference.dvb, service);
      yield;
    }
    return index;
  }

  /** In the order of the list. */
  get services(): readonly (Service & Queried)[] {
    return this.#services;
  }

  /** All services with identifiers, in the order of the list, then the IPTV channels. */
  get same(): readonly SameServices[] {
    return this.#same;
  }

  #add(dvb: DvbTriplet, service: Service): void {
    const key = tripletKey(dvb);
    const same = this.#byTriplet.get(key);
    if (same) {
      same.services.push(service);
      return;
    }
    const first = { dvb, services: [service], index: this.#same.length };
    this.#byTriplet.set(key, first);
    this.#same.push(first);
  }

  /** Finds an exact match, otherwise one by the three ids and the source, otherwise by the three ids alone. */
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
