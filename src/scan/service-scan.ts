/**
 * Merges the results of a scan into the lists: transponders and services into the service list, and services into
 * bouquets.
 *
 * - A service counts as listed if the list has one with the same service, stream and network id and the same source. It
 *   keeps its reference even if a new scan would give it another type or sub-network, so that bouquets and clients
 *   still find it. Its name and provider follow the broadcast unless a flag forbids it (`keepName`, `ignoreSdt`).
 *   Listed services are never removed.
 * - If there are no bouquets but those of other receivers, "Favourites (TV)" and "Favourites (Radio)" are created, in the order of the
 *   broadcaster's channel numbers. Later results extend them until they are edited or the receiver stops.
 * - Existing bouquets belong to the user: new services are added only to "Last Scanned", which contains services that
 *   are in no other bouquet.
 */
import type { BroadcastService, DeliverySystem, MultiplexInformation } from '../dvb/multiplex.ts';
import {
  areFeeds,
  defaultParameters,
  isSamePlace,
  numberOf,
  type SatelliteParameters,
  type Transponder,
  type TransponderParameters,
  transponderKey,
  words,
} from '../dvb/transponder.ts';
import { type PlacedService, tripletKey } from '../dvb/triplet.ts';
import { type BouquetFile, boxBouquetStart } from '../services/bouquet-file.ts';
import type { BouquetKind } from '../services/bouquets.ts';
import { nameNumber, withEntryNumber } from '../services/channel-number.ts';
import { type Lamedb, type LamedbService, referenceOf, serviceFlags, serviceKey } from '../services/lamedb.ts';
import { oneLine, withoutEmphasis } from '../services/lines.ts';
import { compareNames } from '../services/name-order.ts';
import { namespaceSources, radioTypes, type ServiceReference, televisionTypes } from '../services/reference.ts';
import type { EditableLists, Services } from '../services/services.ts';

export interface ScanResult {
  /** Services that were not in the list before. */
  readonly added: readonly ServiceReference[];
  readonly renamed: readonly {
    readonly reference: ServiceReference;
    readonly before: string;
    readonly after: string;
  }[];
  /** Listed services that are no longer on their multiplex. They stay in the list. */
  readonly vanished: readonly ServiceReference[];
}

export interface MergeOptions {
  /** No more data is expected. Default false. */
  readonly settled?: boolean;
  /** Services on other multiplexes: listed, so that the guide has names for them, but added to no bouquet. */
  readonly others?: readonly BroadcastService[];
  /**
   * Parameters with which a front end has received the multiplex. They replace those of the NIT, which may be wrong.
   */
  readonly tuned?: TransponderParameters;
}

const favouriteNames: Readonly<Record<BouquetKind, string>> = { tv: 'Favourites (TV)', radio: 'Favourites (Radio)' };
const lastScannedFile = 'userbouquet.LastScanned.tv';
const lastScannedName = 'Last Scanned';
const terrestrial = (namespaceSources.terrestrial << 16) >>> 0;

/** A service found by the scans of this run, as listed. */
interface Found {
  readonly reference: ServiceReference;
  readonly kind: BouquetKind | undefined;
  readonly name: string;
  readonly numbers: NumberSource;
}

/** The fields that determine the channel number of a service. */
type NumberSource = Pick<
  BroadcastService,
  'originalNetworkId' | 'channelNumber' | 'minorNumber' | 'simulcastNumber' | 'visible'
>;

/** The place of a transport stream in the list. */
interface Place {
  /** Namespace for new services. */
  readonly namespace: number;
  /** Where the place is known from; undefined if it is only assumed. */
  readonly source: 'broadcast' | 'list' | undefined;
  /** True if services listed with that namespace belong to this transport stream. */
  holds(namespace: number): boolean;
}

/** Merges all scans of one run of the receiver. */
export class ServiceScan {
  readonly #services: Services;
  /** Services found, by identity, in the order found. */
  readonly #found = new Map<string, Found>();
  /**
   * Favourites created by this run, with their revision after our last edit. Another revision means that they were
   * edited elsewhere.
   */
  readonly #createdBouquets = new Map<BouquetFile, number>();
  /** Satellite transponders received in this run, by their keys in the list. */
  readonly #received: Received = new Map();
  /** Services added in this run while their source was unknown, by their ids. */
  readonly #withoutSource = new Map<number, LamedbService>();
  #hasNewServices = false;

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * Merges the state of a multiplex into the lists in memory; `services.save()` writes them. It may be called again
   * whenever that state grows; an unchanged state changes nothing.
   *
   * Until the state is `settled`, services that no SDT describes and multiplexes without a source in the NIT are not
   * merged (an SDT is sent every 2 s, a NIT every 10 s).
   */
  merge(multiplex: MultiplexInformation, options: MergeOptions = {}): ScanResult {
    return this.#services.edit((lists) => {
      const result = this.#mergeServices(lists.lamedb, multiplex, options);
      if (result.added.length > 0) this.#hasNewServices = true;
      this.#fillBouquets(lists);
      return result;
    });
  }

  /** True if another transponder with the same identifiers was received in this run. */
  isFeed(multiplex: MultiplexInformation): boolean {
    const own = satelliteOf(multiplex);
    const isHere = isOfStream(multiplex);
    return own !== undefined && [...this.#received.values()].some((one) => isHere(one) && !isSamePlace(one.at, own));
  }

  /** True if a transponder with its identifiers, frequency and polarisation is listed. */
  isListed(multiplex: MultiplexInformation, tuned?: TransponderParameters): boolean {
    return this.#listedAt(multiplex, satelliteOf(multiplex, tuned)).length > 0;
  }

  /** Records that a listed transponder was received in this run, although it is not merged. Needed for `isFeed`. */
  recordListed(multiplex: MultiplexInformation): void {
    const at = satelliteOf(multiplex);
    for (const one of this.#listedAt(multiplex, at)) if (at) this.#received.set(transponderKey(one), { ...one, at });
  }

  #listedAt(multiplex: MultiplexInformation, at: SatelliteParameters | undefined): Transponder[] {
    const isThere = ({ parameters: its }: Transponder) =>
      at !== undefined && its.kind === 'satellite' && isSamePlace(its, at);
    return this.#services.transponders().filter(isOfStream(multiplex)).filter(isThere);
  }

  #mergeServices(
    list: Lamedb,
    multiplex: MultiplexInformation,
    { settled = false, others = [], tuned }: MergeOptions,
  ): ScanResult {
    const added: ServiceReference[] = [];
    const renamed: { reference: ServiceReference; before: string; after: string }[] = [];
    const present = new Set<string>();
    const known = knownServices(list, multiplex);
    const places = new Map<string, Place>();
    for (const service of [...multiplex.services, ...others]) {
      if (!service.described && !multiplex.complete && !settled) continue;
      const stream = `${service.originalNetworkId}:${service.transportStreamId}`;
      const place =
        places.get(stream) ??
        (others.includes(service)
          ? findPlace(list, multiplex, service, undefined, new Map())
          : findPlace(list, multiplex, service, tuned, this.#received));
      places.set(stream, place);
      if (place.source === undefined && !settled) continue;
      if (place.source === 'broadcast') this.#removeAssumed(list, service, place);
      const listed = (known.get(tripletKey(service)) ?? []).filter(({ namespace }) => place.holds(namespace));
      for (const before of listed) {
        const after = updated(before, service);
        if (list.putService(after) && after.name !== before.name) {
          renamed.push({ reference: referenceOf(before), before: before.name, after: after.name });
        }
        present.add(referenceOf(before).identity);
      }
      const first = listed[0] ?? newService(service, place.namespace);
      if (listed.length === 0) {
        list.putService(first);
        added.push(referenceOf(first));
        if (place.source === undefined) this.#withoutSource.set(tripletKey(service), first);
      }
      if (!others.includes(service)) this.#remember(first, service);
    }
    const missing = multiplex.complete ? [...known.values()].flat() : [];
    const vanished = missing
      .filter((one) => places.get(`${one.originalNetworkId}:${one.transportStreamId}`)?.holds(one.namespace))
      .map(referenceOf)
      .filter((reference) => !present.has(reference.identity));
    return { added, renamed, vanished };
  }

  /**
   * Removes a service added without a source that the NIT now contradicts; it is added again with its true reference.
   */
  #removeAssumed(list: Lamedb, service: BroadcastService, place: Place): void {
    const before = this.#withoutSource.get(tripletKey(service));
    if (before === undefined) return;
    this.#withoutSource.delete(tripletKey(service));
    if (place.holds(before.namespace)) return;
    this.#found.delete(referenceOf(before).identity);
    list.removeService(serviceKey(before));
  }

  #remember(listed: LamedbService, service: BroadcastService): void {
    const reference = referenceOf(listed);
    const kind = service.visible ? kindOf(listed.serviceType, service) : undefined;
    const { originalNetworkId, channelNumber, minorNumber, simulcastNumber, visible } = service;
    const numbers = { originalNetworkId, channelNumber, minorNumber, simulcastNumber, visible };
    this.#found.set(reference.identity, { reference, kind, name: service.name || listed.name, numbers });
  }

  #fillBouquets(lists: EditableLists): void {
    const isEmpty = (kind: BouquetKind) =>
      this.#services.bouquets(kind, { hidden: true }).every(({ file }) => file.startsWith(boxBouquetStart));
    if (isEmpty('tv') && isEmpty('radio')) {
      for (const kind of ['tv', 'radio'] as const) {
        const file = `userbouquet.favourites.${kind}`;
        const made = lists.bouquet(file) ?? lists.addBouquet(favouriteNames[kind], kind, file);
        this.#createdBouquets.set(made, made.revision);
      }
    }
    const ours = [...this.#createdBouquets].filter(
      ([file, revision]) => lists.bouquet(file.file) === file && file.revision === revision,
    );
    this.#createdBouquets.clear();
    for (const [file] of ours) {
      file.replace(this.#ordered(file.file.endsWith('.radio') ? 'radio' : 'tv'));
      this.#createdBouquets.set(file, file.revision);
    }
    if (this.#hasNewServices) this.#fillLastScanned(lists);
  }

  #fillLastScanned(lists: EditableLists): void {
    const found = [...this.#ordered('tv'), ...this.#ordered('radio')];
    const elsewhere = new Set<string>();
    for (const file of lists.bouquets()) {
      if (file.file === lastScannedFile) continue;
      for (const { reference } of file.entries) elsewhere.add(reference.identity);
    }
    const before = lists.bouquet(lastScannedFile);
    if (before === undefined && found.every((reference) => elsewhere.has(reference.identity))) return;
    const listed = new Set(found.map((reference) => reference.identity));
    const kept = (before?.entries ?? [])
      .map(({ reference }) => reference)
      .filter(({ identity, isMarker }) => !isMarker && !elsewhere.has(identity) && !listed.has(identity));
    const bouquet = before ?? lists.addBouquet(lastScannedName, 'tv', lastScannedFile);
    bouquet.replace([...found, ...kept]);
  }

  /** Returns services of one kind by channel number, then those without one by name. */
  #ordered(kind: BouquetKind): ServiceReference[] {
    const found = [...this.#found.values()];
    const numbers = channelNumbers(found.map((one) => one.numbers));
    const number = ({ numbers: its }: Found) =>
      (numbers.get(its) ?? Number.MAX_SAFE_INTEGER) + (its.minorNumber ?? 0) / 1024;
    return found
      .filter((one) => one.kind === kind)
      .sort((a, b) => number(a) - number(b) || compareNames(a.name, b.name))
      .map(({ reference }) => reference);
  }
}

/**
 * Assigns channel numbers as an HD receiver does (EACEM E-Book, IEC 62216): a visible service takes its HD simulcast
 * number, and the service of the network with that number gets the HD service's number, or none. `services` are those
 * that can be received: without the HD service, the other one keeps its number.
 */
export function channelNumbers<Service extends NumberSource>(
  services: readonly Service[],
): ReadonlyMap<Service, number | null> {
  const exchanged = new Map<string, number | null>();
  const key = ({ originalNetworkId }: NumberSource, number: number) => `${originalNetworkId}:${number}`;
  for (const service of services) {
    if (service.simulcastNumber === null || !service.visible) continue;
    const taken = key(service, service.simulcastNumber);
    if (!exchanged.has(taken)) exchanged.set(taken, service.channelNumber);
  }
  return new Map(
    services.map((service) => {
      const { channelNumber, simulcastNumber } = service;
      if (simulcastNumber !== null || channelNumber === null) return [service, simulcastNumber];
      const replacement = exchanged.get(key(service, channelNumber));
      return [service, replacement === undefined ? channelNumber : replacement];
    }),
  );
}

/** Converts to the parameters of a lamedb transponder; undefined if the broadcast does not contain the frequency. */
export function parametersOf(delivery: DeliverySystem): TransponderParameters | undefined {
  if (delivery.frequency === 0) return undefined;
  const automaticInversion = 2;
  switch (delivery.system) {
    case 'satellite':
      return {
        kind: 'satellite',
        ...defaultParameters.satellite,
        frequency: delivery.frequency,
        symbolRate: delivery.symbolRate,
        polarisation: numberOf(words.polarisation, delivery.polarisation),
        fec: numberOf(words.fec, delivery.innerFec),
        orbitalPosition: ((delivery.orbitalPosition % 3600) + 3600) % 3600,
        inversion: automaticInversion,
        system: delivery.secondGeneration ? 1 : 0,
        modulation: numberOf(words.satelliteModulation, delivery.modulation),
        rollOff: numberOf(words.rollOff, (delivery.rollOff / 100).toFixed(2), 0),
        streamId: delivery.inputStream,
        plsCode: delivery.scramblingSequence,
      };
    case 'cable':
      return {
        kind: 'cable',
        ...defaultParameters.cable,
        frequency: Math.round(delivery.frequency / 1000),
        symbolRate: delivery.symbolRate,
        modulation: numberOf(words.cableModulation, delivery.modulation),
        fec: numberOf(words.fec, delivery.innerFec),
      };
    case 'terrestrial':
      return {
        kind: 'terrestrial',
        ...defaultParameters.terrestrial,
        frequency: delivery.frequency,
        bandwidth: numberOf(words.bandwidth, String(delivery.bandwidth / 1e6)),
        codeRateHigh: numberOf(words.codeRate, delivery.codeRateHigh),
        codeRateLow: numberOf(words.codeRate, delivery.codeRateLow),
        constellation: numberOf(words.constellation, delivery.constellation),
        transmissionMode: numberOf(words.transmissionMode, delivery.transmissionMode),
        guardInterval: numberOf(words.guardInterval, delivery.guardInterval),
        hierarchy: numberOf(words.hierarchy, delivery.hierarchy),
        inversion: automaticInversion,
        system: delivery.isdb ? 2 : delivery.secondGeneration ? 1 : 0,
        plpId: Math.max(0, delivery.plpId),
      };
  }
}

/** Returns the listed services with the ids of this multiplex, by triplet. */
function knownServices(list: Lamedb, multiplex: MultiplexInformation): Map<number, LamedbService[]> {
  const streams = new Set(
    multiplex.services.map((service) => `${service.originalNetworkId}:${service.transportStreamId}`),
  );
  const known = new Map<number, LamedbService[]>();
  for (const service of list.services()) {
    if (!streams.has(`${service.originalNetworkId}:${service.transportStreamId}`)) continue;
    const { dvb } = referenceOf(service);
    if (dvb === undefined) continue;
    const id = tripletKey(dvb);
    known.set(id, [...(known.get(id) ?? []), service]);
  }
  return known;
}

/** Satellite transponders received in a run, by their keys in the list. */
type Received = Map<string, Omit<Transponder, 'parameters'> & { readonly at: SatelliteParameters }>;

interface StreamIds {
  readonly transportStreamId: number | null;
  readonly originalNetworkId: number | null;
}

const isOfStream =
  ({ transportStreamId, originalNetworkId }: StreamIds) =>
  (one: StreamIds) =>
    one.transportStreamId === transportStreamId && one.originalNetworkId === originalNetworkId;

/**
 * Returns frequency and polarisation of a multiplex on a satellite. The polarisation of the NIT takes precedence, since
 * a dish may receive the other one as well.
 */
function satelliteOf(
  { transportStreams, ...ids }: StreamIds & Pick<MultiplexInformation, 'transportStreams'>,
  tuned?: TransponderParameters,
): SatelliteParameters | undefined {
  const delivery = transportStreams.find(isOfStream(ids))?.delivery;
  const named = delivery ? parametersOf(delivery) : undefined;
  const at = tuned ?? named;
  if (at?.kind !== 'satellite') return undefined;
  const isNear = named?.kind === 'satellite' && isSamePlace({ ...at, polarisation: named.polarisation }, named);
  return isNear ? { ...at, polarisation: named.polarisation } : at;
}

/**
 * Returns whether a multiplex with the identifiers of a service is the one where the service is listed; `unknown`
 * before its NIT. It matters only if several transponders of a satellite are listed with these identifiers.
 */
export function placeOf(
  services: Services,
  service: PlacedService,
  multiplex: MultiplexInformation,
): 'here' | 'elsewhere' | 'unknown' {
  const alike = services.transpondersWithIdsOf(service);
  const own = alike.find(({ namespace }) => namespace === service.namespace);
  if (own?.parameters.kind !== 'satellite') return 'here';
  const { parameters } = own;
  if (!alike.some((one) => areFeeds(one, own))) return 'here';
  const at = satelliteOf(multiplex);
  if (at === undefined) return 'unknown';
  return isSamePlace(at, parameters) ? 'here' : 'elsewhere';
}

/**
 * Finds the place of a service's multiplex, and lists its transponder if it is new. A listed transponder keeps its
 * parameters. It also keeps its namespace if only the sub-network differs, since images differ in the networks that
 * they distinguish.
 *
 * Feeds on several transponders of a satellite may have the same identifiers. Each takes the namespace under which its
 * frequency is listed. A feed that is not listed, while the namespace belongs to another one of `received`, gets a
 * namespace with a hash of frequency and polarisation.
 *
 * If the broadcast does not contain its delivery system, a multiplex listed from any source is assumed to be that one;
 * a new one counts as terrestrial.
 */
function findPlace(
  list: Lamedb,
  multiplex: MultiplexInformation,
  service: BroadcastService,
  tuned: TransponderParameters | undefined,
  received: Received,
): Place {
  const search = new PlaceSearch(list, multiplex, service, tuned, received);
  const namespace = search.chooseNamespace();
  search.recordReceived(namespace);
  search.listTransponder(namespace);
  return { namespace, source: search.source, holds: (one) => search.holds(one) };
}

/** The steps of `findPlace` for one transport stream. */
class PlaceSearch {
  readonly #list: Lamedb;
  readonly #ids: Pick<Transponder, 'transportStreamId' | 'originalNetworkId'>;
  readonly #tuned: TransponderParameters | undefined;
  readonly #received: Received;
  /** Namespace and parameters by the NIT; null and undefined while it does not contain them. */
  readonly #nitNamespace: number | null;
  readonly #nitParameters: TransponderParameters | undefined;
  /** Its frequency and polarisation; undefined if it is not on a satellite, or unknown. */
  readonly #satellite: SatelliteParameters | undefined;
  /** Namespaces under which the stream is listed, by its transponder or its services. */
  readonly #listed: readonly number[];
  /** The part of `listed` whose transponder has the same frequency and polarisation. */
  readonly #listedHere: readonly number[];

  constructor(
    list: Lamedb,
    { transportStreams }: MultiplexInformation,
    { transportStreamId, originalNetworkId }: BroadcastService,
    tuned: TransponderParameters | undefined,
    received: Received,
  ) {
    this.#list = list;
    this.#ids = { transportStreamId, originalNetworkId };
    this.#tuned = tuned;
    this.#received = received;
    const isThisStream = isOfStream(this.#ids);
    const { namespace, delivery } = transportStreams.find(isThisStream) ?? { namespace: null, delivery: null };
    this.#nitNamespace = namespace;
    this.#nitParameters = delivery === null ? undefined : parametersOf(delivery);
    this.#satellite = satelliteOf({ ...this.#ids, transportStreams }, tuned);
    this.#listed = [...list.transponders(), ...list.services()].filter(isThisStream).map((one) => one.namespace);
    this.#listedHere = this.#listed.filter((one) => this.#isOfSource(one) && this.#isHere(this.#listedParameters(one)));
  }

  /** Where the place is known from. */
  get source(): Place['source'] {
    if (this.#nitNamespace !== null || this.#tuned) return 'broadcast';
    return this.#listed.length > 0 ? 'list' : undefined;
  }

  /** True if services listed with that namespace belong to this stream. */
  holds(namespace: number): boolean {
    return this.#isOfSource(namespace) && !this.#isOtherFeed(namespace);
  }

  /** Chooses the namespace: a listed one with the same frequency, one of the same source, otherwise a new one. */
  chooseNamespace(): number {
    const nit = this.#nitNamespace;
    return (
      this.#listedHere.find((one) => one === nit) ??
      this.#listedHere[0] ??
      this.#listed.find((one) => one === nit && this.holds(one)) ??
      this.#listed.find((one) => this.holds(one)) ??
      this.#newNamespace()
    );
  }

  /** Records a satellite transponder as received in this run. */
  recordReceived(namespace: number): void {
    if (this.#satellite) this.#received.set(this.#keyOf(namespace), { namespace, ...this.#ids, at: this.#satellite });
  }

  /** Lists the transponder if it is new, or if it was received at a new frequency. */
  listTransponder(namespace: number): void {
    const parameters = this.#tuned ? completed(this.#tuned, this.#nitParameters) : this.#nitParameters;
    const before = this.#list.transponder(this.#keyOf(namespace))?.parameters;
    if (parameters && (before === undefined || (this.#tuned && hasMoved(before, parameters)))) {
      this.#list.putTransponder({ namespace, ...this.#ids, parameters });
    }
  }

  /**
   * True if the namespace has the source in the NIT; the lower half counts only if the ids of the stream are not
   * unique.
   */
  #isOfSource(namespace: number): boolean {
    const nit = this.#nitNamespace;
    if (nit === null) return true;
    const hasAmbiguousIds = (nit & 0xffff) !== 0;
    return hasAmbiguousIds ? namespace === nit : namespace >>> 16 === nit >>> 16;
  }

  /** True if that namespace belongs to another feed with the same identifiers. */
  #isOtherFeed(namespace: number): boolean {
    const isListedHere = this.#listedHere.length > 0;
    const at = isListedHere ? this.#listedParameters(namespace) : this.#received.get(this.#keyOf(namespace))?.at;
    return this.#satellite !== undefined && at !== undefined && !this.#isHere(at);
  }

  #isHere(at: SatelliteParameters | undefined): boolean {
    return this.#satellite !== undefined && at !== undefined && isSamePlace(at, this.#satellite);
  }

  #listedParameters(namespace: number): SatelliteParameters | undefined {
    const parameters = this.#list.transponder(this.#keyOf(namespace))?.parameters;
    return parameters?.kind === 'satellite' ? parameters : undefined;
  }

  /** The namespace by Enigma2's rules, with a hash if another feed has that one. */
  #newNamespace(): number {
    const namespace = this.#nitNamespace ?? namespaceOf(this.#tuned);
    return this.#satellite && this.#isOtherFeed(namespace) ? withHash(namespace, this.#satellite) : namespace;
  }

  #keyOf(namespace: number): string {
    return transponderKey({ namespace, ...this.#ids });
  }
}

/**
 * Enigma2's namespace without a NIT: terrestrial, unless tuned on satellite or cable. In ATSC, whose network id 0 is
 * ambiguous, it has the frequency in MHz.
 */
function namespaceOf(tuned: TransponderParameters | undefined): number {
  if (tuned?.kind === 'satellite') return (tuned.orbitalPosition << 16) >>> 0;
  if (tuned?.kind === 'atsc') {
    const source = tuned.system === 1 ? namespaceSources.cable : namespaceSources.terrestrial;
    return ((source << 16) | (Math.trunc(tuned.frequency / 1e6) & 0xffff)) >>> 0;
  }
  return tuned?.kind === 'cable' ? (namespaceSources.cable << 16) >>> 0 : terrestrial;
}

/** Adds the lower half that Enigma2 gives to transponders whose identifiers are not unique. */
function withHash(namespace: number, { frequency, polarisation }: SatelliteParameters): number {
  const hash = (Math.trunc(frequency / 1000) & 0xffff) | ((polarisation & 1) << 15);
  return ((namespace & 0xffff0000) | hash) >>> 0;
}

/** Takes parameters that were unknown while tuning from the NIT. */
function completed(tuned: TransponderParameters, named: TransponderParameters | undefined): TransponderParameters {
  const isOpen = tuned.kind === 'terrestrial' && tuned.system < 0;
  return isOpen && named?.kind === 'terrestrial' ? { ...named, frequency: tuned.frequency } : tuned;
}

/** True if the frequency has changed by more than a correction. */
function hasMoved(before: TransponderParameters, now: TransponderParameters): boolean {
  const megahertz = now.kind === 'satellite' || now.kind === 'cable' ? 1000 : 1_000_000;
  return before.kind !== now.kind || Math.abs(before.frequency - now.frequency) >= 2 * megahertz;
}

function updated(before: LamedbService, service: BroadcastService): LamedbService {
  const fixed = (before.flags & (serviceFlags.keepName | serviceFlags.ignoreSdt)) !== 0;
  if (fixed) return before;
  const { provider } = service;
  const sameName = withoutEmphasis(before.name) === withoutEmphasis(markedName(service));
  return {
    ...before,
    name: (sameName ? '' : markedName(service)) || before.name,
    provider: plain(provider) || before.provider,
    others: withEntryNumber(before.others, service),
  };
}

function newService(service: BroadcastService, namespace: number): LamedbService {
  const { serviceId, transportStreamId, originalNetworkId, caSystems } = service;
  return {
    serviceId,
    namespace,
    transportStreamId,
    originalNetworkId,
    serviceType: typeOf(service),
    number: 0,
    sourceId: service.sourceId,
    name: markedName(service) || `Service ${serviceId}`,
    provider: plain(service.provider),
    flags: serviceFlags.newFound | (service.visible ? 0 : serviceFlags.hidden),
    cache: [],
    caSystems,
    others: withEntryNumber([], service),
  };
}

/**
 * The name for lists: with the emphasis codes of EN 300 468 Annex A.1 around its short form, if that is contiguous, and
 * with the number of an ATSC channel before it.
 */
function markedName(service: BroadcastService): string {
  const [text, short] = [plain(service.name), plain(service.shortName)];
  const number = nameNumber(service);
  if (number !== '' && text !== '') return `${number} ${text}`;
  const at = short === '' || short === text ? -1 : text.indexOf(short);
  return at < 0 ? text : `${text.slice(0, at)}\u0086${short}\u0087${text.slice(at + short.length)}`;
}

/** Converts a text of the SDT to the form that a list can hold. */
function plain(text: string): string {
  return oneLine(text).trim();
}

/**
 * service_type as broadcast. Without an SDT, the streams decide: data (12) if they are neither video nor audio,
 * television (1) if there is no PMT either.
 */
function typeOf({ type, described, streams }: BroadcastService): number {
  const codec = described ? undefined : streams.find((stream) => stream.kind === 'video')?.codec;
  if (codec === 'HEVC') return 0x1f;
  if (codec === 'H.264') return 0x19;
  if (type !== 0) return type;
  return !described && streams.length === 0 ? 0x01 : 0x0c;
}

/** Television or radio; undefined for data and similar. For a user-defined type, the streams decide. */
function kindOf(serviceType: number, service: BroadcastService): BouquetKind | undefined {
  if (televisionTypes.has(serviceType)) return 'tv';
  if (radioTypes.has(serviceType)) return 'radio';
  return service.streams.some((stream) => stream.kind === 'video') ? 'tv' : undefined;
}
