/** A front end of a SAT>IP server. */
import type { TuningOrder } from '../../base/native.ts';
import { type FrontEnd, lockTimeOf, systemsOf } from '../front-end.ts';
import type { TransponderParameters } from '../transponder.ts';
import { formatQuery } from './query.ts';
import type { Quirks } from './quirks.ts';

/** Milliseconds that a server has for what lies before the lock: its own tuners, and the way there and back. */
const delay = 3000;
/** Those of this machine come first: they cost the network nothing. */
const inNetwork = 100;

/** Where a server is at present, and what it is. It may change its address. */
export interface Server {
  readonly name: string;
  readonly quirks: Quirks;
  /** Tenths of a degree east of its sources, from 1; empty: source 1 has every satellite. */
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

  /** Of its server, at present. */
  get address(): string {
    return this.#server.address;
  }

  get information() {
    return { name: this.#server.name, systems: this.#systems };
  }

  /** Only a request tells whether the server is there. */
  get trouble(): string {
    return '';
  }

  get ability(): number {
    return inNetwork + this.#systems.length;
  }

  canReceive(transponder: TransponderParameters): boolean {
    return systemsOf(transponder).some((one) => this.#systems.includes(one)) && this.#sourceOf(transponder) > 0;
  }

  order(transponder: TransponderParameters): TuningOrder {
    const { address, quirks } = this.#server;
    return {
      transponder,
      allSteps: [],
      changedSteps: [],
      endSteps: [],
      cable: '',
      server: address,
      queries: this.#exactly(transponder).map((one) => formatQuery(one, this.#sourceOf(transponder), quirks)),
      lockTime: lockTimeOf(transponder) + delay,
    };
  }

  clashes(_own: TransponderParameters, other: FrontEnd): boolean {
    return other === this;
  }

  /** A query cannot leave open whether it is DVB-T or T2. */
  #exactly(transponder: TransponderParameters): readonly TransponderParameters[] {
    if (transponder.kind !== 'terrestrial' || transponder.system >= 0) return [transponder];
    return [0, 1]
      .map((system) => ({ ...transponder, system }))
      .filter((one) => systemsOf(one).some((name) => this.#systems.includes(name)));
  }

  /** From 1; 0 if the server does not have that satellite. */
  #sourceOf(transponder: TransponderParameters): number {
    const { satellites } = this.#server;
    if (transponder.kind !== 'satellite' || satellites.length === 0) return 1;
    return satellites.indexOf(transponder.orbitalPosition) + 1;
  }
}
