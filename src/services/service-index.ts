/** The service list as it is asked: by reference and by DVB identifiers. Made once for each state of the list. */
import { type DvbTriplet, tripletKey } from '../dvb/triplet.ts';
import type { QueriedService } from './containers.ts';
import { type Lamedb, type LamedbService, referenceOf } from './lamedb.ts';
import { withoutEmphasis } from './lines.ts';
import { referenceTypes, ServiceReference } from './reference.ts';

/** A service of the service list (lamedb). */
export interface Service {
  /** Without name, flags 0. */
  readonly reference: ServiceReference;
  /** Without the marks U+0086/U+0087 around a short name. */
  readonly name: string;
  /** What stands between these marks; the name where there are none. */
  readonly shortName: string;
  /** Empty if unknown. */
  readonly provider: string;
}

/** A service as the index keeps it: with what queries ask about. */
type ListedService = Service & QueriedService;

/** The ways a service is looked up. */
export class ServiceIndex {
  readonly services: ListedService[] = [];
  readonly #byIdentity = new Map<string, Service>();
  readonly #byTriplet = new Map<number, Service[]>();

  constructor(list: Lamedb) {
    for (const listed of list.services()) {
      const service = serviceOf(listed);
      this.services.push(service);
      this.#byIdentity.set(service.reference.identity, service);
      const { dvb } = service.reference;
      if (dvb === undefined) continue;
      const same = this.#byTriplet.get(tripletKey(dvb));
      if (same) same.push(service);
      else this.#byTriplet.set(tripletKey(dvb), [service]);
    }
  }

  /** Exactly, else by the three ids and the source, else by the three ids alone. */
  find(reference: ServiceReference): Service | undefined {
    if (reference.dvb === undefined) return undefined;
    const plain = reference.type === referenceTypes.dvb && reference.path === '';
    const exact = plain ? reference : ServiceReference.of({ fields: reference.fields });
    const known = this.#byIdentity.get(exact.identity);
    if (known !== undefined) return known;
    const same = this.#byTriplet.get(tripletKey(reference.dvb)) ?? [];
    return same.find((one) => one.reference.source === reference.source) ?? same[0];
  }

  /** The first in the list with these ids. */
  findByTriplet(dvb: DvbTriplet): Service | undefined {
    return this.#byTriplet.get(tripletKey(dvb))?.[0];
  }
}

function serviceOf(listed: LamedbService): ListedService {
  const { name, provider, flags } = listed;
  return {
    reference: referenceOf(listed),
    name: withoutEmphasis(name),
    shortName: emphasisedIn(name),
    provider,
    flags,
  };
}

/** The marked parts of a name joined; the name if nothing is marked. */
function emphasisedIn(name: string): string {
  return Array.from(name.matchAll(/\u0086([^\u0087]*)/g), ([, marked]) => marked).join('') || withoutEmphasis(name);
}
