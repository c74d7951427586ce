/** A front end of a SAT>IP server. */
import { systemsOf } from '../front-end.ts';
import { NetworkFrontEnd, type NetworkServer } from '../network-front-end.ts';
import type { TransponderParameters } from '../transponder.ts';
import { formatQuery } from './query.ts';
import type { Quirks } from './quirks.ts';

export interface Server extends NetworkServer {
  readonly quirks: Quirks;
  /** Orbital positions of sources 1, 2, ..., in tenths of a degree east; empty: source 1 has every satellite. */
  readonly satellites: readonly number[];
}

export class SatipFrontEnd extends NetworkFrontEnd<Server> {
  protected queriesFor(transponder: TransponderParameters): readonly string[] {
    const source = this.#sourceOf(transponder);
    if (source === 0) return [];
    return this.#variantsOf(transponder).map((one) => formatQuery(one, source, this.server.quirks));
  }

  /** A query must name DVB-T or T2, so an unknown system becomes two queries. */
  #variantsOf(transponder: TransponderParameters): readonly TransponderParameters[] {
    if (transponder.kind !== 'terrestrial' || transponder.system >= 0) return [transponder];
    return [0, 1]
      .map((system) => ({ ...transponder, system }))
      .filter((one) => systemsOf(one).some((name) => this.systems.includes(name)));
  }

  /** Number of the source, from 1; 0 if the server does not receive that satellite. */
  #sourceOf(transponder: TransponderParameters): number {
    const { satellites } = this.server;
    if (transponder.kind !== 'satellite' || satellites.length === 0) return 1;
    return satellites.indexOf(transponder.orbitalPosition) + 1;
  }
}
