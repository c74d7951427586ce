/**
 * The parental lock: services that may not be shown here without the PIN (parental-lock.ts).
 *
 * It is in force if `settings` marks it as set up, or has a PIN. With a blacklist, a service is locked if the list
 * contains it or a bouquet with it; with a whitelist, if the list does not. It is also locked while an event runs that
 * is rated for an age of `config.ParentalControl.age` or above. Files are not locked: access to their folder is up to
 * the system.
 */
import type { Settings } from '../config/enigma2-settings.ts';
import type { Guide, ParentalRating } from '../epg/guide.ts';
import { guideKey } from '../services/guide-key.ts';
import type { ParentalList } from '../services/parental.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';

export interface ParentalParts {
  readonly services: Services;
  readonly settings: Settings;
  readonly guide: Pick<Guide, 'nowNext'>;
}

/**
 * The effective list, whether the lock is in force or not: set by `config.ParentalControl.type`, else the one with
 * entries.
 */
export function parentalList({ services, settings }: Omit<ParentalParts, 'guide'>): ParentalList {
  const kind = settings.get('config.ParentalControl.type');
  return kind === 'whitelist' || kind === 'blacklist' ? services.parentalList(kind) : services.parental;
}

/** True if the service, or any service played in its place, may not be shown. */
export async function isLocked(parts: ParentalParts, reference: ServiceReference): Promise<boolean> {
  if (reference.isFile || !isInForce(parts.settings)) return false;
  const list = parentalList(parts);
  const members = parts.services.playable(reference);
  const isListed = (one: ServiceReference) => names(parts.services, list, one);
  const locked =
    list.kind === 'blacklist'
      ? isListed(reference) || members.some(isListed)
      : !isListed(reference) && !(members.length > 0 && members.every(isListed));
  return locked || (await isTooOld(parts, reference));
}

export function isInForce(settings: Settings): boolean {
  return (
    settings.isOn('config.ParentalControl.configured') || settings.number('config.ParentalControl.servicepin.0') > 0
  );
}

/** True if the list contains the service itself, or a bouquet with it. */
function names(services: Services, list: ParentalList, service: ServiceReference): boolean {
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

/** True if the running event is rated for a locked age. */
async function isTooOld({ services, settings, guide }: ParentalParts, reference: ServiceReference): Promise<boolean> {
  const age = settings.number('config.ParentalControl.age');
  const key = age > 0 ? guideKey(services, reference) : undefined;
  if (key === undefined) return false;
  const [running] = await guide.nowNext([key]);
  return running?.now?.parental.some((rating) => minimumAge(rating) >= age) ?? false;
}

/** EN 300 468 table 84: 1 to 15 is the age less 3. Returns 0 if there is no rating, or it is the broadcaster's own. */
function minimumAge({ rating }: ParentalRating): number {
  return rating >= 1 && rating <= 15 ? rating + 3 : 0;
}
