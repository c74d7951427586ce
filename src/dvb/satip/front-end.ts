/** A front end of a SAT>IP server. */
import type { TuningOrder } from '../../base/native.ts';
import { type FrontEnd, lockTimeoutMsOf, systemsOf } from '../front-end.ts';
import type { TransponderParameters } from '../transponder.ts';
import { formatQuery } from './query.ts';
import type { Quirks } from './quirks.ts';

/** Milliseconds in addition to the time for a lock: for the server to assign a tuner, and for the network. */
const serverDelayMs = 3000;
/** Added to the ability, so that local front ends are used first: they cause no network traffic. */
const networkAbility = 100;

/** A server and its current address, which may change. */
export interface Server {
  readonly name: string;
  readonly quirks: Quirks;
  /** Orbital positions of sources 1, 2, ..., in tenths of a degree east; empty: source 1 has every satellite. */
  readonly satellites: readonly number[];
  /** `192.0.2.9:554` */
  readonly address: string;
}

export class SatipFrontEnd implements FrontEnd {
  readonly #server: Server;
  readonly #systems: readonly string[];

  constructor(server: Server, systems: readonly string[]) {
    this.#server = server;
    this.#systems = systems;
  }

  /** Current address of its server. */
  get address(): string {
    return this.#server.address;
  }

  get information() {
    return { name: this.#server.name, systems: this.#systems };
  }

  /** Always empty: only a request shows whether the server is there. */
  get trouble(): string {
    return '';
  }

  get ability(): number {
    return networkAbility + this.#systems.length;
  }

  canReceive(transponder: TransponderParameters): boolean {
    return systemsOf(transponder).some((one) => this.#systems.includes(one)) && this.#sourceOf(transponder) > 0;
  }

  orderFor(transponder: TransponderParameters): TuningOrder {
    const { address, quirks } = this.#server;
    return {
      transponder,
      allSteps: [],
      changedSteps: [],
      endSteps: [],
      cable: '',
      server: address,
      queries: this.#variantsOf(transponder).map((one) => formatQuery(one, this.#sourceOf(transponder), quirks)),
      lockTimeoutMs: lockTimeoutMsOf(transponder) + serverDelayMs,
    };
  }

  clashes(_own: TransponderParameters, other: FrontEnd): boolean {
    return other === this;
  }

  /** A query must name DVB-T or T2, so an unknown system becomes two queries. */
  #variantsOf(transponder: TransponderParameters): readonly TransponderParameters[] {
    if (transponder.kind !== 'terrestrial' || transponder.system >= 0) return [transponder];
    return [0, 1]
      .map((system) => ({ ...transponder, system }))
      .filter((one) => systemsOf(one).some((name) => this.#systems.includes(name)));
  }

  /** Number of the source, from 1; 0 if the server does not receive that satellite. */
  #sourceOf(transponder: TransponderParameters): number {
    const { satellites } = this.#server;
    if (transponder.kind !== 'satellite' || satellites.length === 0) return 1;
    return satellites.indexOf(transponder.orbitalPosition) + 1;
  }
}
