/**
 * The HDHomeRun devices that the configuration names: finds them, adds their tuners to the pool, and follows devices that
 * appear later or change their address. Tuners stay in the pool while their device is away.
 */
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Guide } from '../../base/native.ts';
import { defaultHdhomerunPort, type HdhomerunSpec } from '../../config/hdhomerun-spec.ts';
import type { NetworkServer } from '../network-front-end.ts';
import { addressOf, ServerSearch } from '../server-search.ts';
import { Tuner } from '../tuner.ts';
import { type DescribedDevice, describeDevice, type FoundDevice, searchDevices } from './discover.ts';
import { HdhomerunFrontEnd } from './front-end.ts';

/** Bound for all devices together: anyone in the network can claim to be one. */
const maxTuners = 64;

export interface DevicesParts {
  readonly add: (tuner: Tuner, frontEnd: HdhomerunFrontEnd) => void;
  readonly guide?: Guide | undefined;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Names this receiver to the devices: the same after each start. Needed by tuners that are to be locked. */
  readonly identity?: () => string;
  /**
   * Imports the channels of a device that has no tuner control, only streams by HTTP. Resolves to their number.
   * @throws Error with the reason as text for users
   */
  readonly importLineup?: (name: string, url: string, signal: AbortSignal) => Promise<number>;
  /** The id of this receiver's own device, which is left out. */
  readonly own?: () => string;
}

type KnownDevice = { -readonly [Key in keyof NetworkServer]: NetworkServer[Key] };

export class HdhomerunDevices extends ServerSearch<HdhomerunSpec> {
  readonly #parts: DevicesParts;
  /** By device id. */
  readonly #known = new Map<string, KnownDevice>();
  /** Addresses of imported lineups. */
  readonly #imported = new Set<string>();
  /** Names of devices whose tuners are in the pool: while one is away, its channels are not imported in their place. */
  readonly #named = new Set<string>();
  #tunerCount = 0;

  constructor(specs: readonly HdhomerunSpec[], parts: DevicesParts) {
    super('hdhomerun', specs, parts.log);
    this.#parts = parts;
  }

  protected find(spec: HdhomerunSpec): Promise<void> {
    return spec.host === '*' ? this.#findAll(spec) : this.#findNamed(spec);
  }

  async #findAll(spec: HdhomerunSpec): Promise<void> {
    const found = (await searchDevices({ port: spec.port, signal: this.signal })).filter(({ id }) => !this.#isOwn(id));
    await Promise.all(found.map((device) => this.#use(spec, device, device.host, device.host)));
    if (found.length === 0) throw new Error('no device answers; is it in the same network?');
  }

  async #findNamed(spec: HdhomerunSpec): Promise<void> {
    const host = await addressOf(spec.host, 4);
    const [found] = await searchDevices({ host, port: spec.port, signal: this.signal });
    const webPort = spec.port === defaultHdhomerunPort ? '' : `:${spec.port}`;
    const lineupUrl = `http://${host}${webPort}/lineup.json`;
    if (found === undefined)
      return this.#importLineup(spec.host, lineupUrl, 'the device does not answer; is it switched on?');
    if (this.#isOwn(found.id)) throw new Error('that is this receiver');
    await this.#use(spec, { ...found, lineupUrl: found.lineupUrl || lineupUrl }, spec.text, spec.host);
  }

  /** Adds the tuners of a device, or imports its channels if it has no tuner control. */
  async #use(spec: HdhomerunSpec, found: FoundDevice, label: string, name: string): Promise<void> {
    let described: DescribedDevice;
    try {
      described = await describeDevice(found, spec.port, this.signal);
    } catch (error) {
      return this.#importLineup(name, found.lineupUrl, (error as Error).message);
    }
    this.#named.add(name);
    this.#register(spec, described, label);
  }

  /** Once for each address. @throws Error with `trouble`, or with the reason why there are no channels */
  async #importLineup(name: string, url: string, trouble: string): Promise<void> {
    const { importLineup, log } = this.#parts;
    if (this.#imported.has(url)) return;
    if (importLineup === undefined || url === '' || this.#named.has(name)) throw new Error(trouble);
    const count = await importLineup(name, url, this.signal).catch((error: Error) => {
      throw new Error(`${trouble} (if it offers only streams by HTTP: ${error.message})`);
    });
    this.#imported.add(url);
    log.info(`hdhomerun:${name}: no tuner control (${trouble}); channels imported: ${count}`);
  }

  #isOwn(id: string): boolean {
    return id === this.#parts.own?.();
  }

  /** Adds the tuners of a new device, and updates the address of a known one. */
  #register({ port }: HdhomerunSpec, { id, host, model, systems, tunerCount }: DescribedDevice, label: string): void {
    const address = `${host}:${port}`;
    const { log, guide, add } = this.#parts;
    const known = this.#known.get(id);
    if (known !== undefined) {
      if (known.address !== address) log.info(`hdhomerun:${known.address}: ${known.name} is at ${address} now`);
      Object.assign(known, { address, foundAt: performance.now() });
      return;
    }
    const device = { name: model, address, foundAt: 0 };
    this.#known.set(id, device);
    log.info(`hdhomerun:${label}: ${model}, tuners: ${tunerCount}`);
    for (let tuner = 0; tuner < tunerCount && this.#tunerCount < maxTuners; tuner++, this.#tunerCount++) {
      const spec = { kind: 'hdhomerun', server: label, tuner, lockKey: this.#lockKeyFor(`${id}/${tuner}`) } as const;
      add(new Tuner(spec, guide === undefined ? {} : { guide }), new HdhomerunFrontEnd(device, systems));
    }
  }

  /** A key that no other receiver has, and that is the same after each start: a lock that outlived us is ours again. */
  #lockKeyFor(tuner: string): number {
    const identity = this.#parts.identity?.() ?? `${process.pid}`;
    return createHash('sha256').update(`${identity}/${tuner}`).digest().readUInt32BE() || 1;
  }
}

/** Searches the local network once, and returns the devices with the control protocol. */
export async function describedDevices(
  port = defaultHdhomerunPort,
  signal?: AbortSignal,
): Promise<readonly DescribedDevice[]> {
  const found = await searchDevices({ port, ...(signal && { signal }) });
  const described = await Promise.all(found.map((one) => describeDevice(one, port, signal).catch(() => undefined)));
  return described.filter((one) => one !== undefined);
}
