/**
 * The services in the order of the guide search.
 *
 * Built once per generation of the lists, since a search runs with every key press.
 */
import { perGeneration } from './per-generation.ts';
import type { SameServices, Services } from './services.ts';

/** Returns every service: those in bouquets in their order, television first, then the others. */
export const listedServices = perGeneration(arrange);

function arrange(services: Services): readonly SameServices[] {
  const all = services.allByTriplet();
  const taken = new Uint8Array(all.length);
  const listed: SameServices[] = [];
  const take = (same: SameServices) => {
    if (taken[same.index] === 1) return;
    taken[same.index] = 1;
    listed.push(same);
  };
  for (const { dvb } of services.playableReferences()) {
    const same = dvb && services.ofTriplet(dvb);
    if (same) take(same);
  }
  all.forEach(take);
  return listed;
}
