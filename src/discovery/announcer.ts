/**
 * Announces the receiver on the local network by multicast DNS (RFC 6762) and DNS-SD (RFC 6763), so that apps find it
 * without an address: probes for a free name, announces it, answers queries, and says goodbye.
 *
 * It limits its own rate: records multicast within the last second are not repeated, however often they are queried.
 * Queries from outside the local network get no answer, so that the receiver cannot be used against others.
 *
 * multicast-dns reads and writes the packets. Of the responders on npm, bonjour-service gives up when its name is taken
 * and has no limit of its rate; @homebridge/ciao is complete, but adds 354 KB to the program instead of 90, and works on
 * port 5353 only, where no test can run it beside the system's own responder.
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
  /** IPv4 address of the interface to announce on; absent: the one that leads to the network. */
  readonly network?: string | undefined;
  /** UDP port; 5353 except in tests. */
  readonly port?: number;
}

/** Milliseconds between probes for the name, and their number (RFC 6762 §8.1). */
const probePace = 250;
const probes = 3;
/** Bound of the number appended to a name that is taken. */
const maximumNumber = 99;
/** Milliseconds before a record is multicast again (RFC 6762 §6), except in reply to a probe. */
const repeatPause = 1000;
/** Milliseconds for which the list of interfaces is cached. */
const interfacePause = 5000;
/** Seconds for which a resolver without multicast may cache an answer (RFC 6762 §6.7). */
const legacyLife = 10;

type Asker = { readonly address: string; readonly port: number };

export class Announcer {
  readonly #options: AnnouncerOptions;
  readonly #log: Logger;
  readonly #ending = new AbortController();
  #multicast: MulticastDNS | undefined;
  /** Empty until the name is known to be free. */
  #records: readonly Answer[] = [];
  #name = '';
  #announced: Promise<void> | undefined;
  /** When each record was last multicast, by its content. */
  readonly #sent = new Map<string, number>();
  #local: { readonly networks: BlockList; readonly since: number } | undefined;

  constructor(options: AnnouncerOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
  }

  /** The name on the network; empty until it is announced. */
  get name(): string {
    return this.#name;
  }

  /** Starts in the background. Failures are only logged: the receiver works without. */
  start(): void {
    this.#announced ??= this.#run().catch((error: unknown) => this.#failed(error));
  }

  /** Resolves when the name has been settled and announced for the first time, or when that has failed. */
  async announced(): Promise<void> {
    await this.#announced;
  }

  /** Says goodbye and stops. */
  async stop(): Promise<void> {
    this.#ending.abort();
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
    // After a power cut, all receivers would otherwise probe at once.
    await this.#pause(Math.random() * probePace);
    multicast.on('query', (query, asker) => this.#answer(multicast, query, asker as Asker));
    multicast.on('response', (response) => {
      if (this.#mustYield(response)) this.#settleInBackground(multicast);
    });
    // A network interface came up: the network behind it does not know the receiver yet.
    multicast.on('networkInterface', () => void this.#announce(multicast));
    await this.#settle(multicast);
  }

  /** Finds a name and announces it, twice in case the first announcement was lost (RFC 6762 §8.3). */
  async #settle(multicast: MulticastDNS): Promise<void> {
    this.#records = [];
    const name = await this.#freeName(multicast);
    this.#name = name;
    this.#records = this.#recordsNow();
    await this.#announce(multicast);
    void this.#pause(repeatPause).then(
      () => this.#announce(multicast),
      () => undefined,
    );
    this.#log.info(`announced on the network as ${name}`);
  }

  #settleInBackground(multicast: MulticastDNS): void {
    this.#announced = this.#settle(multicast).catch((error: unknown) => this.#failed(error));
  }

  #failed(error: unknown): void {
    if (!this.#ending.signal.aborted)
      this.#log.warn(error, 'not announced on the network (mDNS): give apps the address, or set discovery to false');
  }

  /** True if another host announced our name at the same time and sorts after us: the first must take another name. */
  #mustYield({ answers = [] }: Partial<ResponsePacket>): boolean {
    return answers.some((other) => {
      if (other.type !== 'SRV' || other.ttl === 0) return false;
      const own = this.#records.find((one) => one.type === 'SRV' && isSameName(one.name, other.name));
      if (own?.type !== 'SRV') return false;
      const place = ({ target, port }: { target: string; port?: number | undefined }) =>
        `${target.toLowerCase()}:${port}`;
      return place(own.data) < place(other.data);
    });
  }

  /** The name, or the name with a number if another host has announced a service under it. */
  async #freeName(multicast: MulticastDNS): Promise<string> {
    const { name, services } = this.#options;
    for (let number = 1; number < maximumNumber; number++) {
      const label = instanceLabel(name, number);
      const instances = services.map(({ type }) => `${label}.${type}.local`);
      if (!(await this.#isTaken(multicast, instances))) return label;
    }
    throw new Error(`every name like ${name} is taken`);
  }

  async #isTaken(multicast: MulticastDNS, instances: readonly string[]): Promise<boolean> {
    let taken = false;
    const hear = ({ answers = [], additionals = [] }: Partial<ResponsePacket>) => {
      taken ||= [...answers, ...additionals].some(
        (record) => record.type === 'SRV' && record.ttl !== 0 && instances.some((one) => isSameName(one, record.name)),
      );
    };
    multicast.on('response', hear);
    try {
      for (let i = 0; i < probes && !taken; i++) {
        multicast.query(instances.map(everythingOf));
        await this.#pause(probePace);
      }
    } finally {
      multicast.off('response', hear);
    }
    return taken;
  }

  async #announce(multicast: MulticastDNS): Promise<void> {
    if (this.#ending.signal.aborted || this.#records.length === 0) return;
    this.#records = this.#recordsNow();
    this.#remember(this.#records);
    await this.#send(multicast, this.#records);
  }

  #recordsNow(): Answer[] {
    return announcedRecords({ ...this.#options, name: this.#name, addresses: this.#options.addresses() });
  }

  #answer(
    multicast: MulticastDNS,
    { id, questions = [], answers: known = [] }: Partial<QueryPacket>,
    asker: Asker,
  ): void {
    const found = questions.map((question) => answersTo(this.#records, question));
    const answers = [...new Set(found.flatMap((one) => one.answers))];
    if (answers.length === 0 || this.#ending.signal.aborted || !this.#isLocal(asker)) return;
    const additionals = [...new Set(found.flatMap((one) => one.additionals))].filter((one) => !answers.includes(one));
    if (asker.port !== (this.#options.port ?? 5353)) {
      const shortly = (record: Answer) => ({ ...record, ttl: legacyLife, flush: false }) as Answer;
      const reply = { id, questions, answers: answers.map(shortly), additionals: additionals.map(shortly) };
      multicast.respond(reply as never, asker as never, (error) => this.#complain(error));
      return;
    }
    const pause = questions.some(({ type }) => String(type) === 'ANY') ? probePace : repeatPause;
    const fresh = answers.filter(
      (record) => !this.#wasSent(record, pause) && !known.some((one) => isKnown(record, one)),
    );
    if (fresh.length === 0) return;
    this.#remember(fresh);
    void this.#send(multicast, fresh, additionals);
  }

  #send(multicast: MulticastDNS, answers: readonly Answer[], additionals: readonly Answer[] = []): Promise<void> {
    return new Promise((resolve) => {
      multicast.respond({ answers: [...answers], additionals: [...additionals] }, (error) => {
        this.#complain(error);
        resolve();
      });
    });
  }

  #complain(error: Error | null | undefined): void {
    if (error) this.#log.debug(error, 'announcing on the network');
  }

  #remember(records: readonly Answer[]): void {
    for (const record of records) this.#sent.set(keyOf(record), performance.now());
  }

  #wasSent(record: Answer, pause: number): boolean {
    return performance.now() - (this.#sent.get(keyOf(record)) ?? Number.NEGATIVE_INFINITY) < pause;
  }

  /** True for an address on a network of this machine: queries from elsewhere may have a forged sender. */
  #isLocal({ address }: Asker): boolean {
    const now = performance.now();
    if (this.#local === undefined || now - this.#local.since > interfacePause) {
      const networks = new BlockList();
      for (const one of Object.values(networkInterfaces()).flat()) {
        const prefix = Number(one?.cidr?.split('/')[1]);
        if (one?.family === 'IPv4' && prefix >= 0) networks.addSubnet(one.address, prefix, 'ipv4');
      }
      this.#local = { networks, since: now };
    }
    return this.#local.networks.check(address, 'ipv4');
  }

  #pause(milliseconds: number): Promise<void> {
    return setTimeout(milliseconds, undefined, { signal: this.#ending.signal, ref: false });
  }
}

/** A query of type ANY, which probes for a name; the type definitions lack it. */
function everythingOf(name: string): Question {
  return { name, type: 'ANY' as never };
}

function keyOf({ type, name, ...rest }: Answer): string {
  return `${type} ${name} ${JSON.stringify('data' in rest ? rest.data : '')}`;
}

/** True if the querier already has the record, with at least half of its life left (RFC 6762 §7.1). */
function isKnown(record: Answer, known: Answer): boolean {
  const life = (one: Answer) => ('ttl' in one ? (one.ttl ?? 0) : 0);
  return keyOf(record) === keyOf(known) && life(known) >= life(record) / 2;
}
