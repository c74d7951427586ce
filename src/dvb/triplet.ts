/** The DVB triplet identifies a service (EN 300 468 §5.2.3). Namespace, type and name are not part of it. */

/** The three identifiers, 16 bits each. */
export interface DvbTriplet {
  readonly originalNetworkId: number;
  readonly transportStreamId: number;
  readonly serviceId: number;
}

/**
 * A service and where it is listed. Feeds on different transponders may have the same identifiers; the namespace tells
 * them apart.
 */
export interface PlacedService extends DvbTriplet {
  readonly namespace?: number;
}

/** True if the numbers can name a service: 16 bits each, and not all 0. */
export function isTriplet({ originalNetworkId, transportStreamId, serviceId }: DvbTriplet): boolean {
  const used = serviceId | transportStreamId | originalNetworkId;
  return used !== 0 && used >>> 16 === 0;
}

/** Returns the three identifiers as one number of 48 bits, for maps and sets. */
export function tripletKey({ originalNetworkId, transportStreamId, serviceId }: DvbTriplet): number {
  return (originalNetworkId * 0x10000 + transportStreamId) * 0x10000 + serviceId;
}

/** Packs triplets for native code: three 16-bit numbers each. */
export function packServices(services: readonly DvbTriplet[]): Uint16Array {
  const packed = new Uint16Array(services.length * 3);
  let at = 0;
  for (const { originalNetworkId, transportStreamId, serviceId } of services) {
    packed[at++] = originalNetworkId;
    packed[at++] = transportStreamId;
    packed[at++] = serviceId;
  }
  return packed;
}

/** Formats service, transport stream and original network in hexadecimal: `2B66:3F3:1`. */
export function tripletText({ serviceId, transportStreamId, originalNetworkId }: DvbTriplet): string {
  return [serviceId, transportStreamId, originalNetworkId].map((id) => id.toString(16).toUpperCase()).join(':');
}
