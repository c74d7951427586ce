/** Services and lists of services as `Services` returns them: immutable records. */
import type { DvbTriplet } from '../dvb/triplet.ts';
import type { BouquetKind } from './bouquets.ts';
import type { ServiceReference } from './reference.ts';

/** A service of the service list (lamedb), or a channel of an IPTV list. */
export interface Service {
  /** Without name, flags 0. */
  readonly reference: ServiceReference;
  /** Without the emphasis codes U+0086/U+0087 around a short name. */
  readonly name: string;
  /** The text between these codes; the name if there are none. */
  readonly shortName: string;
  /** Channel number of ATSC: `10.1`; empty or missing if the list has none. */
  readonly channel?: string;
  /** Empty if unknown. */
  readonly provider: string;
  /** Whether the last scan found it encrypted. */
  readonly isEncrypted: boolean;
}

/**
 * The services with the same identifiers: several if one is received from several positions, or if an IPTV list has one
 * in several qualities.
 */
export interface SameServices {
  readonly dvb: DvbTriplet;
  /** In the order of the list. */
  readonly services: readonly Service[];
  /** Index in `ServiceIndex.same`. */
  readonly index: number;
}

/** A list in bouquets.tv or bouquets.radio. */
export interface Bouquet {
  /** As the root lists it, with `FROM BOUQUET "FILE" ORDER BY bouquet` as its path. */
  readonly reference: ServiceReference;
  readonly name: string;
  readonly file: string;
  readonly kind: BouquetKind;
  readonly hidden: boolean;
  /** Numbers that the bouquets before this one use in the continuous count over the root. */
  readonly startpos: number;
}

/** One entry of a bouquet, a root or a query, with everything that a list shows. */
export interface ServiceEntry {
  /** As listed, with flags and the entry's own name if it has one. Clients receive its `format()`. */
  readonly reference: ServiceReference;
  /** Name of the entry, otherwise that in the service list or bouquet, otherwise `<n/a>`. */
  readonly name: string;
  /** Provider of the service, empty if unknown. */
  readonly provider: string;
  /**
   * Position in this list for the web interface, 0 = none. Counts numbered markers, and all entries but markers and
   * hidden ones.
   */
  readonly pos: number;
  /** Channel number, counted over all bouquets of the root or from 1 in each; 0 = none. */
  readonly number: number;
  /** Channel number of ATSC, shown instead of `number`: `10.1`; missing if there is none. */
  readonly channel?: string;
  /** Always counted over all bouquets of the root; 0 = none. */
  readonly running: number;
  /** Only in the list of a root: as Bouquet.startpos. */
  readonly startpos?: number;
}

/** The channel number to show: that of ATSC, otherwise the place in the bouquets; '' if it has none. */
export const shownNumber = ({ channel, number }: Pick<ServiceEntry, 'channel' | 'number'>) =>
  channel ?? (number === 0 ? '' : `${number}`);

/** The contents of a container reference. */
export interface ServiceList {
  readonly reference: ServiceReference;
  readonly name: string;
  readonly entries: readonly ServiceEntry[];
  /** Last `pos` assigned, counting hidden numbered markers too. */
  readonly lastPos: number;
}

/** A bouquet with its entries. */
export interface FilledBouquet extends Bouquet {
  readonly entries: readonly ServiceEntry[];
}

export interface ListOptions {
  /** Include entries with the hidden flag (default false). */
  readonly hidden?: boolean;
}
