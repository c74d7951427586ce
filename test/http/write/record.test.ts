/** Records that are defined by samples, and the examples made from the samples. */
import Type from 'typebox';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { exampleOf, field, nullable, oneOf, recordSchema, sampled } from '../../../src/http/write/record.ts';

const Inner = recordSchema({ pid: 640, name: field('deu', 'ISO 639-2 code') });
const Outer = recordSchema({
  result: true,
  count: field(2, { minimum: 0 }),
  words: ['a', 'b'],
  kind: oneOf(['tv', 'radio']),
  level: nullable(field(5)),
  nothing: sampled(nullable(Type.String()), null),
  known: Type.Optional(field('x')),
  left: Type.Optional(Type.String()),
  inner: Inner,
  all: Type.Array(Inner),
  other: Type.Optional(Type.Array(Type.Object({ a: Type.String() }))),
});

const example = {
  result: true,
  count: 2,
  words: ['a', 'b'],
  kind: 'tv',
  level: 5,
  nothing: null,
  known: 'x',
  inner: { pid: 640, name: 'deu' },
  all: [{ pid: 640, name: 'deu' }],
};

describe('the example of a record', () => {
  it('has the samples of its fields, in their order', () => {
    expect(JSON.stringify(exampleOf(Outer))).toBe(JSON.stringify(example));
  });

  it('has given values in place of samples', () => {
    const others = { count: 0, known: 'y' };
    expect(exampleOf(Outer, others)).toEqual({ ...example, ...others });
    expect(exampleOf(Outer)).toEqual(example);
  });

  it('of a field is its sample', () => {
    expect(exampleOf(field(false))).toBe(false);
    expect(exampleOf(sampled(Type.Number(), 0.5))).toBe(0.5);
    expect(exampleOf(sampled(oneOf(['tv', 'radio']), 'radio'))).toBe('radio');
  });
});

describe('the schema of a record', () => {
  it('has the types of the samples and the keywords', () => {
    const { words, count, kind } = Outer.properties;
    expect(words).toMatchObject({ type: 'array', items: { type: 'string' } });
    expect(count).toMatchObject({ type: 'integer', minimum: 0 });
    expect(kind).toMatchObject({ type: 'string', enum: ['tv', 'radio'] });
    expect(Inner.properties.name).toMatchObject({ type: 'string', description: 'ISO 639-2 code' });
    expect(Outer.required).toEqual(['result', 'count', 'words', 'kind', 'level', 'nothing', 'inner', 'all']);
  });

  it('accepts other values of the same types only', () => {
    expect(Value.Check(Inner, { pid: 1, name: '' })).toBe(true);
    expect(Value.Check(Inner, { pid: '1', name: '' })).toBe(false);
    expect(Value.Check(Inner, { pid: 1.5, name: '' })).toBe(false);
  });
});
