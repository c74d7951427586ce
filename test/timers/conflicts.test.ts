/** Tuner conflicts, compared with trying every assignment. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Clash, canServe, canServeAll, findConflicts, type TunerDemand } from '../../src/timers/conflicts.ts';

const demand = (multiplex: string, begin: number, end: number, ...tuners: number[]): TunerDemand => ({
  multiplex,
  begin,
  end,
  tuners,
});

/** Tries every assignment of tuners. */
function fitsSomehow(demands: readonly TunerDemand[], clash: Clash = () => false): boolean {
  const overlap = (a: TunerDemand, b: TunerDemand) => a.begin < b.end && b.begin < a.end;
  const choose = (index: number, chosen: readonly number[]): boolean => {
    const one = demands[index];
    if (one === undefined) return true;
    return one.tuners.some((tuner) => {
      const taken = demands.slice(0, index).some((other, i) => {
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

const anyDemand = fc
  .record({
    multiplex: fc.constantFrom('A', 'B', 'C', 'D'),
    begin: fc.integer({ min: 0, max: 20 }),
    length: fc.integer({ min: 1, max: 10 }),
  })
  .map(({ multiplex, begin, length }) => ({ multiplex, begin, end: begin + length }));
/** A multiplex is received by the same tuners in all demands. */
const world = fc.record({
  demands: fc.array(anyDemand, { maxLength: 7 }),
  receivers: fc.record({
    A: fc.subarray([0, 1, 2]),
    B: fc.subarray([0, 1, 2]),
    C: fc.subarray([0, 1, 2]),
    D: fc.subarray([0, 1, 2]),
  }),
});
const demandsOf = ({ demands, receivers }: typeof world extends fc.Arbitrary<infer T> ? T : never): TunerDemand[] =>
  demands.map((one) => ({ ...one, tuners: receivers[one.multiplex as 'A'] }));

describe('assigning tuners', () => {
  it('succeeds exactly if an assignment exists', () => {
    fc.assert(
      fc.property(world, (given) => {
        const demands = demandsOf(given);
        expect(canServeAll(demands)).toBe(fitsSomehow(demands));
      }),
      { numRuns: 2000 },
    );
  });

  it('respects tuners that share a device, or a cable that carries only some transponders together', () => {
    // The first two are one device. The last two share a cable, which carries either A and B or C and D.
    const half = (multiplex: string) => Number('CD'.includes(multiplex));
    const clash: Clash = (one, other) => {
      const pair = [one.tuner, other.tuner].sort().join();
      if (pair === '0,1') return true;
      return pair === '1,2' && half(one.multiplex) !== half(other.multiplex);
    };
    fc.assert(
      fc.property(world, (given) => {
        const demands = demandsOf(given);
        const fit = canServeAll(demands, clash);
        // Services of one multiplex may be on two tuners, and each may clash: the result may be false although all fit.
        if (fit) expect(fitsSomehow(demands, clash)).toBe(true);
        const each = new Set(demands.map(({ multiplex }) => multiplex)).size === demands.length;
        if (each) expect(fit).toBe(fitsSomehow(demands, clash));
      }),
      { numRuns: 2000 },
    );
  });

  it('gives the same result whether or not the conflicts are listed', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const [one, ...others] = demandsOf(given);
        if (one) expect(await canServe(one, others)).toBe((await findConflicts(one, others)) === undefined);
      }),
    );
  });

  it('leaves the more capable tuner to the demand that needs it', () => {
    expect(canServeAll([demand('A', 0, 10, 0, 1), demand('B', 5, 15, 0)])).toBe(true);
    expect(canServeAll([demand('A', 0, 10, 0), demand('B', 5, 15, 0)])).toBe(false);
  });

  it('gives up after a limited number of steps if there are very many timers', () => {
    let steps = 0;
    const many = Array.from({ length: 60 }, (_, i) => ({
      ...demand(`m${i}`, i, i + 30),
      get tuners() {
        steps++;
        return [0, 1, 2, 3, 4, 5, 6, 7];
      },
    }));
    expect(canServeAll(many)).toBe(false);
    expect(steps).toBeLessThan(10_000);
  });
});

describe('the conflicting timers', () => {
  it('do not include the same multiplex, or timers before and after', async () => {
    expect(await findConflicts(demand('A', 0, 10, 0), [demand('A', 0, 10, 0), demand('B', 10, 20, 0)])).toBeUndefined();
  });

  it('are exactly the ones whose removal makes room, earliest first', async () => {
    const late = demand('C', 6, 9, 0, 1);
    const early = demand('B', 2, 9, 0, 1);
    const elsewhere = demand('D', 0, 2, 0, 1);
    expect(await findConflicts(demand('A', 0, 10, 0, 1), [late, elsewhere, early])).toEqual([early, late]);
  });

  it('are an empty list if no tuner can receive the service', async () => {
    expect(await findConflicts(demand('A', 0, 10), [])).toEqual([]);
  });

  it('agree with trying every assignment, for any other timers', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const [first, ...others] = demandsOf(given);
        if (first === undefined || !fitsSomehow(others)) return;
        const found = await findConflicts(first, others);
        expect(found === undefined).toBe(fitsSomehow([first, ...others]));
        for (const one of found ?? []) expect(one.multiplex).not.toBe(first.multiplex);
      }),
      { numRuns: 2000 },
    );
  });
});
