/** The channels that apps for HDHomeRun get: those of some bouquets, each service once, with unique guide numbers. */
import { TimeSlice } from '../base/time-slice.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { FilledBouquet, ServiceEntry } from '../services/service-list.ts';

export interface LineupChannel {
  /** `7`; `7.1` for the second channel with the number 7; `10.1` as ATSC sends it, if no other channel has it. */
  readonly number: string;
  readonly name: string;
  readonly reference: ServiceReference;
}

/** In the order of the bouquets. Entries without a number get those above the highest. Takes time slices. */
export async function lineupOf(bouquets: readonly FilledBouquet[]): Promise<readonly LineupChannel[]> {
  const slice = new TimeSlice();
  const entries = new Map<string, ServiceEntry>();
  for (const { entries: listed } of bouquets) {
    for (const entry of listed) {
      if (slice.isOver) await slice.next();
      const key = entry.reference.withoutName().format();
      // Markers and folders have flags.
      if (entry.reference.flags === 0 && !entries.has(key)) entries.set(key, entry);
    }
  }
  let last = 0;
  for (const { number } of entries.values()) last = Math.max(last, number);
  const seen = new Map<number, number>();
  const taken = new Set<string>();
  return [...entries.values()].map(({ reference, name, number, channel }) => {
    if (channel !== undefined && !taken.has(channel)) {
      taken.add(channel);
      return { number: channel, name, reference };
    }
    const major = number === 0 ? ++last : number;
    const minor = seen.get(major) ?? 0;
    seen.set(major, minor + 1);
    return { number: minor === 0 ? `${major}` : `${major}.${minor}`, name, reference };
  });
}
