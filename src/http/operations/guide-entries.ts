/** Services in the requests and responses of the guide operations. */

import { positionName } from '../../base/orbital-position.ts';
import { TimeSlice } from '../../base/time-slice.ts';
import { type DvbTriplet, tripletKey } from '../../dvb/triplet.ts';
import { guideKey } from '../../services/guide-key.ts';
import type { ServiceReference } from '../../services/reference.ts';
import type { Services } from '../../services/services.ts';
import type { ReceiverParts, StreamClient } from '../parts/parts.ts';
import { piconPath } from '../pictures/picons.ts';
import { cleaned } from '../write/cleaned-text.ts';
import { ListedServices } from '../write/event-shape.ts';
import { listNamed, listState } from './lists.ts';

/** A service as the response shows it. */
export interface ShownService {
  readonly sref: string;
  readonly sname: string;
}

/**
 * A service as a response shows it. `key` is the service under which the guide stores its events, undefined if it
 * cannot have any.
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
 * Responses for at most this many services are shared by requests within the same second. Longer lists are written as
 * they are sent.
 */
const mostShared = 256;

/**
 * What one event of each service, or a bounded number of hits, depends on besides the request: the guide, the lists,
 * and the current second, because records contain it.
 */
export function guideMoment(parts: ReceiverParts, services?: GuideServices): string | undefined {
  if (services !== undefined && services.entries.length > mostShared) return undefined;
  return `${parts.clock.now()} ${parts.guide.generation} ${listState(parts)}`;
}

/** No service at all. */
export const noServices: GuideServices = new ListedServices<GuideEntry>(
  [],
  Object.keys(serviceColumns).length,
  () => [],
);

/** One service, shown as it was requested. */
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
  return prepared(parts, 'all', async () => {
    const same = parts.services.allByTriplet().toSorted((a, b) => tripletKey(a.dvb) - tripletKey(b.dvb));
    const all = same.flatMap(({ dvb: key, services }) => services.map((service) => ({ key, service })));
    const entries = await inTurns(all, ({ key, service: { reference, name } }) => {
      return { reference, sref: reference.format(), sname: name, key };
    });
    return guideServices(parts, entries);
  });
}

/** The services of a list, including markers; undefined if there is no such list. */
export function servicesOf(parts: ReceiverParts, bRef: string): Promise<GuideServices | undefined> {
  const { services } = parts;
  return prepared(parts, `list ${bRef}`, async () => {
    const list = await listNamed(services, bRef);
    if (list === undefined) return undefined;
    const entries = list.entries.filter(({ reference }) => !reference.isDirectory);
    return guideServices(
      parts,
      await inTurns(entries, ({ reference, name }) => ({
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
export async function servicesNamed(parts: ReceiverParts, references: string): Promise<GuideServices> {
  const named = await prepared(parts, `services ${references}`, async () => {
    const texts = references.split(',').filter((reference) => reference.trim() !== '');
    let failure: unknown;
    const entries = await inTurns(texts, (text) => {
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

async function inTurns<From, To>(all: readonly From[], change: (one: From) => To): Promise<To[]> {
  const changed: To[] = [];
  const slice = new TimeSlice();
  for (const one of all) {
    if (slice.isOver) await slice.next();
    changed.push(change(one));
  }
  return changed;
}

/**
 * Recently requested lists, until the service lists or the picons change. Clients request the same list over and over,
 * and finding thousands of services costs more than their events. The least recently used list is evicted.
 */
const lately = new WeakMap<Services, { readonly generation: string; readonly lists: Map<string, Promise<unknown>> }>();
const maximumLists = 16;

/** Concurrent requests for a list share one computation. */
function prepared<List>(parts: ReceiverParts, name: string, make: () => Promise<List>): Promise<List> {
  const { services } = parts;
  const generation = listState(parts);
  let known = lately.get(services);
  if (known?.generation !== generation) {
    known = { generation, lists: new Map() };
    lately.set(services, known);
  }
  const { lists } = known;
  const made = (lists.get(name) as Promise<List> | undefined) ?? make();
  lists.delete(name);
  lists.set(name, made);
  // A list that does not exist now may exist at the next request.
  const forget = () => void (lists.get(name) === made && lists.delete(name));
  made.then((list) => list === undefined && forget(), forget);
  const [oldest] = lists.keys();
  if (lists.size > maximumLists && oldest !== undefined) lists.delete(oldest);
  return made;
}

/**
 * The clients of live streams, each with the title of the running event on its service; empty if unknown to the guide.
 */
export async function runningOnStreams({
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
