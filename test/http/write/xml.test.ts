/** The XML of /web: layout, pieces, and escaped text. */
import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { each, element, escapeXml, leaf, leaves, xmlDocument } from '../../../src/http/write/xml.ts';

interface Service {
  readonly name: string;
  readonly hidden: boolean;
}

const view = element<{ readonly services: readonly Service[]; readonly count: number | null }>(
  'e2list',
  leaf('e2count', ({ count }) => count, { of: ({ services }) => `"${services.length}"` }),
  element(
    'e2services',
    each(({ services }) => services, element<Service>('e2service', leaves({ e2name: 'name', e2hidden: 'hidden' }))),
  ),
);

const written = (services: readonly Service[], count: number | null = services.length) =>
  [...xmlDocument(view, { services, count })].join('');

describe('XML', () => {
  it('has one element per line, indented with tabs, and a final newline', () => {
    expect(written([{ name: 'Alpha <HD> & "more"', hidden: false }])).toBe(
      [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<e2list>',
        '\t<e2count of="&quot;1&quot;">1</e2count>',
        '\t<e2services>',
        '\t\t<e2service>',
        '\t\t\t<e2name>Alpha &lt;HD&gt; &amp; "more"</e2name>',
        '\t\t\t<e2hidden>False</e2hidden>',
        '\t\t</e2service>',
        '\t</e2services>',
        '</e2list>',
        '',
      ].join('\n'),
    );
  });

  it('writes an empty container and an absent value on one line', () => {
    const text = written([], null);
    expect(text).toContain('\t<e2services></e2services>\n');
    expect(text).toContain('<e2count of="&quot;0&quot;"></e2count>');
  });

  it('comes in pieces if it is long, which form the same text', () => {
    const services = Array.from({ length: 2000 }, (_, i) => ({ name: `Service ${i}`, hidden: i % 2 === 0 }));
    const pieces = [...xmlDocument(view, { services, count: 0 })];
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.join('').match(/<e2service>/g)).toHaveLength(2000);
    expect(pieces.join('')).toMatch(/<\/e2services>\n<\/e2list>\n$/);
  });

  it('drops characters forbidden by XML and DVB’s emphasis marks, and keeps DVB’s line breaks', () => {
    expect(escapeXml('a\u0086b\u0087c\u008ad\u001ae\u0000f\tg\nh')).toBe('abc\ndef\tg\nh');
    expect(escapeXml('x\ud800y\ufffez')).toBe('xyz');
    expect(escapeXml('Grüße 😀')).toBe('Grüße 😀');
  });

  it('restores every text that a parser accepts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        let read = '';
        const parser = new SaxesParser();
        parser.on('error', (error) => expect.fail(error.message));
        parser.on('text', (part) => {
          read += part;
        });
        parser.write(`<a>${escapeXml(text)}</a>`).close();
        // An XML parser reads CR and CR LF as a line end (XML 1.0, 2.11), after forbidden characters are dropped.
        const kept = text
          .replaceAll('\u008a', '\n')
          .replace(/(?![\t\n\r])\p{Cc}/gu, (c) => ((c.codePointAt(0) ?? 0) < 0x20 ? '' : c))
          .replace(/[\u0086\u0087\ufffe\uffff]/g, '')
          .replace(/\p{Surrogate}/gu, '')
          .replace(/\r\n?/g, '\n');
        // XML 1.0 leaves NEL and the line separator unchanged.
        expect(read).toBe(kept);
      }),
    );
  });
});
