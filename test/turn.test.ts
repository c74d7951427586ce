/** Turns of long work, and values that it builds. */
import { afterEach, expect, it, vi } from 'vitest';
import { Gradual, Turn } from '../src/turn.ts';
import { yieldsOf } from './fixtures/yields.ts';

afterEach(() => void vi.useRealTimers());

it('a turn is over after a millisecond, and another begins with everything done that was queued before', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const turn = new Turn();
  expect(turn.isOver).toBe(false);
  vi.advanceTimersByTime(1);
  expect(turn.isOver).toBe(true);
  const done: string[] = [];
  for (const name of ['first', 'second']) setImmediate(() => done.push(name));
  await turn.next();
  expect([done, turn.isOver]).toEqual([['first', 'second'], false]);
});

/** A number that takes as many steps, and how many were taken. */
function counted(steps: number) {
  const seen = { taken: 0 };
  const gradual = new Gradual(function* () {
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
  const whole = new Gradual(function* () {
    return 2 * (yield* part.steps());
  });
  expect(await whole.ready()).toBe(20);
  expect(part.value).toBe(10);
});
