/**
 * Writes how a satellite socket is connected into Enigma2's settings, so that a box that gets the folder has it too
 * (nim-settings.ts reads them). Covers what a person sets up in a sentence: satellites behind a switch, a rotor, or one
 * cable for many.
 */
import { fail } from '../../base/errors.ts';
import { positionText } from '../../base/orbital-position.ts';

export const equipments = ['direct', 'toneburst', 'diseqc', 'rotor', 'unicable', 'jess', 'nothing'] as const;

export interface AerialSetup {
  /** How the dish is connected: `direct`, one LNB; `nothing`, not at all. */
  readonly equipment: (typeof equipments)[number];
  /** Tenths of a degree east, 0 to 3599, in the order of the switch's ports. */
  readonly satellites: readonly number[];
  /** Of a rotor: where it stands, degrees, east and north positive. */
  readonly longitude?: number | undefined;
  readonly latitude?: number | undefined;
  /** Of one cable for many: this tuner's user band, from 1, and its middle in MHz. */
  readonly band?: number | undefined;
  readonly bandFrequency?: number | undefined;
  /** Of one cable for many: the first slot on the same cable. */
  readonly cableOf?: number | undefined;
}

/** How many satellites each can reach. */
const most: Readonly<Record<AerialSetup['equipment'], number>> = {
  direct: 1,
  toneburst: 2,
  diseqc: 4,
  rotor: 0,
  unicable: 2,
  jess: 64,
  nothing: 0,
};
const bands: Readonly<Record<string, number>> = { unicable: 8, jess: 32 };

/** What says how a dish is connected. Other systems of the same slot, and what else there is, are left alone. */
const replaced = /^(configMode$|connectedTo$|diseqc|simple|advanced\.|longitude|latitude|userSatellitesList$)/;

/**
 * The settings of a slot: what was there, but for what this replaces, and what it says. Images that write
 * `config.Nims.N.dvbs.…` go on doing so. @throws ReceiverError `parameter-invalid`
 */
export function withAerial(
  stored: Iterable<readonly [key: string, value: string]>,
  slot: number,
  setup: AerialSetup,
): ReadonlyMap<string, string> {
  check(setup);
  const before = [...stored];
  const own = `config.Nims.${slot}.`;
  const ofSatellites = `${own}dvbs.`;
  const start = before.some(([key]) => key.startsWith(ofSatellites)) ? ofSatellites : own;
  const isOther = (key: string) => !key.startsWith(start) || !replaced.test(key.slice(start.length));
  const entries = Object.entries(keysOf(setup)).map(([key, value]) => [start + key, value] as const);
  return new Map([...before.filter(([key]) => isOther(key)), ...entries]);
}

/** `19.2° E, 13.0° E` */
export function satellitesText({ equipment, satellites }: AerialSetup): string {
  if (equipment === 'nothing') return 'no satellite';
  if (equipment === 'rotor') return 'every satellite that its rotor reaches';
  return satellites.map(positionText).join(', ');
}

function check({ equipment, satellites, longitude, latitude, band, bandFrequency, cableOf }: AerialSetup): void {
  const [reached, bound] = [satellites.length, most[equipment]];
  if (reached > bound || (bound > 0 && reached === 0)) {
    const number = bound === 0 ? 'no satellite' : bound === 1 ? 'one satellite' : `1 to ${bound} satellites`;
    throw fail('parameter-invalid', 'satellites', `must name ${number} for '${equipment}'`);
  }
  if (new Set(satellites).size < reached) throw fail('parameter-invalid', 'satellites', 'names one of them twice');
  if (cableOf !== undefined && bands[equipment] === undefined)
    throw fail('parameter-invalid', 'cable', 'is for unicable and jess');
  const inRange = (value: number | undefined, bound: number) => value !== undefined && Math.abs(value) <= bound;
  if (equipment === 'rotor' && !inRange(longitude, 180))
    throw fail('parameter-invalid', 'longitude', 'must say where the rotor stands, -180 to 180 degrees');
  if (equipment === 'rotor' && !inRange(latitude, 90))
    throw fail('parameter-invalid', 'latitude', 'must say where the rotor stands, -90 to 90 degrees');
  const mostBands = bands[equipment];
  if (mostBands === undefined) return;
  if (band === undefined || band < 1 || band > mostBands)
    throw fail('parameter-invalid', 'band', `must be this tuner's user band, 1 to ${mostBands}`);
  if (bandFrequency === undefined || bandFrequency < 950 || bandFrequency > 2150)
    throw fail('parameter-invalid', 'frequency', 'must be the middle of the user band, 950 to 2150 MHz');
}

function keysOf(setup: AerialSetup): Readonly<Record<string, string>> {
  const { equipment, satellites, longitude = 0, latitude = 0 } = setup;
  const ports = Object.fromEntries(satellites.map((position, port) => [`diseqc${'ABCD'[port]}`, String(position)]));
  const simple = (mode: string) => ({ configMode: 'simple', diseqcMode: mode, ...ports });
  switch (equipment) {
    case 'nothing':
      return { configMode: 'nothing' };
    case 'direct':
      return simple('single');
    case 'toneburst':
      return simple('toneburst_a_b');
    case 'diseqc':
      return simple(satellites.length > 2 ? 'diseqc_a_b_c_d' : 'diseqc_a_b');
    case 'rotor':
      return {
        ...simple('positioner'),
        longitude: decimal(longitude),
        longitudeOrientation: longitude < 0 ? 'west' : 'east',
        latitude: decimal(latitude),
        latitudeOrientation: latitude < 0 ? 'south' : 'north',
      };
    case 'unicable':
    case 'jess':
      return { configMode: 'advanced', ...sharedCable(setup, equipment) };
  }
}

/** An LNB entry for each satellite, which differ in the number of their input. */
function sharedCable(
  { satellites, band, bandFrequency, cableOf }: AerialSetup,
  format: 'unicable' | 'jess',
): Readonly<Record<string, string>> {
  const lnbs = satellites.flatMap((position, index) => {
    const at = `advanced.lnb.${index + 1}`;
    return [
      [`advanced.sat.${position}.lnb`, String(index + 1)],
      [`${at}.lof`, 'unicable'],
      [`${at}.unicable`, 'unicable_user'],
      [`${at}.format`, format],
      [`${at}.scrList`, String(band)],
      [`${at}.scrfrequency`, String(bandFrequency)],
      [`${at}.positionNumber`, String(index + 1)],
    ];
  });
  const cable =
    cableOf === undefined
      ? []
      : [
          ['advanced.unicableconnected', 'True'],
          ['advanced.unicableconnectedTo', String(cableOf)],
        ];
  return Object.fromEntries([...lnbs, ...cable]) as Record<string, string>;
}

/** Enigma2's two whole numbers around a point: 5.1 is `5.100`. */
function decimal(degrees: number): string {
  const thousandths = Math.round(Math.abs(degrees) * 1000);
  return `${Math.floor(thousandths / 1000)}.${String(thousandths % 1000).padStart(3, '0')}`;
}
