/**
 * Offers the receiver as an HDHomeRun, the network tuner that Plex, Jellyfin, Emby and Channels know: discovery, control, and
 * streams by channel number. The documents of the web port are in src/http/rest/tuners/hdhomerun.ts.
 */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, isIPv4 } from 'node:net';
import type { Logger } from 'pino';
import { systemReason } from '../base/errors.ts';
import { addressTowards, reachableAddresses } from '../base/network-addresses.ts';
import type { Configuration } from '../config/config.ts';
import { deviceIdOf, formatDeviceId } from '../dvb/hdhomerun/device-id.ts';
import type { Transponder } from '../dvb/transponder.ts';
import type { TunerPool } from '../dvb/tuner-pool.ts';
import type { NetworkStreams } from '../iptv/network-streams.ts';
import { tuneFirst } from '../recordings/tuning.ts';
import type { IdentityFile } from '../satip-server/identity.ts';
import type { TunerAllocator } from '../satip-server/tuner-allocator.ts';
import type { ServiceReference } from '../services/reference.ts';
import type { Services } from '../services/services.ts';
import { ControlServer } from './control-server.ts';
import { Discovery } from './discovery.ts';
import { type LineupChannel, lineupOf } from './lineup.ts';
import { type ControlParts, ControlTuner } from './tuner.ts';

export interface HdhomerunParts {
  readonly pool: TunerPool;
  readonly network: NetworkStreams;
  readonly services: Services;
  /** Leases a tuner for a transponder, as for clients of SAT>IP. */
  readonly lease: TunerAllocator['lease'];
  readonly identity: () => IdentityFile;
  /** True if clients at this address may watch without a login. */
  readonly isAllowed: (address: string) => boolean;
  /** Answers requests of the stream port: `/auto/vNUMBER`. */
  readonly answer: RequestListener;
  readonly log: Logger;
}

type Settings = Pick<Configuration, 'hdhomerun' | 'bind' | 'name'>;

/** The model that clients see: a European one with two tuners. None changes its behaviour by the number. */
const model = { number: 'HDHR4-2DT', firmware: 'hdhomerun4_dvbt', version: '20231214' } as const;
/** Delivery systems by their words in `/sys/features`. */
const modulations: Readonly<Record<string, string>> = {
  ...{ dvbt: 'DVB-T', dvbt2: 'DVB-T2', dvbc: 'DVB-C', '8vsb': 'ATSC', qam256: 'DVB-C annex B' },
};
/** Tuners that the control protocol has: their number is one digit. */
const maxTuners = 10;

/** What the documents say about the device. */
export interface HdhomerunDevice {
  /** Eight hexadecimal digits. */
  readonly deviceId: string;
  readonly name: string;
  readonly model: typeof model;
  readonly tunerCount: number;
}

/** The name of a bouquet as the page shows it, without the kind that Enigma2 appends. */
const shown = (name: string) => name.replace(/ \(TV\)$/, '');
const quoted = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ');

export class HdhomerunServer {
  readonly #parts: HdhomerunParts;
  readonly #settings: Settings;
  readonly #server: Server;
  #control: ControlServer | undefined;
  #discovery: Discovery | undefined;
  #lineup: { readonly generation: number; readonly channels: Promise<readonly LineupChannel[]> } | undefined;
  #streamPort = 0;
  #controlPort = 0;

  constructor(parts: HdhomerunParts, settings: Settings, limits: { headersTimeout: number; requestTimeout: number }) {
    this.#parts = parts;
    this.#settings = settings;
    this.#server = createServer({ ...limits, keepAliveTimeout: 5_000 }, parts.answer);
  }

  /** The HTTP server of the streams, for limits of connections. */
  get server(): Server {
    return this.#server;
  }

  /** The bound port of the streams; 0 while it is not running. */
  get streamPort(): number {
    return this.#streamPort;
  }

  /** The bound port of control and discovery; 0 while they are not running. */
  get controlPort(): number {
    return this.#controlPort;
  }

  /** Tuners of the receiver; for one that has none, and receives IPTV, as many as a household needs. */
  get #tunerCount(): number {
    return Math.min(this.#parts.pool.tuners.length || 4, maxTuners);
  }

  get device(): HdhomerunDevice {
    return { deviceId: formatDeviceId(this.#deviceId), name: this.#settings.name, model, tunerCount: this.#tunerCount };
  }

  get #deviceId(): number {
    return deviceIdOf(this.#parts.identity().current.uuid);
  }

  /** The offered channels: those of all television bouquets, or of those in the setting. */
  channels(): Promise<readonly LineupChannel[]> {
    const { services } = this.#parts;
    const { generation } = services;
    if (this.#lineup?.generation !== generation) this.#lineup = { generation, channels: this.#listChannels() };
    return this.#lineup.channels;
  }

  async #listChannels(): Promise<readonly LineupChannel[]> {
    const { bouquets: offered } = this.#settings.hdhomerun;
    const all = await this.#parts.services.allBouquetsInSlices('tv');
    if (offered.length === 0) return lineupOf(all);
    const hasName = (bouquet: { readonly name: string }, name: string) =>
      bouquet.name === name || shown(bouquet.name) === name;
    const unknown = offered.filter((name) => !all.some((bouquet) => hasName(bouquet, name)));
    if (unknown.length > 0)
      this.#parts.log.warn(`hdhomerun.bouquets: no television bouquet is called ${quoted(unknown)}`);
    return lineupOf(all.filter((bouquet) => offered.some((name) => hasName(bouquet, name))));
  }

  /** The service with this guide number; undefined if there is none. */
  async find(number: string): Promise<ServiceReference | undefined> {
    return (await this.channels()).find((one) => one.number === number)?.reference;
  }

  /** Starts it if it is switched on. Failures are only logged, since the receiver works without it. */
  async start(webPort: number): Promise<void> {
    const { server: isOn, streamPort, controlPort } = this.#settings.hdhomerun;
    if (!isOn) return;
    const { log, identity, isAllowed } = this.#parts;
    const { bind } = this.#settings;
    // Keeps the device id, which clients know the receiver by.
    await identity()
      .change({})
      .catch((error: unknown) => log.warn(error, 'the identity of the HDHomeRun server was not saved'));
    await this.#listen(streamPort, 'streamPort', async () => {
      this.#server.listen(streamPort, bind);
      await once(this.#server, 'listening');
      this.#streamPort = (this.#server.address() as AddressInfo).port;
    });
    if (this.#streamPort === 0) return;
    const ipv4 = bind === '::' ? '0.0.0.0' : bind;
    if (!isIPv4(ipv4)) return;
    await this.#listen(controlPort, 'controlPort', async () => {
      const tuners = Array.from({ length: this.#tunerCount }, () => new ControlTuner(this.#controlParts()));
      const options = { bind: ipv4, port: controlPort, isAllowed, device: () => this.#variables(), tuners };
      this.#control = new ControlServer(options, log);
      const port = await this.#control.start();
      this.#controlPort = port;
      const baseUrl = (client: string) => {
        const own = addressTowards(client, reachableAddresses(ipv4));
        return own && `http://${own}:${webPort}`;
      };
      const tunerCount = () => this.#tunerCount;
      this.#discovery = new Discovery(
        { bind: ipv4, port, deviceId: this.#deviceId, isAllowed, tunerCount, baseUrl },
        log,
      );
      await this.#discovery.start();
      log.info(`HDHomeRun ${this.device.deviceId} on port ${port}, streams on port ${this.#streamPort}`);
    });
  }

  async #listen(port: number, setting: string, listen: () => Promise<void>): Promise<void> {
    try {
      await listen();
    } catch (error) {
      this.#parts.log.error(`HDHomeRun server on port ${port} (hdhomerun.${setting}): ${systemReason(error)}`);
    }
  }

  async stop(): Promise<void> {
    this.#discovery?.stop();
    await this.#control?.stop();
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #controlParts(): ControlParts {
    const { services, lease, pool, network } = this.#parts;
    return {
      transponders: () => services.transponders(),
      lease: (transponder: Transponder, user: string) => lease(transponder, user, { locked: false }),
      leaseService: async (reference: ServiceReference, user: string) => {
        const tuned = await tuneFirst({ services, pool, network }, reference, 'stream', user);
        if (tuned === undefined) throw new Error('no service');
        return tuned.lease;
      },
      lineup: () => this.channels(),
    };
  }

  /** What the tuners receive that are offered, in the words of the protocol. The demo and files count as terrestrial. */
  get #modulations(): readonly string[] {
    const own = this.#parts.pool.tuners.filter(({ isInNetwork }) => !isInNetwork);
    const systems = own.flatMap(({ frontEnd }) => frontEnd?.information?.systems ?? ['DVB-T']);
    return Object.keys(modulations).filter((word) => systems.includes(modulations[word] ?? ''));
  }

  #variables(): Readonly<Record<string, string>> {
    return {
      '/sys/model': model.firmware,
      '/sys/hwmodel': model.number,
      '/sys/version': model.version,
      '/sys/features': `channelmap: eu-bcast eu-cable\nmodulation: ${this.#modulations.join(' ')}\nauto-modulation: auto\n`,
      '/sys/copyright': 'receiverd',
    };
  }
}
