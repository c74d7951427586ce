/** The scheduler while a disk, a tuner or an action is slow, hangs or fails. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fail } from '../../src/base/errors.ts';
import type { TimedRecording } from '../../src/timers/running-timers.ts';
import type { Timer } from '../../src/timers/timer.ts';
import { until } from '../fixtures/waits.ts';
import { withResolvers } from '../fixtures/with-resolvers.ts';
import { day, hour, minute, now, service, spec, World } from './world.ts';

let world: World;
beforeEach(async () => {
  world = await World.open();
});
afterEach(() => void vi.useRealTimers());

const add = async (given: Parameters<typeof spec>[0] = {}) => (await world.list.add(spec(given))).timer;
const find = (timer: Timer) => world.list.find(timer.id) as Timer;

/** Makes stopping a recording wait until the returned function is called. */
function hangingDisk(): () => void {
  const [recording] = world.active as Set<{ -readonly [K in keyof TimedRecording]: TimedRecording[K] }>;
  if (recording === undefined) throw new Error('nothing runs');
  const { promise, resolve: release } = withResolvers();
  const stop = recording.stop.bind(recording);
  recording.stop = async () => {
    await promise;
    await stop();
  };
  return release;
}

describe('a disk that hangs', () => {
  it('does not keep another timer from recording', async () => {
    const removed = await add({ begin: now + minute });
    const other = await add({ begin: now + 30 * minute, reference: service(2), name: 'Film' });
    await world.goTo(now + 2 * minute);
    const release = hangingDisk();
    await world.list.remove(removed.id);
    await world.goTo(now + 31 * minute);
    expect(find(other).state).toBe('running');
    release();
    await until(() => expect(world.seen).toContain('stop News'));
  });

  it('does not keep another timer from recording if the timer list is on it', async () => {
    const old = await add({ begin: now + minute, end: now + 2 * minute });
    await world.goTo(now + 3 * minute);
    const next = await add({ begin: now + 8 * day, end: now + 8 * day + hour });
    await world.list.flush();
    const { promise, resolve: release } = withResolvers();
    const write = world.file.write.bind(world.file);
    world.file.write = async (timers) => {
      await promise;
      await write(timers);
    };
    await world.goTo(next.end);
    expect(find(next).state).toBe('ended');
    release();
    await world.list.flush();
    expect(find(old)).toBeUndefined();
  });
});

describe('a timer changed by a client', () => {
  it('while its recording stops continues in another part', async () => {
    const timer = await add({ begin: now + minute, end: now + hour });
    await world.goTo(now + 2 * minute);
    const release = hangingDisk();
    world.clock.time = now + hour;
    await world.scheduler.check();
    await world.list.change(timer.id, spec({ begin: now + minute, end: now + 2 * hour }));
    release();
    await world.settle();
    await world.settle();
    expect(find(timer)).toMatchObject({ state: 'running', end: now + 2 * hour });
    expect(world.recordingSpecs.at(-1)?.continues).toBe('/media/hdd/movie/News_1');
  });

  it('while the remains of its recording are examined waits for its new time', async () => {
    const timer = await add({ begin: now + minute, end: now + hour });
    world.list.update(timer.id, (one) => ({ ...one, fileName: '/media/hdd/movie/News' }));
    const { promise, resolve: release } = withResolvers();
    world.lastWrittenAt = async () => void (await promise);
    world.clock.time = now + 2 * hour;
    await world.scheduler.check();
    await world.list.change(timer.id, spec({ begin: now + day }));
    release();
    await world.settle();
    expect(find(timer)).toMatchObject({ state: 'waiting', failed: false, begin: now + day });
  });

  it('while it gets a tuner releases that tuner', async () => {
    const timer = await add();
    const { promise, resolve: release } = withResolvers();
    world.tuning = promise;
    world.clock.time = timer.begin - 20;
    await world.scheduler.check();
    await world.list.change(timer.id, spec({ begin: now + day }));
    release();
    await world.settle();
    expect([find(timer).state, world.held]).toEqual(['waiting', 0]);
  });

  it('while tuning fails is next tried at its new time', async () => {
    const timer = await add();
    const { promise, resolve: release } = withResolvers();
    world.tuning = promise;
    world.noTuner = fail('no-signal', 'x');
    world.clock.time = timer.begin - 20;
    await world.scheduler.check();
    await world.list.change(timer.id, spec({ begin: now + day }));
    release();
    await world.settle();
    expect(find(timer)).toMatchObject({ state: 'waiting', backoff: 0, nextTry: undefined });
  });
});

describe('a timer moved to a later time', () => {
  it('releases its tuner until then', async () => {
    const timer = await add();
    await world.goTo(timer.begin - 20);
    expect([find(timer).state, world.held]).toEqual(['prepared', 1]);
    world.list.update(timer.id, (one) => ({ ...one, begin: one.begin + hour, end: one.end + hour }));
    await world.settle();
    expect([find(timer).state, world.held]).toEqual(['waiting', 0]);
    await world.goTo(timer.begin + hour);
    expect(find(timer).state).toBe('running');
  });

  it('is not retried early during backoff', async () => {
    world.noTuner = fail('no-signal', 'x');
    const timer = await add();
    await world.goTo(timer.begin);
    world.noTuner = undefined;
    world.list.update(timer.id, (one) => ({ ...one, begin: one.begin + hour, end: one.end + hour }));
    await world.goTo(timer.begin + hour - 21);
    expect([find(timer).state, world.held]).toEqual(['waiting', 0]);
  });
});

describe('a clock that ran ahead and is set back', () => {
  it('reschedules a running repeating timer to its next real time', async () => {
    const timer = await add({ repeated: 127 });
    await world.goTo(timer.begin + 3 * day + minute);
    expect(find(timer).state).toBe('running');
    world.clock.time = now;
    await world.settle();
    expect(find(timer)).toMatchObject({ state: 'waiting', begin: timer.begin });
  });

  it('retries at once what the wrong clock had postponed', async () => {
    const timer = await add();
    world.noTuner = fail('no-signal', 'x');
    world.clock.time = timer.begin + 50 * minute;
    await world.settle();
    world.noTuner = undefined;
    world.clock.time = timer.begin + minute;
    await world.settle();
    await world.settle();
    expect(find(timer).state).toBe('running');
  });
});

describe('no action is repeated in rapid succession', () => {
  it('after an unexpected error', async () => {
    const timer = await add({ begin: now + minute, end: now + hour });
    world.list.update(timer.id, (one) => ({ ...one, fileName: '/media/hdd/movie/News' }));
    const asked: number[] = [];
    world.lastWrittenAt = async () => {
      asked.push(performance.now());
      throw fail('file-unwritable', '/media/hdd/movie/News.ts', 'read-only file system');
    };
    world.clock.time = now + 2 * hour;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    world.scheduler.start();
    while (asked.length < 5) await vi.advanceTimersByTimeAsync(1000);
    await world.scheduler.stop();
    for (const [index, time] of asked.entries())
      expect(time - (asked[index - 1] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(3000);
  });

  it('while the broadcast has not sent the time', async () => {
    await add({ begin: now + minute, end: now + hour });
    world.clock.time = now + 2 * hour;
    world.clock.synchronised = false;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const check = vi.spyOn(world.scheduler, 'check');
    world.scheduler.start();
    await vi.advanceTimersByTimeAsync(60_000);
    await world.scheduler.stop();
    expect(check.mock.calls.length).toBeLessThan(10);
  });
});
