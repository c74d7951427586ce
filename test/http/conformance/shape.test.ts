/** The comparison itself: it must see what it is there to see. */
import { describe, expect, it } from 'vitest';
import { parseXml } from '../reply.ts';
import { jsonDifferences, xmlDifferences } from './shape.ts';

const example = '<list><item a="1"><name>One</name><number>1</number><on>True</on></item><end></end></list>';

describe('XML is of another build', () => {
  it.each([
    ['by its root', example.replaceAll('list', 'other')],
    ['by an element that lacks', example.replace('<number>1</number>', '')],
    ['by one more', example.replace('<end>', '<more/><end>')],
    ['by the order', example.replace('<name>One</name><number>1</number>', '<number>1</number><name>One</name>')],
    ['by an empty list', '<list><end></end></list>'],
    ['by a text in place of a number', example.replace('>1<', '>one<')],
    ['by a number in place of a truth value', example.replace('True', '1')],
    ['by white space', example.replace('One', ' One ')],
    ['by an attribute', example.replace(' a="1"', '')],
  ])('%s', (_, reply) => {
    expect(xmlDifferences(parseXml(reply), parseXml(example))).not.toEqual([]);
  });

  it('but not by what it says, nor by how often', () => {
    const more = example.replace('<end>', '<item a="x"><name>2</name><number>N/A</number><on>False</on></item><end>');
    expect(xmlDifferences(parseXml(more), parseXml(example))).toEqual([]);
  });
});

describe('JSON is of another build', () => {
  const example = { result: true, list: [{ a: 1, b: 'x' }] };
  it.each([
    ['by the order of keys', { list: [{ a: 1, b: 'x' }], result: true }],
    ['by a key that lacks', { result: true, list: [{ a: 1 }] }],
    ['by one more', { result: true, list: [{ a: 1, b: 'x', c: 1 }] }],
    ['by a text in place of a number', { result: true, list: [{ a: '1', b: 'x' }] }],
    ['by an object in place of a list', { result: true, list: { a: 1, b: 'x' } }],
  ])('%s', (_, reply) => {
    expect(jsonDifferences(reply, example)).not.toEqual([]);
  });

  it('but not by what it says, nor by how often', () => {
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
