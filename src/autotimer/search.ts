/** Finds the events for a rule: natively as far as the guide's search supports the conditions; the rest in turns. */
import type { UnixSeconds } from '../base/clock.ts';
import { TimeSlice } from '../base/time-slice.ts';
import { type DvbTriplet, tripletKey } from '../dvb/triplet.ts';
import type { GuideEvent } from '../epg/event.ts';
import type { Guide } from '../epg/guide.ts';
import type { GuideQuery, TextMatch, TextScope } from '../epg/query.ts';
import { guideKey } from '../services/guide-key.ts';
import { listedServices } from '../services/listed-services.ts';
import { perGeneration } from '../services/per-generation.ts';
import { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import type { Zone } from '../timers/repeat.ts';
import { isRecordable, recordable } from '../timers/timer-specs.ts';
import { compiledFilters } from './filter.ts';
import { isInTime, type RuleOrder, type searchTypes } from './rule.ts';

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

/** Events fetched from the guide at once: a millisecond of work. */
const page = 50;
/** Maximum events examined per rule; later ones are found once these are over. */
const maximumLookedAt = 2000;

const matches: Readonly<Record<(typeof searchTypes)[number], readonly [TextMatch, TextScope]>> = {
  partial: ['contains', 'title'],
  exact: ['exact', 'title'],
  start: ['prefix', 'title'],
  description: ['contains', 'all'],
};

/** The events that begin after `now` and meet all conditions of the rule, by start, then in bouquet order. */
export async function eventsFor(
  { guide, services, zone }: SearchParts,
  rule: RuleOrder,
  now: UnixSeconds,
): Promise<FoundEvent[]> {
  const wanted = await wantedServices(services, rule);
  if (wanted?.size === 0) return [];
  const first = Math.max(now + 1, rule.after ?? 0);
  const [match, within] = matches[rule.searchType];
  const query: GuideQuery = {
    text: rule.match,
    match,
    within,
    caseSensitive: rule.caseSensitive,
    from: first,
    ...(wanted && { services: [...wanted.values()].map(({ service }) => service) }),
    ...(rule.before !== null && { until: rule.before }),
    // An event without a duration cannot be recorded to its end.
    minimumDuration: Math.max(1, rule.minimumDuration * 60),
    ...(rule.maximumDuration > 0 && { maximumDuration: rule.maximumDuration * 60 }),
  };
  const found: FoundEvent[] = [];
  const hasFilters = rule.include.length + rule.exclude.length > 0;
  const passes = await compiledFilters(rule, new TimeSlice());
  for (let offset = 0; offset < maximumLookedAt; offset += page) {
    const { total, events } = await guide.search({ ...query, offset, limit: page });
    const slice = new TimeSlice();
    for (const event of events) {
      if (event.start < first || !isInTime(rule, event.start, zone)) continue;
      const reference = wanted ? wanted.get(tripletKey(event.service))?.reference : ofList(services, event.service);
      if (!reference) continue;
      if (slice.isOver) await slice.next();
      if (!hasFilters || (await passes(event, slice))) found.push({ event, reference });
    }
    if (events.length < page || offset + page >= total) break;
  }
  const place = (one: FoundEvent) => places(services).get(tripletKey(one.event.service)) ?? Number.MAX_SAFE_INTEGER;
  return wanted ? found : found.sort((a, b) => a.event.start - b.event.start || place(a) - place(b));
}

/** The position of each service in the bouquets. */
const places = perGeneration(
  (services: Services) => new Map(listedServices(services).map(({ dvb }, place) => [tripletKey(dvb), place])),
);

const ofList = (services: Services, service: DvbTriplet) => services.findByTriplet(service)?.reference;

interface WantedService {
  readonly service: DvbTriplet;
  readonly reference: ServiceReference;
}

/**
 * By key, in the order of the rule; undefined for all services. Services that no longer exist or cannot be recorded are
 * left out. A bouquet may have 40,000 entries, so in turns.
 */
async function wantedServices(
  services: Services,
  { services: named, bouquets, justplay }: RuleOrder,
): Promise<Map<number, WantedService> | undefined> {
  if (named.length === 0 && bouquets.length === 0) return undefined;
  const wanted = new Map<number, WantedService>();
  const slice = new TimeSlice();
  const take = (reference: ServiceReference) => {
    const service = guideKey(services, reference);
    if (service && !wanted.has(tripletKey(service))) wanted.set(tripletKey(service), { service, reference });
  };
  for (const text of named) {
    if (slice.isOver) await slice.next();
    try {
      take(recordable(services, text, { justPlay: justplay }));
    } catch {
      // A marker, a folder, or a reference edited by hand.
    }
  }
  for (const text of bouquets) {
    const reference = ServiceReference.tryParse(text);
    for (const { reference: entry } of (reference && (await services.listInSlices(reference))?.entries) ?? []) {
      if (slice.isOver) await slice.next();
      if (isRecordable(entry, { justPlay: justplay })) take(entry);
    }
  }
  return wanted;
}
