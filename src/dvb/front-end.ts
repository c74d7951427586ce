/** Front ends: which transponders they can receive, and the tuning order for each. */
import type { FrontEndInformation, TuningOrder } from '../base/native.ts';
import type { Aerial } from './satellite/aerial.ts';
import type { SatelliteParameters, TransponderParameters } from './transponder.ts';

export type { FrontEndInformation, TuningOrder };

/** Returns how the satellite socket of a slot is connected; undefined if it is not. */
export type AerialOf = (slot: number) => Aerial | undefined;

export interface FrontEnd {
  /** Undefined while the device is missing. */
  readonly information: Pick<FrontEndInformation, 'name' | 'systems'> | undefined;
  /** Why the front end cannot be used, as text for users; empty if it can. */
  readonly trouble: string;
  /** Of a server in the network: when it was last found, by `performance.now()`. A failure before that is over. */
  readonly foundAt?: number;
  /** Grows with what it can receive. The least able suitable front end is used, so that the others remain free. */
  readonly ability: number;
  canReceive(transponder: TransponderParameters): boolean;
  /** Returns the order that tunes to `transponder` after `previous`. REQUIRES: canReceive(transponder) */
  orderFor(transponder: TransponderParameters, previous: TransponderParameters | undefined): TuningOrder;
  /** True if this front end cannot receive `own` while `other` receives `its`. */
  clashes(own: TransponderParameters, other: FrontEnd, its: TransponderParameters): boolean;
}

/** A front end of this machine. The device may come and go; its abilities are known while it is present. */
export class DeviceFrontEnd implements FrontEnd {
  readonly adapter: number;
  readonly frontend: number;
  readonly #aerialOf: AerialOf;
  #information: FrontEndInformation | undefined;
  /** The number of front ends before this one, as Enigma2's settings count them. */
  #slot = 0;

  constructor(at: { readonly adapter: number; readonly frontend: number }, aerialOf: AerialOf) {
    this.adapter = at.adapter;
    this.frontend = at.frontend;
    this.#aerialOf = aerialOf;
  }

  get information(): FrontEndInformation | undefined {
    return this.#information;
  }

  /** Takes the front ends that the machine has now. Called at start, and after a device was plugged in or out. */
  update(all: readonly FrontEndInformation[]): void {
    const slot = all.findIndex((one) => one.adapter === this.adapter && one.frontend === this.frontend);
    this.#information = all[slot];
    if (slot >= 0) this.#slot = slot;
  }

  /** Its index among the front ends of the machine, as Enigma2's settings count them. */
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

  orderFor(transponder: TransponderParameters, previous: TransponderParameters | undefined): TuningOrder {
    const lockTimeoutMs = lockTimeoutMsOf(transponder);
    const aerial = this.#aerial;
    if (transponder.kind !== 'satellite' || aerial === undefined) {
      return { transponder, allSteps: [], changedSteps: [], endSteps: [], cable: '', lockTimeoutMs };
    }
    const { frequency, delay, ...steps } = aerial.orderFor(transponder, satellite(previous));
    return { ...steps, transponder: { ...transponder, frequency }, lockTimeoutMs: lockTimeoutMs + delay };
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

/** Names of the delivery systems that can receive the transponder, as in `FrontEndInformation.systems`. */
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

/** Milliseconds to wait for a lock. Low symbol rates take longer (Enigma2's values). */
export function lockTimeoutMsOf(transponder: TransponderParameters): number {
  if (transponder.kind !== 'satellite' || transponder.symbolRate > 20_000_000) return 5000;
  return transponder.symbolRate > 10_000_000 ? 10_000 : 20_000;
}
