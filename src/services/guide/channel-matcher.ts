/**
 * Matches the channels of a guide file to services. Rules, in this order:
 *
 *   the id is a service reference                      1:0:19:2B66:3F3:1:C00000:0:0:0:, as our own export writes it
 *   the id is a DVB locator (TS 102 851 §6)            dvb://1.3f3.2b66
 *   the id is a channel id of VDR                      S19.2E-1-1011-11110
 *   the id, otherwise a display name, is that of a channel in an IPTV list (iptv-key.ts)
 *   a display name equals the name of services         all services of that name, in the service list or a bouquet
 *   plus: a display name equals it except for HD, SD ... at the end, unless the file has a channel with the exact name
 *   otherwise, on request: a display name is the number of a television channel
 *
 * Comparison of names ignores case, accents, blanks and punctuation. A channel of an IPTV list that the file matches by
 * id or name gets no events from other channels with a similar display name.
 */

import { TimeSlice } from '../../base/time-slice.ts';
import { type DvbTriplet, tripletKey } from '../../dvb/triplet.ts';
import { channelNumberOf, channelNumberPattern, typedNumber } from '../channel-number.ts';
import { comparedName } from '../compared-name.ts';
import { iptvKeys, isIptvChannel } from '../iptv-key.ts';
import { ServiceReference } from '../reference.ts';
import { shownNumber } from '../service-list.ts';
import type { Services } from '../services.ts';
import type { GuideMatch } from './guide-channels.ts';
import { guideKey } from './guide-key.ts';

type MatchedServices = Pick<Services, 'all' | 'playableReferences' | 'nameOf' | 'playable'> &
  Partial<Pick<Services, 'allEntriesInSlices'>>;

export interface MatcherOptions {
  /** Whether a display name may be a channel number. Default: false. */
  readonly hasNumbers?: boolean;
  /** Called with each match. */
  readonly onMatch?: (service: DvbTriplet, match: GuideMatch) => void;
}

interface Channel {
  readonly id: string;
  readonly names: readonly string[];
}

const reference = /^\d+:\d+:/;
const locator = /^dvb:\/\/([0-9a-f]{1,4})\.([0-9a-f]{1,4})\.([0-9a-f]{1,4})$/i;
const vdrChannel = /^[SCTA][^-]*-(\d{1,5})-(\d{1,5})-(\d{1,5})(?:-\d+)?$/;
const quality = /^(?:uhd|fhd|hd|sd|4k)$/i;
const qualityWithoutBlank = /(?<=.)HD$/;

/**
 * Returns a function that finds the services of channels, in the lists as of its first call. With thousands of channels
 * and services this takes long, so it runs in time slices.
 */
export function channelMatcher(
  services: MatchedServices,
  { hasNumbers = false, onMatch }: MatcherOptions = {},
): (channels: readonly Channel[]) => Promise<DvbTriplet[][]> {
  let indexed: Promise<Names> | undefined;
  let numbered: Promise<ReadonlyMap<string, DvbTriplet>> | undefined;
  return async (channels) => {
    if (hasNumbers) numbered ??= numbersOf(services);
    const byNumber = await numbered;
    indexed ??= namesOf(services);
    const { byName, byPlainName, iptv } = await indexed;
    const own = new Set<string>();
    const linked = new Map<Channel, ReadonlyMap<number, DvbTriplet>>();
    const slice = new TimeSlice();
    for (const channel of channels) {
      if (slice.isOver) await slice.next();
      for (const name of channel.names) own.add(comparedName(name));
      if (iptv.size > 0) linked.set(channel, iptvChannelsOf(iptv, channel));
    }
    const isLinked = new Set([...linked.values()].flatMap((found) => [...found.keys()]));
    const matched: DvbTriplet[][] = [];
    for (const channel of channels) {
      const { id, names } = channel;
      if (slice.isOver) await slice.next();
      const named = namedById(services, id);
      if (named !== undefined) {
        onMatch?.(named, { id, by: 'id' });
        matched.push([named]);
        continue;
      }
      const found = new Map<number, DvbTriplet>(linked.get(channel));
      const isById = (service: DvbTriplet) =>
        iptv.size > 0 && iptvKeys({ id }).some((key) => tripletKey(key) === tripletKey(service));
      const take = (name: string) => {
        for (const [key, dvb] of byName.get(name) ?? []) if (!isLinked.has(key)) found.set(key, dvb);
      };
      for (const name of names) take(comparedName(name));
      for (const name of names) {
        for (const similar of byPlainName.get(plainName(name)) ?? []) if (!own.has(similar)) take(similar);
      }
      const number = found.size === 0 && byNumber && names.find((name) => channelNumberPattern.test(name));
      const one = number && byNumber.get(typedNumber(channelNumberOf(number)));
      const all = one ? [one] : [...found.values()];
      for (const service of all) onMatch?.(service, { id, by: one ? 'number' : isById(service) ? 'id' : 'name' });
      matched.push(all);
    }
    return matched;
  };
}

/** Services by channel number; of several with a number, the first. */
async function numbersOf(services: MatchedServices): Promise<ReadonlyMap<string, DvbTriplet>> {
  const all = new Map<string, DvbTriplet>();
  const slice = new TimeSlice();
  for (const entry of (await services.allEntriesInSlices?.('tv')) ?? []) {
    const { reference } = entry;
    if (slice.isOver) await slice.next();
    const number = typedNumber(shownNumber(entry));
    const dvb = number !== '' && !reference.isMarker ? guideKey(services, reference) : undefined;
    if (dvb && !all.has(number)) all.set(number, dvb);
  }
  return all;
}

/** Services by compared name, and compared names by name without the quality. */
interface Names {
  readonly byName: ReadonlyMap<string, ReadonlyMap<number, DvbTriplet>>;
  readonly byPlainName: ReadonlyMap<string, ReadonlySet<string>>;
  /** Keys of the channels of IPTV lists. */
  readonly iptv: ReadonlySet<number>;
}

async function namesOf(services: MatchedServices): Promise<Names> {
  const byName = new Map<string, Map<number, DvbTriplet>>();
  const byPlainName = new Map<string, Set<string>>();
  const iptv = new Set<number>();
  const add = (reference: ServiceReference, name: string) => {
    const dvb = guideKey(services, reference);
    const compared = comparedName(name);
    if (dvb === undefined || compared === '') return;
    byName.set(compared, (byName.get(compared) ?? new Map<number, DvbTriplet>()).set(tripletKey(dvb), dvb));
    const plain = plainName(name);
    byPlainName.set(plain, (byPlainName.get(plain) ?? new Set()).add(compared));
  };
  const slice = new TimeSlice();
  for (const { reference, name } of services.all()) {
    if (slice.isOver) await slice.next();
    add(reference, name);
  }
  for (const reference of services.playableReferences()) {
    if (slice.isOver) await slice.next();
    add(reference, services.nameOf(reference));
    if (isIptvChannel(reference) && reference.dvb) iptv.add(tripletKey(reference.dvb));
  }
  return { byName, byPlainName, iptv };
}

/**
 * Returns IPTV channels with the id of a channel, and IPTV channels without an id that have one of its display names.
 */
function iptvChannelsOf(iptv: ReadonlySet<number>, { id, names }: Channel): Map<number, DvbTriplet> {
  const listed = [{ id }, ...names.map((name) => ({ name }))].flatMap((known) => {
    return iptvKeys(known).find((key) => iptv.has(tripletKey(key))) ?? [];
  });
  return new Map(listed.map((dvb) => [tripletKey(dvb), dvb]));
}

function namedById(services: Pick<Services, 'playable'>, id: string): DvbTriplet | undefined {
  if (reference.test(id)) {
    const named = ServiceReference.tryParse(id);
    return named && guideKey(services, named);
  }
  const numbers =
    locator
      .exec(id)
      ?.slice(1)
      .map((text) => Number.parseInt(text, 16)) ?? vdrChannel.exec(id)?.slice(1, 4).map(Number);
  const [originalNetworkId, transportStreamId, serviceId] = numbers ?? [];
  if (originalNetworkId === undefined || transportStreamId === undefined || serviceId === undefined) return undefined;
  if (Math.max(originalNetworkId, transportStreamId, serviceId) > 0xffff) return undefined;
  return { originalNetworkId, transportStreamId, serviceId };
}

/** The compared form, without the picture quality at the end. */
function plainName(name: string): string {
  const words = name.trim().split(/([\s._-]+)/);
  // Every second element is the separator between two words.
  while (words.length > 1 && quality.test(words.at(-1) ?? '')) words.length -= 2;
  return comparedName(words.join('').replace(qualityWithoutBlank, ''));
}

/** Returns services as channels for a guide file: id and name from the list, otherwise a reference of their numbers. */
export function channelsOf(
  services: Pick<Services, 'findByTriplet'>,
  all: readonly DvbTriplet[],
): { readonly service: DvbTriplet; readonly id: string; readonly name: string; readonly number: string }[] {
  return all.map((service) => {
    const known = services.findByTriplet(service);
    const reference = known?.reference ?? ServiceReference.service(1, service, 0);
    return { service, id: reference.format(), name: known?.name ?? '', number: known?.channel ?? '' };
  });
}
