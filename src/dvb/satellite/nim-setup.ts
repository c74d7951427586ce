/**
 * Writes how a satellite socket is connected into Enigma2's settings, so that a box that gets the folder has them too
 * (nim-settings.ts reads them). Covers the common installations: satellites behind a switch, a rotor, or Unicable, one
 * cable for many tuners.
 */
import { fail } from '../../base/errors.ts';
import { positionText } from '../../base/orbital-position.ts';

export const equipments = ['direct', 'toneburst', 'diseqc', 'rotor', 'unicable', 'jess', 'nothing'] as const;

export interface AerialSetup {
  /** How the dish is connected: `direct`, one LNB; `nothing`, not at all. */
  readonly equipment: (typeof equipments)[number];
  /** Tenths of a degree east, 0 to 3599, in the order of the switch's ports. */
  readonly satellites: readonly number[];
  /** For a rotor: its location in degrees, east and north positive. */
  readonly longitude?: number | undefined;
  readonly latitude?: number | undefined;
  /** For Unicable and JESS: this tuner's user band, from 1, and its centre in MHz. */
  readonly band?: number | undefined;
  readonly bandFrequency?: number | undefined;
  /** For Unicable and JESS: the first slot on the same cable. */
  readonly cableOf?: number | undefined;
}

/** Number of satellites that each kind of equipment can select; a rotor names none. */
const maxSatellites: Readonly<Record<AerialSetup['equipment'], number>> = {
  direct: 1,
  toneburst: 2,
  diseqc: 4,
  rotor: 0,
  unicable: 2,
  jess: 64,
  nothing: 0,
};
const bands: Readonly<Record<string, number>> = { unicable: 8, jess: 32 };

/** Settings that describe how a dish is connected. All others, such as those of other delivery systems, are kept. */
const replaced = /^(configMode$|connectedTo$|diseqc|simple|advanced\.|longitude|latitude|userSatellitesList$)/;

/**
 * Returns the stored settings with those of the slot's dish replaced. If the image writes `config.Nims.N.dvbs.…`, so
 * does this. @throws ReceiverError `parameter-invalid`
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
  const [count, max] = [satellites.length, maxSatellites[equipment]];
  if (count > max || (max > 0 && count === 0)) {
    const number = max === 0 ? 'no satellite' : max === 1 ? 'one satellite' : `1 to ${max} satellites`;
    throw fail('parameter-invalid', 'satellites', `must name ${number} for '${equipment}'`);
  }
  if (new Set(satellites).size < count) throw fail('parameter-invalid', 'satellites', 'names one of them twice');
  if (cableOf !== undefined && bands[equipment] === undefined)
    throw fail('parameter-invalid', 'cable', 'is for unicable and jess');
  const isInRange = (value: number | undefined, max: number) => value !== undefined && Math.abs(value) <= max;
  if (equipment === 'rotor' && !isInRange(longitude, 180))
    throw fail('parameter-invalid', 'longitude', 'must be the longitude of the rotor, -180 to 180 degrees');
  if (equipment === 'rotor' && !isInRange(latitude, 90))
    throw fail('parameter-invalid', 'latitude', 'must be the latitude of the rotor, -90 to 90 degrees');
  const maxBands = bands[equipment];
  if (maxBands === undefined) return;
  if (band === undefined || band < 1 || band > maxBands)
    throw fail('parameter-invalid', 'band', `must be this tuner's user band, 1 to ${maxBands}`);
  if (bandFrequency === undefined || bandFrequency < 950 || bandFrequency > 2150)
    throw fail('parameter-invalid', 'frequency', 'must be the centre of the user band, 950 to 2150 MHz');
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

/** An LNB entry for each satellite; they differ in the number of the satellite input. */
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

/** Formats degrees as Enigma2 does, as integer degrees and thousandths: 5.1 is `5.100`. */
function decimal(degrees: number): string {
  const thousandths = Math.round(Math.abs(degrees) * 1000);
  return `${Math.floor(thousandths / 1000)}.${String(thousandths % 1000).padStart(3, '0')}`;
}
