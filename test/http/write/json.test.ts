/** The JSON of /api: its format, and what it leaves out. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonDocument } from '../../../src/http/write/json.ts';

const written = (value: unknown) => [...jsonDocument(value)].join('');

describe('JSON', () => {
  it('has a space after the colon, for which a client searches', () => {
    expect(written({ result: true, message: 'done' })).toBe('{\n "result": true,\n "message": "done"\n}\n');
  });

  it('equals the output of JSON.stringify with one space of indentation', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 7 }), (value) => {
        expect(written(value)).toBe(`${JSON.stringify(value, null, 1)}\n`);
      }),
    );
  });

  it('omits undefined values and writes any iterable as a list', () => {
    const list = new Set([1, 2]);
    expect(JSON.parse(written({ a: undefined, list, empty: [], deep: [[[[[list]]]]] }))).toEqual({
      list: [1, 2],
      empty: [],
      deep: [[[[[{}]]]]],
    });
  });
});
