/**
 * Announces the receiver on the local network by multicast DNS (RFC 6762) and DNS-SD (RFC 6763), so that apps find it
 * without an address: probes for a free name, announces it, answers queries, and says goodbye.
 *
 * Its rate is limited: records that were multicast within the last second are not repeated, however often they are
 * queried. Queries from outside the local network get no answer, so that the receiver cannot be used to attack others.
 *
 * multicast-dns reads and writes the packets. Of the responders on npm, bonjour-service fails if its name is taken and
 * has no rate limit; @homebridge/ciao is complete, but adds 354 KB to the program instead of 90, and works only on port
 * 5353, where tests cannot run it next to the system's own responder.
 */
import { BlockList } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { Answer, Question } from 'dns-packet';
import type { MulticastDNS, QueryPacket, ResponsePacket } from 'multicast-dns';
import type { Logger } from 'pino';
import { type Announcement, announcedRecords, answersTo, instanceLabel, isSameName } from './records.ts';

export interface AnnouncerOptions extends Omit<Announcement, 'addresses'> {
  /** Current addresses: a machine that has just been switched on may get its first one later. */
  addresses(): readonly string[];
  /** IPv4 address of the interface to announce on; undefined: the one that the system chooses. */
  readonly network?: string | undefined;
  /** UDP port; 5353 except in tests. */
  readonly port?: number;
}

/** Between probes for the name (RFC 6762 §8.1). */
const probeIntervalMs = 250;
const probeCount = 3;
/** Maximum number that is appended to a name that is taken. */
const maxNameNumber = 99;
/** Minimum time before a record is multicast again (RFC 6762 §6), except in reply to a probe. */
const repeatIntervalMs = 1000;
/** How long the list of network interfaces is cached. */
const interfaceCacheMs = 5000;
/** How long a resolver without multicast may cache an answer (RFC 6762 §6.7). */
const legacyTtlSeconds = 10;

type Querier = { readonly address: string; readonly port: number };

export class Announcer {
  readonly #options: AnnouncerOptions;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  #multicast: MulticastDNS | undefined;
  /** The announced records; empty until the name is known to be free. */
  #records: readonly Answer[] = [];
  #name = '';
  #announced: Promise<void> | undefined;
  /** When each record was last multicast, by its content (`performance.now()`). */
  readonly #sentAt = new Map<string, number>();
  #local: { readonly networks: BlockList; readonly since: number } | undefined;

  constructor(options: AnnouncerOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
  }

  /** The name on the network; empty until it is announced. */
  get name(): string {
    return this.#name;
  }

  /** Starts in the background. Failures are only logged, because the receiver works without announcements. */
  start(): void {
    this.#announced ??= this.#run().catch((error: unknown) => this.#failed(error));
  }

  /** Resolves when a name has been found and announced for the first time, or when that has failed. */
  async announced(): Promise<void> {
    await this.#announced;
  }

  /** Says goodbye and stops. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#announced;
    const multicast = this.#multicast;
    this.#multicast = undefined;
    if (multicast === undefined) return;
    if (this.#records.length > 0)
      await this.#send(
        multicast,
        this.#records.map((record) => ({ ...record, ttl: 0 })),
      );
    await new Promise<void>((resolve) => multicast.destroy(() => resolve()));
  }

  async #run(): Promise<void> {
    const { default: open } = await import('multicast-dns');
    const { network, port } = this.#options;
    const multicast = open({
      ...(network === undefined ? {} : { interface: network }),
      ...(port === undefined ? {} : { port }),
      // A socket bound to one address does not receive multicast.
      bind: '0.0.0.0',
    });
    this.#multicast = multicast;
    await new Promise<void>((resolve, reject) => multicast.once('ready', resolve).once('error', reject));
    multicast.on('error', (error) => this.#log.warn(error, 'announcing on the network (mDNS) failed'));
    multicast.on('warning', (error) => this.#log.debug(error, 'announcing on the network'));
    // Delays differ, so that receivers do not all probe at once after a power cut.
    await this.#pause(Math.random() * probeIntervalMs);
    multicast.on('query', (query, querier) => this.#answer(multicast, query, querier as Querier));
    multicast.on('response', (response) => {
      if (this.#mustYield(response)) this.#claimNameInBackground(multicast);
    });
    // A network interface came up, whose network has not received the announcement.
    multicast.on('networkInterface', () => void this.#announce(multicast));
    await this.#claimName(multicast);
  }

  /** Finds a name and announces it, twice in case the first announcement was lost (RFC 6762 §8.3). */
  async #claimName(multicast: MulticastDNS): Promise<void> {
    this.#records = [];
    const name = await this.#findFreeName(multicast);
    this.#name = name;
    this.#records = this.#currentRecords();
    await this.#announce(multicast);
    void this.#pause(repeatIntervalMs).then(
      () => this.#announce(multicast),
      () => undefined,
    );
    this.#log.info(`announced on the network as ${name}`);
  }

  #claimNameInBackground(multicast: MulticastDNS): void {
    this.#announced = this.#claimName(multicast).catch((error: unknown) => this.#failed(error));
  }

  #failed(error: unknown): void {
    if (!this.#stopping.signal.aborted)
      this.#log.warn(error, 'not announced on the network (mDNS): give apps the address, or set discovery to false');
  }

  /**
   * Whether another host has announced our name at the same time and its record sorts after ours: then we take another
   * name.
   */
  #mustYield({ answers = [] }: Partial<ResponsePacket>): boolean {
    return answers.some((other) => {
      if (other.type !== 'SRV' || other.ttl === 0) return false;
      const own = this.#records.find((record) => record.type === 'SRV' && isSameName(record.name, other.name));
      if (own?.type !== 'SRV') return false;
      const sortKey = ({ target, port }: { target: string; port?: number | undefined }) =>
        `${target.toLowerCase()}:${port}`;
      return sortKey(own.data) < sortKey(other.data);
    });
  }

  /** Finds a free name: the configured one, or that with a number if another host uses it. */
  async #findFreeName(multicast: MulticastDNS): Promise<string> {
    const { name, services } = this.#options;
    for (let number = 1; number < maxNameNumber; number++) {
      const label = instanceLabel(name, number);
      const instances = services.map(({ type }) => `${label}.${type}.local`);
      if (!(await this.#isTaken(multicast, instances))) return label;
    }
    throw new Error(`every name like ${name} is taken`);
  }

  async #isTaken(multicast: MulticastDNS, instances: readonly string[]): Promise<boolean> {
    let taken = false;
    const onResponse = ({ answers = [], additionals = [] }: Partial<ResponsePacket>) => {
      taken ||= [...answers, ...additionals].some(
        (record) =>
          record.type === 'SRV' && record.ttl !== 0 && instances.some((instance) => isSameName(instance, record.name)),
      );
    };
    multicast.on('response', onResponse);
    try {
      for (let i = 0; i < probeCount && !taken; i++) {
        multicast.query(instances.map(probeFor));
        await this.#pause(probeIntervalMs);
      }
    } finally {
      multicast.off('response', onResponse);
    }
    return taken;
  }

  async #announce(multicast: MulticastDNS): Promise<void> {
    if (this.#stopping.signal.aborted || this.#records.length === 0) return;
    this.#records = this.#currentRecords();
    this.#noteSent(this.#records);
    await this.#send(multicast, this.#records);
  }

  #currentRecords(): Answer[] {
    return announcedRecords({ ...this.#options, name: this.#name, addresses: this.#options.addresses() });
  }

  #answer(
    multicast: MulticastDNS,
    { id, questions = [], answers: known = [] }: Partial<QueryPacket>,
    querier: Querier,
  ): void {
    const found = questions.map((question) => answersTo(this.#records, question));
    const answers = [...new Set(found.flatMap((one) => one.answers))];
    if (answers.length === 0 || this.#stopping.signal.aborted || !this.#isLocal(querier)) return;
    const additionals = [...new Set(found.flatMap((one) => one.additionals))].filter((one) => !answers.includes(one));
    if (querier.port !== (this.#options.port ?? 5353)) {
      const withLegacyTtl = (record: Answer) => ({ ...record, ttl: legacyTtlSeconds, flush: false }) as Answer;
      const reply = { id, questions, answers: answers.map(withLegacyTtl), additionals: additionals.map(withLegacyTtl) };
      multicast.respond(reply as never, querier as never, (error) => this.#logError(error));
      return;
    }
    const intervalMs = questions.some(({ type }) => String(type) === 'ANY') ? probeIntervalMs : repeatIntervalMs;
    const fresh = answers.filter(
      (record) => !this.#wasSent(record, intervalMs) && !known.some((one) => isKnown(record, one)),
    );
    if (fresh.length === 0) return;
    this.#noteSent(fresh);
    void this.#send(multicast, fresh, additionals);
  }

  #send(multicast: MulticastDNS, answers: readonly Answer[], additionals: readonly Answer[] = []): Promise<void> {
    return new Promise((resolve) => {
      multicast.respond({ answers: [...answers], additionals: [...additionals] }, (error) => {
        this.#logError(error);
        resolve();
      });
    });
  }

  #logError(error: Error | null | undefined): void {
    if (error) this.#log.debug(error, 'announcing on the network');
  }

  #noteSent(records: readonly Answer[]): void {
    for (const record of records) this.#sentAt.set(keyOf(record), performance.now());
  }

  #wasSent(record: Answer, intervalMs: number): boolean {
    return performance.now() - (this.#sentAt.get(keyOf(record)) ?? Number.NEGATIVE_INFINITY) < intervalMs;
  }

  /** Whether the sender is on a network of this machine. Queries from elsewhere may have a forged sender address. */
  #isLocal({ address }: Querier): boolean {
    const now = performance.now();
    if (this.#local === undefined || now - this.#local.since > interfaceCacheMs) {
      const networks = new BlockList();
      for (const one of Object.values(networkInterfaces()).flat()) {
        const prefix = Number(one?.cidr?.split('/')[1]);
        if (one?.family === 'IPv4' && prefix >= 0) networks.addSubnet(one.address, prefix, 'ipv4');
      }
      this.#local = { networks, since: now };
    }
    return this.#local.networks.check(address, 'ipv4');
  }

  #pause(delayMs: number): Promise<void> {
    return setTimeout(delayMs, undefined, { signal: this.#stopping.signal, ref: false });
  }
}

/** A question of type ANY, which probes for a name. The type definitions lack that type. */
function probeFor(name: string): Question {
  return { name, type: 'ANY' as never };
}

function keyOf({ type, name, ...rest }: Answer): string {
  return `${type} ${name} ${JSON.stringify('data' in rest ? rest.data : '')}`;
}

/** Whether the querier already has the record, with at least half of its TTL left (RFC 6762 §7.1). */
function isKnown(record: Answer, known: Answer): boolean {
  const ttl = (one: Answer) => ('ttl' in one ? (one.ttl ?? 0) : 0);
  return keyOf(record) === keyOf(known) && ttl(known) >= ttl(record) / 2;
}
