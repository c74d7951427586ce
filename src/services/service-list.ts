/** Services and lists of them as `Services` returns them: immutable records. */
import type { DvbTriplet } from '../dvb/triplet.ts';
import type { BouquetKind } from './bouquets.ts';
import type { ServiceReference } from './reference.ts';

/** A service of the service list (lamedb), or a channel of an IPTV list. */
export interface Service {
  /** Without name, flags 0. */
  readonly reference: ServiceReference;
  /** Without the marks U+0086/U+0087 around a short name. */
  readonly name: string;
  /** The text between these marks; the name if there are none. */
  readonly shortName: string;
  /** Empty if unknown. */
  readonly provider: string;
}

/**
 * The services with the same identifiers: several if it is received from several positions, or if an IPTV list has it in
 * several qualities.
 */
export interface SameServices {
  readonly dvb: DvbTriplet;
  /** In the order of the list. */
  readonly services: readonly Service[];
  /** Index in `ServiceIndex.same`. */
  readonly place: number;
}

/** A list in bouquets.tv or bouquets.radio. */
export interface Bouquet {
  /** As the root lists it, with `FROM BOUQUET "FILE" ORDER BY bouquet` as its path. */
  readonly reference: ServiceReference;
  readonly name: string;
  readonly file: string;
  readonly kind: BouquetKind;
  readonly hidden: boolean;
  /** Count of numbers that the bouquets before this one use, in the continuous run over the root. */
  readonly startpos: number;
}

/** One entry of a bouquet, a root or a query, with everything a list shows. */
export interface ServiceEntry {
  /** As listed: flags, and the entry's own name if it has one. Clients get its `format()`. */
  readonly reference: ServiceReference;
  /** Own name, else that of the service list or bouquet, else `<n/a>`. */
  readonly name: string;
  /** Provider of the service, empty if unknown. */
  readonly provider: string;
  /**
   * Position in this list for the web interface: counts all but markers and hidden entries, and numbered markers; 0 =
   * none.
   */
  readonly pos: number;
  /** Channel number, counted over all bouquets of the root or from 1 in each; 0 = none. */
  readonly number: number;
  /** Always counted over all bouquets of the root; 0 = none. */
  readonly running: number;
  /** Only in the list of a root: as Bouquet.startpos. */
  readonly startpos?: number;
}

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
