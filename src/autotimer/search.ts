/** The events of the guide that a rule asks for: found natively, as far as the search knows what is asked; the rest in turns. */
import type { UnixSeconds } from '../clock.ts';
import { type DvbTriplet, tripletKey } from '../dvb/triplet.ts';
import type { GuideEvent } from '../epg/event.ts';
import type { Guide } from '../epg/guide.ts';
import type { GuideQuery, TextMatch, TextScope } from '../epg/query.ts';
import { guideKey } from '../services/guide-key.ts';
import { listedServices } from '../services/listed-services.ts';
import { perGeneration } from '../services/per-generation.ts';
import { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import { recordable } from '../timers/orders.ts';
import type { Zone } from '../timers/repeat.ts';
import { Turn } from '../turn.ts';
import { Filters } from './filter.ts';
import { isInTime, type RuleOrder, type searchTypes } from './rule.ts';

export interface SearchParts {
  readonly guide: Pick<Guide, 'search'>;
  readonly services: Services;
  readonly zone: Zone;
}

/** An event, and the service by which it is recorded. */
export interface FoundEvent {
  readonly event: GuideEvent;
  readonly reference: ServiceReference;
}

/** Events that are taken from the guide at once: a millisecond of work. */
const page = 50;
/** Events of one rule that are looked at; those that begin later wait until these are over. */
const maximumLookedAt = 2000;

const matches: Readonly<Record<(typeof searchTypes)[number], readonly [TextMatch, TextScope]>> = {
  partial: ['contains', 'title'],
  exact: ['exact', 'title'],
  start: ['prefix', 'title'],
  description: ['contains', 'all'],
};

/** Events that begin after `now` and agree with the rule in everything that it asks, by start, then in the order of the bouquets. */
export async function eventsFor(
  { guide, services, zone }: SearchParts,
  rule: RuleOrder,
  now: UnixSeconds,
): Promise<FoundEvent[]> {
  const wanted = wantedServices(services, rule);
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
    // One that does not say how long it lasts cannot be recorded to its end.
    minimumDuration: Math.max(1, rule.minimumDuration * 60),
    ...(rule.maximumDuration > 0 && { maximumDuration: rule.maximumDuration * 60 }),
  };
  const found: FoundEvent[] = [];
  const filters = await Filters.of(rule, new Turn());
  for (let offset = 0; offset < maximumLookedAt; offset += page) {
    const { total, events } = await guide.search({ ...query, offset, limit: page });
    const turn = new Turn();
    for (const event of events) {
      if (event.start < first || !isInTime(rule, event.start, zone)) continue;
      const reference = wanted ? wanted.get(tripletKey(event.service))?.reference : ofList(services, event.service);
      if (!reference) continue;
      if (turn.isOver) await turn.next();
      if (filters.areNone || (await filters.let(event, turn))) found.push({ event, reference });
    }
    if (events.length < page || offset + page >= total) break;
  }
  const place = (one: FoundEvent) => places(services).get(tripletKey(one.event.service)) ?? Number.MAX_SAFE_INTEGER;
  return wanted ? found : found.sort((a, b) => a.event.start - b.event.start || place(a) - place(b));
}

/** Where the bouquets list each service. */
const places = perGeneration(
  (services: Services) => new Map(listedServices(services).map(({ dvb }, place) => [tripletKey(dvb), place])),
);

const ofList = (services: Services, service: DvbTriplet) => services.findByTriplet(service)?.reference;

interface WantedService {
  readonly service: DvbTriplet;
  readonly reference: ServiceReference;
}

/** By their keys, in the order of the rule; undefined for all of them. What is not there any more, or cannot be recorded, is left out. */
function wantedServices(
  services: Services,
  { services: named, bouquets, justplay }: RuleOrder,
): Map<number, WantedService> | undefined {
  if (named.length === 0 && bouquets.length === 0) return undefined;
  const wanted = new Map<number, WantedService>();
  const take = (text: string) => {
    try {
      const reference = recordable(services, text, { justPlay: justplay });
      const service = guideKey(services, reference);
      if (service && !wanted.has(tripletKey(service))) wanted.set(tripletKey(service), { service, reference });
    } catch {
      // A marker, a folder, a reference that was changed by hand.
    }
  };
  for (const text of named) take(text);
  for (const text of bouquets) {
    const reference = ServiceReference.tryParse(text);
    for (const { reference: entry } of (reference && services.list(reference)?.entries) ?? []) take(entry.format());
  }
  return wanted;
}
