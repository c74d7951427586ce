/** Tuner conflicts, compared with trying every assignment. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allFit, type Clash, conflictsWith, fits, type Want } from '../../src/timers/conflicts.ts';

const want = (multiplex: string, begin: number, end: number, ...tuners: number[]): Want => ({
  multiplex,
  begin,
  end,
  tuners,
});

/** Tries every assignment of tuners. */
function fitsSomehow(wants: readonly Want[], clash: Clash = () => false): boolean {
  const overlap = (a: Want, b: Want) => a.begin < b.end && b.begin < a.end;
  const choose = (index: number, chosen: readonly number[]): boolean => {
    const one = wants[index];
    if (one === undefined) return true;
    return one.tuners.some((tuner) => {
      const taken = wants.slice(0, index).some((other, i) => {
        if (!overlap(one, other) || other.multiplex === one.multiplex) return false;
        const its = chosen[i] ?? 0;
        const [mine, theirs] = [
          { multiplex: one.multiplex, tuner },
          { multiplex: other.multiplex, tuner: its },
        ];
        return its === tuner || clash(mine, theirs);
      });
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
/** A multiplex is received by the same tuners in all wants. */
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

describe('assigning tuners', () => {
  it('finds a way exactly if there is one', () => {
    fc.assert(
      fc.property(world, (given) => {
        const wants = wantsOf(given);
        expect(allFit(wants)).toBe(fitsSomehow(wants));
      }),
      { numRuns: 2000 },
    );
  });

  it('knows tuners that share a device, or a cable on which some transponders go together', () => {
    // The first two are one device. The last two share a cable, which carries either A and B or C and D.
    const half = (multiplex: string) => Number('CD'.includes(multiplex));
    const clash: Clash = (one, other) => {
      const pair = [one.tuner, other.tuner].sort().join();
      if (pair === '0,1') return true;
      return pair === '1,2' && half(one.multiplex) !== half(other.multiplex);
    };
    fc.assert(
      fc.property(world, (given) => {
        const wants = wantsOf(given);
        const fit = allFit(wants, clash);
        // Services of one multiplex may be on two tuners, each of which then clashes by itself: never a false yes.
        if (fit) expect(fitsSomehow(wants, clash)).toBe(true);
        const each = new Set(wants.map(({ multiplex }) => multiplex)).size === wants.length;
        if (each) expect(fit).toBe(fitsSomehow(wants, clash));
      }),
      { numRuns: 2000 },
    );
  });

  it('gives the same result in its brief form', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const [one, ...others] = wantsOf(given);
        if (one) expect(await fits(one, others)).toBe((await conflictsWith(one, others)) === undefined);
      }),
    );
  });

  it('leaves the more capable tuner to the want that needs it', () => {
    expect(allFit([want('A', 0, 10, 0, 1), want('B', 5, 15, 0)])).toBe(true);
    expect(allFit([want('A', 0, 10, 0), want('B', 5, 15, 0)])).toBe(false);
  });

  it('stops at a bound with very many timers, and soon', () => {
    let steps = 0;
    const many = Array.from({ length: 60 }, (_, i) => ({
      ...want(`m${i}`, i, i + 30),
      get tuners() {
        steps++;
        return [0, 1, 2, 3, 4, 5, 6, 7];
      },
    }));
    expect(allFit(many)).toBe(false);
    expect(steps).toBeLessThan(10_000);
  });
});

describe('the conflicting timers', () => {
  it('do not include the same multiplex, or timers before and after', async () => {
    expect(await conflictsWith(want('A', 0, 10, 0), [want('A', 0, 10, 0), want('B', 10, 20, 0)])).toBeUndefined();
  });

  it('are all those that would make room, earliest first, and no others', async () => {
    const late = want('C', 6, 9, 0, 1);
    const early = want('B', 2, 9, 0, 1);
    const elsewhere = want('D', 0, 2, 0, 1);
    expect(await conflictsWith(want('A', 0, 10, 0, 1), [late, elsewhere, early])).toEqual([early, late]);
  });

  it('are an empty list if no tuner can receive the service', async () => {
    expect(await conflictsWith(want('A', 0, 10), [])).toEqual([]);
  });

  it('agree with trying everything, whatever is there already', async () => {
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
