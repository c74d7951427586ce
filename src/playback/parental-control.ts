/**
 * The parental lock: which services may not be shown here without the PIN, which nobody can enter over the network.
 *
 * It is in force when `settings` says that it is set up, or holds a PIN. A service is locked when the blacklist names it, or a
 * bouquet that holds it; with a whitelist, when nothing there does; and while an event runs that is rated for an age of
 * `config.ParentalControl.age` or above. Files are not locked: their folder is for who may see them.
 */
import type { Settings } from '../device/settings.ts';
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

/** The list that counts, whether the lock is in force or not: as `config.ParentalControl.type` says, else the one with entries. */
export function parentalList({ services, settings }: Omit<ParentalParts, 'guide'>): ParentalList {
  const kind = settings.get('config.ParentalControl.type');
  return kind === 'whitelist' || kind === 'blacklist' ? services.parentalList(kind) : services.parental;
}

/** True if the service, or whatever would be played for it, may not be shown. */
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

function isInForce(settings: Settings): boolean {
  return (
    settings.isOn('config.ParentalControl.configured') || settings.number('config.ParentalControl.servicepin.0') > 0
  );
}

/** The list names the service itself, or a bouquet with it. */
function names(services: Services, list: ParentalList, service: ServiceReference): boolean {
  return list.references.some((listed) => {
    if (!listed.canDescend) return isSame(listed, service);
    const entries = services.list(listed, { hidden: true })?.entries ?? [];
    return listed.equals(service) || entries.some((entry) => isSame(entry.reference, service));
  });
}

/** References that differ in service type or namespace alone are tuned to the same service. */
function isSame(one: ServiceReference, other: ServiceReference): boolean {
  if (!one.isBroadcast || !other.isBroadcast) return one.equals(other);
  return (
    one.serviceId === other.serviceId &&
    one.transportStreamId === other.transportStreamId &&
    one.originalNetworkId === other.originalNetworkId
  );
}

/** The running event is rated for an age that is locked. */
async function isTooOld({ services, settings, guide }: ParentalParts, reference: ServiceReference): Promise<boolean> {
  const age = settings.number('config.ParentalControl.age');
  const key = age > 0 ? guideKey(services, reference) : undefined;
  if (key === undefined) return false;
  const [running] = await guide.nowNext([key]);
  return running?.now?.parental.some((rating) => minimumAge(rating) >= age) ?? false;
}

/** EN 300 468 table 84: 1 to 15 is the age less 3; 0 where none is said or the broadcaster means something of its own. */
function minimumAge({ rating }: ParentalRating): number {
  return rating >= 1 && rating <= 15 ? rating + 3 : 0;
}
