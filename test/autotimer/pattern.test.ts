/** Regular expressions of filters: what they match, which ones are rejected, and that none blocks the event loop. */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { Pattern } from '../../src/autotimer/pattern.ts';
import { TimeSlice } from '../../src/base/time-slice.ts';
import { yieldsOf } from '../fixtures/yields.ts';

const occursIn = async (pattern: string, text: string) => await new Pattern(pattern).occursIn(text, new TimeSlice());

describe('a pattern', () => {
  it.each([
    ['News', ['The News at Ten', 'News'], ['news', 'New s', '']],
    ['^News', ['News at Ten'], ['The News']],
    ['News$', ['The News'], ['News at Ten', 'News\nand more']],
    ['(?i)straße|ÉTÉ', ['Die STRASSE, die Straße', 'un été'], ['ete']],
    ['S0[1-3]E\\d{2,3}', ['S02E14', 'S03E140'], ['S04E14', 'S02E1']],
    ['a.c', ['abc', 'a😀c'], ['ac', 'a\nc']],
    ['(?s)a.c', ['a\nc'], ['ac']],
    ['(?m)^b$', ['a\nb\nc'], ['ab']],
    ['(?im)^B', ['a\nb'], ['ab']],
    ['\\bcat\\b', ['a cat.', 'cat'], ['concatenate', 'cats', 'café_cat']],
    ['\\Bcat', ['concatenate'], ['a cat']],
    ['\\Aa\\Z', ['a'], ['a\na', 'ba']],
    ['[^a-z]', ['abC', '\n'], ['abc', '']],
    ['(?i)[^a-z]', ['a1'], ['aBc']],
    ['[]x-]', [']', 'x', '-'], ['a']],
    ['[\\d\\-]x', ['5x', '-x'], ['ax']],
    ['\\w+\\s\\W', ['né !'], ['a b']],
    ['\\d', ['٣', '3'], ['a']],
    ['Folge (?:[1-9]|10)(?P<end>$| )', ['Folge 10', 'Folge 3 von 5'], ['Folge 33', 'Folge 0']],
    ['a{,2}b{2}c{2,}', ['bbcc', 'aabbcccc'], ['abcc', 'bbc']],
    ['a{x', ['a{x'], ['ax']],
    ['x*?y+?', ['xxy', 'y'], ['x']],
    ['a|', ['b', ''], []],
    ['Dr\\.', ['Dr. No'], ['Dra']],
    ['C\\+\\+ \\(new\\)', ['C++ (new)'], ['C (new)']],
    ['\\u00e4\\x41', ['äA'], ['äa']],
    ['(?i)', ['', 'a'], []],
  ] as const)('%s', async (pattern, matching, others) => {
    for (const text of matching) expect([text, await occursIn(pattern, text)]).toEqual([text, true]);
    for (const text of others) expect([text, await occursIn(pattern, text)]).toEqual([text, false]);
  });

  it.each([
    ['(a', 'unclosed ('],
    ['a)', 'unmatched )'],
    ['[a', 'unclosed ['],
    ['[]', 'unclosed ['],
    ['[z-a]', 'invalid range in [ ]'],
    ['*a', 'nothing to repeat before *'],
    ['a|+', 'nothing to repeat before +'],
    ['a**', 'a repeat cannot be repeated'],
    ['a++', 'a repeat cannot be repeated'],
    ['^*', 'an anchor cannot be repeated'],
    ['a{3,2}', '{3,2}: the first number exceeds the second'],
    ['a\\', 'nothing follows the last \\'],
    ['(a)\\1', '\\1: back-references are not supported'],
    ['\\y', 'unknown escape \\y'],
    ['\\x4', '\\x needs 2 hexadecimal digits'],
    ['(?=a)', 'groups with (?= are not supported'],
    ['^(?!a)', 'groups with (?! are not supported; use an exclude filter instead'],
    ['(?<=a)b', 'groups with (?< are not supported'],
    ['(?P=a)', 'groups with (?P are not supported'],
    ['(?x)a', "the flag 'x' is not supported"],
    ['a{300}', 'it is too large'],
    ['((a{20}){20}){20}', 'it is too large'],
    [`${'('.repeat(30)}${'){999}'.repeat(30)}`, 'it is too large'],
    ['a'.repeat(251), 'it is longer than 250 characters'],
  ] as const)('%s is rejected', (pattern, reason) => {
    expect(() => new Pattern(pattern)).toThrow(reason);
  });

  it('matches like the regular expressions of JavaScript', async () => {
    const leaf = fc.constantFrom(
      'a',
      'b',
      '[ab]',
      '[^a]',
      '.',
      '\\w',
      '\\d',
      '\\s',
      '\\b',
      '\\B',
      '^',
      '$',
      '',
      'ab',
      '-',
    );
    const { node } = fc.letrec<{ node: string; group: string }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.tuple(tie('node'), tie('node')).map((two) => two.join('')),
        fc.tuple(tie('node'), tie('node')).map((two) => `(?:${two.join('|')})`),
        fc
          .tuple(tie('node'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{0,1}', '*?'))
          .map(([one, times]) => `(?:${one})${times}`),
      ),
      group: tie('node'),
    }));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', '\n', '-', 'é', '😀'), maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(node, text, fc.constantFrom('', 'i', 'm', 's', 'is'), async (pattern, given, flags) => {
        // Beyond ASCII, JavaScript defines \w and \b differently, and may match inside a surrogate pair.
        fc.pre(!/\\[wbB]/.test(pattern) || !/[é😀]/u.test(given));
        const ours = await occursIn(flags === '' ? pattern : `(?${flags})${pattern}`, given);
        expect(ours).toBe(new RegExp(pattern, `u${flags}`).test(given));
      }),
      { numRuns: 2000 },
    );
  });

  it('returns the same results when it is reused, even with more states than fit into the cache', async () => {
    const pattern = new Pattern('(a|b)*a(a|b){9}c');
    const language = /(a|b)*a(a|b){9}c/;
    const long = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 200, maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(long, fc.constantFrom('', 'c'), async (text, end) => {
        expect(await pattern.occursIn(text + end, new TimeSlice())).toBe(language.test(text.slice(-10) + end));
      }),
    );
  });

  it('accepts any text without harm', () => {
    const near = fc.string({ unit: fc.constantFrom(...'()[]{}|*+?^$\\.-,0123:Pdwix<>=!'), maxLength: 20 });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), near), (anything) => {
        try {
          void new Pattern(anything).occursIn('', new TimeSlice());
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          expect(error).not.toBeInstanceOf(TypeError);
          expect(error).not.toBeInstanceOf(RangeError);
        }
      }),
    );
  });

  it('that is slow to match yields to the event loop', async () => {
    const pattern = new Pattern('(a|b)*a(a|b){60}c');
    let state = 1;
    const letters = Array.from({ length: 4096 }, () => {
      state = (state * 48271) % 2147483647;
      return state & 64 ? 'a' : 'b';
    });
    const yields = await yieldsOf(async () => {
      expect(await pattern.occursIn(letters.join(''), new TimeSlice())).toBe(false);
    });
    expect(yields).toBeGreaterThan(1000);
  });

  it.each([
    ['[a-zäöüß0-9,;:!]{250}', 1],
    ['abcabc\\.\\.'.repeat(20), 4],
  ])('converts a repeated set of characters only once: %s', (text, sets) => {
    const written = vi.spyOn(JSON, 'stringify');
    try {
      expect(new Pattern(text)).toBeInstanceOf(Pattern);
      expect(written.mock.calls.length).toBeLessThanOrEqual(sets);
    } finally {
      written.mockRestore();
    }
  });

  it.each(['(a*)*(b*)*c', '(.*.*)*c', '(a|aa)+$', '(\\w+\\s?)*!'])(
    '%s takes time linear in the text',
    async (hostile) => {
      const pattern = new Pattern(hostile);
      for (let times = 0; times < 1000; times++)
        expect(await pattern.occursIn(`${'a'.repeat(4096)}b`, new TimeSlice())).toBe(false);
    },
  );
});
