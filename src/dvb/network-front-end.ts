/** A front end of another machine: of a SAT>IP server or an HDHomeRun device. */
import type { TuningOrder } from '../base/native.ts';
import { type FrontEnd, lockTimeoutMsOf, systemsOf } from './front-end.ts';
import type { TransponderParameters } from './transponder.ts';

/** Milliseconds in addition to the time for a lock: for the server to assign a tuner, and for the network. */
const serverDelayMs = 3000;
/** Added to the ability, so that local front ends are used first: they cause no network traffic. */
const networkAbility = 100;

/** A server and its current address, which may change. */
export interface NetworkServer {
  readonly name: string;
  /** `192.0.2.9:554` */
  readonly address: string;
  /** When a search last found it, by `performance.now()`; 0 if none has asked it. */
  readonly foundAt: number;
}

export abstract class NetworkFrontEnd<Server extends NetworkServer = NetworkServer> implements FrontEnd {
  protected readonly server: Server;
  protected readonly systems: readonly string[];

  constructor(server: Server, systems: readonly string[]) {
    this.server = server;
    this.systems = systems;
  }

  /** The requests that tune to a transponder, to be tried one after the other; none if it cannot be received. */
  protected abstract queriesFor(transponder: TransponderParameters): readonly string[];

  /** Current address of its server. */
  get address(): string {
    return this.server.address;
  }

  get foundAt(): number {
    return this.server.foundAt;
  }

  get information() {
    return { name: this.server.name, systems: this.systems };
  }

  /** Always empty: only a request shows whether the server is there. */
  get trouble(): string {
    return '';
  }

  get ability(): number {
    return networkAbility + this.systems.length;
  }

  canReceive(transponder: TransponderParameters): boolean {
    const isReceivable = systemsOf(transponder).some((one) => this.systems.includes(one));
    return isReceivable && this.queriesFor(transponder).length > 0;
  }

  orderFor(transponder: TransponderParameters): TuningOrder {
    return {
      transponder,
      allSteps: [],
      changedSteps: [],
      endSteps: [],
      cable: '',
      server: this.address,
      queries: this.queriesFor(transponder),
      lockTimeoutMs: lockTimeoutMsOf(transponder) + serverDelayMs,
    };
  }

  clashes(_own: TransponderParameters, other: FrontEnd): boolean {
    return other === this;
  }
}
