/** Turns of long work. */
import { afterEach, expect, it, vi } from 'vitest';
import { Turn } from '../src/turn.ts';

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
