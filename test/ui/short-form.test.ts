/** The short form of a name, for a tile. */
import { expect, it } from 'vitest';
import { hueOf, shortForm } from '../../src/ui/shared/short-form.ts';

it.each([
  ['Das Erste HD', 'DE'],
  ['ZDF HD', 'ZDF'],
  ['ZDFneo', 'ZD'],
  ['3sat', '3sat'],
  ['arte HD', 'arte'],
  ['KiKA', 'KiKA'],
  ['BBC 2', 'BBC 2'],
  ['RTL 4 HD', 'RTL 4'],
  ['RTL Nitro', 'RTL'],
  ['News 24', 'N24'],
  ['Comedy Central', 'CC'],
  ['National Geographic Wild', 'NGW'],
  ['1-2-3.tv', '123'],
  ['Phoenix', 'PH'],
  ['Événements', 'ÉV'],
  ['НТВ', 'НТВ'],
  ['日本テレビ放送', '日本'],
  ['HD', 'HD'],
  ['4K UHD', '4K'],
  ['', '?'],
  ['***', '?'],
  ['😀 TV', 'TV'],
])('of %s is %s', (name, short) => {
  expect(shortForm(name)).toBe(short);
});

it('stays short, and its colour is on the wheel', () => {
  for (const name of ['99 99 99 99', 'ABCDEFGHIJ 12', 'a'.repeat(1000), 'X 1 2 3']) {
    expect([...shortForm(name)].length, name).toBeLessThanOrEqual(6);
    expect(hueOf(name)).toBeGreaterThanOrEqual(0);
    expect(hueOf(name)).toBeLessThan(360);
    expect(hueOf(name)).toBe(hueOf(name));
  }
});
