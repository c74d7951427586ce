/** Tests of the comparison with written structures: it must detect what it is meant to detect. */
import { describe, expect, it } from 'vitest';
import { parseXml } from '../reply.ts';
import { type JsonTree, jsonMismatches, type XmlTree, xmlMismatches } from './structure.ts';

describe('XML', () => {
  const tree: XmlTree = {
    list: { 'item*': { name: 'words', 'number?': 'int|None', kind: { '@id': 'int', '#': 'text' } }, end: 'empty' },
  };
  const good =
    '<list><item><name>One</name><number>1</number><kind id="3">x</kind></item><item><name>Two</name><kind id="0"></kind></item><end></end></list>';

  it('of that structure has no mismatch', () => {
    expect(xmlMismatches(parseXml(good), tree)).toEqual([]);
    expect(xmlMismatches(parseXml(good.replace('>1<', '>None<')), tree)).toEqual([]);
    expect(xmlMismatches(parseXml('<list><end/></list>'), tree)).toEqual([]);
  });

  it.each([
    ['another root', good.replaceAll('list>', 'lists>')],
    ['a missing element', good.replace('<name>One</name>', '')],
    ['an element too many', good.replace('<end>', '<end></end><end>')],
    [
      'an element out of order',
      good.replace('<name>Two</name><kind id="0"></kind>', '<kind id="0"></kind><name>Two</name>'),
    ],
    ['an unknown element', good.replace('<end>', '<more/><end>')],
    ['another form', good.replace('>1<', '>one<')],
    ['an empty text', good.replace('One', '')],
    ['white space', good.replace('One', ' One')],
    ['a missing attribute', good.replace(' id="3"', '')],
    ['an unknown attribute', good.replace('<name>One', '<name a="b">One')],
    ['text between elements', good.replace('<end>', 'x<end>')],
  ])('%s is detected', (_, document) => {
    expect(xmlMismatches(parseXml(document), tree)).not.toEqual([]);
  });
});

describe('JSON', () => {
  const tree: JsonTree = { result: 'bool', 'more?': 'text', list: [{ a: 'int|null' }], pairs: [['sref', 'words']] };
  const good = { result: true, list: [{ a: 1 }, { a: null }], pairs: [['1:0:1:1:1:1:C00000:0:0:0:', 'One']] };

  it('of that structure has no mismatch', () => {
    expect(jsonMismatches(good, tree)).toEqual([]);
    expect(jsonMismatches({ ...good, more: '', list: [] }, tree)).toEqual([]);
  });

  it.each([
    ['a missing key', { result: true, pairs: [] }],
    ['an unknown key', { ...good, other: 1 }],
    ['a text instead of a number', { ...good, list: [{ a: '1' }] }],
    ['a text instead of a boolean', { ...good, result: 'True' }],
    ['an object instead of a list', { ...good, list: {} }],
    ['a list instead of an object', []],
    ['a tuple of another length', { ...good, pairs: [['1:0:1:1:1:1:C00000:0:0:0:']] }],
    ['another form', { ...good, pairs: [['Alpha', 'One']] }],
  ])('%s is detected', (_, value) => {
    expect(jsonMismatches(value, tree)).not.toEqual([]);
  });

  it('an unknown form is an error in the table', () => {
    expect(() => jsonMismatches(1, 'nosuch')).toThrow("unknown form 'nosuch'");
  });
});
