/** Container queries: parsing and matching. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bouquetFileOf, parseQuery, type Queried, quote } from '../../src/services/query.ts';
import { ServiceReference } from '../../src/services/reference.ts';

const news: Queried = {
  reference: ServiceReference.service(1, { serviceId: 2, transportStreamId: 0x3fb, originalNetworkId: 1 }, 0xc00000),
  name: 'News',
  provider: 'Company',
  flags: 0x41,
};

function holds(expression: string, service: Queried = news): boolean | undefined {
  const query = parseQuery(expression);
  return query === undefined || query.from === 'bouquet' ? undefined : query.selects(service);
}

describe('container queries', () => {
  it.each([
    ['(type == 1)', true],
    ['(type != 1)', false],
    ['(type==1)', true],
    [' ( type == 1 ) ', true],
    ['(provider == "Company") && (type == 2) || (type == 1)', true],
    ['(provider == "Other") && (type == 2) || (type == 1)', false],
    ['(type == 1) || (type == 2) && (type == 3)', true],
    ['(type == 2) || (type == 1) && (type == 3)', false],
    ['(provider == \\"Company\\")', true],
    ['(provider == "Unknown")', false],
    ['(flags == 64)', true],
    ['(flags == 66)', false],
    ['(flags != 66)', true],
    ['(satellitePosition == 192)', true],
    ['(channelID == 00c0000003fb0001)', true],
    ['(channelID != 00c0000003fb0001)', false],
    ['(bouquet == 1)', false],
    ['ORDER BY name', true],
  ])('%s is %s', (expression, expected) => expect(holds(expression)).toBe(expected));

  it('matches services without a provider as "Unknown"', () => {
    expect(holds('(provider == "Unknown")', { ...news, provider: '' })).toBe(true);
  });

  it.each([
    '(type = 1)',
    '(type == x)',
    '(type == 1',
    'type == 1',
    '(colour == 1)',
    '(type == 1) &&',
    '(type == 1) ORDER name',
    'FROM',
    '',
  ])('refuses %j', (text) => expect(parseQuery(text)).toBeUndefined());

  it('accepts any name in quotation marks', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }).filter((s) => !s.includes('\\')),
        (name) => {
          expect(holds(`(name == ${quote(name)}) ORDER BY name`, { ...news, name })).toBe(true);
        },
      ),
    );
  });

  it('never fails and is fast for any input', () => {
    const piece = fc.constantFrom(
      '(',
      ')',
      'type',
      '==',
      '1',
      '&&',
      '||',
      '"',
      '\\"',
      ' ',
      'FROM ',
      'BOUQUET ',
      'ORDER BY name',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        parseQuery(pieces.join(''));
      }),
    );
    parseQuery(`${'(type == 1) || '.repeat(100_000)}(type == 1)`);
    parseQuery('FROM '.repeat(50_000));
    parseQuery(`FROM${' '.repeat(100_000)}BOUQUET${' '.repeat(100_000)}`);
  });
});

describe('the file name in a bouquet reference', () => {
  it.each([
    ['FROM BOUQUET "userbouquet.a.tv" ORDER BY bouquet', 'userbouquet.a.tv'],
    ['from bouquet  "userbouquet.a.tv"', 'userbouquet.a.tv'],
    ['(type == 2)FROM BOUQUET "bouquets.radio" ORDER BY bouquet', 'bouquets.radio'],
    ['FROM BOUQUET userbouquet.a.tv ORDER BY bouquet', 'userbouquet.a.tv'],
    ['userbouquet.a.tv', 'userbouquet.a.tv'],
    ['/etc/enigma2/userbouquet.a.tv', 'userbouquet.a.tv'],
    ['FROM BOUQUET "../a.tv"', undefined],
    ['FROM BOUQUET "/etc/passwd"', undefined],
    ['FROM BOUQUET ".."', undefined],
    ['FROM BOUQUET ""', undefined],
    ['FROM PROVIDERS ORDER BY name', undefined],
  ])('%s', (path, file) => expect(bouquetFileOf(path)).toBe(file));
});
