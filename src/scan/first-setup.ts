/**
 * The first start on real hardware: prepares a scan from the user's country, or the satellites of the dish. Guesses
 * both from the time zone, configures the dishes unless the settings contain them already, and chooses the tables to
 * scan.
 */

import type { Zoned } from '../base/country-settings.ts';
import { fail } from '../base/errors.ts';
import { once } from '../base/once.ts';
import { positionOf, positionText } from '../base/orbital-position.ts';
import { TimeSlice } from '../base/time-slice.ts';
import type { Settings } from '../config/enigma2-settings.ts';
import { isSatellite } from '../dvb/front-end.ts';
import { withAerial } from '../dvb/satellite/nim-setup.ts';
import type { TransponderParameters } from '../dvb/transponder.ts';
import type { TunerPool } from '../dvb/tuner-pool.ts';
import { type FoundTables, scanTables, type TableFile } from './available-tables.ts';
import { receivable } from './network-scan.ts';
import { isdbRaster, raster, readInitialTable } from './transponder-tables.ts';

export interface Place {
  /** ISO 3166 code in lower case, for terrestrial and cable; empty if neither is to be scanned. */
  readonly country: string;
  /** Tenths of a degree east, in the order of the switch's ports. */
  readonly satellites: readonly number[];
}

/** The satellite that most dishes of a country receive, in tenths of a degree east. */
const usualSatellites: readonly (readonly [position: number, countries: string])[] = [
  [192, 'at be ch de es fr li lu nl'],
  [282, 'gb ie im'],
  [130, 'it mt pl sm va'],
  [235, 'cz sk'],
  [3592, 'dk fi hu no ro rs se'],
  [90, 'cy gr'],
  [420, 'az tr'],
  [360, 'ru'],
  [260, 'ae eg jo kw om qa sa'],
];

/** Countries with channels outside the European raster, and their tables: built in, or in dtv-scan-tables. */
const nationalTables: readonly (readonly [countries: string, tables: RegExp])[] = [
  ['au', /^dvb-t\/auto-Australia$/],
  ['tw', /^dvb-t\/auto-Taiwan$/],
  ['ca mx us', /^us-(?:atsc|cable)$/],
  ['kr', /^kr-(?:atsc|cable)$/],
];

/** Countries with ISDB-T in channels of 6 MHz. */
const isdbCountries = 'ar bo br cl cr ec gt hn jp ni pe ph py sv uy ve';

/** Ports of a DiSEqC 1.0 switch. */
const maxSatellites = 4;

const has = (countries: string, country: string) => country !== '' && countries.split(' ').includes(country);

/** Guesses the place from the time zone, for the front ends of a pool. */
export async function guessedPlace(timeZone: string, { tuners }: TunerPool): Promise<Place> {
  const frontEnds = tuners.flatMap(({ frontEnd }) => frontEnd ?? []);
  if (frontEnds.length === 0) return { country: '', satellites: [] };
  const country = await countryOf(timeZone);
  const position = usualSatellites.find(([, countries]) => has(countries, country))?.[0];
  const isDish = frontEnds.some(isSatellite);
  const isOther = frontEnds.some((frontEnd) =>
    frontEnd.information?.systems.some((system) => !system.startsWith('DVB-S')),
  );
  return { country: isOther ? country : '', satellites: isDish && position !== undefined ? [position] : [] };
}

/**
 * Returns the country of a time zone (`Europe/Vienna` is `at`) by Unicode's data; empty if there is none. Takes about
 * 300 ms on a PC, in time slices.
 */
export async function countryOf(timeZone: string): Promise<string> {
  const zone = new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  const slice = new TimeSlice();
  const letters = Array.from({ length: 26 }, (_, n) => String.fromCharCode(65 + n));
  for (const first of letters) {
    for (const second of letters) {
      if (slice.isOver) await slice.next();
      const locale: Intl.Locale & Zoned = new Intl.Locale(`und-${first}${second}`);
      const zones = locale.getTimeZones?.() ?? locale.timeZones;
      // Obsolete codes are mapped to the current country.
      if (zones?.includes(zone)) return locale.region?.toLowerCase() ?? '';
    }
  }
  return '';
}

const countryNames = once(() => new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }));

/** Parses `de`, `19.2E, 13.0E` or both, with up to four satellites. @throws ReceiverError `parameter-invalid` */
export function placeOf(text: string): Place {
  let country = '';
  const satellites: number[] = [];
  const words = text.replace(/\s?\u00b0\s?(?=[EW])/gi, '').split(/[,;\s]+/);
  for (const word of words.filter((one) => one !== '')) {
    const position = positionOf(word);
    if (position !== undefined) satellites.push(...(satellites.includes(position) ? [] : [position]));
    else if (!/^[a-z]{2}$/i.test(word) || countryNames().of(word.toUpperCase()) === undefined)
      throw fail(
        'parameter-invalid',
        'place',
        `contains '${word}', which is neither a country code such as de nor an orbital position such as 19.2E`,
      );
    else if (country !== '') throw fail('parameter-invalid', 'place', `names two countries, ${country} and ${word}`);
    else country = word.toLowerCase();
  }
  if (satellites.length > maxSatellites)
    throw fail(
      'parameter-invalid',
      'place',
      `names ${satellites.length} satellites, but a switch has ${maxSatellites} ports`,
    );
  if (country === '' && satellites.length === 0)
    throw fail('parameter-invalid', 'place', 'must name a country (de), or satellites (19.2E)');
  return { country, satellites };
}

/** Formats a place as `de, 19.2E`. */
export function placeText({ country, satellites }: Place): string {
  return [
    ...(country === '' ? [] : [country]),
    ...satellites.map((satellite) => positionText(satellite).replace('° ', '')),
  ].join(', ');
}

export interface SetupParts {
  readonly pool: TunerPool;
  readonly settings: Settings;
  /** Folders with tables of transponders. */
  readonly tableFolders: readonly string[];
}

/**
 * Configures dishes that the settings do not contain, and returns the transponders to begin with.
 * @throws ReceiverError `not-receivable` if no front end can receive any, `not-found` if a satellite has no table
 */
export async function prepareSetup(
  place: Place,
  { pool, settings, tableFolders }: SetupParts,
): Promise<readonly TransponderParameters[]> {
  const found = await scanTables(tableFolders);
  const wanted = [
    ...place.satellites.flatMap((position) => tablesOf(position, found)),
    ...found.tables.filter(({ name }) =>
      nationalTables.some(([codes, own]) => has(codes, place.country) && own.test(name)),
    ),
  ];
  const read = await Promise.all(wanted.map(({ path, network }) => readInitialTable(path, network)));
  const isIsdb = has(isdbCountries, place.country);
  const isEuropean =
    place.country !== '' && !isIsdb && !nationalTables.some(([countries]) => has(countries, place.country));
  await connectDishes(place, pool, settings);
  const start = receivable(pool, [
    ...read.flat(),
    ...(isEuropean ? raster : []),
    ...(isIsdb ? isdbRaster(place.country) : []),
  ]);
  if (start.length === 0) throw fail('not-receivable', placeText(place));
  return start;
}

function tablesOf(position: number, { tables, problems }: FoundTables): readonly TableFile[] {
  const own = tables.filter((table) => table.position === position);
  if (own.length > 0) return own;
  const name = positionText(position);
  const remedy = 'install dtv-scan-tables, or put a satellites.xml into a folder of scanTables';
  throw fail('not-found', `the transponders of ${name} (${[remedy, ...problems].join('; ')}) were`);
}

async function connectDishes({ satellites }: Place, pool: TunerPool, settings: Settings): Promise<void> {
  if (satellites.length === 0) return;
  const equipment = satellites.length > 1 ? 'diseqc' : 'direct';
  for (const { device } of pool.tuners) {
    if (device === undefined || !isSatellite(device)) continue;
    const { slot } = device;
    const isKnown = [...settings.stored].some(([key]) => key.startsWith(`config.Nims.${slot}.`));
    if (!isKnown) await settings.rewrite((stored) => withAerial(stored, slot, { equipment, satellites }));
  }
}
