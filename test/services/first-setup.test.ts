/** What a first start makes of where somebody lives. */
import { expect, it } from 'vitest';
import { countryOf, placeOf, placeText } from '../../src/services/first-setup.ts';

it.each([
  ['Europe/Berlin', 'de'],
  ['Europe/Vienna', 'at'],
  ['Asia/Kolkata', 'in'],
  ['America/New_York', 'us'],
  ['UTC', ''],
])('%s is in %s', (zone, country) => expect(countryOf(zone)).toBe(country));

it.each([
  ['de', 'de', []],
  ['19.2E', '', [192]],
  ['DE; 19.2° E, 0.8w', 'de', [192, 3592]],
])('reads %s', (text, country, satellites) => {
  const place = placeOf(text);
  expect(place).toEqual({ country, satellites });
  expect(placeOf(placeText(place))).toEqual(place);
});

it.each(['', ' , ', 'Germany', 'de, fr', '192'])('refuses %o', (text) =>
  expect(() => placeOf(text)).toThrow("'place'"),
);
