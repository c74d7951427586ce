/** The kinds of parameters, and what becomes of a value that their schema does not allow. */
import { describe, expect, it } from 'vitest';
import { boolean, choice, integer, type Parameter, texts } from '../../../src/http/middleware/parameters.ts';

const read = <T>(parameter: Parameter<T>, given?: string) => parameter.from(given, 'name');
const refused = (allowed: string, given: string) => `The parameter 'name' must be ${allowed}, not '${given}'`;

describe('integer', () => {
  const bounds = { minimum: -1, maximum: 20 };
  const textAbsent = { text: 'absent', number: 'refused' } as const;

  it.each([
    ['-1', -1],
    ['20', 20],
    [' +7 ', 7],
    ['7.9', 7],
    [undefined, undefined],
  ])('reads %j as %j', (given, value) => {
    expect(read(integer('', bounds), given)).toBe(value);
    expect(read(integer('', { ...bounds, wrong: textAbsent }), given)).toBe(value);
  });

  it.each(['-2', '21', '99999999999999999999', '9'.repeat(400)])('refuses %s', (given) => {
    for (const wrong of ['refused', textAbsent] as const)
      expect(() => read(integer('', { ...bounds, wrong }), given)).toThrow(
        refused('a number from -1 to 20', given.length > 100 ? `${given.slice(0, 100)}...` : given),
      );
  });

  it.each(['x', '1e1', '0x7', '7,5', 'Infinity', 'NaN'])('refuses %j, or treats it as absent', (given) => {
    expect(() => read(integer('', bounds), given)).toThrow(refused('a number from -1 to 20', given));
    expect(read(integer('', { ...bounds, wrong: textAbsent }), given)).toBeUndefined();
    expect(read(integer('', { ...bounds, wrong: textAbsent }).or(5), given)).toBe(5);
  });

  it('is its default if absent or empty, and shows the default in its schema', () => {
    const parameter = integer('', bounds).or(5);
    expect([read(parameter), read(parameter, ''), read(parameter, '0')]).toEqual([5, 5, 0]);
    expect(parameter.schema).toEqual({ type: 'integer', ...bounds, default: 5 });
  });
});

describe('integer with a lenience', () => {
  const bounds = { minimum: -1, maximum: 6 };
  const many = '1000000000000000';
  const number = "The parameter 'name' must be a number";
  it.each([
    ['nearest', { '': undefined, x: undefined, '9': 6, '-9': -1, [many]: undefined }],
    [3, { '': 3, x: 3, '9': 3, '-9': 3, [many]: 3 }],
    ['fails', { '': number, x: number, '9': `${number} from -1 to 6`, [many]: number }],
    [
      { text: 'fails', number: 'nearest' },
      { '': number, x: number, '9': 6, '-9': -1, [many]: number },
    ],
  ] as const)('%j reads wrong values', (wrong, cases) => {
    const parameter = integer('', { ...bounds, wrong });
    for (const [given, value] of Object.entries(cases)) {
      if (typeof value === 'string') expect(() => read(parameter, given)).toThrow(value);
      else expect(read(parameter, given)).toBe(value);
    }
    expect([read(parameter), read(parameter, '-1'), read(parameter, ' 6.9')]).toEqual([undefined, -1, 6]);
  });
});

describe('choice', () => {
  it('is one of the listed words; absent or empty, it is the default', () => {
    const words = ['a', 'b'] as const;
    expect([read(choice('', words), 'b'), read(choice('', words)), read(choice('', words), '')]).toEqual([
      'b',
      undefined,
      undefined,
    ]);
    expect([read(choice('', words).or('b')), read(choice('', words).or('b'), '')]).toEqual(['b', 'b']);
    for (const given of ['c', 'A', 'a ', 'toString'])
      expect(() => read(choice('', words).or('a'), given)).toThrow(refused('one of a, b', given));
  });
});

describe('boolean', () => {
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
    for (const parameter of [boolean('').or(true), boolean('').or(false), boolean('')])
      expect(read(parameter, given)).toBe(value);
  });

  it('is read leniently where clients need it', () => {
    const lenient = boolean('', { wrong: false });
    expect(['1', 'TRUE', 'yes', ' 1', 'x', '', undefined].map((given) => read(lenient, given))).toEqual([
      ...[true, true, false, false, false, false, false],
    ]);
    expect(['', undefined, 'x'].map((given) => read(lenient.or(true), given))).toEqual([true, true, false]);
    const bit = boolean('', { form: 'bit' });
    expect([' 1 ', 'true', '', undefined].map((given) => read(bit, given))).toEqual([true, false, false, undefined]);
    const presence = boolean('', { form: 'presence' });
    expect(['false', '', undefined].map((given) => read(presence, given))).toEqual([true, true, false]);
    expect(['b', 'x', '', undefined].map((given) => read(choice('', ['a', 'b'], { wrong: 'first' }), given))).toEqual([
      ...['b', 'a', 'a', 'a'],
    ]);
  });

  it('is its default if absent or empty, and refuses other words', () => {
    for (const given of [undefined, '']) {
      expect([read(boolean('').or(true), given), read(boolean('').or(false), given)]).toEqual([true, false]);
      expect(read(boolean(''), given)).toBeUndefined();
    }
    for (const given of ['maybe', '2', 'truetrue'])
      expect(() => read(boolean('').or(true), given)).toThrow(refused('true or false', given));
  });
});

it('texts are all values, in order', () => {
  expect(texts('').from('a', 'name', ['a', '', 'b'])).toEqual(['a', '', 'b']);
  expect(read(texts(''))).toEqual([]);
});
