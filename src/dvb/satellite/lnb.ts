/**
 * A satellite position as a front end receives it: the LNB, and what lies between the two. Numbers follow Enigma2's
 * tuner settings, which nim-settings.ts reads.
 */
import type { SatelliteParameters } from '../transponder.ts';

export interface Lnb {
  /** Local oscillators, kHz. */
  readonly low: number;
  readonly high: number;
  /** The high oscillator receives what is above, kHz; of a stacked LNB what is horizontal. */
  readonly threshold: number | 'stacked';
  /** Volts, if they do not follow the polarisation. */
  readonly voltage: 0 | 13 | 18 | undefined;
  /** The 22 kHz tone, if it does not follow the band. */
  readonly tone: boolean | undefined;
  /** A volt more, for long cables. */
  readonly moreVoltage: boolean;
  readonly switches: Switches | undefined;
  readonly rotor: Rotor | undefined;
  readonly unicable: Unicable | undefined;
}

export interface Switches {
  /** Port 0 to 3 of a DiSEqC 1.0 switch; a larger number is the command's last byte as it is. */
  readonly committed: number | undefined;
  /** Input 0 to 15 of a DiSEqC 1.1 switch. */
  readonly uncommitted: number | undefined;
  readonly burst: 'a' | 'b' | undefined;
  /** The order of the commands: c committed, u uncommitted, t the burst. */
  readonly order: string;
  /** How often each command is sent. */
  readonly times: number;
  /** The whole sequence is sent twice. */
  readonly twice: boolean;
  /** The switch needs no command where only voltage and tone change. */
  readonly fast: boolean;
}

export interface Rotor {
  /** Degrees, east and north are positive. */
  readonly longitude: number;
  readonly latitude: number;
  /** The position that the rotor has stored for this satellite, 1 to 255; undefined: it is sent the angle (USALS). */
  readonly stored: number | undefined;
}

/** One cable for several front ends, each with a user band of its own: EN 50494 (`unicable`) or EN 50607 (`jess`). */
export interface Unicable {
  readonly format: 'unicable' | 'jess';
  /** From 0: bits of the message, 3 or 5. */
  readonly band: number;
  /** Middle of the user band, kHz. */
  readonly frequency: number;
  /** Which satellite input, from 0. */
  readonly satellite: number;
  /** Milliseconds from power to the first message. */
  readonly bootTime: number;
}

export const universal = { low: 9_750_000, high: 10_600_000, threshold: 11_700_000 } as const;

/** What front ends can be tuned to, kHz. */
const [lowest, highest] = [950_000, 2_150_000] as const;

/** How a transponder arrives. */
export interface LnbSignal {
  /** kHz behind the LNB. */
  readonly frequency: number;
  readonly voltage: 0 | 13 | 18;
  readonly tone: boolean;
  readonly isHorizontal: boolean;
  readonly isHigh: boolean;
}

export function signalBy(lnb: Lnb, { frequency, polarisation }: SatelliteParameters): LnbSignal {
  // Left counts as horizontal.
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

/** False if the LNB is of another kind than the transponder needs. */
export function isInRange({ frequency }: LnbSignal): boolean {
  return frequency >= lowest && frequency <= highest;
}
