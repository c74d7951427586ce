/** Service references: parsing, properties and formatting. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReceiverError } from '../../src/base/errors.ts';
import { type ReferenceFields, ServiceReference } from '../../src/services/reference.ts';

const parse = ServiceReference.parse;
const canonical = (text: string) => parse(text).format();

describe('reading a service reference', () => {
  it('reads the fields of a broadcast service', () => {
    const reference = parse('1:0:19:283D:3FB:1:C00000:0:0:0:');
    expect(reference.type).toBe(1);
    expect(reference.serviceType).toBe(25);
    expect(reference.dvb).toEqual({ serviceId: 0x283d, transportStreamId: 0x3fb, originalNetworkId: 1 });
    expect(reference.source).toBe(192);
    expect(reference.isBroadcast).toBe(true);
  });

  it.each([
    ['no trailing colon', '1:0:19:283D:3FB:1:C00000:0:0:0', '1:0:19:283D:3FB:1:C00000:0:0:0:'],
    ['lower case and leading zeros', '1:0:019:283d:03fb:0001:00c00000:0:0:0:', '1:0:19:283D:3FB:1:C00000:0:0:0:'],
    ['eleven colons without a name', '1:0:19:283D:3FB:1:C00000:0:0:0::', '1:0:19:283D:3FB:1:C00000:0:0:0:'],
    ['only four data fields', '1:0:1:2B66:3F3:1', '1:0:1:2B66:3F3:1:0:0:0:0:'],
    ['short form with colon', '1:0:1:2B66:3F3:1:', '1:0:1:2B66:3F3:1:0:0:0:0:'],
    ['short form with path', '1:0:1:2B66:3F3:1:/a.ts', '1:0:1:2B66:3F3:1:0:0:0:0:/a.ts'],
    ['two numbers only', '1:7', '1:7:0:0:0:0:0:0:0:0:'],
    ['negative flags', '1:-1:1:1:1:1:1:0:0:0:', '1:-1:1:1:1:1:1:0:0:0:'],
    ['a name with a colon', '1:0:1:1:1:1:1:0:0:0::A%3aB', '1:0:1:1:1:1:1:0:0:0::A%3aB'],
    ['a bare URL', 'http://h:8080/a?b=1 My TV', '4097:0:0:0:0:0:0:0:0:0:http%3a//h%3a8080/a?b=1:My TV'],
    [
      'an unescaped URL in the path',
      '4097:0:1:0:0:0:0:0:0:0:http://h:80/x Name',
      '4097:0:1:0:0:0:0:0:0:0:http%3a//h%3a80/x:Name',
    ],
  ])('%s', (_, text, expected) => expect(canonical(text)).toBe(expected));

  it('treats namespaces above 7FFFFFFF as unsigned', () => {
    expect(parse('1:0:19:7C:6:85:FFFF0000:0:0:0:').namespace).toBe(0xffff0000);
    expect(parse('1:0:1:7C:6:85:EEEE0000:0:0:0:').source).toBe(0xeeee);
    expect(
      ServiceReference.service(1, { serviceId: 1, transportStreamId: 2, originalNetworkId: 3 }, 0xeeee << 16).format(),
    ).toBe('1:0:1:1:2:3:EEEE0000:0:0:0:');
  });

  it.each([
    '',
    '-1:0:1:1:1:1:1:0:0:0:',
    '1',
    ':',
    'x',
    '1:0:zz:1',
    'a:b:c',
    '1:0:1::3:4:5',
    '1:0:123456789:1:1:1:1:0:0:0:',
    '99999999999:0:1',
  ])('refuses %j with the code invalid-reference', (text) => {
    expect(() => parse(text)).toThrow(ReceiverError);
    try {
      parse(text);
    } catch (error) {
      expect((error as ReceiverError).code).toBe('invalid-reference');
    }
  });

  it('decodes path and name once', () => {
    const reference = parse('4097:0:1:2B66:3F3:1:C00000:0:0:0:http%3a//host%3a8080/a%2520b:100%25 %c3%84');
    expect(reference.path).toBe('http://host:8080/a%20b');
    expect(reference.name).toBe('100% Ä');
    expect(parse('1:0:1:1:1:1:1:0:0:0::a%00b%zzc%4').name).toBe('abc');
  });

  it.each([
    ['/movie/100% Ships 4%.ts', '/movie/100% Ships 4%.ts'],
    ['/movie/100%25 Ships%20%zz%', '/movie/100% Ships %zz%'],
  ])('keeps a percent sign without an escape in a file path: %s', (text, path) => {
    const reference = parse(`1:0:0:0:0:0:0:0:0:0:${text}`);
    expect(reference.path).toBe(path);
    expect(parse(reference.format()).path).toBe(path);
  });

  it('splits the provider from the name at the bullet', () => {
    const reference = parse('1:0:1:1:1:1:1:0:0:0::News\u2022Big Company');
    expect([reference.name, reference.provider]).toEqual(['News', 'Big Company']);
    expect(reference.format()).toBe('1:0:1:1:1:1:1:0:0:0::News\u2022Big Company');
  });
});

describe('the kind of a reference', () => {
  it.each([
    [
      '1:7:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.favourites.tv" ORDER BY bouquet',
      { canDescend: true, isDirectory: true },
    ],
    [
      '1:134:1:0:0:0:0:0:0:0:FROM BOUQUET "alternatives.x.tv" ORDER BY bouquet',
      { isAlternatives: true, isDirectory: false, canDescend: true },
    ],
    ['1:519:1:0:0:0:0:0:0:0:FROM BOUQUET "userbouquet.x.tv" ORDER BY bouquet', { isHidden: true, isDirectory: true }],
    ['1:64:1:0:0:0:0:0:0:0::News', { isMarker: true, isNumberedMarker: false, isBroadcast: false }],
    ['1:320:1:0:0:0:0:0:0:0::News', { isMarker: true, isNumberedMarker: true }],
    ['1:832:D:0:0:0:0:0:0:0:', { isNumberedMarker: true, isHidden: true }],
    ['1:0:0:0:0:0:0:0:0:0:/media/hdd/movie/a.ts', { isRecording: true, isFile: true, isStream: false }],
    ['4097:0:0:0:0:0:0:0:0:0:/media/a.mkv', { isRecording: false, isFile: true, isMediaPlayer: true }],
    ['4097:0:1:0:0:0:0:0:0:0:http%3a//h/x:Name', { isStream: true, isFile: false }],
    ['1:0:A:1:1:1:1:0:0:0:', { isRadio: true }],
  ])('%s', (text, expected) => expect(parse(text)).toMatchObject(expected));

  it('has the guide of the service with the same identifiers, for a stream', () => {
    expect(parse('4097:0:1:2B66:3F3:1:C00000:0:0:0:http%3a//h/x:IPTV').dvb).toEqual({
      serviceId: 0x2b66,
      transportStreamId: 0x3f3,
      originalNetworkId: 1,
    });
    expect(parse('4097:0:1:0:0:0:0:0:0:0:http%3a//h/x:IPTV').dvb).toBeUndefined();
    expect(parse('1:64:1:0:0:0:0:0:0:0::News').dvb).toBeUndefined();
  });

  it('has no guide if a field is wider than a DVB identifier: its lower half belongs to another service', () => {
    expect(parse('4097:0:1:12B66:3F3:1:C00000:0:0:0:http%3a//h/x').dvb).toBeUndefined();
    expect(parse('1:0:1:2B66:3F3:10001:C00000:0:0:0:').dvb).toBeUndefined();
  });

  it('is equal regardless of flags and name', () => {
    expect(parse('1:0:19:283D:3FB:1:C00000:0:0:0::Name').equals(parse('1:512:19:283d:3fb:1:c00000:0:0:0'))).toBe(true);
    expect(parse('1:0:19:283D:3FB:1:C00000:0:0:0:').equals(parse('4097:0:19:283D:3FB:1:C00000:0:0:0:'))).toBe(false);
    expect(parse('1:0:19:283D:3FB:1:C00000:0:0:0:').identity).toBe('1:0:19:283D:3FB:1:C00000:0:0:0:');
  });

  it('has the name of its picon and the URL of its stream', () => {
    expect(parse('1:0:19:283D:3FB:1:C00000:0:0:0::X').piconName).toBe('1_0_19_283D_3FB_1_C00000_0_0_0');
    const stream = parse('4097:0:1:0:0:0:0:0:0:0:http%3a//h/a b%20c#User-Agent=Box 1&Referer=x:Name');
    expect(stream.url).toBe('http://h/a%20b%20c');
  });
});

describe('references in REST paths', () => {
  it.each([
    '1:0:19:7C:6:85:FFFF0000:0:0:0:',
    '1:0:19:7C:6:85:FFFF0000:0:0:0',
    '1_0_19_7C_6_85_FFFF0000_0_0_0',
    '1-0-19-7c-6-85-ffff0000-0-0-0-',
    '1:0:19:7C:6:85:FFFF0000:0:0:0::Name',
  ])('accepts %s', (segment) =>
    expect(ServiceReference.parsePathSegment(segment).identity).toBe('1:0:19:7C:6:85:FFFF0000:0:0:0:'),
  );
  it('keep a stream unchanged', () => {
    expect(ServiceReference.parsePathSegment('4097:0:1:0:0:0:0:0:0:0:http%3a//h-1/x_y:N').path).toBe('http://h-1/x_y');
  });
  it.each(['', '1:0:19', '1_0_19_7C', '1:0_19:7C:6:85:FFFF0000:0:0:0', 'abc', '1-0-19-7C-6-85-FFFF0000-0-0-0-0'])(
    'refuses %j',
    (segment) => expect(() => ServiceReference.parsePathSegment(segment)).toThrow(/is not a service reference/),
  );
});

describe('property: formatted references parse back', () => {
  const word = fc.nat(0xffffffff);
  const text = fc.string({ unit: 'grapheme', maxLength: 30 }).map((s) => s.replaceAll('\0', ''));
  const odd = fc.stringMatching(/^[:%/ \u2022a0]*$/);
  const reference = fc
    .record({
      type: fc.integer({ min: -0x80000000, max: 0x7fffffff }).filter((type) => type !== -1),
      flags: fc.integer({ min: -0x80000000, max: 0x7fffffff }),
      fields: fc.tuple(word, word, word, word, word, word, word, word) as fc.Arbitrary<ReferenceFields>,
      path: fc.oneof(text, odd),
      name: fc.oneof(text, odd),
      provider: fc.oneof(text, odd),
    })
    .map((parts) => ServiceReference.of(parts));

  it('with all parts equal', () => {
    fc.assert(
      fc.property(reference, (before) => {
        const after = parse(before.format());
        expect({ ...after }).toEqual({ ...before });
        expect(after.identity).toBe(before.identity);
        expect(after.format()).toBe(before.format());
        expect(after.equals(before)).toBe(true);
      }),
    );
  });

  it('and no text breaks the parser', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[0-9a-f:%/ -]*$/)), (text) => {
        const reference = ServiceReference.tryParse(text);
        if (reference) expect(canonical(reference.format())).toBe(reference.format());
      }),
    );
  });
});
