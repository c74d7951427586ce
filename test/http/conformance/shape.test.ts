/** Tests of the comparison itself: it must detect what it is meant to detect. */
import { describe, expect, it } from 'vitest';
import { parseXml } from '../reply.ts';
import { jsonDifferences, xmlDifferences } from './shape.ts';

const example = '<list><item a="1"><name>One</name><number>1</number><on>True</on></item><end></end></list>';

describe('XML has a different structure', () => {
  it.each([
    ['because of its root', example.replaceAll('list', 'other')],
    ['because of a missing element', example.replace('<number>1</number>', '')],
    ['because of an additional element', example.replace('<end>', '<more/><end>')],
    [
      'because of the order',
      example.replace('<name>One</name><number>1</number>', '<number>1</number><name>One</name>'),
    ],
    ['because of an empty list', '<list><end></end></list>'],
    ['because of a text instead of a number', example.replace('>1<', '>one<')],
    ['because of a number instead of a boolean', example.replace('True', '1')],
    ['because of white space', example.replace('One', ' One ')],
    ['because of a missing attribute', example.replace(' a="1"', '')],
  ])('%s', (_, reply) => {
    expect(xmlDifferences(parseXml(reply), parseXml(example))).not.toEqual([]);
  });

  it('but not because of values or repetitions', () => {
    const more = example.replace('<end>', '<item a="x"><name>2</name><number>N/A</number><on>False</on></item><end>');
    expect(xmlDifferences(parseXml(more), parseXml(example))).toEqual([]);
  });
});

describe('JSON has a different structure', () => {
  const example = { result: true, list: [{ a: 1, b: 'x' }] };
  it.each([
    ['because of the order of keys', { list: [{ a: 1, b: 'x' }], result: true }],
    ['because of a missing key', { result: true, list: [{ a: 1 }] }],
    ['because of an additional key', { result: true, list: [{ a: 1, b: 'x', c: 1 }] }],
    ['because of a text instead of a number', { result: true, list: [{ a: '1', b: 'x' }] }],
    ['because of an object instead of a list', { result: true, list: { a: 1, b: 'x' } }],
  ])('%s', (_, reply) => {
    expect(jsonDifferences(reply, example)).not.toEqual([]);
  });

  it('but not because of values or repetitions', () => {
    expect(
      jsonDifferences(
        {
          result: false,
          list: [
            { a: 2, b: '' },
            { a: null, b: 'N/A' },
          ],
        },
        example,
      ),
    ).toEqual([]);
  });
});
