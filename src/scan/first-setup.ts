/**
 * The first start on real hardware: from where somebody lives, or which satellites a dish receives, to a scan. Guesses
 * both by the time zone, says how dishes are connected unless the settings say it already, and chooses what to scan.
 */

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
import { raster, readInitialTable } from './transponder-tables.ts';

export interface Place {
  /** ISO 3166 code in small letters, for aerials and cables; empty: there are none. */
  readonly country: string;
  /** Tenths of a degree east, in the order of the switch's ports. */
  readonly satellites: readonly number[];
}

/** Where most dishes of a country look; tenths of a degree east. */
const home: readonly (readonly [position: number, countries: string])[] = [
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

/** Countries whose channels are not those of the European raster: the tables of dtv-scan-tables that have them. */
const ownChannels: readonly (readonly [countries: string, tables: RegExp])[] = [
  ['au', /^dvb-t\/auto-Australia$/],
  ['tw', /^dvb-t\/auto-Taiwan$/],
  ['ca kr mx us', /^atsc\/us-(ATSC|Cable-Standard)-center-frequencies-(8VSB|QAM256)$/],
  ['ar', /^isdb-t\/ar-Argentina$/],
  ['br', /^isdb-t\/br-Brazil$/],
];

/** Ports of a DiSEqC 1.0 switch. */
const mostSatellites = 4;

const has = (countries: string, country: string) => country !== '' && countries.split(' ').includes(country);

/** What the time zone suggests for the front ends of a pool. */
export async function guessedPlace(timeZone: string, { tuners }: TunerPool): Promise<Place> {
  const frontEnds = tuners.flatMap(({ frontEnd }) => frontEnd ?? []);
  if (frontEnds.length === 0) return { country: '', satellites: [] };
  const country = await countryOf(timeZone);
  const position = home.find(([, countries]) => has(countries, country))?.[0];
  const isDish = frontEnds.some(isSatellite);
  const isOther = frontEnds.some((one) => one.information?.systems.some((system) => !system.startsWith('DVB-S')));
  return { country: isOther ? country : '', satellites: isDish && position !== undefined ? [position] : [] };
}

/**
 * The country of a time zone (`Europe/Vienna` is `at`), by the data of the Unicode project; empty if it has none. Takes
 * some 300 ms on a PC, in turns.
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
      // Old codes stand for a country of today.
      if (zones?.includes(zone)) return locale.region?.toLowerCase() ?? '';
    }
  }
  return '';
}

/** A method by now, and a property of Node 20. */
interface Zoned {
  getTimeZones?(): readonly string[] | undefined;
  readonly timeZones?: readonly string[] | undefined;
}

const countryNames = once(() => new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }));

/** Reads `de`, `19.2E, 13.0E` or both, up to four satellites. @throws ReceiverError `parameter-invalid` */
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
        `contains '${word}', which is neither a country code such as de nor a position such as 19.2E`,
      );
    else if (country !== '') throw fail('parameter-invalid', 'place', `names two countries, ${country} and ${word}`);
    else country = word.toLowerCase();
  }
  if (satellites.length > mostSatellites)
    throw fail(
      'parameter-invalid',
      'place',
      `names ${satellites.length} satellites, and a switch has ${mostSatellites} ports`,
    );
  if (country === '' && satellites.length === 0)
    throw fail('parameter-invalid', 'place', 'must name a country (de), or satellites (19.2E)');
  return { country, satellites };
}

/** `de, 19.2E` */
export function placeText({ country, satellites }: Place): string {
  return [...(country === '' ? [] : [country]), ...satellites.map((one) => positionText(one).replace('° ', ''))].join(
    ', ',
  );
}

export interface SetupParts {
  readonly pool: TunerPool;
  readonly settings: Settings;
  /** Folders with tables of transponders. */
  readonly places: readonly string[];
}

/**
 * Connects the dishes of which the settings say nothing, and returns where to begin.
 * @throws ReceiverError `not-receivable` if no front end fits, `not-found` if there is no table of a satellite
 */
export async function prepareSetup(
  place: Place,
  { pool, settings, places }: SetupParts,
): Promise<readonly TransponderParameters[]> {
  const found = await scanTables(places);
  const wanted = [
    ...place.satellites.flatMap((position) => ofSatellite(position, found)),
    ...found.tables.filter(({ name }) =>
      ownChannels.some(([codes, own]) => has(codes, place.country) && own.test(name)),
    ),
  ];
  const read = await Promise.all(wanted.map(({ path, network }) => readInitialTable(path, network)));
  const isEuropean = place.country !== '' && !ownChannels.some(([countries]) => has(countries, place.country));
  await connectDishes(place, pool, settings);
  const start = receivable(pool, [...read.flat(), ...(isEuropean ? raster : [])]);
  if (start.length === 0) throw fail('not-receivable', placeText(place));
  return start;
}

function ofSatellite(position: number, { tables, problems }: FoundTables): readonly TableFile[] {
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
