/**
 * The parental lock: which services may not be shown without the PIN (parental-lock.ts).
 *
 * It is in force if it is marked as configured in `settings`, or has a PIN. With a blacklist, the services on the list
 * and in listed bouquets are locked; with a whitelist, all others. A service is also locked during an event rated for
 * `config.ParentalControl.age` or above. Files are never locked.
 */
import type { Settings } from '../config/enigma2-settings.ts';
import type { Guide, ParentalRating } from '../epg/guide.ts';
import { guideKey } from '../services/guide/guide-key.ts';
import type { ParentalList } from '../services/parental-list.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';

export interface ParentalParts {
  readonly services: Services;
  readonly settings: Settings;
  readonly guide: Pick<Guide, 'nowNext'>;
}

/**
 * The effective list, even if the lock is not in force: the one named by `config.ParentalControl.type`, else the one
 * that has entries.
 */
export function parentalList({ services, settings }: Omit<ParentalParts, 'guide'>): ParentalList {
  const kind = settings.get('config.ParentalControl.type');
  return kind === 'whitelist' || kind === 'blacklist' ? services.parentalList(kind) : services.parental;
}

/** Whether the service, or a service played in its place, may not be shown. */
export async function isLocked(parts: ParentalParts, reference: ServiceReference): Promise<boolean> {
  if (reference.isFile || !isInForce(parts.settings)) return false;
  const list = parentalList(parts);
  const members = parts.services.playable(reference);
  const isListed = (one: ServiceReference) => covers(parts.services, list, one);
  const locked =
    list.kind === 'blacklist'
      ? isListed(reference) || members.some(isListed)
      : !isListed(reference) && !(members.length > 0 && members.every(isListed));
  return locked || (await isRatedTooHigh(parts, reference));
}

/** Whether the parental lock is in force. */
export function isInForce(settings: Settings): boolean {
  return (
    settings.isOn('config.ParentalControl.configured') || settings.number('config.ParentalControl.servicepin.0') > 0
  );
}

/** Whether the list has the service itself, or a bouquet with it. */
function covers(services: Services, list: ParentalList, service: ServiceReference): boolean {
  return list.references.some((listed) => {
    if (!listed.canDescend) return isSame(listed, service);
    const entries = services.list(listed, { hidden: true })?.entries ?? [];
    return listed.equals(service) || entries.some((entry) => isSame(entry.reference, service));
  });
}

/** Broadcast references that differ only in service type or namespace are the same service. */
function isSame(one: ServiceReference, other: ServiceReference): boolean {
  if (!one.isBroadcast || !other.isBroadcast) return one.equals(other);
  return (
    one.serviceId === other.serviceId &&
    one.transportStreamId === other.transportStreamId &&
    one.originalNetworkId === other.originalNetworkId
  );
}

/** Whether the current event is rated for `config.ParentalControl.age` or above. */
async function isRatedTooHigh(
  { services, settings, guide }: ParentalParts,
  reference: ServiceReference,
): Promise<boolean> {
  const age = settings.number('config.ParentalControl.age');
  const key = age > 0 ? guideKey(services, reference) : undefined;
  if (key === undefined) return false;
  const [running] = await guide.nowNext([key]);
  return running?.now?.parental.some((rating) => minimumAge(rating) >= age) ?? false;
}

/** The minimum age by EN 300 468 table 84; 0 if the rating is undefined or defined by the broadcaster. */
function minimumAge({ rating }: ParentalRating): number {
  return rating >= 1 && rating <= 15 ? rating + 3 : 0;
}
