/**
 * The SAT>IP servers that the configuration names: finds them, adds their tuners to the pool, and follows servers that
 * appear later or change their address. Tuners stay in the pool while their server is away.
 */
import { isIPv6 } from 'node:net';
import type { Logger } from 'pino';
import type { Guide } from '../../base/native.ts';
import type { ServerFrontEnd } from '../../config/satip-capabilities.ts';
import type { ServerSpec } from '../../config/satip-server-spec.ts';
import { addressOf, ServerSearch } from '../server-search.ts';
import { Tuner } from '../tuner.ts';
import { type DescribedServer, fetchDescription } from './description.ts';
import { SatipFrontEnd, type Server } from './front-end.ts';
import { quirksOf } from './quirks.ts';
import { type FoundServer, group, listenForServers, type SearchOptions, searchServers } from './ssdp.ts';

/** Usual locations of descriptions, for servers that do not answer a search. */
const descriptionLocations = [
  ':8080/desc.xml', // minisatip
  ':49000/satipdesc.xml', // FRITZ!Box
  ':8875/satip/desc.xml',
  ':9981/satip_server/desc.xml', // Tvheadend
  ':8888/octonet.xml', // Digital Devices
  ':80/satip/desc.xml', // receiverd
  ':8080/satip/desc.xml',
  '/desc.xml',
];
const defaultRtspPort = 554;
const searchPort = 1900;
/** Bounds for all servers together: anyone in the network can claim to be a server. */
const maxServers = 16;
const maxTuners = 64;
interface ServersParts {
  readonly add: (tuner: Tuner, frontEnd: SatipFrontEnd) => void;
  readonly guide?: Guide | undefined;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** The identity (UDN) of this receiver's own server, which is left out. */
  readonly own?: () => string;
  /** Options of the search, for tests. */
  readonly search?: SearchOptions;
}

interface KnownServer extends Server {
  address: string;
  foundAt: number;
  /** Number of front ends that have a tuner. */
  count: number;
}

export class SatipServers extends ServerSearch<ServerSpec> {
  readonly #parts: ServersParts;
  /** Servers by the text of their specification, those of `*` by identity. */
  readonly #known = new Map<string, KnownServer>();
  #listening: Promise<{ stop(): Promise<void> } | undefined> | undefined;

  constructor(specs: readonly ServerSpec[], parts: ServersParts) {
    super('satip', specs, parts.log);
    this.#parts = parts;
  }

  /**
   * Listens for servers that appear later. Call it before this receiver's own server starts: of all sockets on port
   * 1900, only the last one receives searches sent to this machine alone.
   */
  async listen(): Promise<void> {
    if (this.specs.length === 0) return;
    const heard = ({ address }: FoundServer) => {
      const isKnown = [...this.#known.values()].some((one) => one.address.startsWith(`${address}:`));
      const isWanted = this.troubles.size > 0 || this.specs.some(({ host }) => host === '*');
      if (!isKnown && isWanted) this.lookAgain();
    };
    this.#listening = listenForServers(heard).catch(() => undefined);
    await this.#listening;
  }

  override async stop(): Promise<void> {
    await super.stop();
    await (await this.#listening)?.stop();
  }

  protected find(spec: ServerSpec): Promise<void> {
    return spec.host === '*' ? this.#findAll(spec) : this.#findNamed(spec);
  }

  async #findAll(spec: ServerSpec): Promise<void> {
    const registrations: Promise<unknown>[] = [];
    const failures: unknown[] = [];
    const { signal } = this;
    for await (const { location } of searchServers({ ...this.#parts.search, signal })) {
      if (registrations.length >= maxServers) break;
      const register = (described: DescribedServer) => {
        if (!this.#isOwn(described)) this.#register(spec, described, described.identity || location);
      };
      // A description that fails does not stop the search.
      registrations.push(fetchDescription(location, signal).then(register, (error: unknown) => failures.push(error)));
    }
    await Promise.all(registrations);
    if (failures.length > 0) throw failures[0];
    if (registrations.length === 0) throw new Error('no server answers; is it in the same network?');
  }

  async #findNamed(spec: ServerSpec): Promise<void> {
    const address = await addressOf(spec.host);
    const host = isIPv6(address) ? `[${address}]` : address;
    if (spec.frontEnds !== undefined) {
      const nothing = { model: '', manufacturer: '', identity: '', rtspPort: defaultRtspPort, host };
      return this.#register(spec, { ...nothing, name: spec.host, frontEnds: spec.frontEnds }, spec.text);
    }
    const first = new AbortController();
    const signal = AbortSignal.any([first.signal, this.signal]);
    const attempts = [
      this.#answerOf(address, signal, { address, port: searchPort }),
      // Some servers answer only searches of the whole network.
      this.#answerOf(address, signal, group),
      ...descriptionLocations.map((where) => fetchDescription(`http://${host}${where}`, signal)),
    ];
    const described = await Promise.any(attempts).catch(() => {
      throw new Error(
        `no description was found there; if it is switched on, name its tuners: satip:${spec.text},tuners=DVBS2-4`,
      );
    });
    first.abort();
    if (this.#isOwn(described)) throw new Error('that is this receiver');
    this.#register(spec, { ...described, host }, spec.text);
  }

  #isOwn({ identity }: DescribedServer): boolean {
    return identity !== '' && identity === this.#parts.own?.();
  }

  /** Gets the description of this host by a search. */
  async #answerOf(address: string, signal: AbortSignal, target: typeof group): Promise<DescribedServer> {
    for await (const found of searchServers({ target, ...this.#parts.search, signal })) {
      if (found.address === address) return fetchDescription(found.location, signal);
    }
    throw new Error('no answer');
  }

  /** Adds new tuners, and updates the address for the known ones. */
  #register(spec: ServerSpec, described: DescribedServer, key: string): void {
    const address = `${described.host}:${spec.port ?? described.rtspPort}`;
    let server = this.#known.get(key);
    if (server === undefined && this.#known.size >= maxServers) return;
    if (server === undefined) {
      const { satellites } = spec;
      server = { name: nameOf(described), quirks: quirksOf(described), satellites, address, foundAt: 0, count: 0 };
      this.#known.set(key, server);
      this.#parts.log.info(`satip:${described.host}: ${server.name}, tuners: ${described.frontEnds.length}`);
    } else if (server.address !== address) {
      this.#parts.log.info(`satip:${server.address}: ${server.name} is at ${address} now`);
    }
    server.address = address;
    if (spec.frontEnds === undefined) server.foundAt = performance.now();
    const label = spec.host === '*' ? described.host : spec.text.split(',', 1).join('');
    const left = maxTuners - [...this.#known.values()].reduce((sum, { count }) => sum + count, 0);
    const added = described.frontEnds.slice(server.count, server.count + left);
    for (const frontEnd of added) this.#add(spec, server, label, frontEnd);
    server.count += added.length;
  }

  #add(spec: ServerSpec, server: Server, label: string, { systems }: ServerFrontEnd): void {
    if (systems.length === 0) return;
    const { quirks: traits } = server;
    const transport = spec.transport ?? 'udp';
    const { guide } = this.#parts;
    const tuner = new Tuner({ kind: 'satip', server: label, transport, traits }, guide === undefined ? {} : { guide });
    this.#parts.add(tuner, new SatipFrontEnd(server, systems));
  }
}

/** Searches the local network once, for 2.5 s, and returns the servers that describe themselves. */
export async function describedServers(search: SearchOptions = {}): Promise<readonly DescribedServer[]> {
  const descriptions: Promise<DescribedServer | undefined>[] = [];
  for await (const { location } of searchServers(search)) {
    if (descriptions.length >= maxServers) break;
    descriptions.push(fetchDescription(location).catch(() => undefined));
  }
  const found = (await Promise.all(descriptions)).filter((server) => server !== undefined);
  return found.map((server) => ({ ...server, name: nameOf(server) }));
}

const nameOf = ({ name, model, host }: DescribedServer) => name || model || host;
