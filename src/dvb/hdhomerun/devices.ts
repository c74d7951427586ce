/**
 * The HDHomeRun devices that the configuration names: finds them, adds their tuners to the pool, and follows devices that
 * appear later or change their address. Tuners stay in the pool while their device is away.
 */
import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Guide } from '../../base/native.ts';
import { defaultHdhomerunPort, type HdhomerunSpec } from '../../config/hdhomerun-spec.ts';
import { addressOf, ServerSearch } from '../server-search.ts';
import { Tuner } from '../tuner.ts';
import { type DescribedDevice, describeDevice, searchDevices } from './discover.ts';
import { type Device, HdhomerunFrontEnd } from './front-end.ts';

/** Bound for all devices together: anyone in the network can claim to be one. */
const maxTuners = 64;

export interface DevicesParts {
  readonly add: (tuner: Tuner, frontEnd: HdhomerunFrontEnd) => void;
  readonly guide?: Guide | undefined;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Names this receiver to the devices: the same after each start. Needed by tuners that are to be locked. */
  readonly identity?: () => string;
  /** The id of this receiver's own device, which is left out. */
  readonly own?: () => string;
}

interface KnownDevice extends Device {
  address: string;
}

export class HdhomerunDevices {
  readonly #parts: DevicesParts;
  /** By device id. */
  readonly #known = new Map<string, KnownDevice>();
  readonly #search: ServerSearch<HdhomerunSpec>;
  #tunerCount = 0;

  constructor(specs: readonly HdhomerunSpec[], parts: DevicesParts) {
    this.#parts = parts;
    const find = (spec: HdhomerunSpec) => (spec.host === '*' ? this.#findAll(spec) : this.#findNamed(spec));
    this.#search = new ServerSearch('hdhomerun', specs, find, parts.log);
  }

  /** Searches for all devices once. Resolves when all have had time to answer. */
  look(): Promise<void> {
    return this.#search.look();
  }

  /** Searches again soon. Call it when a tuner has failed: the device may have a new address. */
  lookAgain(): void {
    this.#search.lookAgain();
  }

  stop(): Promise<void> {
    return this.#search.stop();
  }

  /** Why devices are missing, as text for users, by their specification. */
  get troubles(): ReadonlyMap<string, string> {
    return this.#search.troubles;
  }

  async #findAll(spec: HdhomerunSpec): Promise<void> {
    const found = (await describedDevices(spec.port, this.#search.signal)).filter(({ id }) => !this.#isOwn(id));
    for (const device of found) this.#register(spec, device, device.host);
    if (found.length === 0) throw new Error('no device answers; is it in the same network?');
  }

  async #findNamed(spec: HdhomerunSpec): Promise<void> {
    const host = await addressOf(spec.host, 4);
    const { signal } = this.#search;
    const [found] = await searchDevices({ host, port: spec.port, signal });
    if (found === undefined) throw new Error('the device does not answer; is it switched on?');
    if (this.#isOwn(found.id)) throw new Error('that is this receiver');
    this.#register(spec, await describeDevice(found, spec.port, signal), spec.text);
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
      known.address = address;
      return;
    }
    const device = { name: model, systems, address };
    this.#known.set(id, device);
    log.info(`hdhomerun:${label}: ${model}, tuners: ${tunerCount}`);
    for (let tuner = 0; tuner < tunerCount && this.#tunerCount < maxTuners; tuner++, this.#tunerCount++) {
      const spec = { kind: 'hdhomerun', server: label, tuner, lockKey: this.#lockKeyFor(`${id}/${tuner}`) } as const;
      add(new Tuner(spec, guide === undefined ? {} : { guide }), new HdhomerunFrontEnd(device));
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

/** Searches once, for a command. Returns why devices are missing, by their specification without `hdhomerun:`. */
export async function findDevices(
  specs: readonly HdhomerunSpec[],
  add: DevicesParts['add'],
): Promise<ReadonlyMap<string, string>> {
  const quiet = () => undefined;
  const devices = new HdhomerunDevices(specs, { add, log: { info: quiet, warn: quiet } });
  await devices.look();
  const troubles = new Map(devices.troubles);
  await devices.stop();
  return troubles;
}
