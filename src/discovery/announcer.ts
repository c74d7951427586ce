/**
 * Announces the receiver on the local network by multicast DNS (RFC 6762) and DNS-SD (RFC 6763), so that apps find it without an
 * address: asks whether its name is free, says who it is, answers who asks, and says goodbye.
 *
 * It answers at its own pace: what was said to all within the last second is not said again, however often somebody asks, and who
 * is not on the local network gets no answer, so that nobody can use it against others.
 */
import { BlockList } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { Answer, Question } from 'dns-packet';
import type { MulticastDNS, QueryPacket, ResponsePacket } from 'multicast-dns';
import type { Logger } from 'pino';
import { type Announcement, announcedRecords, answersTo, instanceLabel, isSameName } from './records.ts';

export interface AnnouncerOptions extends Omit<Announcement, 'addresses'> {
  /** As they are now: a machine that has just been switched on gets its first one later. */
  addresses(): readonly string[];
  /** IPv4 address of the interface on which it is announced; absent: the one that leads to the network. */
  readonly network?: string | undefined;
  /** UDP port; 5353 but in tests. */
  readonly port?: number;
}

/** Milliseconds between two questions whether the name is taken, and how many (RFC 6762 §8.1). */
const probePace = 250;
const probes = 3;
/** Times a name is changed because another receiver has it. */
const maximumNumber = 99;
/** Milliseconds within which a record is not sent to all a second time (RFC 6762 §6), but to who asks whether a name is taken. */
const repeatPause = 1000;
/** Milliseconds for which the interfaces of the machine are taken as they were. */
const interfacePause = 5000;
/** Seconds for which a resolver that knows nothing of multicast may keep an answer (RFC 6762 §6.7). */
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
  /** When a record was last sent to all, by what it says. */
  readonly #sent = new Map<string, number>();
  #local: { readonly networks: BlockList; readonly since: number } | undefined;

  constructor(options: AnnouncerOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
  }

  /** The name that it has on the network; empty until it is announced. */
  get name(): string {
    return this.#name;
  }

  /** Begins, in the background. What goes wrong is logged: the receiver is as good without. */
  start(): void {
    this.#announced ??= this.#run().catch((error: unknown) => this.#failed(error));
  }

  /** Resolves when the name has been settled and announced for the first time, or when that has failed. */
  async announced(): Promise<void> {
    await this.#announced;
  }

  /** Says goodbye and ends. */
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
      // What is sent to a group does not arrive at a socket of one address.
      bind: '0.0.0.0',
    });
    this.#multicast = multicast;
    await new Promise<void>((resolve, reject) => multicast.once('ready', resolve).once('error', reject));
    multicast.on('error', (error) => this.#log.warn(error, 'announcing on the network'));
    multicast.on('warning', (error) => this.#log.debug(error, 'announcing on the network'));
    // Receivers that come back after a power cut would ask for their names all at once.
    await this.#pause(Math.random() * probePace);
    multicast.on('query', (query, asker) => this.#answer(multicast, query, asker as Asker));
    multicast.on('response', (response) => {
      if (this.#mustYield(response)) this.#settleInBackground(multicast);
    });
    // A cable was plugged in: the network behind it has not heard of the receiver.
    multicast.on('networkInterface', () => void this.#announce(multicast));
    await this.#settle(multicast);
  }

  /** Finds a name and announces it, twice for those that have missed the first (RFC 6762 §8.3). */
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
    if (!this.#ending.signal.aborted) this.#log.warn(error, 'the receiver is not announced on the network');
  }

  /** Another host has announced our name at the same time as we: the one whose address comes first in order finds another. */
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

  /** The name, or the name with a number when another host has announced a service under it. */
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

  /** On a network that this machine is on: others may have sent a question in somebody else's name. */
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

/** ANY, which is what asks whether a name is taken, is missing from the types. */
function everythingOf(name: string): Question {
  return { name, type: 'ANY' as never };
}

function keyOf({ type, name, ...rest }: Answer): string {
  return `${type} ${name} ${JSON.stringify('data' in rest ? rest.data : '')}`;
}

/** Who asks has it already, for half of its life at least (RFC 6762 §7.1). */
function isKnown(record: Answer, known: Answer): boolean {
  const life = (one: Answer) => ('ttl' in one ? (one.ttl ?? 0) : 0);
  return keyOf(record) === keyOf(known) && life(known) >= life(record) / 2;
}
