/** Services in the requests and responses of the guide operations. */

import { positionName } from '../../../base/orbital-position.ts';
import { TimeSlice } from '../../../base/time-slice.ts';
import { type DvbTriplet, tripletKey } from '../../../dvb/triplet.ts';
import { guideKey } from '../../../services/guide/guide-key.ts';
import type { ServiceReference } from '../../../services/reference.ts';
import type { Services } from '../../../services/services.ts';
import type { ReceiverParts, StreamClient } from '../../parts/parts.ts';
import { piconPath } from '../../pictures/picons.ts';
import { cleaned } from '../../write/cleaned-text.ts';
import { ListedServices } from '../../write/event-shape.ts';
import { findList, listState } from '../lists.ts';

/** The reference and name of a service in a response. */
export interface ShownService {
  readonly sref: string;
  readonly sname: string;
}

/**
 * A service of a request or a list. `key` is the triplet under which the guide stores its events; undefined if it cannot
 * have any.
 */
export interface GuideEntry extends ShownService {
  readonly reference: ServiceReference;
  readonly key: DvbTriplet | undefined;
}

/** The service texts in event lists, by property name. */
export const serviceColumns = {
  sref: (_: ReceiverParts, { sref }: GuideEntry) => sref,
  sname: (_: ReceiverParts, { sname }: GuideEntry) => sname,
  picon: (parts: ReceiverParts, { reference, sname }: GuideEntry) => piconPath(parts, reference, sname),
  service_type: (_: ReceiverParts, { reference }: GuideEntry) => serviceTypeNames[reference.serviceType] ?? 'UNKNOWN',
  ns: (_: ReceiverParts, { reference }: GuideEntry) => positionName(reference.source),
} as const;

const serviceTypeNames: Readonly<Record<number, string>> = {
  1: 'TV',
  2: 'RADIO',
  10: 'RADIO',
  22: 'SD4',
  25: 'HDTV',
  31: 'UHD',
  211: 'OPT',
};

/** Services in the order of a response. */
export type GuideServices = ListedServices<GuideEntry>;

export function guideServices(parts: ReceiverParts, entries: readonly GuideEntry[]): GuideServices {
  const texts = Object.values(serviceColumns);
  return new ListedServices(entries, texts.length, (entry) => texts.map((text) => text(parts, entry)));
}

/**
 * Maximum number of services in a response that is cached for other requests within the same second. Responses for more
 * services are written while they are sent.
 */
const maxSharedServices = 256;

/**
 * The state on which a list of events depends besides the request: the guide, the service lists, and the current second,
 * which records contain. Undefined if the list is too long to be cached.
 */
export function guideMoment(parts: ReceiverParts, services?: GuideServices): string | undefined {
  if (services !== undefined && services.entries.length > maxSharedServices) return undefined;
  return `${parts.clock.now()} ${parts.guide.generation} ${listState(parts)}`;
}

/** An empty list of services. */
export const noServices: GuideServices = new ListedServices<GuideEntry>(
  [],
  Object.keys(serviceColumns).length,
  () => [],
);

/** One service, with the reference of the request. */
export function entryOf({ services }: ReceiverParts, sRef: string): GuideEntry {
  const reference = services.resolve(sRef);
  return { reference, sref: reference.format(), sname: services.nameOf(reference), key: guideKey(services, reference) };
}

export function serviceOf(parts: ReceiverParts, sRef: string): GuideServices {
  return guideServices(parts, [entryOf(parts, sRef)]);
}

/**
 * All services of the service list with all their texts, in the guide's order, which is also the order of events that
 * begin at the same time.
 */
export function knownServices(parts: ReceiverParts): Promise<GuideServices> {
  return cached(parts, 'all', async () => {
    const byTriplet = parts.services.allByTriplet().toSorted((a, b) => tripletKey(a.dvb) - tripletKey(b.dvb));
    const all = byTriplet.flatMap(({ dvb: key, services }) => services.map((service) => ({ key, service })));
    const entries = await mapInSlices(all, ({ key, service: { reference, name } }) => {
      return { reference, sref: reference.format(), sname: name, key };
    });
    return guideServices(parts, entries);
  });
}

/** The services of a list, including markers; undefined if there is no such list. */
export function servicesOf(parts: ReceiverParts, bRef: string): Promise<GuideServices | undefined> {
  const { services } = parts;
  return cached(parts, `list ${bRef}`, async () => {
    const list = await findList(services, bRef);
    if (list === undefined) return undefined;
    const entries = list.entries.filter(({ reference }) => !reference.isDirectory);
    return guideServices(
      parts,
      await mapInSlices(entries, ({ reference, name }) => ({
        reference,
        sref: reference.format(),
        sname: name,
        key: guideKey(services, reference),
      })),
    );
  });
}

/**
 * Services by their references, joined by commas. Invalid references are skipped. @throws ReceiverError if all are
 * invalid
 */
export async function servicesByReferences(parts: ReceiverParts, references: string): Promise<GuideServices> {
  const named = await cached(parts, `services ${references}`, async () => {
    const texts = references.split(',').filter((reference) => reference.trim() !== '');
    let failure: unknown;
    const entries = await mapInSlices(texts, (text) => {
      try {
        return [entryOf(parts, text.trim())];
      } catch (error) {
        failure = error;
        return [];
      }
    });
    const readable = entries.flat();
    if (readable.length === 0 && failure !== undefined) throw failure;
    return guideServices(parts, readable);
  });
  return named ?? noServices;
}

/** Like `map`, but yields to the event loop when its time slice is over. */
async function mapInSlices<From, To>(items: readonly From[], convert: (item: From) => To): Promise<To[]> {
  const converted: To[] = [];
  const slice = new TimeSlice();
  for (const item of items) {
    if (slice.isOver) await slice.next();
    converted.push(convert(item));
  }
  return converted;
}

/**
 * Recently requested lists, until the service lists or the picons change. Clients request the same list over and over,
 * and finding thousands of services costs more than their events. The least recently used list is evicted.
 */
const recentLists = new WeakMap<
  Services,
  { readonly generation: string; readonly lists: Map<string, Promise<unknown>> }
>();
const maxCachedLists = 16;

/** Returns a list from the cache, or makes it. Concurrent requests for a list share one computation. */
function cached<List>(parts: ReceiverParts, name: string, make: () => Promise<List>): Promise<List> {
  const { services } = parts;
  const generation = listState(parts);
  let known = recentLists.get(services);
  if (known?.generation !== generation) {
    known = { generation, lists: new Map() };
    recentLists.set(services, known);
  }
  const { lists } = known;
  const made = (lists.get(name) as Promise<List> | undefined) ?? make();
  lists.delete(name);
  lists.set(name, made);
  // A list that does not exist now may exist at the next request.
  const forget = () => void (lists.get(name) === made && lists.delete(name));
  made.then((list) => list === undefined && forget(), forget);
  const [oldest] = lists.keys();
  if (lists.size > maxCachedLists && oldest !== undefined) lists.delete(oldest);
  return made;
}

/** The clients of live streams, each with the title of the present event on its service; empty if that is unknown. */
export async function streamClientsWithTitles({
  streams,
  services,
  guide,
}: ReceiverParts): Promise<{ readonly client: StreamClient; readonly title: string }[]> {
  const clients = streams.clients();
  const keys = clients.map(({ reference }) => guideKey(services, reference));
  const running = await guide.nowNext(keys.filter((key) => key !== undefined));
  let next = 0;
  return clients.map((client, index) => {
    const found = keys[index] === undefined ? undefined : running[next++];
    return { client, title: cleaned(found?.now?.title ?? '') };
  });
}
