/**
 * Announces the server by SSDP (UPnP Device Architecture 1.1 §1): sends alive and byebye notifications, answers
 * searches, and agrees with other servers on a unique DEVICEID (EN 50585): if two have the same, the older server
 * objects, and the newer one takes the next number.
 */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Logger } from 'pino';
import { addressTowards } from '../base/network-addresses.ts';
import { attempt, group, joinGroup, networkAddresses, parseSsdp, satipServer, timeToLive } from '../dvb/satip/ssdp.ts';
import type { IdentityFile } from './identity.ts';

export interface SsdpOptions {
  readonly identity: IdentityFile;
  /** Returns the URL of the description for clients that reach the server at this address. */
  readonly location: (address: string) => string;
  /** True if searches from this address are answered. */
  readonly isAllowed: (address: string) => boolean;
  /** Value of the header SERVER. */
  readonly product: string;
  /** UDP port, destination of notifications, and IPv4 addresses of the interfaces; for tests. */
  readonly port?: number;
  readonly target?: { readonly address: string; readonly port: number };
  readonly interfaces?: () => readonly string[];
}

/** Seconds for which an announcement is valid. It is repeated after a third of them. */
const maxAgeSeconds = 1800;
const repeatIntervalMs = 600_000;
/** Milliseconds between checks for new interfaces. */
const networkCheckIntervalMs = 15_000;
/** Milliseconds after an announcement during which another server may claim the DEVICEID. */
const claimTimeMs = 15_000;
const maxDeviceId = 253;
/** Changes of the DEVICEID because of objections, which any host can send. */
const maxYields = 16;
/** Searches answered per second. */
const maxAnswersPerSecond = 20;

export class SsdpAnnouncer {
  readonly #options: Required<SsdpOptions>;
  readonly #log: Logger;
  #listener: Socket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #claimedUntil = 0;
  #announcedAt = 0;
  #networks = '';
  #yields = 0;
  #answers = 0;
  #second = 0;

  constructor(options: SsdpOptions, log: Logger) {
    this.#options = { port: group.port, target: group, interfaces: networkAddresses, ...options };
    this.#log = log;
  }

  /** @throws Error of the system if the port cannot be bound */
  async start(): Promise<void> {
    const socket = createSocket({ type: 'udp4', reuseAddr: true });
    this.#listener = socket;
    socket.bind(this.#options.port);
    try {
      await once(socket, 'listening');
    } catch (error) {
      this.#listener = undefined;
      socket.close();
      throw error;
    }
    socket.on('error', (error) => this.#log.debug(error, 'SSDP'));
    socket.on('message', (bytes, from) => {
      this.#receive(bytes, from).catch((error: unknown) =>
        this.#log.warn(error, 'a search for SAT>IP servers was not answered (SSDP)'),
      );
    });
    await this.#announceFirst();
    this.#timer = setInterval(() => void this.#repeat(), networkCheckIntervalMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    if (this.#listener === undefined) return;
    await this.#notify('ssdp:byebye');
    this.#listener.close();
    this.#listener = undefined;
  }

  /** Announces a new server, whose DEVICEID may be in use. */
  async #announceFirst(): Promise<void> {
    this.#claimedUntil = performance.now() + claimTimeMs;
    await this.#announce();
  }

  /** Announces again when it is due, or after a network has come up. */
  async #repeat(): Promise<void> {
    const isDue = performance.now() - this.#announcedAt >= repeatIntervalMs;
    if (isDue || this.#networks !== this.#options.interfaces().join()) await this.#announce();
  }

  async #announce(): Promise<void> {
    const interfaces = this.#options.interfaces();
    this.#networks = interfaces.join();
    this.#announcedAt = performance.now();
    if (this.#listener) joinGroup(this.#listener, interfaces);
    await this.#notify('ssdp:alive');
  }

  /** Sends three messages on each interface: for the UPnP root device, for this device, and for its type. */
  async #notify(about: 'ssdp:alive' | 'ssdp:byebye'): Promise<void> {
    const { target, interfaces } = this.#options;
    await Promise.all(
      interfaces().map((local) => {
        const start = ['NOTIFY * HTTP/1.1', `HOST: ${target.address}:${target.port}`, `NTS: ${about}`];
        const life = about === 'ssdp:alive' ? this.#lifeLines(local) : [];
        const texts = this.#names.map((name) => [
          ...start,
          `NT: ${name}`,
          `USN: ${this.#usn(name)}`,
          ...life,
          ...this.#ids,
        ]);
        return send(local, target, texts);
      }),
    );
  }

  async #receive(bytes: Buffer, from: RemoteInfo): Promise<void> {
    const message = parseSsdp(bytes);
    if (message === undefined || !this.#options.isAllowed(from.address)) return;
    const { headers } = message;
    const device = Number(headers.get('deviceid.ses.com') ?? Number.NaN);
    const isOurs = device === this.#options.identity.current.deviceId;
    if (message.kind === 'search' && headers.get('man') === '"ssdp:discover"') {
      if (this.#mayAnswer()) await this.#answer(headers.get('st') ?? '', from);
      // An older server objects to our DEVICEID.
      const isClaimed = performance.now() < this.#claimedUntil;
      if (isOurs && isClaimed && this.#yields < maxYields) await this.#yield();
      return;
    }
    const usn = headers.get('usn') ?? '';
    const isAlive = headers.get('nts') === 'ssdp:alive' && headers.get('nt') === satipServer;
    if (message.kind !== 'notify' || !isAlive || !isOurs || usn === this.#usn(satipServer)) return;
    if (performance.now() >= this.#claimedUntil) await this.#object(from.address);
  }

  async #answer(sought: string, { address, port }: RemoteInfo): Promise<void> {
    const names = sought === 'ssdp:all' ? this.#names : this.#names.filter((name) => name === sought);
    const local = addressTowards(address, this.#options.interfaces());
    if (names.length === 0 || local === undefined) return;
    const life = this.#lifeLines(local);
    const texts = names.map((name) => [
      'HTTP/1.1 200 OK',
      'EXT:',
      `ST: ${name}`,
      `USN: ${this.#usn(name)}`,
      ...life,
      ...this.#ids,
    ]);
    await send(local, { address, port }, texts);
  }

  /** Notifies a newer server that its DEVICEID is ours. */
  async #object(address: string): Promise<void> {
    const local = addressTowards(address, this.#options.interfaces());
    if (local === undefined) return;
    const target = { address, port: this.#options.target.port };
    const host = `HOST: ${target.address}:${target.port}`;
    await send(local, target, [
      ['M-SEARCH * HTTP/1.1', host, 'MAN: "ssdp:discover"', `ST: ${satipServer}`, ...this.#ids],
    ]);
  }

  #mayAnswer(): boolean {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.#second) this.#answers = 0;
    this.#second = second;
    return this.#answers++ < maxAnswersPerSecond;
  }

  async #yield(): Promise<void> {
    this.#yields++;
    await this.#notify('ssdp:byebye');
    const { identity } = this.#options;
    await identity.change({ deviceId: (identity.current.deviceId % maxDeviceId) + 1 });
    await this.#announceFirst();
  }

  get #names(): readonly string[] {
    return ['upnp:rootdevice', this.#uuid, satipServer];
  }

  get #uuid(): string {
    return `uuid:${this.#options.identity.current.uuid}`;
  }

  #usn(name: string): string {
    return name === this.#uuid ? name : `${this.#uuid}::${name}`;
  }

  get #ids(): readonly string[] {
    const { bootId, deviceId } = this.#options.identity.current;
    return [`BOOTID.UPNP.ORG: ${bootId}`, 'CONFIGID.UPNP.ORG: 0', `DEVICEID.SES.COM: ${deviceId}`];
  }

  #lifeLines(local: string): readonly string[] {
    const { location, product } = this.#options;
    return [`CACHE-CONTROL: max-age=${maxAgeSeconds}`, `LOCATION: ${location(local)}`, `SERVER: ${product}`];
  }
}

/** Sends messages from an interface. Failures are ignored, as datagrams may be lost anyway. */
async function send(
  local: string,
  to: { readonly address: string; readonly port: number },
  messages: readonly (readonly string[])[],
): Promise<void> {
  const socket = createSocket('udp4');
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    socket.once('error', () => resolve());
    socket.bind({ address: local, port: 0 }, resolve);
  });
  attempt(() => socket.setMulticastInterface(local));
  attempt(() => socket.setMulticastTTL(timeToLive));
  for (const lines of messages) {
    await new Promise<void>((resolve) => {
      socket.send(`${lines.join('\r\n')}\r\n\r\n`, to.port, to.address, () => resolve());
    });
  }
  attempt(() => socket.close());
}
