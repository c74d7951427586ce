/** A tuner of an HDHomeRun device. */
import type { TuningOrder } from '../../base/native.ts';
import { type FrontEnd, lockTimeoutMsOf, systemsOf } from '../front-end.ts';
import type { TransponderParameters } from '../transponder.ts';
import { channelsFor } from './channel.ts';

/** Milliseconds in addition to the time for a lock, for the network. */
const serverDelayMs = 3000;
/** Added to the ability, so that local front ends are used first: they cause no network traffic. */
const networkAbility = 100;

/** A device and its current address, which may change. */
export interface Device {
  readonly name: string;
  /** `192.0.2.9:65001` */
  readonly address: string;
  readonly systems: readonly string[];
}

export class HdhomerunFrontEnd implements FrontEnd {
  readonly #device: Device;

  constructor(device: Device) {
    this.#device = device;
  }

  get address(): string {
    return this.#device.address;
  }

  get information() {
    return { name: this.#device.name, systems: this.#device.systems };
  }

  /** Always empty: only a request shows whether the device is there. */
  get trouble(): string {
    return '';
  }

  get ability(): number {
    return networkAbility + this.#device.systems.length;
  }

  canReceive(transponder: TransponderParameters): boolean {
    const receivable = systemsOf(transponder).some((one) => this.#device.systems.includes(one));
    return receivable && channelsFor(transponder).length > 0;
  }

  orderFor(transponder: TransponderParameters): TuningOrder {
    return {
      transponder,
      allSteps: [],
      changedSteps: [],
      endSteps: [],
      cable: '',
      server: this.#device.address,
      queries: channelsFor(transponder),
      lockTimeoutMs: lockTimeoutMsOf(transponder) + serverDelayMs,
    };
  }

  clashes(_own: TransponderParameters, other: FrontEnd): boolean {
    return other === this;
  }
}
