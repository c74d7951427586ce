/**
 * The path from a satellite to a front end: the LNB, switches, a rotor, Unicable. Numbers follow Enigma2's tuner
 * settings, which nim-settings.ts reads.
 */
import type { SatelliteParameters } from '../transponder.ts';

export interface Lnb {
  /** Local oscillators, kHz. */
  readonly low: number;
  readonly high: number;
  /** kHz: the high oscillator is for frequencies above; in a stacked LNB, it is for horizontal polarisation. */
  readonly threshold: number | 'stacked';
  /** Volts; undefined if they follow the polarisation. */
  readonly voltage: 0 | 13 | 18 | undefined;
  /** The 22 kHz tone; undefined if it follows the band. */
  readonly tone: boolean | undefined;
  /** About one volt more, for long cables. */
  readonly moreVoltage: boolean;
  readonly switches: Switches | undefined;
  readonly rotor: Rotor | undefined;
  readonly unicable: Unicable | undefined;
}

export interface Switches {
  /** Port 0 to 3 of a DiSEqC 1.0 switch; a larger number is the last byte of the command. */
  readonly committed: number | undefined;
  /** Input 0 to 15 of a DiSEqC 1.1 switch. */
  readonly uncommitted: number | undefined;
  readonly burst: 'a' | 'b' | undefined;
  /** The order of the commands: c committed, u uncommitted, t the burst. */
  readonly order: string;
  /** Number of times that each command is sent. */
  readonly times: number;
  /** Send the whole sequence twice. */
  readonly twice: boolean;
  /** The switch needs no command where only voltage and tone change. */
  readonly fast: boolean;
}

export interface Rotor {
  /** Degrees, east and north are positive. */
  readonly longitude: number;
  readonly latitude: number;
  /** The position that the rotor has stored for this satellite, 1 to 255; undefined: send the angle (USALS). */
  readonly stored: number | undefined;
}

/** One cable for several front ends, each with its own user band: EN 50494 (`unicable`) or EN 50607 (`jess`). */
export interface Unicable {
  readonly format: 'unicable' | 'jess';
  /** Number of the user band, from 0: 3 bits of an EN 50494 message, 5 of EN 50607. */
  readonly band: number;
  /** Centre of the user band, kHz. */
  readonly frequency: number;
  /** Number of the satellite input, from 0. */
  readonly satellite: number;
  /** Milliseconds from power to the first message. */
  readonly bootTime: number;
}

export const universal = { low: 9_750_000, high: 10_600_000, threshold: 11_700_000 } as const;

/** The tuning range of front ends, kHz. */
const [minFrequency, maxFrequency] = [950_000, 2_150_000] as const;

/** A transponder at the output of the LNB. */
export interface LnbSignal {
  /** Intermediate frequency, kHz. */
  readonly frequency: number;
  readonly voltage: 0 | 13 | 18;
  readonly tone: boolean;
  readonly isHorizontal: boolean;
  readonly isHigh: boolean;
}

export function signalBy(lnb: Lnb, { frequency, polarisation }: SatelliteParameters): LnbSignal {
  // Left circular polarisation counts as horizontal.
  const isHorizontal = polarisation === 0 || polarisation === 2;
  const isHigh = lnb.threshold === 'stacked' ? isHorizontal : frequency > lnb.threshold;
  return {
    frequency: Math.abs(frequency - (isHigh ? lnb.high : lnb.low)),
    voltage: lnb.voltage ?? (isHorizontal ? 18 : 13),
    tone: lnb.tone ?? (isHigh && lnb.threshold !== 'stacked'),
    isHorizontal,
    isHigh,
  };
}

/** False if the transponder needs another kind of LNB. */
export function isInRange({ frequency }: LnbSignal): boolean {
  return frequency >= minFrequency && frequency <= maxFrequency;
}
