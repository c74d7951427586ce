/**
 * The service list as the guide search needs it: which services to search, in which order, and the references of each.
 *
 * Made once for every state of the list (its generation), since a search comes with every key that a user presses.
 */
import type { ServiceKey } from '../../epg/guide.ts';
import { ServiceReference } from '../../services/reference.ts';
import type { ServiceEntry, Services } from '../../services/services.ts';

export interface ListedServices {
  /** Every service once: those of the bouquets in their order, television first, then the others. */
  readonly keys: readonly ServiceKey[];
  /** The entries of the service list with these identifiers; several when it is received from several positions. */
  of(key: ServiceKey): readonly ServiceEntry[];
}

/** One text for the three numbers that name a service in the guide. */
export function keyText({ originalNetworkId, transportStreamId, serviceId }: ServiceKey): string {
  return `${originalNetworkId}:${transportStreamId}:${serviceId}`;
}

const everyService = ServiceReference.of({ flags: 7, fields: [1, 0, 0, 0, 0, 0, 0, 0], path: 'ORDER BY name' });

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
  const entries = new Map<string, ServiceEntry[]>();
  for (const entry of services.list(everyService)?.entries ?? []) {
    const { dvb } = entry.reference;
    if (dvb === undefined) continue;
    const same = entries.get(keyText(dvb));
    if (same === undefined) entries.set(keyText(dvb), [entry]);
    else same.push(entry);
  }
  const keys = new Map<string, ServiceKey>();
  for (const { reference } of [...services.allEntries('tv'), ...services.allEntries('radio')]) {
    const { dvb } = reference;
    if (dvb !== undefined && entries.has(keyText(dvb))) keys.set(keyText(dvb), dvb);
  }
  for (const [text, [entry]] of entries) {
    if (!keys.has(text) && entry?.reference.dvb) keys.set(text, entry.reference.dvb);
  }
  return { keys: [...keys.values()], of: (key) => entries.get(keyText(key)) ?? [] };
}
