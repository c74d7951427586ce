/** Small XML files: trees are read back as they were written. */
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { elementsOf, parseXml, salvageXml, type XmlElement, xmlText } from '../../src/base/xml.ts';

afterEach(() => void vi.restoreAllMocks());

/** What XML 1.0 can hold; a carriage return is written as a reference. */
const text = fc
  .string({ unit: fc.constantFrom(...'aé€🎬 <>&"\'=/;#\t\n\r]', '\u2028'), maxLength: 12 })
  .filter((one) => one !== '');
const name = fc.stringMatching(/^[a-z_][a-z0-9_-]{0,6}$/);

const { element } = fc.letrec<{ element: XmlElement }>((tie) => ({
  element: fc
    .record({
      name,
      attributes: fc.dictionary(name, text, { maxKeys: 3, noNullPrototype: true }),
      content: fc.array(fc.oneof({ maxDepth: 3 }, text, tie('element')), { maxLength: 4 }),
    })
    .map((one) => ({ ...one, line: 0 })),
}));

/** Without line numbers, with neighbouring texts joined. */
function plain({ name, attributes, content }: XmlElement): object {
  const joined: (string | object)[] = [];
  for (const part of content) {
    const last = joined.at(-1);
    if (typeof part !== 'string') joined.push(plain(part));
    else if (typeof last === 'string') joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return { name, attributes, content: joined };
}

describe('an element', () => {
  it('is read back as written', async () => {
    await fc.assert(
      fc.asyncProperty(element, async (one) => {
        const root: XmlElement = { name: 'root', attributes: {}, line: 1, content: [one] };
        expect(plain(await parseXml(xmlText(root), 'root'))).toEqual(plain(root));
        const { element: same, fault } = await salvageXml(xmlText(root), 'root', 'none');
        expect([same && plain(same), fault]).toEqual([plain(root), undefined]);
      }),
    );
  });

  it('is salvaged from any text without an error', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(element, { maxLength: 4 }),
        fc.nat(),
        fc.string({ unit: 'binary' }),
        async (all, at, damage) => {
          const items = all.map((content) => ({ name: 'item', attributes: { a: '1' }, line: 1, content: [content] }));
          const whole = xmlText({ name: 'root', attributes: {}, line: 1, content: items });
          const place = at % (whole.length + 1);
          const { element: root } = await salvageXml(`${whole.slice(0, place)}${damage}`, 'root', 'item');
          const begun = [...whole.slice(0, place).matchAll(/<item a="1">/g)].length;
          const found = root === undefined ? [] : elementsOf(root).filter(({ name: one }) => one === 'item');
          expect(found.length).toBeGreaterThanOrEqual(begun);
        },
      ),
    );
  });

  it.each(['<', '</', '<!--', ']]>', '<a>', '<a b="'])(
    'is salvaged from a text full of %s without an error object for each',
    async (fault) => {
      const made = vi.spyOn(SaxesParser.prototype, 'makeError');
      const items = '<item/>'.repeat(100);
      const { element: root, fault: first } = await salvageXml(`<root>\n${items}${fault.repeat(1000)}`, 'root', 'item');
      expect(root && elementsOf(root).filter(({ name: one }) => one === 'item')).toHaveLength(100);
      expect(first).toMatchObject({ line: 2, message: expect.stringMatching(/^[a-z]/) });
      expect(made).not.toHaveBeenCalled();
    },
  );
});

it('a document of very many elements is refused before it fills the memory', async () => {
  await expect(parseXml(`<list>${'<a/>'.repeat(500_000)}</list>`, 'list')).rejects.toThrow('it has too many elements');
});
