import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonDocument } from '../../src/http/json.ts';

const written = (value: unknown) => [...jsonDocument(value)].join('');

describe('JSON', () => {
  it('has the blank after the colon that a client searches for', () => {
    expect(written({ result: true, message: 'done' })).toBe('{\n "result": true,\n "message": "done"\n}\n');
  });

  it('is what JSON.stringify with one blank of indentation writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 7 }), (value) => {
        expect(written(value)).toBe(`${JSON.stringify(value, null, 1)}\n`);
      }),
    );
  });

  it('leaves out what is undefined and takes any iterable as a list', () => {
    const list = new Set([1, 2]);
    expect(JSON.parse(written({ a: undefined, list, empty: [], deep: [[[[[list]]]]] }))).toEqual({
      list: [1, 2],
      empty: [],
      deep: [[[[[{}]]]]],
    });
  });
});
