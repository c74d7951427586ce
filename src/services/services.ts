/**
 * The service list and the bouquets of one Enigma2 folder as one model in memory.
 *
 * Reading is synchronous and never touches the disk. Every change raises `generation` (an ETag for whoever answers from here)
 * and is announced to the listeners; `save()` writes only the files that changed.
 */
import type { Problem } from './lines.ts';
import type { DvbTriple, ServiceReference } from './reference.ts';

export type { Problem } from './lines.ts';

export type BouquetKind = 'tv' | 'radio';

/** A service of the service list (lamedb). */
export interface Service {
  /** Without name, flags 0. */
  readonly reference: ServiceReference;
  /** Without the marks U+0086/U+0087 around a short name. */
  readonly name: string;
  /** Empty if unknown. */
  readonly provider: string;
}

/** A list in bouquets.tv or bouquets.radio. */
export interface Bouquet {
  /** As the root lists it; canonical `1:7:1:...:FROM BOUQUET "FILE" ORDER BY bouquet`. */
  readonly reference: ServiceReference;
  readonly name: string;
  readonly file: string;
  readonly kind: BouquetKind;
  readonly hidden: boolean;
  /** How many channel numbers the bouquets before this one use up. */
  readonly startpos: number;
}

/** One entry of a bouquet, a root or a query, with everything a list shows of it. */
export interface ServiceEntry {
  /** As listed: flags, and the entry's own name if it has one. `format()` is what clients get. */
  readonly reference: ServiceReference;
  /** Own name, else that of the service list, else `<n/a>`. */
  readonly name: string;
  /** Provider of the service, empty if unknown. */
  readonly provider: string;
  /** Running number inside this list for the web interface: counts all but markers and hidden entries, and numbered markers; 0 = none. */
  readonly pos: number;
  /** Channel number as the receiver counts, over all bouquets of the root; 0 = none. */
  readonly number: number;
  /** Only in the list of a root: as Bouquet.startpos. */
  readonly startpos?: number;
}

/** What a container reference lists. */
export interface ServiceList {
  readonly reference: ServiceReference;
  readonly name: string;
  /** True for bouquets.tv and bouquets.radio. */
  readonly isRoot: boolean;
  readonly entries: readonly ServiceEntry[];
  /** Last `pos` given, counting hidden numbered markers too. */
  readonly lastPos: number;
}

/** A bouquet with its entries. */
export interface FilledBouquet extends Bouquet {
  readonly entries: readonly ServiceEntry[];
}

export interface ListOptions {
  /** Also entries with the hidden flag (default false). */
  readonly hidden?: boolean;
}

export interface Services {
  /** Rises with every change of any list. */
  readonly generation: number;
  readonly folder: string;
  readonly problems: readonly Problem[];
  /** Number of services in the service list. */
  readonly size: number;

  /** Calls `listener` after every change; gives the function that ends this. */
  onChange(listener: (generation: number) => void): () => void;
  /** Reads the folder's files again (servicelistreload). */
  reload(what?: 'all' | 'services' | 'bouquets' | 'parental'): Promise<void>;
  /** Writes the changed files, each by a temporary name, fsync and rename. */
  save(): Promise<void>;

  /**
   * Reads a reference that came over the wire. A text that names nothing known and still holds "%" is decoded once more, since
   * some clients encode twice.
   * @throws ReceiverError `invalid-reference`
   */
  resolve(text: string): ServiceReference;
  /** The service of the list: exactly, else by service, stream, network and source, else by the triple alone. */
  find(reference: ServiceReference): Service | undefined;
  findByTriple(dvb: DvbTriple): Service | undefined;
  /** Exact name, in bouquets first, then in the whole list. */
  findByName(
    name: string,
    within?: { readonly bouquetsOnly?: boolean; readonly bouquet?: ServiceReference },
  ): ServiceReference | undefined;
  /** True if a list, a bouquet or a stream entry holds this reference. */
  knows(reference: ServiceReference): boolean;
  /** Name to show for any reference: its own, the list's, a bouquet's; `<n/a>` if unknown. */
  nameOf(reference: ServiceReference): string;
  /** Empty if unknown. */
  providerOf(reference: ServiceReference): string;

  /** `1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "bouquets.tv" ORDER BY bouquet` or the radio one. */
  root(kind: BouquetKind): ServiceReference;
  bouquets(kind: BouquetKind, options?: ListOptions): readonly Bouquet[];
  bouquetByName(name: string, kind?: BouquetKind): Bouquet | undefined;
  /** What a bouquet, root, alternatives or query reference lists; undefined if it names no list that exists. */
  list(reference: ServiceReference, options?: ListOptions): ServiceList | undefined;
  /** Every bouquet of a root with its entries, those of sub-bouquets in their place. */
  allBouquets(kind: BouquetKind, options?: ListOptions): readonly FilledBouquet[];
  /** Every playable entry of every bouquet in order, each (reference, name) once; no markers, folders or hidden ones. */
  allEntries(kind?: BouquetKind): readonly ServiceEntry[];
  /** The services to try for this reference, in order: the members of alternatives, else itself. */
  playable(reference: ServiceReference): readonly ServiceReference[];
  /** Services of one transport stream. */
  ofMultiplex(originalNetworkId: number, transportStreamId: number): readonly Service[];
}
