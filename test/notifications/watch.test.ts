import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fail } from '../../src/base/errors.ts';
import { Listeners } from '../../src/base/listeners.ts';
import type { Notice, NoticeKind } from '../../src/events/notice.ts';
import type { NoticeFields } from '../../src/notifications/notifications.ts';
import { NoticeWatch } from '../../src/notifications/watch.ts';
import type { ActiveRecording } from '../../src/recordings/active-recording.ts';
import { hour, minute, now, service, spec, World } from '../timers/world.ts';
import { notice } from './notice.ts';

type Published = NoticeFields & { readonly kind: NoticeKind };

describe('NoticeWatch', () => {
  let world: World;
  let published: Published[];
  /** Notices of what was failing; the watch withdraws some. */
  let failing: Notice[];
  let recordings: Listeners<[ActiveRecording, 'started' | 'stopped' | 'trouble']>;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    world = await World.open();
    [published, failing] = [[], []];
    recordings = new Listeners();
  });
  afterEach(() => void vi.useRealTimers());

  const watch = () =>
    new NoticeWatch({
      clock: world.clock,
      recorder: { onChange: recordings.add },
      scheduler: world.scheduler,
      timers: world.list,
      nameOf: () => 'Alpha HD',
      isWanted: () => true,
      publish: (kind, fields) => void published.push({ kind, ...fields }),
      withdraw: (isOver) => {
        failing = failing.filter((one) => !isOver(one));
      },
      log: { error: (error) => void published.push({ kind: 'conflict', problem: String(error) }) },
    });
  const kinds = () => published.map(({ kind }) => kind);
  const recording = (state: Partial<ActiveRecording> = {}) =>
    ({
      spec: { reference: service(1), serviceName: 'Alpha HD', title: 'News', description: '' },
      ...{ path: '/movie/News.ts', began: now, trouble: undefined, problem: '', hasFailed: false },
      ...state,
    }) as ActiveRecording & { trouble: string | undefined };

  it('reports timers that are added, and refused for a conflict, each once', async () => {
    watch();
    const { timer } = await world.list.add(spec({ name: 'First' }));
    const other = spec({ name: 'Second', reference: service(2, 2) });
    for (let time = 0; time < 2; time++) await expect(world.list.add(other)).rejects.toThrow();
    await world.list.addAll(async (add) => void (await add({ ...other, begin: other.begin + minute })));
    await world.list.tryAll(async (add) => void (await add({ ...other, begin: other.begin + 2 * minute })));
    expect(published).toMatchObject([
      {
        kind: 'timerAdded',
        title: 'First',
        service: 'Alpha HD',
        timer: timer.id,
        begin: now + hour,
        end: now + 2 * hour,
      },
      { kind: 'conflict', title: 'Second', conflicts: [{ title: 'First', begin: now + hour }] },
      { kind: 'conflict', title: 'Second', begin: other.begin + minute },
    ]);
  });

  it('reports conflicts of timers that were moved', async () => {
    watch();
    await world.list.add(spec({ name: 'First' }));
    const { timer } = await world.list.add(spec({ name: 'Second', reference: service(2, 2), begin: now + 3 * hour }));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(kinds()).toEqual(['timerAdded', 'timerAdded']);
    world.list.update(timer.id, (one) => ({ ...one, begin: now + hour, end: now + 2 * hour }));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(published.slice(2)).toMatchObject([
      { kind: 'conflict', title: 'First', conflicts: [{ title: 'Second' }] },
      { kind: 'conflict', title: 'Second', conflicts: [{ title: 'First' }] },
    ]);
    world.list.update(timer.id, (one) => ({ ...one, description: 'other' }));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(published).toHaveLength(4);
  });

  it('reports a timer that cannot start once it is a minute late, and again when it is missed', async () => {
    watch();
    world.noTuner = fail('no-signal', 'Alpha HD');
    const { timer } = await world.list.add(spec({ begin: now + minute, end: now + 11 * minute }));
    world.scheduler.start();
    for (let seconds = 0; seconds <= 12 * minute; seconds += 5) {
      world.clock.time = now + seconds;
      await world.scheduler.check();
      await world.scheduler.idle();
      if (world.clock.time < now + 2 * minute) expect(kinds()).toEqual(['timerAdded']);
    }
    expect(published.slice(1)).toMatchObject([
      { kind: 'recordingFailed', ongoing: true, timer: timer.id, title: 'News' },
      { kind: 'recordingFailed', ongoing: false, timer: timer.id, problem: 'missed: it could not be started' },
    ]);
  });

  it('reports no timer that only shows a service', async () => {
    watch();
    await world.list.add(spec({ begin: now - hour, end: now + 1, justPlay: true }));
    world.clock.time = now + hour;
    world.scheduler.start();
    await world.scheduler.check();
    await world.scheduler.idle();
    expect(kinds()).toEqual(['timerAdded']);
  });

  it('reports the start and the end of recordings, and what has failed', () => {
    watch();
    recordings.call(recording(), 'started');
    world.clock.time += hour;
    recordings.call(recording({ problem: 'interrupted 2 times' }), 'stopped');
    recordings.call(recording({ problem: 'nothing was recorded', hasFailed: true }), 'stopped');
    const common = { title: 'News', service: 'Alpha HD', path: '/movie/News.ts', begin: now };
    expect(published).toMatchObject([
      { ...common, kind: 'recordingStarted', ongoing: true },
      { ...common, kind: 'recordingEnded', end: now + hour, problem: 'interrupted 2 times' },
      { ...common, kind: 'recordingFailed', problem: 'nothing was recorded' },
    ]);
  });

  it('names the timer of a recording, and its planned time', async () => {
    watch();
    const { timer } = await world.list.add(spec({ begin: now + minute, end: now + hour }));
    world.scheduler.start();
    await world.goTo(now + minute);
    const [recorded] = world.recordingSpecs;
    const one = recording({ spec: recorded as ActiveRecording['spec'], began: now + minute + 5 });
    recordings.call(one, 'started');
    world.list.update(timer.id, (stored) => ({ ...stored, end: now + 2 * hour }));
    one.trouble = 'no signal';
    recordings.call(one, 'trouble');
    await vi.advanceTimersByTimeAsync(60_000);
    await world.list.remove(timer.id);
    recordings.call(one, 'stopped');
    const common = { timer: timer.id, begin: now + minute };
    expect(published.slice(1)).toMatchObject([
      { ...common, kind: 'recordingStarted', end: now + hour },
      { ...common, kind: 'recordingFailed', end: now + 2 * hour, ongoing: true },
      { ...common, kind: 'recordingEnded', end: now + minute },
    ]);
  });

  it('reports trouble once if it lasts a minute, also if its reason changes', async () => {
    watch();
    const one = recording();
    const set = (trouble: string | undefined) => {
      one.trouble = trouble;
      recordings.call(one, 'trouble');
    };
    set('no tuner');
    await vi.advanceTimersByTimeAsync(59_000);
    set(undefined);
    await vi.advanceTimersByTimeAsync(60_000);
    set('no tuner');
    await vi.advanceTimersByTimeAsync(30_000);
    set('no signal');
    expect(published).toEqual([]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(published).toMatchObject([{ kind: 'recordingFailed', problem: 'no signal', ongoing: true }]);
    set('scrambled');
    await vi.advanceTimersByTimeAsync(180_000);
    expect(published).toHaveLength(1);
  });

  it('reports at once that a recording works again, and later trouble after a longer time', async () => {
    watch();
    const one = recording();
    const set = (trouble: string | undefined) => {
      one.trouble = trouble;
      recordings.call(one, 'trouble');
    };
    set('no signal');
    await vi.advanceTimersByTimeAsync(60_000);
    set(undefined);
    expect(published.slice(1)).toMatchObject([
      { kind: 'recordingResumed', path: one.path, ongoing: true, title: 'News' },
    ]);
    set('no signal');
    await vi.advanceTimersByTimeAsync(119_000);
    expect(published).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1000);
    set(undefined);
    recordings.call(one, 'stopped');
    expect(kinds().slice(2)).toEqual(['recordingFailed', 'recordingResumed', 'recordingEnded']);
  });

  it('withdraws the notice of a timer that is no longer tried', async () => {
    const add = async (name: string, day: number) => {
      const begin = now + day * 24 * hour;
      return (await world.list.add(spec({ name, begin, end: begin + hour }))).timer;
    };
    const tried = await add('A', 1);
    const deleted = await add('B', 2);
    const disabled = await add('C', 3);
    const moved = await add('D', 4);
    failing = [tried, deleted, disabled, moved].map(({ id, name, begin }) =>
      notice({ event: 'recordingFailed', ongoing: true, timer: id, title: name, begin }),
    );
    failing.push(notice({ event: 'recordingFailed', ongoing: true, title: 'without a timer' }));
    const left = () => failing.map(({ title }) => title);
    watch();
    expect(left()).toEqual(['A', 'B', 'C', 'D', 'without a timer']);
    await world.list.remove(deleted.id);
    expect(left()).toEqual(['A', 'C', 'D', 'without a timer']);
    world.list.update(disabled.id, (one) => ({ ...one, disabled: true }));
    world.list.update(moved.id, (one) => ({ ...one, begin: now + minute }));
    expect(left()).toEqual(['A', 'without a timer']);
    world.list.update(tried.id, (one) => ({ ...one, state: 'running', begin: now }));
    expect(left()).toEqual(['A', 'without a timer']);
  });

  it('reports nothing while the receiver stops', async () => {
    const watching = watch();
    const one = recording({ trouble: 'no tuner' });
    recordings.call(one, 'trouble');
    watching.stop();
    recordings.call(recording(), 'stopped');
    await vi.advanceTimersByTimeAsync(120_000);
    expect(published).toEqual([]);
  });
});
