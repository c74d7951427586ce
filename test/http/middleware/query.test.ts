/** Lenient parsing of request parameters. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/http/middleware/query.ts';

const of = (text: string) => Object.fromEntries(parseQuery(text));

describe('request parameters', () => {
  it('reads + and %20 as a space', () => {
    expect(of('a=one+two%20three')).toEqual({ a: 'one two three' });
  });

  it('takes the first value of a repeated name', () => {
    expect(of('a=1&a=2&b=4')).toEqual({ a: '1', b: '4' });
  });

  it('keeps empty values and names without a value', () => {
    expect(of('full&dirname=&x=y=z')).toEqual({ full: '', dirname: '', x: 'y=z' });
  });

  it('reads escapes that are not UTF-8 as ISO 8859-1', () => {
    expect(of('a=K%F6ln&b=K%C3%B6ln')).toEqual({ a: 'Köln', b: 'Köln' });
  });

  it("reads texts from JavaScript's escape()", () => {
    const sent = 'a=%2Fmovie%2F%E1o%u0159&b=%u0159&c=%uD83D%uDE00+%25u0159&d=%uD83D&e=%u12';
    expect(of(sent)).toEqual({ a: '/movie/áoř', b: 'ř', c: '😀 %u0159', d: '\ufffd', e: '%u12' });
  });

  it('leaves an invalid escape unchanged', () => {
    expect(of('a=100%&b=%zz&c=%4')).toEqual({ a: '100%', b: '%zz', c: '%4' });
  });

  it('keeps the escapes inside a stream reference that was encoded once', () => {
    expect(of('sRef=4097%3A0%3A1%3A0%3A0%3A0%3A0%3A0%3A0%3A0%3Ahttp%253a%2F%2Fhost%2Flive%3AName')).toEqual({
      sRef: '4097:0:1:0:0:0:0:0:0:0:http%3a//host/live:Name',
    });
  });

  it('never fails, and restores every encoded text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseQuery(text)));
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(of(`a=${encodeURIComponent(text)}`)).toEqual({ a: text });
      }),
    );
  });
});
