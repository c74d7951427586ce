/** Messages to satellite equipment (DiSEqC, EN 61319-1; EN 50494; EN 50607) and the angle of a rotor (USALS). */
import type { LnbSignal, Rotor, Unicable } from './lnb.ts';

const first = 0xe0;
const repeated = 0xe1;
const anySwitch = 0x10;
const polarMount = 0x31;
const radians = Math.PI / 180;

type Bytes = Uint8Array;
const bytes = (...values: readonly number[]): Bytes => Uint8Array.from(values);

/** Resets all equipment. */
export const reset = bytes(first, 0x00, 0x00);
export const powerOn = bytes(first, 0x00, 0x03);
/** Stops a rotor. */
export const halt = bytes(first, polarMount, 0x60);

/** DiSEqC 1.0: selects port 0 to 3; a larger `port` is the last byte of the command. */
export function committed(port: number, { isHorizontal, isHigh }: LnbSignal): Bytes {
  const option = port > 3 ? port : 0xf0 | (port << 2) | (Number(isHorizontal) << 1) | Number(isHigh);
  return bytes(first, anySwitch, 0x38, option);
}

/** DiSEqC 1.1: selects an input, from 0. */
export const uncommitted = (input: number): Bytes => bytes(first, anySwitch, 0x39, 0xf0 | input);

/** Marks a message as a repetition. */
export const repetition = (command: Bytes): Bytes => bytes(repeated, ...command.subarray(1));

/** DiSEqC 1.2: turns to the position that the rotor has stored, or to an angle. `orbital`: tenths of a degree east. */
export function turn(rotor: Rotor, orbital: number): Bytes {
  if (rotor.stored !== undefined) return bytes(first, polarMount, 0x6b, rotor.stored);
  const angle = rotorAngle(rotor, orbital);
  const tenths = Math.round(Math.abs(angle) * 10);
  const sixteenths = [0x0, 0x2, 0x3, 0x5, 0x6, 0x8, 0xa, 0xb, 0xd, 0xe][tenths % 10] ?? 0;
  const degrees = Math.floor(tenths / 10);
  // Seen from the southern hemisphere, east is to the left.
  const direction = angle > 0 === rotor.latitude >= 0 ? 0xe0 : 0xd0;
  return bytes(first, polarMount, 0x6e, direction | (degrees >> 4), ((degrees & 0xf) << 4) | sixteenths);
}

/**
 * Returns the angle of a rotor in degrees, east positive. The axis of the rotor is parallel to that of the earth, whose
 * radius is 0.151 times that of the orbit.
 */
export function rotorAngle({ longitude, latitude }: Rotor, orbital: number): number {
  const east = orbital / 10 - longitude;
  const distance = Math.cos(east * radians) - 0.151268 * Math.cos(latitude * radians);
  return Math.atan2(Math.sin(east * radians), distance) / radians;
}

/** Returns the command that moves a transponder into a user band, and its frequency there in kHz. */
export function bandCommand(
  unicable: Unicable,
  signal: LnbSignal,
): { readonly command: Bytes; readonly frequency: number } {
  const { band, satellite } = unicable;
  const [horizontal, high] = [Number(signal.isHorizontal), Number(signal.isHigh)];
  if (unicable.format === 'unicable') {
    const step = Math.round((signal.frequency + unicable.frequency) / 4000) - 350;
    const choice = (band << 5) | ((satellite & 1) << 4) | (horizontal << 3) | (high << 2) | (step >> 8);
    const frequency = 4000 * (step + 350) - signal.frequency;
    return { command: bytes(first, anySwitch, 0x5a, choice, step & 0xff), frequency };
  }
  const megahertz = Math.round(signal.frequency / 1000);
  const step = megahertz - 100;
  const choice = ((satellite & 0x3f) << 2) | (horizontal << 1) | high;
  // The command has whole megahertz; the front end tunes to the remainder.
  const frequency = unicable.frequency + signal.frequency - megahertz * 1000;
  return { command: bytes(0x70, (band << 3) | (step >> 8), step & 0xff, choice), frequency };
}

/** Switches a user band off. */
export function release({ format, band }: Unicable): Bytes {
  return format === 'unicable' ? bytes(first, anySwitch, 0x5a, band << 5, 0) : bytes(0x70, band << 3, 0, 0);
}
