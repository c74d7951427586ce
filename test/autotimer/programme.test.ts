import { describe, expect, it } from 'vitest';
import { Programmes, programmeOfEvent } from '../../src/autotimer/programme.ts';
import { event } from '../timers/world.ts';

const programme = (title: string, shortText: string, extendedText = '', more = {}) =>
  programmeOfEvent(event({ title, shortText, extendedText, ...more }));

describe('A programme with season and episode', () => {
  const known = programme('Harbour', 'Season 2, Episode 5');
  const has = (other: ReturnType<typeof programme>, compare: 'title' | 'short' | 'all' = 'all') => {
    const all = new Programmes();
    all.add(known);
    return all.has(other, { avoidDuplicates: 'any', compare } as Parameters<Programmes['has']>[1]);
  };

  it('is the same in other words, in the title, and in the long text', () => {
    expect(has(programme('Harbour', 'S02E05 The storm', 'Other words.'))).toBe(true);
    expect(has(programme('Harbour S2 E5', 'The storm'))).toBe(true);
    expect(has(programme('HARBOUR', 'The storm', 'Rain.\nS2 E5 · 2019'))).toBe(true);
  });

  it('is another one with another number, title or CRID', () => {
    expect(has(programme('Harbour', 'S2 E6'))).toBe(false);
    expect(has(programme('Harbour', 'S3 E5'))).toBe(false);
    expect(has(programme('Lighthouse', 'S2 E5'))).toBe(false);
    const crid = (text: string) => ({ crids: [{ type: 'programme' as const, crid: `crid://a.example/${text}` }] });
    const all = new Programmes();
    all.add(programme('Harbour', 'S2 E5', '', crid('1')));
    const rule = { avoidDuplicates: 'any', compare: 'all' } as unknown as Parameters<Programmes['has']>[1];
    expect(all.has(programme('Harbour', 'S2 E5', '', crid('2')), rule)).toBe(false);
  });

  it('is compared by its texts if only one names both', () => {
    expect(has(programme('Harbour', 'Episode 5'))).toBe(false);
    const all = new Programmes();
    all.add(programme('Harbour', 'Episode 5'));
    const rule = { avoidDuplicates: 'any', compare: 'short' } as unknown as Parameters<Programmes['has']>[1];
    expect(all.has(programme('Harbour', 'Episode 5', 'Season 2.'), rule)).toBe(true);
  });

  it('counts as one of several with the same title only if titles are compared alone', () => {
    expect(has(programme('Harbour', 'S9 E9'), 'title')).toBe(true);
    expect(has(programme('Harbour S2 E5', 'The storm'), 'title')).toBe(false);
  });
});
