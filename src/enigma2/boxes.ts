/**
 * The Enigma2 boxes, and other receivers with the same interface, that the configuration names. Their services are
 * received from their stream ports once no tuner of this receiver is free; a box decides by itself whether one of its
 * tuners is. Lists and guide are refreshed at the start and later while nothing is received.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { Listeners } from '../base/listeners.ts';
import { isThisMachine } from '../base/network-addresses.ts';
import { TimeSlice } from '../base/time-slice.ts';
import type { Configuration } from '../config/config.ts';
import type { Enigma2Spec } from '../config/enigma2-spec.ts';
import { addressOf, ServerSearch } from '../dvb/server-search.ts';
import { type DvbTriplet, tripletKey } from '../dvb/triplet.ts';
import type {
  FoundService,
  OtherReceivers,
  OthersRefusal,
  PoolTuner,
  ServiceUse,
  TuneOptions,
  TunerLease,
  TunerUse,
} from '../dvb/tuner-pool.ts';
import type { Guide } from '../epg/guide.ts';
import type { GuideStore } from '../epg/guide-store.ts';
import { importXmltv } from '../epg/xmltv.ts';
import type { NetworkStreams } from '../iptv/network-streams.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Service } from '../services/service-list.ts';
import type { Services } from '../services/services.ts';
import { Box, type BoxBouquet, isAway, isRefusedAsBusy, needsLogin, whyNot } from './box.ts';
import { readBoxes, type StoredBox, saveBoxes } from './boxes-file.ts';
import { guideDocument } from './guide-document.ts';
import { importBouquets, referencesIn, type StoredBouquet } from './imported-bouquets.ts';

export interface BoxesParts {
  readonly dataDir: string;
  readonly logins: Configuration['enigma2']['logins'];
  readonly services: Services;
  readonly network: Pick<NetworkStreams, 'download' | 'tune' | 'receiving'>;
  readonly guide: Guide;
  readonly guideStore: Pick<GuideStore, 'saveSoon'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** True if this receiver listens there. */
  readonly isOwn: (address: string, port: number) => boolean;
  /** True while somebody watches or records: lists and guide are not refreshed then. */
  readonly isBusy: () => boolean;
}

/** Milliseconds from the start to the first refresh of the guide, between two, and after a time that was not quiet. */
const firstRefreshMs = 30_000;
const refreshIntervalMs = 6 * 3_600_000;
const busyRetryMs = 600_000;
const wakeTimeoutMs = 5000;
/** Milliseconds between two searches while somebody looks at the list of boxes. */
const recheckMs = 10_000;
/** Milliseconds for a box to notice that a stream was closed; after a second, a refused one may be requested again. */
const releaseMs = 1500;
const maxGuideBytes = 2 ** 30;
/** Below the broadcast, whose events have more fields. */
const guideRank = -1;
/** The number of the first tuner of a box: those of the pool are smaller. */
const firstNumber = 1000;

/** A box as the interfaces show it. */
export interface BoxState {
  readonly name: string;
  /** As in the configuration: `enigma2:192.0.2.9`. */
  readonly source: string;
  /** What it calls itself; empty until it has answered. */
  readonly model: string;
  readonly state: 'idle' | 'receiving' | 'searching' | 'missing';
  /** Why it cannot be used, as text for users; empty if it can. */
  readonly reason: string;
  readonly needsLogin: boolean;
  readonly tunerCount: number;
  readonly serviceCount: number;
  readonly streams: readonly { readonly reference: ServiceReference; readonly users: readonly TunerUse[] }[];
}

interface KnownBox {
  readonly box: Box;
  /** In messages and files: `HOST`, with the web port if that is not 80. */
  readonly name: string;
  address: string;
  stored: StoredBox;
  /** Its services by `tripletKey`, with their names. */
  services: ReadonlyMap<number, ServiceReference>;
  /** What `setForeign` gets of them. */
  foreign: readonly Service[];
  readonly leases: WeakSet<TunerLease>;
  /** What is or was received from it; those without users are removed in time. */
  readonly streams: Map<PoolTuner, ServiceReference>;
  model: string;
  /** Whether it has answered the last time. */
  isThere: boolean;
  /** It has answered that it requires another login. */
  needsLogin: boolean;
  /** Whether its lists were read since the start. */
  isImported: boolean;
}

export class Enigma2Boxes extends ServerSearch<Enigma2Spec> implements OtherReceivers {
  readonly #parts: BoxesParts;
  readonly #boxes: readonly KnownBox[];
  readonly #changed = new Listeners<[]>();
  /** Listens to changes of what `list` returns. */
  readonly onChange = this.#changed.add;
  /** Streams whose reception is followed. */
  readonly #followed = new WeakSet<PoolTuner>();
  /** What the listeners know, as JSON. */
  #known = '[]';
  #logins: BoxesParts['logins'];
  #isRead = false;
  /** When `list` last started a search, by `performance.now()`. */
  #listedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #refreshing: Promise<void> = Promise.resolve();

  constructor(specs: readonly Enigma2Spec[], parts: BoxesParts) {
    super('enigma2', specs, parts.log);
    this.#parts = parts;
    this.#logins = parts.logins;
    this.#boxes = specs.map((spec) => ({
      box: new Box(spec, loginOf(spec, parts.logins), parts.network),
      name: spec.webPort === 80 ? spec.host : `${spec.host}:${spec.webPort}`,
      address: '',
      stored: { tuners: 1, bouquets: [] },
      services: new Map(),
      foreign: [],
      leases: new WeakSet(),
      streams: new Map(),
      model: '',
      isThere: false,
      needsLogin: false,
      isImported: false,
    }));
  }

  /** The boxes in the order of the configuration. Finds out soon whether they are still there, since somebody looks. */
  list(): readonly BoxState[] {
    const now = performance.now();
    if (this.#boxes.length > 0 && now - this.#listedAt >= recheckMs) {
      this.#listedAt = now;
      void this.look();
    }
    return this.#states();
  }

  protected override settled(): void {
    const states = this.#states().map(({ streams, ...box }) => [box, streams.map(({ users }) => users)]);
    const now = JSON.stringify(states);
    if (now === this.#known) return;
    this.#known = now;
    this.#changed.call();
  }

  #states(): readonly BoxState[] {
    return this.#boxes.map((one) => {
      const { box, name, model, stored, services, isThere, needsLogin } = one;
      const reason = this.troubles.get(box.spec.text) ?? '';
      dropUnused(one);
      const streams = [...one.streams].map(([{ users }, reference]) => ({ reference, users }));
      const away = reason === '' ? 'searching' : 'missing';
      const here = streams.length > 0 ? 'receiving' : 'idle';
      return {
        ...{ name, source: `enigma2:${box.spec.text}`, model, reason, needsLogin, streams },
        ...{ state: isThere ? here : away, tunerCount: stored.tuners, serviceCount: services.size },
      };
    });
  }

  /** Also of boxes that are not used yet. */
  get logins(): BoxesParts['logins'] {
    return this.#logins;
  }

  /** Uses these logins from now on, and searches again if one has changed. */
  setLogins(logins: BoxesParts['logins']): void {
    this.#logins = logins;
    const changed = this.#boxes.filter(({ box }) => !isDeepStrictEqual(box.login, loginOf(box.spec, logins)));
    for (const { box } of changed) box.login = loginOf(box.spec, logins);
    if (changed.length > 0) void this.lookOnceMore();
  }

  /** Searches for all boxes once, and imports their lists. */
  override async look(): Promise<void> {
    if (this.#boxes.length === 0) return;
    if (!this.#isRead) await this.#read();
    this.#isRead = true;
    await super.look();
  }

  override async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await super.stop();
    await this.#refreshing;
  }

  receivers(service: DvbTriplet): readonly number[] {
    const key = tripletKey(service);
    return this.#boxes.flatMap(({ services, stored: { tuners } }, index) =>
      services.has(key) ? Array.from({ length: tuners }, (_, tuner) => firstNumber + 100 * index + tuner) : [],
    );
  }

  receiving(service: DvbTriplet): FoundService | undefined {
    const key = tripletKey(service);
    for (const { box, services } of this.#boxes) {
      const reference = services.get(key);
      const found = reference && this.#parts.network.receiving(box.stream(reference));
      if (found) return found;
    }
    return undefined;
  }

  /** A box that asks us for a service is not asked for it: that would be a circle. */
  async tune(
    { service, purpose, user }: ServiceUse,
    { instead }: TuneOptions,
  ): Promise<TunerLease | OthersRefusal | undefined> {
    const key = tripletKey(service);
    const isAsking = ({ address }: KnownBox) => address === user && !isThisMachine(address);
    const reasons: string[] = [];
    let isBusy = true;
    for (const one of this.#boxes) {
      const reference = one.services.get(key);
      if (reference === undefined || isAsking(one)) continue;
      const { spec } = one.box;
      const trouble = one.isThere ? undefined : this.troubles.get(spec.text);
      try {
        if (trouble !== undefined) throw new Error(trouble);
        if (spec.mayWake) await one.box.wakeUp(AbortSignal.timeout(wakeTimeoutMs));
        const tune = () => this.#parts.network.tune(one.box.stream(reference), purpose, user);
        const lease = await tune().catch(async (error: unknown) => {
          const isLast = instead !== undefined && one.leases.has(instead) && instead.pooled.users.length === 1;
          if (!isLast || !isRefusedAsBusy(error)) throw error;
          // The tuner that is missing may be the one of the service before.
          instead.release();
          instead.revoke(`${one.name} may have no other tuner for the next service`);
          await pause(releaseMs);
          return tune();
        });
        one.leases.add(lease);
        dropUnused(one);
        one.streams.set(lease.pooled, reference);
        this.#follow(lease.pooled);
        this.settled();
        return lease;
      } catch (error) {
        const isNew = one.isThere && isAway(error);
        if (isNew) one.isThere = false;
        if (isNew) void this.lookOnceMore();
        else if (!one.isThere) this.lookAgain();
        isBusy &&= isRefusedAsBusy(error);
        reasons.push(`Enigma2 box ${one.name}: ${whyNot(error)}`);
      }
    }
    if (reasons.length === 0) return undefined;
    return { code: isBusy ? 'tuners-busy' : 'not-receivable', why: reasons.join('; ') };
  }

  /** Reads the bouquets and the guide of all boxes that answer. */
  async refresh(): Promise<void> {
    const { signal } = this;
    for (const one of this.#boxes) {
      if (signal.aborted || !one.isThere) continue;
      try {
        await this.#import(one, (await one.box.describe(signal)).tuners, signal);
        await this.#importGuide(one, signal);
      } catch (error) {
        if (!signal.aborted) this.#parts.log.warn(`enigma2:${one.box.spec.text}: ${whyNot(error)}`);
      }
    }
  }

  /** Searches as soon as a stream is lost or is back: the box may be. */
  #follow(pooled: PoolTuner): void {
    if (this.#followed.has(pooled)) return;
    this.#followed.add(pooled);
    let wasLost = false;
    pooled.onUse(() => this.settled());
    pooled.tuner.onReception(() => {
      const isLost = pooled.tuner.reception().state === 'lost';
      if (isLost !== wasLost) void this.lookOnceMore();
      wasLost = isLost;
    });
  }

  async #read(): Promise<void> {
    const known = await readBoxes(this.#parts.dataDir);
    for (const one of this.#boxes) {
      one.stored = known.get(one.name) ?? one.stored;
      await this.#adopt(one, one.stored.bouquets);
    }
  }

  protected async find(spec: Enigma2Spec): Promise<void> {
    const one = this.#boxes.find(({ box }) => box.spec === spec) as KnownBox;
    const { signal } = this;
    one.address = await addressOf(spec.host);
    if (this.#parts.isOwn(one.address, spec.webPort)) throw new Error('that is this receiver');
    const { name, tuners } = await one.box.describe(signal).catch((error) => {
      one.isThere = false;
      one.needsLogin = needsLogin(error);
      throw error;
    });
    one.isThere = true;
    one.needsLogin = false;
    one.model = name;
    if (!one.isImported) {
      await this.#import(one, tuners, signal);
      const { size } = one.services;
      this.#parts.log.info(`enigma2:${spec.text}: ${name}, tuners: ${tuners}, services: ${size}`);
      this.#refreshLater(firstRefreshMs);
    }
    one.isImported = true;
  }

  async #import(one: KnownBox, tuners: number, signal: AbortSignal): Promise<void> {
    const { services, dataDir } = this.#parts;
    const now = await one.box.bouquets(signal);
    // As while a box starts. Removing all bouquets would lose their places.
    if (now.length === 0 && one.stored.bouquets.length > 0) throw new Error('it has no bouquets now');
    // Before the bouquets, whose entries can be played as soon as they are there.
    await this.#adopt(one, now);
    const stored = { tuners, bouquets: await importBouquets(services, one.name, one.stored.bouquets, now) };
    if (isDeepStrictEqual(stored, one.stored)) return;
    one.stored = stored;
    await saveBoxes(dataDir, new Map(this.#boxes.map(({ name, stored }) => [name, stored])));
  }

  /** Takes the services of a box, and makes them known to the lists and the search of the guide. */
  async #adopt(one: KnownBox, bouquets: readonly Pick<BoxBouquet | StoredBouquet, 'entries'>[]): Promise<void> {
    const slice = new TimeSlice();
    const services = new Map<number, ServiceReference>();
    for (const { entries } of bouquets) {
      if (slice.isOver) await slice.next();
      for (const entry of referencesIn(entries)) if (entry.dvb) services.set(tripletKey(entry.dvb), entry);
    }
    const foreign: Service[] = [];
    let isSame = services.size === one.services.size;
    for (const [key, entry] of services) {
      if (slice.isOver) await slice.next();
      const { name } = entry;
      isSame &&= one.services.get(key)?.format() === entry.format();
      foreign.push({ reference: entry.withoutName(), name, shortName: name, provider: '', isEncrypted: false });
    }
    if (isSame) return;
    Object.assign(one, { services, foreign });
    await this.#parts.services.setForeign(this.#boxes.flatMap((box) => box.foreign));
  }

  #refreshLater(ms: number): void {
    clearTimeout(this.#timer);
    if (this.signal.aborted) return;
    this.#timer = setTimeout(() => {
      if (this.#parts.isBusy()) return this.#refreshLater(busyRetryMs);
      this.#refreshing = this.refresh().finally(() => this.#refreshLater(refreshIntervalMs));
    }, ms).unref();
  }

  /** Reads the guide of each service once, although several bouquets may have it. */
  async #importGuide({ box, stored }: KnownBox, signal: AbortSignal): Promise<void> {
    const { guide, guideStore, log } = this.#parts;
    const done = new Set<number>();
    let count = 0;
    for (const bouquet of stored.bouquets) {
      const triplets = referencesIn(bouquet.entries).flatMap(({ dvb }) => dvb ?? []);
      const wanted = new Map(triplets.map((dvb) => [tripletKey(dvb), dvb]));
      for (const key of done) wanted.delete(key);
      if (wanted.size === 0) continue;
      const servicesOf = (channels: readonly { readonly id: string }[]) =>
        channels.map(({ id }) => wanted.get(Number(id)) ?? []).map((dvb) => [dvb].flat());
      const document = guideDocument(box.events(bouquet, signal), new Set(wanted.keys()));
      const { imported } = await importXmltv(guide, document, {
        ...{ servicesOf, signal, rank: guideRank, maxBytes: maxGuideBytes },
      });
      count += imported;
      for (const key of wanted.keys()) done.add(key);
    }
    guideStore.saveSoon();
    log.info(`enigma2:${box.spec.text}: events of the guide: ${count}`);
  }
}

const loginOf = ({ host }: Enigma2Spec, logins: BoxesParts['logins']) => logins.find((login) => login.host === host);

function dropUnused({ streams }: KnownBox): void {
  for (const pooled of streams.keys()) if (pooled.users.length === 0) streams.delete(pooled);
}
