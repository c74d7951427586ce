import { expect, it, onTestFinished, vi } from 'vitest';
import { KeyedQueue } from '../../src/base/keyed-queue.ts';

it('runs some actions at a time, and those of a key in turn, whether they fail or not', async () => {
  const queue = new KeyedQueue(2, 60_000);
  const seen: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (key: string, name: string) =>
    queue.run(key, () => {
      seen.push(name);
      return new Promise<string>((resolve, reject) => {
        ends.set(name, () => (name === 'a1' ? reject(new Error(name)) : resolve(name)));
      });
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    // Whatever is to follow has begun by then.
    await new Promise(setImmediate);
  };
  const first = add('a', 'a1').catch((error: Error) => `failed: ${error.message} ${queue.has('a')}`);
  const second = add('a', 'a2').then((name) => `${name} ${queue.has('a')}`);
  for (const key of ['b', 'c']) void add(key, key);
  await end('none');
  expect(seen).toEqual(['a1', 'b']);
  await end('b');
  expect(seen).toEqual(['a1', 'b', 'c']);
  await end('a1');
  expect(seen).toEqual(['a1', 'b', 'c', 'a2']);
  expect([queue.has('a'), queue.has('b')]).toEqual([true, false]);
  const idle = queue.idle();
  await end('a2');
  await end('c');
  await idle;
  expect([await first, await second]).toEqual(['failed: a1 true', 'a2 false']);
});

it('lets others take the place of actions that take too long', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const queue = new KeyedQueue(2, 60_000);
  const seen: string[] = [];
  const ends: (() => void)[] = [];
  for (const key of ['slow', 'slower', 'next', 'after', 'last']) {
    void queue.run(key, () => {
      seen.push(key);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  }
  await vi.advanceTimersByTimeAsync(59_999);
  expect(seen).toEqual(['slow', 'slower']);
  await vi.advanceTimersByTimeAsync(1);
  expect(seen).toEqual(['slow', 'slower', 'next', 'after']);
  // What has given its place away does not free another one.
  for (const end of ends.slice(0, 2)) end();
  await new Promise(setImmediate);
  expect(seen).toHaveLength(4);
  ends[2]?.();
  await new Promise(setImmediate);
  expect(seen).toHaveLength(5);
});
