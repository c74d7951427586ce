/** Time slices of long loops, and values computed in steps. */
import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { IncrementalValue, sorted, TimeSlice } from '../../src/base/time-slice.ts';
import { yieldsOf } from '../fixtures/yields.ts';

afterEach(() => void vi.useRealTimers());

it('a turn is over after a millisecond, and another begins with everything done that was queued before', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const slice = new TimeSlice();
  expect(slice.isOver).toBe(false);
  vi.advanceTimersByTime(1);
  expect(slice.isOver).toBe(true);
  const done: string[] = [];
  for (const name of ['first', 'second']) setImmediate(() => done.push(name));
  await slice.next();
  expect([done, slice.isOver]).toEqual([['first', 'second'], false]);
});

/** A number that takes as many steps, and how many were taken. */
function counted(steps: number) {
  const seen = { taken: 0 };
  const gradual = new IncrementalValue(function* () {
    for (; seen.taken < steps; seen.taken++) yield;
    return steps;
  });
  return { gradual, seen };
}

it('a value is built once, in turns, for all who wait for it', async () => {
  const { gradual, seen } = counted(100);
  let values: readonly number[] = [];
  const yields = await yieldsOf(async () => {
    values = await Promise.all([gradual.ready(), gradual.ready()]);
  });
  expect([values, seen.taken]).toEqual([[100, 100], 100]);
  expect(yields).toBeGreaterThan(25);
});

it('who cannot wait for a value goes on where others have come to', async () => {
  const { gradual, seen } = counted(100);
  let soon: Promise<number> | undefined;
  await yieldsOf(async () => {
    soon = gradual.ready();
  });
  expect(seen.taken).toBeLessThan(100);
  expect([gradual.value, seen.taken]).toEqual([100, 100]);
  expect([await soon, gradual.value]).toEqual([100, 100]);
});

it('a value may be a step of another', async () => {
  const part = counted(10).gradual;
  const whole = new IncrementalValue(function* () {
    return 2 * (yield* part.steps());
  });
  expect(await whole.ready()).toBe(20);
  expect(part.value).toBe(10);
});

it('items are sorted in steps as they are at once: equal ones stay in their order', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ key: fc.nat(9), place: fc.nat() }), { maxLength: 500, size: 'max' }), (items) => {
      const compare = (a: (typeof items)[number], b: (typeof items)[number]) => a.key - b.key;
      const gradual = new IncrementalValue(() => sorted(items, compare));
      expect(gradual.value).toEqual(items.toSorted(compare));
    }),
  );
});

it('no step of sorting compares more than a few items', () => {
  let compared = 0;
  const items = Array.from({ length: 10_000 }, (_, n) => (n * 7919) % 10_000);
  const steps = sorted(items, (a, b) => {
    compared++;
    return a - b;
  });
  let most = 0;
  for (let done: boolean | undefined = false, before = 0; !done; before = compared) {
    ({ done } = steps.next());
    most = Math.max(most, compared - before);
  }
  expect(most).toBeLessThan(1000);
});
