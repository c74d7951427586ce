/** Time slices of long loops, and values computed in steps. */
import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { IncrementalValue, sorted, TimeSlice } from '../../src/base/time-slice.ts';
import { yieldsOf } from '../fixtures/yields.ts';

afterEach(() => void vi.useRealTimers());

it('a slice is over after a millisecond; the next one starts after everything that was queued before', async () => {
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

/** A value computed in the given number of steps, and the number of steps taken. */
function counted(steps: number) {
  const seen = { taken: 0 };
  const incremental = new IncrementalValue(function* () {
    for (; seen.taken < steps; seen.taken++) yield;
    return steps;
  });
  return { incremental, seen };
}

it('a value is computed once, in slices, for all its readers', async () => {
  const { incremental, seen } = counted(100);
  let values: readonly number[] = [];
  const yields = await yieldsOf(async () => {
    values = await Promise.all([incremental.ready(), incremental.ready()]);
  });
  expect([values, seen.taken]).toEqual([[100, 100], 100]);
  expect(yields).toBeGreaterThan(25);
});

it('a reader that cannot wait completes the steps that others have begun', async () => {
  const { incremental, seen } = counted(100);
  let soon: Promise<number> | undefined;
  await yieldsOf(async () => {
    soon = incremental.ready();
  });
  expect(seen.taken).toBeLessThan(100);
  expect([incremental.value, seen.taken]).toEqual([100, 100]);
  expect([await soon, incremental.value]).toEqual([100, 100]);
});

it('a value may be a step of another', async () => {
  const part = counted(10).incremental;
  const whole = new IncrementalValue(function* () {
    return 2 * (yield* part.steps());
  });
  expect(await whole.ready()).toBe(20);
  expect(part.value).toBe(10);
});

it('sorting in steps is stable and has the same result as toSorted', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ key: fc.nat(9), place: fc.nat() }), { maxLength: 500, size: 'max' }), (items) => {
      const compare = (a: (typeof items)[number], b: (typeof items)[number]) => a.key - b.key;
      const incremental = new IncrementalValue(() => sorted(items, compare));
      expect(incremental.value).toEqual(items.toSorted(compare));
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
  let maxPerStep = 0;
  for (let done: boolean | undefined = false, before = 0; !done; before = compared) {
    ({ done } = steps.next());
    maxPerStep = Math.max(maxPerStep, compared - before);
  }
  expect(maxPerStep).toBeLessThan(1000);
});
