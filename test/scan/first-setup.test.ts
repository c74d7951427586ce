/** Parsing the place of a first start. */
import { expect, it } from 'vitest';
import { countryOf, placeOf, placeText } from '../../src/scan/first-setup.ts';
import { isdbRaster } from '../../src/scan/transponder-tables.ts';

it.each([
  ['Europe/Berlin', 'de'],
  ['Europe/Vienna', 'at'],
  ['Asia/Kolkata', 'in'],
  ['America/New_York', 'us'],
  ['UTC', ''],
])('%s is in %s', (zone, country) => expect(countryOf(zone)).resolves.toBe(country));

it.each([
  ['de', 'de', []],
  ['19.2E', '', [192]],
  ['DE; 19.2° E, 0.8w', 'de', [192, 3592]],
  ['de 19.2E 13E', 'de', [192, 130]],
  ['19.2E,19.2E', '', [192]],
])('reads %s', (text, country, satellites) => {
  const place = placeOf(text);
  expect(place).toEqual({ country, satellites });
  expect(placeOf(placeText(place))).toEqual(place);
});

it.each(['', ' , ', 'Germany', 'xx', '192', 'foo19.2Ebar', '19.2E/13E', '1E 2E 3E 4E 5E'])('refuses %o', (text) =>
  expect(() => placeOf(text)).toThrow("'place'"),
);

it('refuses two countries', () => expect(() => placeOf('de, fr')).toThrow('names two countries, de and fr'));

it.each([
  ['jp', 40, 473_142_857, 707_142_857],
  ['br', 47, 177_142_857, 707_142_857],
])('the channels of ISDB-T in %s', (country, count, first, last) => {
  const channels = isdbRaster(country);
  expect(channels).toHaveLength(count);
  expect([channels[0], channels.at(-1)]).toMatchObject([
    { kind: 'terrestrial', frequency: first, bandwidth: 2, system: 2 },
    { frequency: last },
  ]);
});
