/**
 * Finds the events that match a rule. The guide's native search applies most conditions; hours, weekdays and filters are
 * applied here.
 */
import type { UnixSeconds } from '../base/clock.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { type DvbTriplet, tripletKey } from '../dvb/triplet.ts';
import type { GuideEvent } from '../epg/event.ts';
import type { Guide } from '../epg/guide.ts';
import type { GuideQuery, TextMatch, TextScope } from '../epg/query.ts';
import { guideKey } from '../services/guide/guide-key.ts';
import { listedServices } from '../services/listed-services.ts';
import { perGeneration } from '../services/per-generation.ts';
import { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import type { Zone } from '../timers/repeat.ts';
import { isRecordable, resolveRecordable } from '../timers/timer-specs.ts';
import { compileFilters } from './filter.ts';
import { isInTimeWindow, type RuleSpec, type searchTypes } from './rule.ts';

export interface SearchParts {
  readonly guide: Pick<Guide, 'search'>;
  readonly services: Services;
  readonly zone: Zone;
}

/** An event, and the service reference to record it with. */
export interface FoundEvent {
  readonly event: GuideEvent;
  readonly reference: ServiceReference;
}

/** Events in each request to the guide: about a millisecond of work. */
const pageSize = 50;
/** Events beyond this are left for a later run, when earlier ones are over. */
const maxEventsPerRule = 2000;

const textQueries: Readonly<Record<(typeof searchTypes)[number], readonly [TextMatch, TextScope]>> = {
  partial: ['contains', 'title'],
  exact: ['exact', 'title'],
  start: ['prefix', 'title'],
  description: ['contains', 'all'],
};

/** The events that begin after `now` and match the rule, by start; at the same start in the order of the bouquets. */
export async function findEvents(
  { guide, services, zone }: SearchParts,
  rule: RuleSpec,
  now: UnixSeconds,
): Promise<FoundEvent[]> {
  const ruleServices = await servicesOfRule(services, rule);
  if (ruleServices?.size === 0) return [];
  const first = Math.max(now + 1, rule.after ?? 0);
  const [match, within] = textQueries[rule.searchType];
  const query: GuideQuery = {
    text: rule.match,
    match,
    within,
    caseSensitive: rule.caseSensitive,
    from: first,
    ...(ruleServices && { services: [...ruleServices.values()].map(({ service }) => service) }),
    ...(rule.before !== null && { until: rule.before }),
    // An event without a duration cannot be recorded to its end.
    minDurationSeconds: Math.max(1, rule.minimumDuration * 60),
    ...(rule.maximumDuration > 0 && { maxDurationSeconds: rule.maximumDuration * 60 }),
  };
  const found: FoundEvent[] = [];
  const hasFilters = rule.include.length + rule.exclude.length > 0;
  const passes = await compileFilters(rule, new TimeSlice());
  for (let offset = 0; offset < maxEventsPerRule; offset += pageSize) {
    const { total, events } = await guide.search({ ...query, offset, limit: pageSize });
    const slice = new TimeSlice();
    for (const event of events) {
      if (event.start < first || !isInTimeWindow(rule, event.start, zone)) continue;
      const reference = ruleServices
        ? ruleServices.get(tripletKey(event.service))?.reference
        : listedReference(services, event.service);
      if (!reference) continue;
      if (slice.isOver) await slice.next();
      if (!hasFilters || (await passes(event, slice))) found.push({ event, reference });
    }
    if (events.length < pageSize || offset + pageSize >= total) break;
  }
  const positionOf = ({ event }: FoundEvent) =>
    servicePositions(services).get(tripletKey(event.service)) ?? Number.MAX_SAFE_INTEGER;
  return ruleServices ? found : found.sort((a, b) => a.event.start - b.event.start || positionOf(a) - positionOf(b));
}

/** The position of each service in the bouquets. */
const servicePositions = perGeneration(
  (services: Services) => new Map(listedServices(services).map(({ dvb }, position) => [tripletKey(dvb), position])),
);

const listedReference = (services: Services, service: DvbTriplet) => services.findByTriplet(service)?.reference;

interface RuleService {
  readonly service: DvbTriplet;
  readonly reference: ServiceReference;
}

/**
 * The services that the rule names, itself or by a bouquet: by `tripletKey`, in the order of the rule. Undefined if it
 * names none and covers all. Services that no longer exist or cannot be recorded are left out.
 */
async function servicesOfRule(
  services: Services,
  { services: named, bouquets, justplay }: RuleSpec,
): Promise<Map<number, RuleService> | undefined> {
  if (named.length === 0 && bouquets.length === 0) return undefined;
  const found = new Map<number, RuleService>();
  const slice = new TimeSlice();
  const addService = (reference: ServiceReference) => {
    const service = guideKey(services, reference);
    if (service && !found.has(tripletKey(service))) found.set(tripletKey(service), { service, reference });
  };
  for (const text of named) {
    if (slice.isOver) await slice.next();
    try {
      addService(resolveRecordable(services, text, { justPlay: justplay }));
    } catch {
      // Left out: a marker, a folder, or a reference edited by hand.
    }
  }
  for (const text of bouquets) {
    const reference = ServiceReference.tryParse(text);
    for (const { reference: entry } of (reference && (await services.listInSlices(reference))?.entries) ?? []) {
      if (slice.isOver) await slice.next();
      if (isRecordable(entry, { justPlay: justplay })) addService(entry);
    }
  }
  return found;
}
