/**
 * Services by their reduced names. Clients request picons by these names even if the files are named by references.
 *
 * Built on first use, in time slices, and rebuilt when the lists have changed.
 */
import { TimeSlice } from '../base/time-slice.ts';
import { perGeneration } from './per-generation.ts';
import { reducedName } from './picons.ts';
import type { ServiceReference } from './reference.ts';
import type { Services } from './services.ts';

export interface NamedService {
  readonly reference: ServiceReference;
  readonly name: string;
}

type ByName = ReadonlyMap<string, readonly NamedService[]>;

const byReducedName = perGeneration(arrange);

/** Returns the services with this reduced name: those in bouquets first, in their order, then the rest of the list. */
export async function servicesOfReducedName(services: Services, name: string): Promise<readonly NamedService[]> {
  return (await byReducedName(services)).get(name) ?? [];
}

async function arrange(services: Services): Promise<ByName> {
  const names = new Map<string, NamedService[]>();
  const slice = new TimeSlice();
  for (const all of [services.allEntries(), services.all()]) {
    for (const { reference, name } of all) {
      if (slice.isOver) await slice.next();
      const reduced = reducedName(name);
      if (reduced === '') continue;
      const same = names.get(reduced);
      if (same === undefined) names.set(reduced, [{ reference, name }]);
      else if (!same.some((one) => one.reference.equals(reference))) same.push({ reference, name });
    }
  }
  return names;
}
