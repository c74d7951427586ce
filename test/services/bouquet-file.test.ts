/** Bouquet files: parsing, editing and writing. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BouquetFile, newBouquetFileName } from '../../src/services/bouquet-file.ts';
import { type ReferenceFields, ServiceReference } from '../../src/services/reference.ts';

const parse = (text: string) => BouquetFile.parse(Buffer.from(text), 'userbouquet.x.tv');
const references = (bouquet: BouquetFile) => bouquet.entries.map(({ reference }) => reference.format());

describe('reading a bouquet file', () => {
  it('reads name, entries and descriptions, in new and old style, with LF and CRLF', () => {
    const text =
      '#NAME My list\n#SERVICE 1:0:19:283D:3FB:1:C00000:0:0:0:\n#SERVICE 1:64:1:0:0:0:0:0:0:0::\n#DESCRIPTION -- News --\n' +
      '#SERVICE: 1:0:1:1:1:1:1:0:0:0::Old\n#DESCRIPTION: Own\n#SERVICE 1:0:1:2:1:1:1:0:0:0:\n#DESCRIPTION A\u2022B\n';
    for (const file of [text, text.replaceAll('\n', '\r\n'), `\ufeff${text}`]) {
      const bouquet = parse(file);
      expect(bouquet.name).toBe('My list');
      expect(references(bouquet)).toEqual([
        '1:0:19:283D:3FB:1:C00000:0:0:0:',
        '1:64:1:0:0:0:0:0:0:0::-- News --',
        '1:0:1:1:1:1:1:0:0:0::Own',
        '1:0:1:2:1:1:1:0:0:0::A\u2022B',
      ]);
      expect(bouquet.problems).toEqual([]);
      expect(bouquet.format().toString()).toBe(file);
    }
  });

  it('continues after an empty line, keeps unknown lines, and reports errors', () => {
    const text =
      '#DESCRIPTION early\n#SORT name\n\n#SERVICE nonsense\n#DESCRIPTION of nonsense\n#SERVICE 1:0:1:1:1:1:1:0:0:0:\nfree text';
    const bouquet = parse(text);
    expect(references(bouquet)).toEqual(['1:0:1:1:1:1:1:0:0:0:']);
    expect(bouquet.problems).toEqual([
      { file: 'userbouquet.x.tv', line: 1, text: '#DESCRIPTION without a #SERVICE directly before it' },
      { file: 'userbouquet.x.tv', line: 4, text: 'not a service reference: "nonsense"' },
    ]);
    expect(bouquet.name).toBe('');
    expect(bouquet.format().toString()).toBe(text);
  });

  it('accepts an empty file, duplicate entries, and a name that is not UTF-8', () => {
    expect(parse('').entries).toEqual([]);
    expect(parse('#SERVICE 1:0:1:1:1:1:1:0:0:0:\n#SERVICE 1:0:1:1:1:1:1:0:0:0:\n').entries).toHaveLength(2);
    const bytes = Buffer.from('#NAME K\xe4se \xa0\n#SERVICE 1:0:1:1:1:1:1:0:0:0:\n', 'latin1');
    const bouquet = BouquetFile.parse(bytes, 'x');
    expect(bouquet.name).toBe('K\ufffdse \ufffd');
    bouquet.append([ServiceReference.parse('1:0:1:2:1:1:1:0:0:0:')]);
    expect(bouquet.format().subarray(0, bytes.length)).toEqual(bytes);
  });
});

describe('editing a bouquet file', () => {
  const text = '#NAME X\n#SORT a\n#SERVICE 1:0:1:A:1:1:1:0:0:0\n#SERVICE 1:0:01:B:1:1:1:0:0:0::b\n#DESCRIPTION b\n\n';

  it('keeps the lines of all other entries', () => {
    const bouquet = parse(text);
    bouquet.append([ServiceReference.parse('1:64:1:0:0:0:0:0:0:0::Here')]);
    bouquet.append([ServiceReference.parse('1:0:1:C:1:1:1:0:0:0:')]);
    expect(bouquet.format().toString()).toBe(
      '#NAME X\n#SORT a\n#SERVICE 1:0:1:A:1:1:1:0:0:0\n#SERVICE 1:0:01:B:1:1:1:0:0:0::b\n#DESCRIPTION b\n' +
        '#SERVICE 1:64:1:0:0:0:0:0:0:0::Here\n#DESCRIPTION Here\n#SERVICE 1:0:1:C:1:1:1:0:0:0:\n\n',
    );
  });

  it('replaces the list, and does nothing if it is the same', () => {
    const bouquet = parse(text);
    const [a, b] = bouquet.entries.map(({ reference }) => reference) as [ServiceReference, ServiceReference];
    bouquet.replace([a, b]);
    expect(bouquet.edited).toBe(false);
    bouquet.replace([b, a]);
    expect(bouquet.format().toString()).toBe(
      '#NAME X\n#SORT a\n#SERVICE 1:0:01:B:1:1:1:0:0:0::b\n#DESCRIPTION b\n#SERVICE 1:0:1:A:1:1:1:0:0:0\n\n',
    );
  });

  it('keeps a byte order mark at the start, and the entry after it', () => {
    const bouquet = parse('\ufeff#SERVICE 1:0:1:A:1:1:1:0:0:0:\n#SERVICE 1:0:1:B:1:1:1:0:0:0:\n');
    bouquet.replace(bouquet.entries.map(({ reference }) => reference).reverse());
    expect(bouquet.format().toString()).toBe('\ufeff#SERVICE 1:0:1:B:1:1:1:0:0:0:\n#SERVICE 1:0:1:A:1:1:1:0:0:0:\n');
  });

  it('completes a truncated line end at the end of the file', () => {
    const cut = '#NAME X\r\n#SERVICE 1:0:1:A:1:1:1:0:0:0:\r';
    const bouquet = parse(cut);
    bouquet.append([ServiceReference.parse('1:0:1:C:1:1:1:0:0:0:')]);
    expect(bouquet.format().toString()).toBe(`${cut}\n#SERVICE 1:0:1:C:1:1:1:0:0:0:\r\n`);
  });

  it('omits a stray description, which could become the name of another entry', () => {
    const bouquet = parse('#NAME X\n#SERVICE 1:0:1:A:1:1:1:0:0:0:\n#DESCRIPTION a\n#DESCRIPTION b\n#SORT a\n');
    bouquet.append([ServiceReference.parse('1:0:1:C:1:1:1:0:0:0:')]);
    expect(bouquet.format().toString()).toBe(
      '#NAME X\n#SERVICE 1:0:1:A:1:1:1:0:0:0:\n#DESCRIPTION a\n#SERVICE 1:0:1:C:1:1:1:0:0:0:\n#SORT a\n',
    );
  });

  it('names new files after the bouquet, without reusing a name', () => {
    expect(newBouquetFileName('Café & 4K!', 'tv', () => false)).toBe('userbouquet.caf____4k_.tv');
    expect(newBouquetFileName('', 'radio', () => false)).toBe('userbouquet._.radio');
    const taken = new Set(['userbouquet.a.tv', 'userbouquet.a2.tv']);
    expect(newBouquetFileName('A', 'tv', (file) => taken.has(file))).toBe('userbouquet.a3.tv');
    expect(newBouquetFileName('../../x', 'tv', () => false)).toBe('userbouquet.______x.tv');
  });
});

describe('property: formatted files parse to the same entries', () => {
  const word = fc.nat(0xffffffff);
  const text = fc
    .string({ unit: 'grapheme', maxLength: 20 })
    .filter((s) => !/\p{Cc}/u.test(s) && (s === '' || s.trim() !== ''));
  const reference = fc
    .record({
      flags: fc.constantFrom(0, 64, 320, 512, 832),
      fields: fc.tuple(word, word, word, word, word, word, word, word) as fc.Arbitrary<ReferenceFields>,
      path: fc.oneof(fc.constant(''), text, fc.webUrl()),
      name: text,
    })
    .map((parts) => ServiceReference.of(parts));

  it('as a new file, and after edits of an old one', () => {
    fc.assert(
      fc.property(text, fc.array(reference), fc.array(reference), (name, first, second) => {
        const bouquet = BouquetFile.create('x', name);
        bouquet.append(first);
        const again = BouquetFile.parse(bouquet.format(), 'x');
        expect(again.problems).toEqual([]);
        expect(again.name).toBe(name.trim());
        expect(references(again)).toEqual(first.map((one) => one.format()));
        expect(again.format()).toEqual(bouquet.format());
        again.replace(second);
        expect(references(BouquetFile.parse(again.format(), 'x'))).toEqual(second.map((one) => one.format()));
      }),
    );
  });

  it('and arbitrary bytes are returned unchanged', () => {
    const piece = fc.constantFrom(
      '#NAME ',
      '#SERVICE ',
      '#DESCRIPTION ',
      '#SERVICE:',
      '1:0:1:1:1:1:1:0:0:0:',
      '\n',
      '\r\n',
      '\xa0',
      ' ',
      ':',
      '#',
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const bytes = Buffer.from(pieces.join(''), 'latin1');
        expect(BouquetFile.parse(bytes, 'x').format()).toEqual(bytes);
      }),
    );
  });
});
