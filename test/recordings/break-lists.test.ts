/** The lists of advertisements that programs write. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseComskip, parseEdl, plausibleBreaks } from '../../src/recordings/files/break-lists.ts';
import { keptSpans } from '../../src/recordings/files/breaks.ts';
import { damaged, damagedRuns } from '../fixtures/damage.ts';

const edl = '12.5\t30.25\t0\n# a comment\n0:01:30.5 2:00 3\n130 140 1\n150 160 2\n#100 #200 0\n170 180\r\n';
const comskip = 'FILE PROCESSING COMPLETE  45000 FRAMES AT  2500\n-------------------\n250\t500\n1000 2000\r\n';

describe('EDL', () => {
  it('leaves out cuts and commercial breaks, not muted parts, scenes and frames', () => {
    expect(parseEdl(edl)).toEqual([
      { begin: 12.5, end: 30.25 },
      { begin: 90.5, end: 120 },
      { begin: 170, end: 180 },
    ]);
  });
});

describe("comskip's text", () => {
  it('has frames', () => {
    expect(parseComskip(comskip)).toEqual([
      { begin: 10, end: 20 },
      { begin: 40, end: 80 },
    ]);
    expect(parseComskip(comskip.replace('2500', '2997'))?.[0]?.begin).toBeCloseTo(250 / 29.97, 6);
  });

  it.each(['', 'FILE PROCESSING', comskip.replace('2500', '0'), comskip.slice(50), `x${comskip}`])(
    'that is not complete is none: %j',
    (text) => expect(parseComskip(text)).toBe(undefined),
  );
});

describe('breaks', () => {
  it('are put in order, merged, and kept within the recording', () => {
    const breaks = [
      { begin: 50, end: 60 },
      { begin: 10, end: 20 },
      { begin: 15, end: 30 },
      { begin: 40, end: 35 },
      { begin: 90, end: 500 },
      { begin: 200, end: 300 },
    ];
    expect(plausibleBreaks(breaks, 100)).toEqual([
      { begin: 10, end: 30 },
      { begin: 50, end: 60 },
      { begin: 90, end: 100 },
    ]);
  });

  it('that leave nothing are none', () => {
    expect(plausibleBreaks([{ begin: 0, end: 1000 }], 100)).toEqual([]);
  });
});

/** What no list may lead to, whatever is in it. */
function check(text: string): void {
  for (const breaks of [parseEdl(text), parseComskip(text) ?? []]) {
    expect(breaks.length).toBeLessThanOrEqual(500);
    const plausible = plausibleBreaks(breaks, 100);
    let last = -1;
    for (const { begin, end } of plausible) {
      expect(begin).toBeGreaterThan(last);
      expect(end).toBeGreaterThan(begin);
      expect(end).toBeLessThanOrEqual(100);
      last = end;
    }
    if (plausible.length > 0) expect(keptSpans(plausible, 100).length).toBeGreaterThan(0);
  }
}

describe('a damaged list', () => {
  it.each([
    ['EDL', edl],
    ["comskip's text", comskip],
  ])('of %s does no harm', (_, text) => {
    fc.assert(
      fc.property(damaged(text), (bytes) => check(bytes.toString())),
      damagedRuns,
    );
  });

  it('is bounded', () => {
    check('1 2 0\n'.repeat(100_000));
    check(`${'9'.repeat(100_000)} 1 0\n`.repeat(10));
    check(`${comskip}${'1 2\n'.repeat(100_000)}`);
    check('1e308 Infinity 0\n-5 NaN 0\n0x10 99999999 0\n');
  });
});
