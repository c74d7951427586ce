/**
 * The key in the guide of a channel of an IPTV list: a DVB triplet, computed from the id or name of the channel in
 * guide files. So the channel keeps its guide when its address changes, and a guide file can be matched to it without
 * the list.
 *
 * The namespace CCCC0000 is that of IPTV plug-ins of Enigma2; CCCC is not an orbital position. Network ids from FF00 on
 * are for private use (ETSI TS 101 162), which leaves 40 bits for the hash: one list of 10,000 channels in 20,000 has a
 * collision. For such a case each channel has a second key.
 */
import { createHash } from 'node:crypto';
import type { DvbTriplet } from '../dvb/triplet.ts';
import { comparedName } from './compared-name.ts';
import type { ServiceReference } from './reference.ts';

export const iptvNamespace = 0xcccc0000;
const privateNetworks = 0xff00;

/** True for a bouquet entry created by `receiverd services import`. */
export function isIptvChannel({ namespace, originalNetworkId, isStream }: ServiceReference): boolean {
  return namespace === iptvNamespace && originalNetworkId >= privateNetworks && isStream;
}

/** How guide files identify a channel: by the id of its channel element, or by a display name. */
export type GuideName = { readonly id: string } | { readonly name: string };

/** The two possible keys of a channel. The second is for channels that would share the first. */
export function iptvKeys(known: GuideName): readonly [DvbTriplet, DvbTriplet] {
  const text = 'id' in known ? `id ${known.id.toLowerCase()}` : `name ${comparedName(known.name) || known.name}`;
  const digest = createHash('sha256').update(text).digest();
  const keyAt = (at: number): DvbTriplet => ({
    originalNetworkId: privateNetworks | digest.readUInt8(at),
    transportStreamId: digest.readUInt16BE(at + 1),
    // 0 is not a valid service id.
    serviceId: digest.readUInt16BE(at + 3) || 1,
  });
  return [keyAt(0), keyAt(5)];
}
