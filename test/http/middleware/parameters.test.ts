/** The kinds of parameters that refuse what their schema does not allow. */
import { describe, expect, it } from 'vitest';
import { type Parameter, texts, toggle, whole, word } from '../../../src/http/middleware/parameters.ts';

const read = <T>(parameter: Parameter<T>, given?: string) => parameter.from(given, 'name');
const refused = (allowed: string, given: string) => `The parameter 'name' must be ${allowed}, not '${given}'`;

describe('whole', () => {
  const bounds = { minimum: -1, maximum: 20 };

  it.each([
    ['-1', -1],
    ['20', 20],
    [' +7 ', 7],
    ['7.9', 7],
    [undefined, undefined],
  ])('reads %j as %j', (given, value) => {
    expect(read(whole('', bounds), given)).toBe(value);
    expect(read(whole('', bounds, 'absent'), given)).toBe(value);
  });

  it.each(['-2', '21', '99999999999999999999', '9'.repeat(400)])('refuses %s', (given) => {
    for (const other of ['refused', 'absent'] as const)
      expect(() => read(whole('', bounds, other), given)).toThrow(
        refused('a number from -1 to 20', given.slice(0, 100)),
      );
  });

  it.each(['x', '1e1', '0x7', '7,5', 'Infinity', 'NaN'])('refuses %j, or treats it as absent', (given) => {
    expect(() => read(whole('', bounds), given)).toThrow(refused('a number from -1 to 20', given));
    expect(read(whole('', bounds, 'absent'), given)).toBeUndefined();
    expect(read(whole('', bounds, 'absent').or(5), given)).toBe(5);
  });

  it('is its default if absent or empty, and shows the default in its schema', () => {
    const parameter = whole('', bounds).or(5);
    expect([read(parameter), read(parameter, ''), read(parameter, '0')]).toEqual([5, 5, 0]);
    expect(parameter.schema).toEqual({ type: 'integer', ...bounds, default: 5 });
  });
});

describe('word', () => {
  it('is one of the listed words; absent or empty, it is the default', () => {
    const words = ['a', 'b'] as const;
    expect([read(word('', words), 'b'), read(word('', words)), read(word('', words), '')]).toEqual([
      'b',
      undefined,
      undefined,
    ]);
    expect([read(word('', words).or('b')), read(word('', words).or('b'), '')]).toEqual(['b', 'b']);
    for (const given of ['c', 'A', 'a ', 'toString'])
      expect(() => read(word('', words).or('a'), given)).toThrow(refused('one of a, b', given));
  });
});

describe('toggle', () => {
  it.each([
    ['1', true],
    [' Yes', true],
    ['ON', true],
    ['true', true],
    ['0', false],
    ['No', false],
    ['off ', false],
    ['false', false],
  ])('reads %j as %j', (given, value) => {
    for (const parameter of [toggle('').or(true), toggle('').or(false), toggle('')])
      expect(read(parameter, given)).toBe(value);
  });

  it('is its default if absent or empty, and refuses other words', () => {
    for (const given of [undefined, '']) {
      expect([read(toggle('').or(true), given), read(toggle('').or(false), given)]).toEqual([true, false]);
      expect(read(toggle(''), given)).toBeUndefined();
    }
    for (const given of ['maybe', '2', 'truetrue'])
      expect(() => read(toggle('').or(true), given)).toThrow(refused('true or false', given));
  });
});

it('texts are all values, in order', () => {
  expect(texts('', 'x').from('a', 'name', ['a', '', 'b'])).toEqual(['a', '', 'b']);
  expect(read(texts('', 'x'))).toEqual([]);
});
