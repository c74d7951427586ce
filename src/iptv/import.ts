/** Imports the channels of an IPTV list into a bouquet, with a marker before each group. */
import { appendTo } from '../base/append-to.ts';
import { fail } from '../base/errors.ts';
import { maxFileBytes } from '../base/files.ts';
import { IncrementalValue, type Steps } from '../base/time-slice.ts';
import { urlOf } from '../base/url.ts';
import { type DvbTriplet, tripletKey } from '../dvb/triplet.ts';
import { newBouquetFileName, type WrittenEntry, writtenEntry } from '../services/bouquet-file.ts';
import { type GuideName, iptvKeys, iptvNamespace } from '../services/iptv-key.ts';
import { referenceFlags, referenceTypes, ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import { streamAddress } from './address.ts';
import type { ListedChannel } from './channel-list.ts';

/** File names of imported bouquets begin with this, so that no other bouquet of the same name is replaced. */
const fileStart = 'userbouquet.iptv_';

export interface ImportedChannels {
  /** Number of groups. */
  readonly groups: number;
  /** Addresses of logos by the keys of their channels. */
  readonly logos: ReadonlyMap<number, string>;
  /** Like `logos`, for the channels of a receiver's list: addresses of its picons. */
  readonly picons: ReadonlyMap<number, string>;
}

/**
 * Fills the bouquet of this name, which the first import creates, and saves it. A repeated import keeps the position of
 * the bouquet and the guide data of its channels. Works in time slices.
 * @throws ReceiverError `too-large` if the bouquet's file would exceed the maximum size; nothing has changed then
 */
export async function importChannels(
  services: Services,
  name: string,
  channels: readonly ListedChannel[],
): Promise<ImportedChannels> {
  const { entries, groups, bytes, logos, picons } = await new IncrementalValue(() => entriesOf(channels)).ready();
  if (bytes + maxHeadBytes > maxFileBytes) throw fail('too-large', `the bouquet ${name}`, maxFileBytes);
  await services.change((lists) => {
    const files = lists.bouquets();
    const taken = (file: string) => files.some((one) => one.file.toLowerCase() === file);
    const bouquet =
      files.find((one) => one.file.startsWith(fileStart) && one.name === name) ??
      lists.addBouquet(name, 'tv', newBouquetFileName(`iptv_${name}`, 'tv', taken));
    bouquet.fill(entries);
  });
  return { groups, logos, picons };
}

/** Bytes reserved for the lines before the first entry, and for lines that users have added. */
const maxHeadBytes = 2 ** 16;

interface Entries extends ImportedChannels {
  readonly entries: readonly WrittenEntry[];
  readonly bytes: number;
}

/** Lists channels without a group first, then each group after its marker, in order of first appearance. */
function* entriesOf(channels: readonly ListedChannel[]): Steps<Entries> {
  const groups = new Map<string, ListedChannel[]>([['', []]]);
  for (const one of channels) {
    appendTo(groups, one.group, one);
    yield;
  }
  const keys = yield* keysOf(channels);
  const entries: WrittenEntry[] = [];
  const logos = new Map<number, string>();
  const picons = new Map<number, string>();
  let markers = 0;
  for (const [group, members] of groups) {
    if (group !== '') entries.push(writtenEntry(markerOf(group, ++markers)));
    for (const channel of members) {
      const key = keys.get(channel) as DvbTriplet;
      entries.push(writtenEntry(referenceOf(channel, key)));
      if (channel.logo !== '') (channel.reference ? picons : logos).set(tripletKey(key), channel.logo);
      yield;
    }
  }
  let bytes = 0;
  for (const { raw } of entries) bytes += raw.length;
  return { entries, groups: markers, bytes, logos, picons };
}

/**
 * Assigns the keys for the guide. Channels with the same id or name in guide files share a key on purpose. Other
 * channels whose first keys collide use their second keys. Channels of a receiver's list keep the numbers in its references.
 */
function* keysOf(channels: readonly ListedChannel[]): Steps<ReadonlyMap<ListedChannel, DvbTriplet>> {
  const owners = new Map<number, Set<number>>();
  const known: { readonly channel: ListedChannel; readonly first: DvbTriplet; readonly second: DvbTriplet }[] = [];
  for (const channel of channels) {
    const guideName: GuideName = channel.id === '' ? { name: channel.guideName } : { id: channel.id };
    const own = channel.reference?.dvb;
    const [first, second] = own === undefined ? iptvKeys(guideName) : [own, own];
    const key = tripletKey(first);
    owners.set(key, (owners.get(key) ?? new Set()).add(tripletKey(second)));
    known.push({ channel, first, second });
    yield;
  }
  const keys = new Map<ListedChannel, DvbTriplet>();
  for (const { channel, first, second } of known) {
    keys.set(channel, owners.get(tripletKey(first))?.size === 1 ? first : second);
    yield;
  }
  return keys;
}

/** Returns a marker; the number makes it unique. */
function markerOf(name: string, number: number): ServiceReference {
  const fields = [number, 0, 0, 0, 0, 0, 0, 0] as const;
  return ServiceReference.of({ flags: referenceFlags.marker, fields, name: withoutBullets(name) });
}

function referenceOf(channel: ListedChannel, key: DvbTriplet): ServiceReference {
  const { serviceId, transportStreamId, originalNetworkId } = key;
  const serviceType = channel.isRadio ? 2 : 1;
  const own = channel.reference;
  return ServiceReference.of({
    type: own?.isStream ? own.type : referenceTypes.mediaPlayer,
    fields: own?.fields ?? [serviceType, serviceId, transportStreamId, originalNetworkId, iptvNamespace, 0, 0, 0],
    path: pathOf(channel),
    name: withoutBullets(channel.name),
  });
}

/** The address with its header fields: as a receiver's reference writes them, if it means the same. */
function pathOf(channel: ListedChannel): string {
  const { reference, url, userAgent, referer } = channel;
  const known = reference && streamAddress(reference);
  const isSame =
    known?.kind === 'web' &&
    known.url === urlOf(url)?.href &&
    (known.headers['user-agent'] ?? '') === userAgent &&
    (known.headers.referer ?? '') === referer;
  return isSame && reference ? reference.path : url + headerFields(channel);
}

/** Formats header fields as Enigma2 does: `#User-Agent=X&Referer=Y`. */
function headerFields({ url, userAgent, referer }: ListedChannel): string {
  if (!/^http/i.test(url)) return '';
  const fields = Object.entries({ 'User-Agent': userAgent, Referer: referer }).filter(([, value]) => value !== '');
  const written = fields.map(([field, value]) => `${field}=${encodeURIComponent(value)}`).join('&');
  return written === '' ? '' : `#${written}`;
}

/** Replaces bullets, which would begin the provider in a reference. */
function withoutBullets(name: string): string {
  return name.replaceAll('\u2022', '\u00b7');
}
