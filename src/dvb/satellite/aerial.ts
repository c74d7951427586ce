/**
 * The satellite socket of a front end: the orbital positions that it reaches, and the steps to select a transponder.
 *
 * The waits are Enigma2's, which much equipment relies on. A switch is sent only what has changed, unless its state is
 * unknown: after power on, and after a tuning without a signal.
 */
import type { SatelliteStep } from '../../base/native.ts';
import type { SatelliteParameters } from '../transponder.ts';
import {
  bandCommand,
  committed,
  halt,
  powerOn,
  release,
  repetition,
  reset,
  rotorAngle,
  turn,
  uncommitted,
} from './diseqc.ts';
import { isInRange, type Lnb, type LnbSignal, type Switches, signalBy, type Unicable } from './lnb.ts';

export interface SatelliteSocket {
  /** The LNB by orbital position, tenths of a degree east, 0 to 3599. */
  readonly lnbs: ReadonlyMap<number, Lnb>;
  /** The LNB for every other position: with a rotor, or if the position of the only dish is not configured. */
  readonly otherPositions: Lnb | undefined;
  /** Sockets with the same name share a cable. */
  readonly cable: string;
  /** What they share: the whole signal, or only the position of the dish. */
  readonly shared: 'signal' | 'position';
}

export interface AerialOrder {
  /** kHz, at the input of the front end. */
  readonly frequency: number;
  readonly allSteps: readonly SatelliteStep[];
  readonly changedSteps: readonly SatelliteStep[];
  readonly endSteps: readonly SatelliteStep[];
  /** Orders with the same cable do their steps one after the other. */
  readonly cable: string;
  /** Milliseconds that a rotor may still be turning after the steps. */
  readonly delay: number;
}

/** Milliseconds to wait after or between steps. */
const waits = {
  toneOff: 25,
  /** After the voltage was changed, or switched on, before a command. */
  voltageChanged: 75,
  voltageOn: 200,
  reset: 50,
  powerOn: 150,
  burst: 50,
  betweenCommands: 120,
  /** The command for the second switch is sent in the pause after that for the first. */
  betweenTwoSwitches: 33,
  lastCommand: 100,
  betweenSequences: 70,
  final: 10,
  /** Between the commands for a switch and those for a rotor. */
  rotorBehindSwitch: 700,
  rotorVoltageChanged: 500,
  rotorVoltageOn: 900,
  halted: [50, 500],
  turning: 1000,
  turningPowered: 2000,
  /** Before and after an EN 50494 message. The standard's 4 to 22 and 2 to 60 are too short for some LNBs. */
  bandVoltage: 75,
  bandSet: 150,
} as const;

/** Milliseconds per degree of a rotor at 13 V, and to start turning. */
const turningMsPerDegree = 2000;
const turningStartMs = 3000;
/** Milliseconds to turn from an unknown position. */
const maxTurningMs = 120_000;

export class Aerial {
  readonly #socket: SatelliteSocket;

  constructor(socket: SatelliteSocket) {
    this.#socket = socket;
  }

  /** Number of positions that it reaches; a rotor counts as a hundred. */
  get ability(): number {
    return this.#socket.lnbs.size + (this.#socket.otherPositions?.rotor ? 100 : 1);
  }

  reaches(transponder: SatelliteParameters): boolean {
    const lnb = this.#lnbFor(transponder);
    return lnb !== undefined && isInRange(signalBy(lnb, transponder));
  }

  /** True if this aerial cannot deliver `own` while `other`, which may be on the same cable, delivers `its`. */
  clashes(own: SatelliteParameters, other: Aerial, its: SatelliteParameters): boolean {
    const [mine, theirs] = [this.#lnbFor(own)?.unicable, other.#lnbFor(its)?.unicable];
    if (this.#socket.cable !== other.#socket.cable) return false;
    // Each front end on a Unicable cable has its own user band.
    if (mine && theirs) return mine.band === theirs.band;
    if (own.orbitalPosition !== its.orbitalPosition) return true;
    if (this.#socket.shared === 'position' || other.#socket.shared === 'position') return false;
    const [one, two] = [this.#state(own).signal, other.#state(its).signal];
    return one.voltage !== two.voltage || one.tone !== two.tone;
  }

  /** Returns the steps from `previous`, this front end's last transponder. REQUIRES: reaches(transponder) */
  orderFor(transponder: SatelliteParameters, previous: SatelliteParameters | undefined): AerialOrder {
    const to = this.#state(transponder);
    const { unicable } = to.lnb;
    if (unicable) return this.#bandOrder(unicable, to.signal);
    const before = previous && this.#state(previous);
    const from = before?.lnb.unicable ? undefined : before;
    return {
      frequency: to.signal.frequency,
      allSteps: steps(undefined, to),
      changedSteps: steps(from, to),
      endSteps: [{ tone: false }, { voltage: 0 }],
      cable: this.#socket.cable,
      delay: turningTimeMs(from, to),
    };
  }

  #bandOrder(unicable: Unicable, signal: LnbSignal): AerialOrder {
    const { command, frequency } = bandCommand(unicable, signal);
    const message = (sent: Uint8Array): readonly SatelliteStep[] => [
      { voltage: 18 },
      { tone: false },
      { waitMs: waits.bandVoltage },
      { command: sent },
      { waitMs: waits.bandSet },
      { voltage: 13 },
    ];
    return {
      frequency,
      allSteps: [{ voltage: 13 }, { waitMs: Math.max(waits.voltageOn, unicable.bootTime) }, ...message(command)],
      changedSteps: message(command),
      endSteps: [...message(release(unicable)), { voltage: 0 }],
      cable: this.#socket.cable,
      delay: 0,
    };
  }

  #lnbFor({ orbitalPosition }: SatelliteParameters): Lnb | undefined {
    return this.#socket.lnbs.get(orbitalPosition) ?? this.#socket.otherPositions;
  }

  #state(transponder: SatelliteParameters): DishState {
    const lnb = this.#lnbFor(transponder);
    if (lnb === undefined) throw new Error(`no LNB for ${transponder.orbitalPosition}`);
    return { lnb, signal: signalBy(lnb, transponder), orbital: transponder.orbitalPosition };
  }
}

interface DishState {
  readonly lnb: Lnb;
  readonly signal: LnbSignal;
  readonly orbital: number;
}

/** Steps between two states. `from` undefined: everything is off, and the state of switches is unknown. */
function steps(from: DishState | undefined, to: DishState): readonly SatelliteStep[] {
  const { voltage, tone } = to.signal;
  const all: SatelliteStep[] = [];
  const commands = commandsOf(from, to);
  const turns = turnsBy(from, to);
  // Commands are sent without the tone.
  if ((commands.length > 0 || turns) && from?.signal.tone !== false)
    all.push({ tone: false }, { waitMs: waits.toneOff });
  if (from === undefined || from.lnb.moreVoltage !== to.lnb.moreVoltage) all.push({ moreVoltage: to.lnb.moreVoltage });
  let now = from?.signal.voltage;
  const apply = (volts: 0 | 13 | 18, changed: number, on: number) => {
    if (now === volts) return;
    all.push({ voltage: volts }, { waitMs: now === undefined || now === 0 ? on : changed });
    now = volts;
  };
  if (commands.length > 0) {
    apply(voltage, waits.voltageChanged, waits.voltageOn);
    if (from === undefined)
      all.push({ command: reset }, { waitMs: waits.reset }, { command: powerOn }, { waitMs: waits.powerOn });
    all.push(...commands);
    if (turns) all.push({ waitMs: waits.rotorBehindSwitch });
  }
  if (turns) {
    apply(13, waits.rotorVoltageChanged, waits.rotorVoltageOn);
    if (from === undefined) for (const wait of waits.halted) all.push({ command: halt }, { waitMs: wait });
    all.push({ command: turns }, { waitMs: waits.turning });
    // Rotors turn faster with 18 V, once they have started.
    apply(voltage, waits.turningPowered, waits.turningPowered);
  }
  apply(voltage, waits.final, waits.final);
  if (commands.length > 0 || turns ? tone : from?.signal.tone !== tone) all.push({ tone }, { waitMs: waits.final });
  return all;
}

/** The commands for switches; none if they are in the right state already. */
function commandsOf(from: DishState | undefined, to: DishState): readonly SatelliteStep[] {
  const { switches } = to.lnb;
  if (switches === undefined) return [];
  const sequence = sequenceOf(switches, to.signal);
  if (from?.lnb.switches !== undefined) {
    const before = switches.fast
      ? sequenceOf(from.lnb.switches, to.signal)
      : sequenceOf(from.lnb.switches, from.signal);
    if (textOf(before) === textOf(sequence)) return [];
  }
  return switches.twice ? [...sequence, { waitMs: waits.betweenSequences }, ...sequence] : sequence;
}

const textOf = (sequence: readonly SatelliteStep[]) => JSON.stringify(sequence);

function sequenceOf(switches: Switches, signal: LnbSignal): readonly SatelliteStep[] {
  const { order, times } = switches;
  const own: Readonly<Record<string, Uint8Array | undefined>> = {
    c: switches.committed === undefined ? undefined : committed(switches.committed, signal),
    u: switches.uncommitted === undefined ? undefined : uncommitted(switches.uncommitted),
  };
  const round = [...order].flatMap((letter) => own[letter] ?? []);
  const sent = Array.from({ length: times }, (_, n) => round.map((one) => (n === 0 ? one : repetition(one)))).flat();
  const between = round.length > 1 && times > 1 ? waits.betweenTwoSwitches : waits.betweenCommands;
  const commands = sent.flatMap((command, n): readonly SatelliteStep[] => [
    { command },
    { waitMs: n + 1 < sent.length ? between : waits.lastCommand },
  ]);
  if (switches.burst === undefined) return commands;
  const burst: readonly SatelliteStep[] = [{ burst: switches.burst }, { waitMs: waits.burst }];
  return order.startsWith('t') ? [...burst, ...commands] : [...commands, ...burst];
}

/** The command that turns the dish; undefined without a rotor or if the dish is in position. */
function turnsBy(from: DishState | undefined, to: DishState): Uint8Array | undefined {
  if (to.lnb.rotor === undefined || (from?.lnb.rotor && from.orbital === to.orbital)) return undefined;
  return turn(to.lnb.rotor, to.orbital);
}

function turningTimeMs(from: DishState | undefined, to: DishState): number {
  const { rotor } = to.lnb;
  if (rotor === undefined) return 0;
  if (from?.lnb.rotor === undefined) return maxTurningMs;
  if (from.orbital === to.orbital) return 0;
  const degrees = Math.abs(rotorAngle(rotor, to.orbital) - rotorAngle(rotor, from.orbital));
  return Math.min(maxTurningMs, Math.round(degrees * turningMsPerDegree) + turningStartMs);
}
