/** The satellite equipment behind a front end, as the pool and the front end need it; `satellite/` implements it. */
import type { SatelliteStep } from '../native.ts';
import type { SatelliteParameters } from './transponder.ts';

export interface Aerial {
  /** Orbital positions that it reaches, tenths of a degree east, 0 to 3599. */
  readonly positions: readonly number[];
  reaches(transponder: SatelliteParameters): boolean;
  /** Aerials with the same cable share it: what they receive at the same time must have the same `demand`. */
  readonly cable: string;
  /** What a transponder demands of the cable. Equal texts can be received at the same time. */
  demand(transponder: SatelliteParameters): string;
  /** `previous`: the last satellite transponder of this front end; undefined if there was none. */
  order(transponder: SatelliteParameters, previous: SatelliteParameters | undefined): AerialOrder;
}

export interface AerialOrder {
  /** kHz, as it arrives at the front end. */
  readonly frequency: number;
  readonly allSteps: readonly SatelliteStep[];
  readonly changedSteps: readonly SatelliteStep[];
  readonly endSteps: readonly SatelliteStep[];
  /** Empty: no other front end sends commands on this cable. */
  readonly cable: string;
  /** Milliseconds that a rotor may go on turning after the steps. */
  readonly delay: number;
}
