/**
 * Services by their reduced names, under which clients ask for picons that may be stored under the reference.
 *
 * Made when it is first asked for, a few services at a time, and again when the lists have changed.
 */
import { setImmediate } from 'node:timers/promises';
import { reducedName } from './picons.ts';
import type { ServiceReference } from './reference.ts';
import type { Services } from './services.ts';

export interface NamedService {
  readonly reference: ServiceReference;
  readonly name: string;
}

type ByName = ReadonlyMap<string, readonly NamedService[]>;

const made = new WeakMap<Services, { readonly generation: number; readonly names: Promise<ByName> }>();

/** The services whose name becomes this: those in bouquets first, in their order, then the rest of the list. */
export async function servicesOfReducedName(services: Services, name: string): Promise<readonly NamedService[]> {
  const { generation } = services;
  let known = made.get(services);
  if (known?.generation !== generation) {
    known = { generation, names: arrange(services) };
    made.set(services, known);
  }
  return (await known.names).get(name) ?? [];
}

/** Services that are looked at without a pause: a millisecond or two on a slow core. */
const slice = 256;

async function arrange(services: Services): Promise<ByName> {
  const names = new Map<string, NamedService[]>();
  let count = 0;
  for (const all of [services.allEntries(), services.all()]) {
    for (const { reference, name } of all) {
      if (++count % slice === 0) await setImmediate();
      const reduced = reducedName(name);
      if (reduced === '') continue;
      const same = names.get(reduced);
      if (same === undefined) names.set(reduced, [{ reference, name }]);
      else if (!same.some((one) => one.reference.equals(reference))) same.push({ reference, name });
    }
  }
  return names;
}
