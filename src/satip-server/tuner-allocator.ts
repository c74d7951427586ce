/** Finds the transponder that a client means, and gets a tuner for it. */

import { fail } from '../base/errors.ts';
import { positionOf } from '../base/orbital-position.ts';
import type { Transponder, TransponderParameters } from '../dvb/transponder.ts';
import type { PoolTuner, TunerLease, TunerPool, TuneToOptions } from '../dvb/tuner-pool.ts';
import { RtspError } from './rtsp.ts';

export interface TunerAllocatorParts {
  readonly pool: TunerPool;
  /** The listed ones. */
  readonly transponders: () => readonly Transponder[];
  /** The positions that `src` counts from 1, in tenths of a degree east; none: those of the list in its order. */
  readonly satellites: readonly number[];
}

/** How far off a frequency may be, in its units: lists are rounded, and terrestrial channels have offsets. */
const tolerance: Readonly<Record<TransponderParameters['kind'], number>> = {
  satellite: 2000,
  terrestrial: 500_000,
  cable: 500,
  atsc: 500_000,
};

export class TunerAllocator {
  readonly #parts: TunerAllocatorParts;

  constructor(parts: TunerAllocatorParts) {
    this.#parts = parts;
  }

  /** @throws RtspError 403 for a source that is none */
  transponderOf(asked: TransponderParameters, source: number): Transponder {
    const parameters = asked.kind === 'satellite' ? { ...asked, orbitalPosition: this.#position(source) } : asked;
    const off = (one: Transponder) => Math.abs(one.parameters.frequency - parameters.frequency);
    const listed = this.#parts.transponders().filter((one) => isMeant(one.parameters, parameters));
    const [nearest] = listed.sort((a, b) => off(a) - off(b));
    return nearest ?? { namespace: 0, transportStreamId: 0, originalNetworkId: 0, parameters };
  }

  /**
   * A tuner for it: a source that carries it, else a front end, for which the options count.
   * @throws ReceiverError as of TunerPool.tuneTo
   */
  async lease(transponder: Transponder, user: string, options: TuneToOptions): Promise<TunerLease> {
    const source = this.#parts.pool.tuners.find((one) => carries(one, transponder));
    if (source === undefined)
      return this.#parts.pool.tuneTo(transponder, 'stream', user, { ...options, among: isOffered });
    const lease = source.lease({ purpose: 'stream', user });
    await source.untilStarted();
    return lease;
  }

  /** How many tuners there are, by X_SATIPCAP's names. One that can do several things counts for each. */
  get capabilities(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const tuner of this.#parts.pool.tuners.filter(isOffered)) {
      for (const kind of this.#kindsOf(tuner)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return new Map(order.flatMap((kind) => (counts.has(kind) ? [[kind, counts.get(kind) ?? 0] as const] : [])));
  }

  #kindsOf(tuner: PoolTuner): ReadonlySet<string> {
    if (tuner.frontEnd !== undefined) return kindsOfSystems(tuner.frontEnd.information?.systems ?? []);
    const carried = this.#parts.transponders().find((one) => carries(tuner, one));
    if (carried === undefined) return new Set();
    const { kind, system } = carried.parameters;
    const names = { satellite: 'DVBS2', terrestrial: system === 1 ? 'DVBT2' : 'DVBT', cable: 'DVBC', atsc: 'ATSC' };
    return new Set([names[kind]]);
  }

  #position(source: number): number {
    const { satellites, transponders } = this.#parts;
    const listed = () => {
      const all = transponders().flatMap(({ parameters }) =>
        parameters.kind === 'satellite' ? [parameters.orbitalPosition] : [],
      );
      return [...new Set(all)];
    };
    const position = (satellites.length > 0 ? satellites : listed())[source - 1];
    if (position === undefined) throw new RtspError(403, 'Out-of-Range: src');
    return position;
  }
}

/** Those of other servers are not: two receivers that use each other's would go round in circles. */
const isOffered = (tuner: PoolTuner) => !tuner.isInNetwork;

/** The order in which `fe` counts. */
const order = ['DVBS2', 'DVBT', 'DVBT2', 'DVBC', 'DVBC2', 'ATSC'];

/** DVBS2 stands for DVB-S too. */
function kindsOfSystems(systems: readonly string[]): ReadonlySet<string> {
  const kinds = new Set<string>();
  const has = (name: string) => systems.includes(name);
  if (has('DVB-S') || has('DVB-S2')) kinds.add('DVBS2');
  if (has('DVB-T2')) kinds.add('DVBT2');
  else if (has('DVB-T')) kinds.add('DVBT');
  if (has('DVB-C2')) kinds.add('DVBC2');
  else if (has('DVB-C')) kinds.add('DVBC');
  if (has('ATSC')) kinds.add('ATSC');
  return kinds;
}

/** A source of one multiplex, as far as it has shown itself. */
function carries({ frontEnd, tuner }: PoolTuner, transponder: Transponder): boolean {
  if (frontEnd !== undefined) return false;
  const { transportStreamId, originalNetworkId } = tuner.multiplex();
  if (transportStreamId !== transponder.transportStreamId) return false;
  return originalNetworkId === null || originalNetworkId === transponder.originalNetworkId;
}

/** A listed transponder is the one that is asked for, although what was left open may be known of it. */
function isMeant(listed: TransponderParameters, asked: TransponderParameters): boolean {
  if (Math.abs(listed.frequency - asked.frequency) > tolerance[asked.kind]) return false;
  if (listed.kind === 'satellite' && asked.kind === 'satellite') {
    return (
      listed.orbitalPosition === asked.orbitalPosition &&
      listed.polarisation === asked.polarisation &&
      listed.system === asked.system &&
      listed.streamId === asked.streamId &&
      isNear(listed.symbolRate, asked.symbolRate)
    );
  }
  if (listed.kind === 'terrestrial' && asked.kind === 'terrestrial') {
    const isEither = listed.system < 0 || asked.system < 0;
    return (isEither || listed.system === asked.system) && (asked.system !== 1 || listed.plpId === asked.plpId);
  }
  return listed.kind === asked.kind && listed.system === asked.system;
}

/** Of symbol rates; 0 is unknown. */
const isNear = (one: number, other: number) => one === 0 || other === 0 || Math.abs(one - other) < one / 20;

/** `19.2E` in tenths of a degree east. @throws ReceiverError `parameter-invalid` */
export function parsePosition(text: string): number {
  const position = positionOf(text);
  if (position === undefined) throw fail('parameter-invalid', 'satellites', `'${text}' is no position such as 19.2E`);
  return position;
}
