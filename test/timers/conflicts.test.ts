import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allFit, conflictsWith, fits, type Want } from '../../src/timers/conflicts.ts';

const want = (multiplex: string, begin: number, end: number, ...tuners: number[]): Want => ({
  multiplex,
  begin,
  end,
  tuners,
});

/** Tries every way to give the tuners out. */
function fitsSomehow(wants: readonly Want[]): boolean {
  const overlap = (a: Want, b: Want) => a.begin < b.end && b.begin < a.end;
  const choose = (index: number, chosen: readonly number[]): boolean => {
    const one = wants[index];
    if (one === undefined) return true;
    return one.tuners.some((tuner) => {
      const taken = wants
        .slice(0, index)
        .some((other, i) => chosen[i] === tuner && overlap(one, other) && other.multiplex !== one.multiplex);
      return !taken && choose(index + 1, [...chosen, tuner]);
    });
  };
  return choose(0, []);
}

const anyWant = fc
  .record({
    multiplex: fc.constantFrom('A', 'B', 'C', 'D'),
    begin: fc.integer({ min: 0, max: 20 }),
    length: fc.integer({ min: 1, max: 10 }),
  })
  .map(({ multiplex, begin, length }) => ({ multiplex, begin, end: begin + length }));
/** A multiplex is received by the same tuners whoever asks for it. */
const world = fc.record({
  wants: fc.array(anyWant, { maxLength: 7 }),
  receivers: fc.record({
    A: fc.subarray([0, 1, 2]),
    B: fc.subarray([0, 1, 2]),
    C: fc.subarray([0, 1, 2]),
    D: fc.subarray([0, 1, 2]),
  }),
});
const wantsOf = ({ wants, receivers }: typeof world extends fc.Arbitrary<infer T> ? T : never): Want[] =>
  wants.map((one) => ({ ...one, tuners: receivers[one.multiplex as 'A'] }));

describe('giving the tuners out', () => {
  it('finds a way exactly where there is one', () => {
    fc.assert(
      fc.property(world, (given) => {
        const wants = wantsOf(given);
        expect(allFit(wants)).toBe(fitsSomehow(wants));
      }),
      { numRuns: 2000 },
    );
  });

  it('says briefly what it says at length', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const [one, ...others] = wantsOf(given);
        if (one) expect(await fits(one, others)).toBe((await conflictsWith(one, others)) === undefined);
      }),
    );
  });

  it('leaves the tuner that can do more to whoever needs it', () => {
    expect(allFit([want('A', 0, 10, 0, 1), want('B', 5, 15, 0)])).toBe(true);
    expect(allFit([want('A', 0, 10, 0), want('B', 5, 15, 0)])).toBe(false);
  });

  it('ends at a bound with very many timers, and soon', () => {
    const many = Array.from({ length: 60 }, (_, i) => want(`m${i}`, i, i + 30, 0, 1, 2, 3, 4, 5, 6, 7));
    const begin = performance.now();
    expect(allFit(many)).toBe(false);
    expect(performance.now() - begin).toBeLessThan(100);
  });
});

describe('what stands in the way', () => {
  it('is nothing on the same multiplex, before or after', async () => {
    expect(await conflictsWith(want('A', 0, 10, 0), [want('A', 0, 10, 0), want('B', 10, 20, 0)])).toBeUndefined();
  });

  it('is every one that would make room, the earliest first, and no other', async () => {
    const late = want('C', 6, 9, 0, 1);
    const early = want('B', 2, 9, 0, 1);
    const elsewhere = want('D', 0, 2, 0, 1);
    expect(await conflictsWith(want('A', 0, 10, 0, 1), [late, elsewhere, early])).toEqual([early, late]);
  });

  it('is nobody for what no tuner receives', async () => {
    expect(await conflictsWith(want('A', 0, 10), [])).toEqual([]);
  });

  it('agrees with trying everything, whatever is there already', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const [first, ...others] = wantsOf(given);
        if (first === undefined || !fitsSomehow(others)) return;
        const found = await conflictsWith(first, others);
        expect(found === undefined).toBe(fitsSomehow([first, ...others]));
        for (const one of found ?? []) expect(one.multiplex).not.toBe(first.multiplex);
      }),
      { numRuns: 2000 },
    );
  });
});
