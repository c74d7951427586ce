/** Chapters and breaks of a recording, from its marks. */
import { describe, expect, it } from 'vitest';
import { breakAt, breaksOf, chapterFrom, chaptersOf } from '../../src/ui/pages/watch/marks.ts';

const types = { in: 0, out: 1, chapter: 2, stopped: 3 } as const;
const marks = (...listed: readonly (readonly [keyof typeof types, number])[]) =>
  listed.map(([type, seconds]) => ({ type: types[type], pos: seconds * 90_000 }));

describe('the marks of a recording', () => {
  it('are chapters, in their order', () => {
    expect(chaptersOf(marks(['chapter', 60], ['out', 30], ['stopped', 5], ['chapter', 20]))).toEqual([20, 60]);
  });

  it.each([
    [
      'from an out mark to the next in mark',
      marks(['out', 10], ['in', 20], ['out', 50], ['in', 60]),
      [
        [10, 20],
        [50, 60],
      ],
    ],
    [
      'up to an in mark that comes first',
      marks(['in', 30], ['out', 70], ['in', 80]),
      [
        [0, 30],
        [70, 80],
      ],
    ],
    [
      'until the end without another in mark',
      marks(['out', 10], ['in', 20], ['out', 90]),
      [
        [10, 20],
        [90, 100],
      ],
    ],
    ['from the first of two out marks', marks(['out', 10], ['out', 15], ['in', 20]), [[10, 20]]],
    ['nowhere with chapters alone', marks(['chapter', 10], ['stopped', 50]), []],
    ['nowhere after the end', marks(['out', 200]), []],
    ['nowhere with an in mark at the beginning', marks(['in', 0]), []],
  ] as const)('have a break %s', (_, given, spans) => {
    expect(breaksOf(given, 100)).toEqual(spans.map(([begin, end]) => ({ begin, end })));
  });

  it('offer a break to skip until shortly before its end', () => {
    const breaks = [{ begin: 10, end: 20 }];
    expect(breakAt(breaks, 9)).toBeUndefined();
    expect(breakAt(breaks, 10)).toBe(breaks[0]);
    expect(breakAt(breaks, 18)).toBeUndefined();
  });

  it('lead from chapter to chapter', () => {
    const marked = { chapters: [30, 60], breaks: [{ begin: 70, end: 80 }] };
    expect([0, 30, 65, 90].map((position) => chapterFrom(marked, position, 1))).toEqual([30, 60, 80, undefined]);
    expect([2, 32, 40, 90].map((position) => chapterFrom(marked, position, -1))).toEqual([0, 0, 30, 80]);
  });
});
