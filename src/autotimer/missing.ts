/** Finds the services and bouquets of a rule that do not exist, or no longer. They match nothing. */
import { TimeSlice } from '../base/time-slice.ts';
import { perGeneration } from '../services/per-generation.ts';
import { bouquetFileOf } from '../services/query.ts';
import type { Services } from '../services/services.ts';
import { resolveTimerService } from '../timers/timer-specs.ts';

/** The part of a rule that names them. */
interface Named {
  readonly services: readonly string[];
  readonly bouquets: readonly string[];
}

/** Looking for a stream whose address has changed takes a pass over all bouquets, so answers are kept. */
const cache = perGeneration(() => new Map<string, boolean>());
const maxCached = 20_000;

/** The entries of `services` and `bouquets` that do not exist, without those of `before`. In time slices. */
export async function missingReferences(
  services: Services,
  { services: named, bouquets }: Named,
  before: Named = { services: [], bouquets: [] },
): Promise<Named> {
  const slice = new TimeSlice();
  const missingOf = async (texts: readonly string[], earlier: readonly string[]) => {
    const known = new Set(earlier);
    const missing: string[] = [];
    for (const text of new Set(texts)) {
      if (slice.isOver) await slice.next();
      if (!known.has(text) && !(await exists(services, text))) missing.push(text);
    }
    return missing;
  };
  return {
    services: await missingOf(named, before.services),
    bouquets: await missingOf(bouquets, before.bouquets),
  };
}

async function exists(services: Services, text: string): Promise<boolean> {
  const answers = cache(services);
  const known = answers.get(text);
  if (known !== undefined) return known;
  const answer = await looksUp(services, text);
  if (answers.size >= maxCached) answers.clear();
  answers.set(text, answer);
  return answer;
}

async function looksUp(services: Services, text: string): Promise<boolean> {
  try {
    const reference = resolveTimerService(services, text);
    if (reference.isDirectory) {
      const list = services.knows(reference) ? await services.listInSlices(reference, { hidden: true }) : undefined;
      // A bouquet may be empty; a list of a provider or a satellite exists only by its services.
      return list !== undefined && (bouquetFileOf(reference.path) !== undefined || list.entries.length > 0);
    }
    return services.knows(reference) || (reference.isStream && services.listedStream(reference) !== undefined);
  } catch {
    return false;
  }
}

/** A sentence about the missing entries, for clients that cannot be refused; undefined if there are none. */
export async function missingWarning(services: Services, rule: Named): Promise<string | undefined> {
  const { services: named, bouquets } = await missingReferences(services, rule);
  const parts = [
    ...(named.length > 0 ? [`service list lacks ${quoted(named)}`] : []),
    ...(bouquets.length > 0 ? [`receiver has no list ${quoted(bouquets)}`] : []),
  ];
  return parts.length === 0 ? undefined : `the ${parts.join(', and the ')}; the rule finds nothing there`;
}

/** Entries that a message names. */
const maxNamed = 3;

const quoted = (texts: readonly string[]) =>
  texts
    .slice(0, maxNamed)
    .map((text) => `'${text}'`)
    .join(', ') + (texts.length > maxNamed ? ` and ${texts.length - maxNamed} more` : '');
