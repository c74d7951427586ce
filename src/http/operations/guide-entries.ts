/** Services as the guide operations take and show them, and the question that is asked for many of them at once. */
import type { DvbTriplet } from '../../dvb/triplet.ts';
import { guideKey } from '../../services/guide-key.ts';
import type { ServiceEntry } from '../../services/services.ts';
import type { ReceiverParts, StreamClient } from '../parts.ts';
import type { ListedService } from './event-records.ts';
import { listNamed } from './lists.ts';

/** Services that are asked for in one step, for all their events or for a few: what a few milliseconds of this thread can read. */
export const servicesAtOnce = { all: 8, few: 64 } as const;

/** An entry of a list that can have events, with the service they are kept under. */
export interface GuideEntry extends ListedService {
  readonly key: DvbTriplet | undefined;
}

/** The services of a list, markers too; undefined when there is no such list. */
export function entriesOf({ services }: ReceiverParts, bRef: string): GuideEntry[] | undefined {
  const list = listNamed(services, bRef);
  return list?.entries
    .filter(({ reference }) => !reference.isDirectory)
    .map((entry) => guideEntry({ services }, entry));
}

function guideEntry({ services }: Pick<ReceiverParts, 'services'>, { reference, name }: ServiceEntry): GuideEntry {
  return { reference, sref: reference.format(), sname: name, key: guideKey(services, reference) };
}

/** One service, shown as it was asked for. */
export function entryOf({ services }: ReceiverParts, sRef: string): GuideEntry {
  const reference = services.resolve(sRef);
  return { reference, sref: reference.format(), sname: services.nameOf(reference), key: guideKey(services, reference) };
}

/** Asks the guide for the entries that can have events, some at a time, and puts the answers beside the entries. */
export async function forKeys<T>(
  entries: readonly Pick<GuideEntry, 'key'>[],
  ask: (keys: readonly DvbTriplet[]) => Promise<readonly T[]>,
): Promise<(T | undefined)[]> {
  const keys = entries.flatMap(({ key }) => key ?? []);
  const answers: T[] = [];
  for (let first = 0; first < keys.length; first += servicesAtOnce.few) {
    answers.push(...(await ask(keys.slice(first, first + servicesAtOnce.few))));
  }
  let next = 0;
  return entries.map(({ key }) => (key === undefined ? undefined : answers[next++]));
}

/** The clients of live streams, each with the title of what runs on its service; empty where the guide does not know. */
export async function runningOnStreams({
  streams,
  services,
  guide,
}: ReceiverParts): Promise<{ readonly client: StreamClient; readonly title: string }[]> {
  const clients = streams.clients();
  const running = await forKeys(
    clients.map(({ reference }) => ({ key: guideKey(services, reference) })),
    (keys) => guide.nowNext(keys),
  );
  return clients.map((client, index) => ({ client, title: running[index]?.now?.title ?? '' }));
}
