/** The SAT>IP server (EN 50585) offers the tuners to other devices: RTSP server, announcement, and description. */
import { isIPv4 } from 'node:net';
import type { Logger } from 'pino';
import { systemReason } from '../base/errors.ts';
import { addressMatcher } from '../base/ip-prefixes.ts';
import { isLoopback, reachableAddresses } from '../base/network-addresses.ts';
import { escaped } from '../base/xml.ts';
import type { Configuration } from '../config/config.ts';
import { deviceIdentity } from '../device/identity.ts';
import { satipServer } from '../dvb/satip/ssdp.ts';
import type { Transponder } from '../dvb/transponder.ts';
import type { TunerPool } from '../dvb/tuner-pool.ts';
import { SsdpAnnouncer } from './announcer.ts';
import type { IdentityFile } from './identity.ts';
import { RtspServer } from './rtsp-server.ts';
import { parsePosition, TunerAllocator } from './tuner-allocator.ts';

export interface SatipServerParts {
  readonly pool: TunerPool;
  readonly identity: () => IdentityFile;
  readonly transponders: () => readonly Transponder[];
  readonly log: Logger;
}

type Settings = Pick<Configuration, 'satip' | 'bind' | 'name' | 'discovery'>;

/** Path of the description on the web server. */
export const descriptionPath = '/satip/desc.xml';

export class SatipServer {
  readonly #settings: Settings;
  readonly #log: Logger;
  readonly tuners: TunerAllocator;
  readonly #rtsp: RtspServer;
  readonly #identity: () => IdentityFile;
  /** True if a client at this address may use the server. */
  readonly isAllowed: (address: string) => boolean;
  #announcer: SsdpAnnouncer | undefined;
  #webPort = 0;

  constructor({ pool, identity, transponders, log }: SatipServerParts, settings: Settings) {
    const { port, clients, allow, satellites } = settings.satip.server;
    this.#settings = settings;
    this.#log = log;
    this.isAllowed = addressMatcher(allow);
    this.tuners = new TunerAllocator({ pool, transponders, satellites: satellites.map(parsePosition) });
    this.#rtsp = new RtspServer(this.tuners, { bind: settings.bind, port, clients, isAllowed: this.isAllowed }, log);
    this.#identity = identity;
  }

  /** Its UDN; empty while it is not running. */
  get identity(): string {
    return this.port === 0 ? '' : this.#udn();
  }

  #udn(): string {
    return `uuid:${this.#identity().current.uuid}`;
  }

  /** The bound RTSP port; 0 while it is not running. */
  get port(): number {
    return this.#rtsp.port;
  }

  /** Addresses of the clients, the longest-running first. */
  get clients(): readonly string[] {
    return this.#rtsp.clients;
  }

  /** Starts it if it is enabled. Failures are only logged, since the receiver works without it. */
  async start(webPort: number): Promise<void> {
    const { satip, bind, discovery } = this.#settings;
    if (!satip.server.enabled) return;
    this.#webPort = webPort;
    try {
      await this.#rtsp.start();
      this.#log.info(`SAT>IP server on port ${this.port}`);
      const identity = this.#identity();
      await identity.change({ bootId: identity.current.bootId + 1 });
      if (!discovery || isLoopback(bind)) return;
      const location = (address: string) => `http://${address}:${webPort}${descriptionPath}`;
      const product = `${process.platform}/1.0 UPnP/1.1 receiverd/${deviceIdentity('').version}`;
      const interfaces = () => reachableAddresses(bind).filter(isIPv4);
      const options = { identity, location, isAllowed: this.isAllowed, product, interfaces };
      this.#announcer = new SsdpAnnouncer(options, this.#log);
      await this.#announcer.start();
    } catch (error) {
      this.#log.error(`SAT>IP server on port ${satip.server.port} (satip.server.port): ${systemReason(error)}`);
    }
  }

  async stop(): Promise<void> {
    await this.#announcer?.stop();
    await this.#rtsp.stop();
  }

  /** Returns the description for clients that reach the receiver at this address. */
  description(address: string): string {
    const { version } = deviceIdentity('');
    const { uuid } = this.#identity().current;
    const capabilities = [...this.tuners.capabilities].map(([kind, count]) => `${kind}-${Math.min(count, 9)}`);
    const elements = {
      deviceType: satipServer,
      friendlyName: escaped(this.#settings.name),
      manufacturer: 'receiverd',
      modelName: 'receiverd',
      modelNumber: version,
      serialNumber: uuid.slice(0, 8),
      UDN: this.#udn(),
      presentationURL: `http://${address.includes(':') ? `[${address}]` : address}:${this.#webPort}/`,
    };
    // VDR searches for exactly this prefix, and TVs need a short one.
    const tuners = `<satip:X_SATIPCAP xmlns:satip="urn:ses-com:satip">${capabilities.join()}</satip:X_SATIPCAP>`;
    const device = Object.entries(elements).map(([name, text]) => `<${name}>${text}</${name}>`);
    return [
      '<?xml version="1.0" encoding="UTF-8"?>\n',
      '<root xmlns="urn:schemas-upnp-org:device-1-0" configId="0">',
      '<specVersion><major>1</major><minor>1</minor></specVersion>',
      `<device>${device.join('')}${tuners}</device></root>\n`,
    ].join('');
  }
}
