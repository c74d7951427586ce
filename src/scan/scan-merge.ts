/**
 * Merges the result of a scan into the lists: the transponder and its services into the service list, and the services
 * into bouquets.
 *
 * - A service is already listed if one has the same service, stream and network id and the same source. It then keeps
 *   its reference, whatever type or sub-network a fresh scan would give it, so that bouquets and clients still find it.
 *   Its name and provider follow the broadcast unless the list forbids it (`keepName`, `ignoreSdt`). Nothing is ever
 *   removed.
 * - If there are no bouquets at all, "Favourites (TV)" and "Favourites (Radio)" are created, in the order of the
 *   broadcaster's channel numbers. Later finds extend them until somebody else changes them or the receiver stops.
 * - Existing bouquets are the user's: new services go only to "Last Scanned", which holds those that are in no other
 *   list.
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
import type { BouquetFile } from '../services/bouquet-file.ts';
import type { BouquetKind } from '../services/bouquets.ts';
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
  readonly settled?: boolean;
  readonly others?: readonly BroadcastService[];
  readonly tuned?: TransponderParameters;
}

const favouriteNames: Readonly<Record<BouquetKind, string>> = { tv: 'Favourites (TV)', radio: 'Favourites (Radio)' };
const lastScannedFile = 'userbouquet.LastScanned.tv';
const lastScannedName = 'Last Scanned';
const terrestrial = (namespaceSources.terrestrial << 16) >>> 0;

/** A service found by the scans of this run, as it is listed. */
interface Found {
  readonly reference: ServiceReference;
  readonly kind: BouquetKind | undefined;
  readonly name: string;
  readonly numbers: Numbered;
}

/** What the channel number of a service follows from. */
type Numbered = Pick<BroadcastService, 'originalNetworkId' | 'channelNumber' | 'simulcastNumber' | 'visible'>;

/** Where a transport stream comes from. */
interface Place {
  /** For new services. */
  readonly namespace: number;
  /** Where this is known from; undefined: not known. */
  readonly source: 'broadcast' | 'list' | undefined;
  /** True if services listed with that namespace belong to this transport stream. */
  holds(namespace: number): boolean;
}

/** All scans of one run of the receiver. */
export class ServiceScan {
  readonly #services: Services;
  /** By identity, in the order found. */
  readonly #found = new Map<string, Found>();
  /**
   * Favourites created by this run, with their revision after the last edit: a different one means that somebody else
   * edited them.
   */
  readonly #made = new Map<BouquetFile, number>();
  /** Satellite transponders received in this run, by their keys in the list. */
  readonly #received: Received = new Map();
  /** Services added in this run while their source was unknown, by their ids. */
  readonly #fromNowhere = new Map<number, LamedbService>();
  #anyNew = false;

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * Merges the state of a multiplex into the lists. May be called again whenever that state grows; an unchanged state
   * changes nothing. Two kinds wait until it is `settled`, when nothing more is expected (an SDT comes every 2 s, a NIT
   * every 10 s): services that no SDT describes, and multiplexes without a NIT that says where they come from. Does not
   * write to the disk: `services.save()` does. `others` are services that cannot be watched from here: they go into the
   * service list, so that the guide has names for them, but into no bouquet. `tuned` are the parameters that a front end
   * has received it with; they are listed instead of those of the NIT, which is not always right.
   */
  merge(multiplex: MultiplexInformation, options: MergeOptions = {}): ScanResult {
    return this.#services.edit((lists) => {
      const result = this.#mergeServices(lists.lamedb, multiplex, options);
      if (result.added.length > 0) this.#anyNew = true;
      this.#fillBouquets(lists);
      return result;
    });
  }

  /** Its identifiers were received in this run, on another transponder. */
  isFeed(multiplex: MultiplexInformation): boolean {
    const own = satelliteOf(multiplex);
    const isHere = isOfStream(multiplex);
    return own !== undefined && [...this.#received.values()].some((one) => isHere(one) && !isSamePlace(one.at, own));
  }

  /** A transponder with its identifiers is listed there. */
  isListed(multiplex: MultiplexInformation, tuned?: TransponderParameters): boolean {
    const own = satelliteOf(multiplex, tuned);
    const isThere = ({ parameters: its }: Transponder) =>
      own !== undefined && its.kind === 'satellite' && isSamePlace(its, own);
    return this.#services.transponders().filter(isOfStream(multiplex)).some(isThere);
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
      if (place.source === 'broadcast') this.#moveFromNowhere(list, service, place);
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
        if (place.source === undefined) this.#fromNowhere.set(tripletKey(service), first);
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

  /** When a late NIT reveals the source of a service added without one, it is added anew under its true reference. */
  #moveFromNowhere(list: Lamedb, service: BroadcastService, place: Place): void {
    const before = this.#fromNowhere.get(tripletKey(service));
    if (before === undefined) return;
    this.#fromNowhere.delete(tripletKey(service));
    if (place.holds(before.namespace)) return;
    this.#found.delete(referenceOf(before).identity);
    list.removeService(serviceKey(before));
  }

  #remember(listed: LamedbService, service: BroadcastService): void {
    const reference = referenceOf(listed);
    const kind = service.visible ? kindOf(listed.serviceType, service) : undefined;
    const { originalNetworkId, channelNumber, simulcastNumber, visible } = service;
    const numbers = { originalNetworkId, channelNumber, simulcastNumber, visible };
    this.#found.set(reference.identity, { reference, kind, name: service.name || listed.name, numbers });
  }

  #fillBouquets(lists: EditableLists): void {
    const isEmpty = (kind: BouquetKind) => this.#services.bouquets(kind, { hidden: true }).length === 0;
    if (isEmpty('tv') && isEmpty('radio')) {
      for (const kind of ['tv', 'radio'] as const) {
        const file = `userbouquet.favourites.${kind}`;
        const made = lists.bouquet(file) ?? lists.addBouquet(favouriteNames[kind], kind, file);
        this.#made.set(made, made.revision);
      }
    }
    const ours = [...this.#made].filter(
      ([file, revision]) => lists.bouquet(file.file) === file && file.revision === revision,
    );
    this.#made.clear();
    for (const [file] of ours) {
      file.replace(this.#ordered(file.file.endsWith('.radio') ? 'radio' : 'tv'));
      this.#made.set(file, file.revision);
    }
    if (this.#anyNew) this.#fillLastScanned(lists);
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

  /** Services of one kind by channel number, then those without one by name. */
  #ordered(kind: BouquetKind): ServiceReference[] {
    const found = [...this.#found.values()];
    const numbers = channelNumbers(found.map((one) => one.numbers));
    const number = (one: Found) => numbers.get(one.numbers) ?? Number.MAX_SAFE_INTEGER;
    return found
      .filter((one) => one.kind === kind)
      .sort((a, b) => number(a) - number(b) || compareNames(a.name, b.name))
      .map(({ reference }) => reference);
  }
}

/**
 * Channel numbers as a receiver for HD has them (EACEM E-Book, IEC 62216): a visible service takes its HD simulcast
 * number, and the service of the network that had it takes in exchange what the HD service had, or none. `services` are
 * those that can be received: without the HD service, the other one keeps its number.
 */
export function channelNumbers<Service extends Numbered>(
  services: readonly Service[],
): ReadonlyMap<Service, number | null> {
  const exchanged = new Map<string, number | null>();
  const key = ({ originalNetworkId }: Numbered, number: number) => `${originalNetworkId}:${number}`;
  for (const one of services) {
    if (one.simulcastNumber === null || !one.visible) continue;
    const taken = key(one, one.simulcastNumber);
    if (!exchanged.has(taken)) exchanged.set(taken, one.channelNumber);
  }
  return new Map(
    services.map((one) => {
      const { channelNumber, simulcastNumber } = one;
      if (simulcastNumber !== null || channelNumber === null) return [one, simulcastNumber];
      const instead = exchanged.get(key(one, channelNumber));
      return [one, instead === undefined ? channelNumber : instead];
    }),
  );
}

/** Converts to the parameters of a lamedb transponder; undefined if the broadcast does not give the frequency. */
export function parametersOf(delivery: DeliverySystem): TransponderParameters | undefined {
  if (delivery.frequency === 0) return undefined;
  const auto = 2; // inversion
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
        inversion: auto,
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
        inversion: auto,
        system: delivery.secondGeneration ? 1 : 0,
        plpId: Math.max(0, delivery.plpId),
      };
  }
}

/** Listed services with ids of this multiplex, by those ids. */
function knownServices(list: Lamedb, multiplex: MultiplexInformation): Map<number, LamedbService[]> {
  const streams = new Set(multiplex.services.map((one) => `${one.originalNetworkId}:${one.transportStreamId}`));
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

/** What a run has received, by the key of the transponder in the list. */
type Received = Map<string, Omit<Transponder, 'parameters'> & { readonly at: SatelliteParameters }>;

interface StreamIds {
  readonly transportStreamId: number | null;
  readonly originalNetworkId: number | null;
}

const isOfStream =
  ({ transportStreamId, originalNetworkId }: StreamIds) =>
  (one: StreamIds) =>
    one.transportStreamId === transportStreamId && one.originalNetworkId === originalNetworkId;

/** Where a multiplex is on its satellite. The NIT knows the polarisation better: the other one may be received too. */
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
 * Whether a multiplex that has the identifiers of a service is the one that it is listed on: `unknown` while its NIT has
 * not said where it is. Only if several transponders of a satellite are listed with these identifiers, there is a choice.
 */
export function placeOf(
  services: Services,
  service: PlacedService,
  multiplex: MultiplexInformation,
): 'here' | 'elsewhere' | 'unknown' {
  const alike = services.transpondersBearing(service);
  const own = alike.find(({ namespace }) => namespace === service.namespace);
  if (own?.parameters.kind !== 'satellite') return 'here';
  const { parameters } = own;
  if (!alike.some((one) => areFeeds(one, own))) return 'here';
  const at = satelliteOf(multiplex);
  if (at === undefined) return 'unknown';
  return isSamePlace(at, parameters) ? 'here' : 'elsewhere';
}

/**
 * Finds where a service's multiplex comes from, and adds its transponder if it is not listed. A listed one stays as it
 * is. So does its namespace if only the sub-network differs, since other images distinguished fewer networks, or more.
 * Feeds on several transponders of a satellite may have the same identifiers. Each takes the namespace under which its
 * frequency is listed; one that has none, while the namespace belongs to another one of `received`, gets a namespace with
 * a hash of frequency and polarisation.
 * If the broadcast does not give its delivery system, a multiplex listed from any source is assumed to be that one; a
 * new one counts as terrestrial.
 */
function findPlace(
  list: Lamedb,
  multiplex: MultiplexInformation,
  service: BroadcastService,
  tuned: TransponderParameters | undefined,
  received: Received,
): Place {
  const { transportStreamId, originalNetworkId } = service;
  const isHere = isOfStream(service);
  const { namespace: told, delivery } = multiplex.transportStreams.find(isHere) ?? { namespace: null, delivery: null };
  const isOfSource = (namespace: number) => {
    if (told === null) return true;
    const hasJunkIds = (told & 0xffff) !== 0;
    return hasJunkIds ? namespace === told : namespace >>> 16 === told >>> 16;
  };
  const own = satelliteOf({ ...service, transportStreams: multiplex.transportStreams }, tuned);
  const keyOf = (namespace: number) => transponderKey({ namespace, transportStreamId, originalNetworkId });
  const listedAt = (namespace: number) => {
    const its = list.transponder(keyOf(namespace))?.parameters;
    return its?.kind === 'satellite' ? its : undefined;
  };
  const isThere = (at: SatelliteParameters | undefined) =>
    own !== undefined && at !== undefined && isSamePlace(at, own);
  const listed = [...list.transponders(), ...list.services()].filter(isHere).map((one) => one.namespace);
  const exact = listed.filter((one) => isOfSource(one) && isThere(listedAt(one)));
  const isFeed = (namespace: number) => {
    const at = exact.length > 0 ? listedAt(namespace) : received.get(keyOf(namespace))?.at;
    return own !== undefined && at !== undefined && !isThere(at);
  };
  const holds = (namespace: number) => isOfSource(namespace) && !isFeed(namespace);
  const usual = told ?? namespaceOf(tuned);
  const namespace =
    exact.find((one) => one === told) ??
    exact[0] ??
    listed.find((one) => one === told && holds(one)) ??
    listed.find(holds) ??
    (own && isFeed(usual) ? withHash(usual, own) : usual);
  const named = delivery === null ? undefined : parametersOf(delivery);
  const parameters = tuned ? completed(tuned, named) : named;
  const transponder: Omit<Transponder, 'parameters'> = { namespace, transportStreamId, originalNetworkId };
  if (own) received.set(keyOf(namespace), { ...transponder, at: own });
  const before = list.transponder(transponderKey(transponder))?.parameters;
  if (parameters && (before === undefined || (tuned && hasMoved(before, parameters)))) {
    list.putTransponder({ ...transponder, parameters });
  }
  const source = told !== null || tuned ? 'broadcast' : listed.length > 0 ? 'list' : undefined;
  return { namespace, source, holds };
}

/** Enigma2's namespace where no NIT tells; new transponders count as terrestrial. */
function namespaceOf(tuned: TransponderParameters | undefined): number {
  if (tuned?.kind === 'satellite') return (tuned.orbitalPosition << 16) >>> 0;
  return tuned?.kind === 'cable' ? (namespaceSources.cable << 16) >>> 0 : terrestrial;
}

/** With the lower half that Enigma2 gives to transponders whose identifiers are not unique. */
function withHash(namespace: number, { frequency, polarisation }: SatelliteParameters): number {
  const hash = (Math.trunc(frequency / 1000) & 0xffff) | ((polarisation & 1) << 15);
  return ((namespace & 0xffff0000) | hash) >>> 0;
}

/** What was left open while tuning is taken from the NIT. */
function completed(tuned: TransponderParameters, named: TransponderParameters | undefined): TransponderParameters {
  const isOpen = tuned.kind === 'terrestrial' && tuned.system < 0;
  return isOpen && named?.kind === 'terrestrial' ? { ...named, frequency: tuned.frequency } : tuned;
}

/** The broadcaster has given it another frequency, more than a correction. */
function hasMoved(before: TransponderParameters, now: TransponderParameters): boolean {
  const megahertz = now.kind === 'satellite' || now.kind === 'cable' ? 1000 : 1_000_000;
  return before.kind !== now.kind || Math.abs(before.frequency - now.frequency) >= 2 * megahertz;
}

function updated(before: LamedbService, service: BroadcastService): LamedbService {
  const fixed = (before.flags & (serviceFlags.keepName | serviceFlags.ignoreSdt)) !== 0;
  if (fixed) return before;
  const { provider } = service;
  const sameName = withoutEmphasis(before.name) === plain(service.name);
  return {
    ...before,
    name: (sameName ? '' : markedName(service)) || before.name,
    provider: plain(provider) || before.provider,
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
    sourceId: 0,
    name: markedName(service) || `Service ${serviceId}`,
    provider: plain(service.provider),
    flags: serviceFlags.newFound | (service.visible ? 0 : serviceFlags.hidden),
    cache: [],
    caSystems,
    others: [],
  };
}

/** The name as stored in lists: with the marks of EN 300 468 Annex A.1 around its short form, if that is contiguous. */
function markedName({ name, shortName }: BroadcastService): string {
  const [text, short] = [plain(name), plain(shortName)];
  const at = short === '' || short === text ? -1 : text.indexOf(short);
  return at < 0 ? text : `${text.slice(0, at)}\u0086${short}\u0087${text.slice(at + short.length)}`;
}

/** A text of the SDT in the form a list can hold. */
function plain(text: string): string {
  return oneLine(text).trim();
}

/**
 * service_type as broadcast. Without an SDT it follows the streams: data (12) if they are neither video nor audio,
 * television (1) if there is no PMT either.
 */
function typeOf({ type, described, streams }: BroadcastService): number {
  const codec = described ? undefined : streams.find((stream) => stream.kind === 'video')?.codec;
  if (codec === 'HEVC') return 0x1f;
  if (codec === 'H.264') return 0x19;
  if (type !== 0) return type;
  return !described && streams.length === 0 ? 0x01 : 0x0c;
}

/** Television or radio; undefined for data and the like. A user-defined type is decided by the streams. */
function kindOf(serviceType: number, service: BroadcastService): BouquetKind | undefined {
  if (televisionTypes.has(serviceType)) return 'tv';
  if (radioTypes.has(serviceType)) return 'radio';
  return service.streams.some((stream) => stream.kind === 'video') ? 'tv' : undefined;
}
