/** Finds the listed transponder for a client's parameters, and leases a tuner for it. */

import { fail } from '../base/errors.ts';
import { positionOf } from '../base/orbital-position.ts';
import type { Transponder, TransponderParameters } from '../dvb/transponder.ts';
import type { PoolTuner, TunerLease, TunerPool, TuneToOptions } from '../dvb/tuner-pool.ts';
import { RtspError } from './rtsp.ts';

export interface TunerAllocatorParts {
  readonly pool: TunerPool;
  /** Returns the transponders of the service list. */
  readonly transponders: () => readonly Transponder[];
  /**
   * Positions of `src=1`, `src=2`, ... in tenths of a degree east. Empty: those of the service list, in its order.
   */
  readonly satellites: readonly number[];
}

/** Tolerance of frequencies in their own units: lists are rounded, and terrestrial channels have offsets. */
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

  /** Returns the nearest listed transponder, or an unlisted one. @throws RtspError 403 for an unknown source */
  transponderOf(requested: TransponderParameters, source: number): Transponder {
    const parameters =
      requested.kind === 'satellite' ? { ...requested, orbitalPosition: this.#position(source) } : requested;
    const offset = (one: Transponder) => Math.abs(one.parameters.frequency - parameters.frequency);
    const listed = this.#parts.transponders().filter((transponder) => matches(transponder.parameters, parameters));
    const [nearest] = listed.sort((a, b) => offset(a) - offset(b));
    return nearest ?? { namespace: 0, transportStreamId: 0, originalNetworkId: 0, parameters };
  }

  /**
   * Leases a tuner for it: a source that carries it, otherwise a front end. Only front ends respect `options`.
   * @throws ReceiverError as TunerPool.tuneTo does
   */
  async lease(transponder: Transponder, user: string, options: TuneToOptions): Promise<TunerLease> {
    const source = this.#parts.pool.tuners.find((tuner) => carries(tuner, transponder));
    if (source === undefined)
      return this.#parts.pool.tuneTo(transponder, 'stream', user, { ...options, among: isOffered });
    const lease = source.lease({ purpose: 'stream', user });
    await source.untilStarted();
    return lease;
  }

  /** Numbers of tuners by the names of X_SATIPCAP. A tuner with several systems counts for each. */
  get capabilities(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const tuner of this.#parts.pool.tuners.filter(isOffered)) {
      for (const kind of this.#kindsOf(tuner)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return new Map(kindOrder.flatMap((kind) => (counts.has(kind) ? [[kind, counts.get(kind) ?? 0] as const] : [])));
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

/** Tuners of other servers are not offered: two receivers that use each other's tuners would relay in a circle. */
const isOffered = (tuner: PoolTuner) => !tuner.isInNetwork;

/** The order of the names in X_SATIPCAP. */
const kindOrder = ['DVBS2', 'DVBT', 'DVBT2', 'DVBC', 'DVBC2', 'ATSC'];

/** Returns the names of X_SATIPCAP; DVBS2 includes DVB-S. */
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

/** True if the tuner is a source of one multiplex, as far as known the one of this transponder. */
function carries({ frontEnd, tuner }: PoolTuner, transponder: Transponder): boolean {
  if (frontEnd !== undefined) return false;
  const { transportStreamId, originalNetworkId } = tuner.multiplex();
  if (transportStreamId !== transponder.transportStreamId) return false;
  return originalNetworkId === null || originalNetworkId === transponder.originalNetworkId;
}

/** True if a listed transponder matches a request, in which parameters may be unknown. */
function matches(listed: TransponderParameters, requested: TransponderParameters): boolean {
  if (Math.abs(listed.frequency - requested.frequency) > tolerance[requested.kind]) return false;
  if (listed.kind === 'satellite' && requested.kind === 'satellite') {
    return (
      listed.orbitalPosition === requested.orbitalPosition &&
      listed.polarisation === requested.polarisation &&
      listed.system === requested.system &&
      listed.streamId === requested.streamId &&
      isNear(listed.symbolRate, requested.symbolRate)
    );
  }
  if (listed.kind === 'terrestrial' && requested.kind === 'terrestrial') {
    const isEither = listed.system < 0 || requested.system < 0;
    return (
      (isEither || listed.system === requested.system) && (requested.system !== 1 || listed.plpId === requested.plpId)
    );
  }
  return listed.kind === requested.kind && listed.system === requested.system;
}

/** True for symbol rates less than 5 % apart, or unknown (0). */
const isNear = (one: number, other: number) => one === 0 || other === 0 || Math.abs(one - other) < one / 20;

/** `19.2E` in tenths of a degree east. @throws ReceiverError `parameter-invalid` */
export function parsePosition(text: string): number {
  const position = positionOf(text);
  if (position === undefined)
    throw fail('parameter-invalid', 'satellites', `'${text}' is not an orbital position such as 19.2E`);
  return position;
}
