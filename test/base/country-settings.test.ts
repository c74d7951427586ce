import { expect, test } from 'vitest';
import { countrySettings } from '../../src/base/country-settings.ts';

test.each([
  ['jp', 'Asia/Tokyo', ['jpn'], '19:00'],
  ['br', 'America/Sao_Paulo', ['por'], '21:00'],
  ['de', 'Europe/Berlin', ['deu'], '20:15'],
  ['ch', 'Europe/Zurich', ['deu', 'fra', 'ita'], '20:15'],
  ['us', 'America/New_York', ['eng', 'spa'], '20:00'],
  ['no', 'Europe/Oslo', ['nor'], '20:00'],
])('%s', (country, timeZone, languages, primeTime) => {
  expect(countrySettings(country, 'Etc/UTC')).toEqual({ timeZone, languages, primeTime });
});

test('the zone of the machine is kept if the country has it', () => {
  expect(countrySettings('br', 'America/Manaus').timeZone).toBe('America/Manaus');
  expect(countrySettings('us', 'America/Denver').timeZone).toBe('America/Denver');
});

test('every country has a zone that this machine knows', () => {
  const letters = Array.from({ length: 26 }, (_, at) => String.fromCharCode(97 + at));
  for (const country of letters.flatMap((first) => letters.map((second) => first + second))) {
    const { timeZone, primeTime, languages } = countrySettings(country, 'Etc/UTC');
    expect(() => new Intl.DateTimeFormat('en', { timeZone })).not.toThrow();
    expect(primeTime).toMatch(/^\d\d:\d\d$/);
    for (const language of languages) expect(language).toMatch(/^[a-z]{3}$/);
  }
});
