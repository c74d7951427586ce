/** What can be tuned: which transponders it receives, and with what order. */
import type { FrontEndInformation, TuningOrder } from '../base/native.ts';
import type { Aerial } from './satellite/aerial.ts';
import type { SatelliteParameters, TransponderParameters } from './transponder.ts';

export type { FrontEndInformation, TuningOrder };

/** How the satellite socket of a slot is connected; undefined: not at all. */
export type AerialOf = (slot: number) => Aerial | undefined;

export interface FrontEnd {
  /** Undefined while it is not there. */
  readonly information: Pick<FrontEndInformation, 'name' | 'systems'> | undefined;
  /** Why it cannot be used, for people; empty if it can. */
  readonly trouble: string;
  /** The more it can, the higher: of several that will do, the least able is used, so that the others remain free. */
  readonly ability: number;
  canReceive(transponder: TransponderParameters): boolean;
  /** `previous`: what it was tuned to last. REQUIRES: canReceive(transponder) */
  order(transponder: TransponderParameters, previous: TransponderParameters | undefined): TuningOrder;
  /** Both cannot be received at the same time, by this front end and another. */
  clashes(own: TransponderParameters, other: FrontEnd, its: TransponderParameters): boolean;
}

/** A front end of this machine. The device may come and go; what it can is known while it is there. */
export class DeviceFrontEnd implements FrontEnd {
  readonly adapter: number;
  readonly frontend: number;
  readonly #aerialOf: AerialOf;
  #information: FrontEndInformation | undefined;
  /** How many front ends the machine has before this one. */
  #slot = 0;

  constructor(at: { readonly adapter: number; readonly frontend: number }, aerialOf: AerialOf) {
    this.adapter = at.adapter;
    this.frontend = at.frontend;
    this.#aerialOf = aerialOf;
  }

  get information(): FrontEndInformation | undefined {
    return this.#information;
  }

  /** What the machine has now: at the start, and when a device has been plugged in or out. */
  found(all: readonly FrontEndInformation[]): void {
    const slot = all.findIndex((one) => one.adapter === this.adapter && one.frontend === this.frontend);
    this.#information = all[slot];
    if (slot >= 0) this.#slot = slot;
  }

  /** Its place among the front ends of the machine, as Enigma2's settings count them. */
  get slot(): number {
    return this.#slot;
  }

  get #aerial(): Aerial | undefined {
    return this.#aerialOf(this.#slot);
  }

  get trouble(): string {
    const path = `/dev/dvb/adapter${this.adapter}/frontend${this.frontend}`;
    return this.#information === undefined ? `${path}: there is no such device` : this.#information.trouble;
  }

  canReceive(transponder: TransponderParameters): boolean {
    if (this.#information === undefined) return false;
    const { systems } = this.#information;
    if (!systemsOf(transponder).some((system) => systems.includes(system))) return false;
    return transponder.kind !== 'satellite' || this.#aerial?.reaches(transponder) === true;
  }

  get ability(): number {
    return (this.#information?.systems.length ?? 0) + (this.#aerial?.ability ?? 0);
  }

  order(transponder: TransponderParameters, previous: TransponderParameters | undefined): TuningOrder {
    const lockTime = lockTimeOf(transponder);
    const aerial = this.#aerial;
    if (transponder.kind !== 'satellite' || aerial === undefined) {
      return { transponder, allSteps: [], changedSteps: [], endSteps: [], cable: '', lockTime };
    }
    const { frequency, delay, ...steps } = aerial.order(transponder, satellite(previous));
    return { ...steps, transponder: { ...transponder, frequency }, lockTime: lockTime + delay };
  }

  clashes(own: TransponderParameters, other: FrontEnd, its: TransponderParameters): boolean {
    if (other === this) return true;
    if (!(other instanceof DeviceFrontEnd)) return false;
    if (this.#information?.shared && other.adapter === this.adapter) return true;
    const [mine, theirs] = [this.#aerial, other.#aerial];
    if (own.kind !== 'satellite' || its.kind !== 'satellite' || theirs === undefined) return false;
    return mine?.clashes(own, theirs, its) === true;
  }
}

const satellite = (of: TransponderParameters | undefined): SatelliteParameters | undefined =>
  of?.kind === 'satellite' ? of : undefined;

export const isSatellite = ({ information }: FrontEnd): boolean =>
  information?.systems.some((system) => system.startsWith('DVB-S')) === true;

/** Names of the delivery systems of which one is needed, as FrontEndInformation has them. */
export function systemsOf({ kind, system }: TransponderParameters): readonly string[] {
  switch (kind) {
    case 'satellite':
      return system === 1 ? ['DVB-S2'] : ['DVB-S'];
    case 'terrestrial':
      if (system < 0) return ['DVB-T', 'DVB-T2'];
      return [['DVB-T'], ['DVB-T2'], ['ISDB-T']][system] ?? [];
    case 'cable':
      return [['DVB-C'], ['DVB-C annex C'], ['DVB-C2']][system] ?? [];
    case 'atsc':
      return system === 1 ? ['DVB-C annex B'] : ['ATSC'];
  }
}

/** Milliseconds. Slow symbol rates take longer (Enigma2's values). */
export function lockTimeOf(transponder: TransponderParameters): number {
  if (transponder.kind !== 'satellite' || transponder.symbolRate > 20_000_000) return 5000;
  return transponder.symbolRate > 10_000_000 ? 10_000 : 20_000;
}
