/** The scheduler: recording, showing, retries, restarts, clock changes and moved events. */
import { writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fail } from '../../src/base/errors.ts';
import type { Timer } from '../../src/timers/timer.ts';
import { TimersFile } from '../../src/timers/timers-file.ts';
import { until } from '../fixtures/waits.ts';
import { berlin, day, event, hour, minute, now, service, spec, World } from './world.ts';

let world: World;
beforeEach(async () => {
  world = await World.open();
});
const add = async (given: Parameters<typeof spec>[0] = {}): Promise<Timer> => (await world.list.add(spec(given))).timer;
const only = () => world.list.all[0] as Timer;
const states = (id = only().id) => world.list.find(id)?.state;

describe('a timer', () => {
  it('gets its tuner 20 seconds ahead, records from begin to end, and is then ended', async () => {
    const { begin, end } = await add({ tags: ['EPG', 'Padding=3,5'], description: 'Late', eventId: 7 });
    await world.goTo(begin - 21);
    expect([states(), world.seen]).toEqual(['waiting', []]);
    await world.goTo(begin - 20);
    expect([states(), world.seen, world.held]).toEqual(['prepared', ['tune News'], 1]);
    await world.goTo(begin);
    expect([states(), world.seen.at(-1), world.held]).toEqual(['running', 'record News', 0]);
    expect(world.recordingSpecs).toEqual([
      {
        reference: service(1),
        serviceName: 'Service 1',
        title: 'News',
        description: 'Late',
        tags: ['EPG', 'Padding=3,5'],
        folder: '/media/hdd/movie/',
        begin,
        eventId: 7,
        timer: { id: only().id, begin, end },
      },
    ]);
    expect(only().fileName).toBe('/media/hdd/movie/News_1');
    await world.goTo(end - 1);
    expect(states()).toBe('running');
    await world.goTo(end);
    expect([states(), world.seen.at(-1), only().failed]).toEqual(['ended', 'stop News', false]);
    expect(only().log.map(({ time, code }) => [time, code])).toEqual([
      [begin - 20, 6],
      [begin, 5],
      [end, 12],
    ]);
    await world.list.flush();
    expect((await world.file.read()).timers).toEqual(world.list.all);
  });

  it('does nothing while disabled', async () => {
    await add({ disabled: true });
    await world.goTo(now + day);
    expect(world.seen).toEqual([]);
  });

  it('records into its own folder', async () => {
    const { begin } = await add({ folder: '/media/hdd/movie/films/' });
    await world.goTo(begin);
    expect(world.recordingSpecs[0]?.folder).toBe('/media/hdd/movie/films/');
  });

  it('is removed after the configured days', async () => {
    const { end } = await add();
    await world.goTo(end + 7 * day);
    expect(world.list.all).toHaveLength(1);
    await world.goTo(end + 7 * day + 1);
    await world.settle();
    await world.list.flush();
    expect(world.list.all).toHaveLength(0);
  });

  it('causes no check until it is due', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      world.scheduler.start();
      await until(() => expect(vi.getTimerCount()).toBe(1));
      const check = vi.spyOn(world.scheduler, 'check');
      await vi.advanceTimersByTimeAsync(hour * 1000 - 10_000);
      expect(check).not.toHaveBeenCalled();
    } finally {
      await world.scheduler.stop();
      vi.useRealTimers();
    }
  });

  it('starts by itself as soon as it is added', async () => {
    world.scheduler.start();
    await add({ begin: now - minute, end: now + hour });
    await until(() => expect(states()).toBe('running'));
    await world.list.remove(only().id);
    await until(() => expect(world.seen.at(-1)).toBe('stop News'));
    await world.scheduler.stop();
  });
});

describe('a failed start', () => {
  it('is retried after 5, 10, 20 ... 100 seconds, until it succeeds', async () => {
    world.noTuner = fail('no-signal', 'x');
    const { begin } = await add();
    await world.goTo(begin + 3 * minute);
    const tries = only().log.map(({ time, code }) => [time - begin, code]);
    expect(tries).toEqual([-20, -15, -5, 15, 55, 135].map((time) => [time, 7]));
    expect([states(), only().backoff, only().nextTry]).toEqual(['waiting', 100, begin + 235]);
    world.noTuner = undefined;
    await world.goTo(begin + 235);
    expect([states(), only().backoff, only().nextTry]).toEqual(['running', 0, undefined]);
  });

  it('of the recorder is retried too; the tuner is released meanwhile', async () => {
    world.refusal = fail('not-receivable', 'x');
    const { begin, end } = await add();
    await world.goTo(begin + 2);
    expect([states(), world.held, only().log.at(-1)?.code]).toEqual(['waiting', 0, 13]);
    world.refusal = undefined;
    await world.goTo(begin + 5);
    expect(states()).toBe('running');
    await world.goTo(end);
    expect([states(), only().failed]).toEqual(['ended', false]);
  });

  it('makes the timer fail once its time has passed', async () => {
    world.refusal = fail('no-signal', 'x');
    const { end } = await add();
    await world.goTo(end);
    expect([states(), only().failed, only().log.at(-1)?.text]).toEqual([
      'ended',
      true,
      'missed: it could not be started',
    ]);
  });

  it('a recording that ends early continues in another file', async () => {
    const { begin } = await add();
    await world.goTo(begin);
    world.active.clear();
    await world.goTo(begin + 20);
    await world.settle();
    expect(states()).toBe('running');
    expect(world.recordingSpecs.map(({ continues }) => continues)).toEqual([undefined, '/media/hdd/movie/News_1']);
    expect(only().fileName).toBe('/media/hdd/movie/News_2');
  });
});

describe('after a restart', () => {
  it('an interrupted recording continues at once, in another file', async () => {
    const { begin, end } = await add();
    await world.goTo(begin + minute);
    await world.list.flush();
    await world.restart();
    expect(states()).toBe('waiting');
    world.clock.time += 5;
    await world.settle();
    expect(states()).toBe('running');
    expect(world.recordingSpecs.map(({ continues }) => continues)).toEqual([undefined, '/media/hdd/movie/News_1']);
    await world.goTo(end);
    expect([states(), only().failed]).toEqual(['ended', false]);
  });

  it('an instant recording continues too, and is not in timers.xml', async () => {
    const { end } = await add({ begin: now, dontSave: true });
    const daily = await add({ reference: service(2), begin: now + hour });
    await world.goTo(now + 1);
    await world.list.flush();
    const inList = async () => (await new TimersFile(world.path).read()).timers.map(({ id }) => id);
    expect(await inList()).toEqual([daily.id]);
    await world.restart();
    expect(world.list.all).toMatchObject([{ dontSave: true }, { dontSave: false }]);
    world.clock.time += 5;
    await world.settle();
    expect(world.recordingSpecs[1]).toMatchObject({ continues: '/media/hdd/movie/News_1' });
    await world.goTo(end);
    await world.list.flush();
    expect(world.list.all[0]).toMatchObject({ state: 'ended', failed: false });
    await world.restart();
    expect(world.list.all.map(({ id }) => id)).toEqual([daily.id]);
  });

  it('an instant recording gets a new id if a list made elsewhere uses its id', async () => {
    const instant = await add({ begin: now, dontSave: true });
    await world.list.flush();
    const xml = `<timers><timer begin="1" end="2" serviceref="1:0:1:1:1:1:1:0:0:0:" timer_id="${instant.id}"/></timers>`;
    writeFileSync(world.path, xml);
    await world.restart();
    expect(world.list.all.map(({ id, dontSave }) => [id, dontSave])).toEqual([
      [instant.id, false],
      [instant.id + 1, true],
    ]);
  });

  it('missed timers have failed, with the reason in their log; completed ones stay as they are', async () => {
    const done = await add({ begin: now + minute, end: now + 2 * minute });
    await world.goTo(now + 3 * minute);
    const missed = await add({ begin: now + hour });
    await world.list.flush();
    world.clock.time = now + 5 * hour;
    await world.restart();
    await world.settle();
    expect(world.list.find(done.id)).toMatchObject({ state: 'ended', failed: false });
    expect(world.list.find(missed.id)).toMatchObject({ state: 'ended', failed: true });
    expect(world.list.find(missed.id)?.log.at(-1)).toMatchObject({ code: 13, text: 'missed: its time has passed' });
  });

  it('an interrupted recording whose time is over has failed; its log says whether a part exists', async () => {
    const begin = now + minute;
    const all = [
      await add({ begin }),
      await add({ reference: service(2), begin }),
      await add({ reference: service(3), begin }),
    ];
    await world.goTo(now + 2 * minute);
    await world.list.flush();
    const [part, nothing, whole] = all.map(({ id }) => world.list.find(id) as Timer) as [Timer, Timer, Timer];
    world.left.set(part.fileName, now + 2 * minute);
    world.left.set(whole.fileName, whole.end - 1);
    world.clock.time = now + 5 * hour;
    await world.restart();
    await world.settle();
    const found = (timer: Timer) => [world.list.find(timer.id)?.failed, world.list.find(timer.id)?.log.at(-1)?.text];
    expect(found(part)).toEqual([true, 'interrupted: its time has passed before it could continue']);
    expect(found(nothing)).toEqual([true, 'missed: its time has passed']);
    // The recording was complete; only the list had not been updated.
    expect(found(whole)).toEqual([false, 'stop recording']);
  });

  it('the file name is stored before a recording starts', async () => {
    const { begin } = await add();
    world.refusal = fail('disk-full', '/media/hdd/movie/');
    await world.goTo(begin);
    await world.list.updatesWritten();
    expect((await world.file.read()).timers).toMatchObject([{ fileName: '/media/hdd/movie/News_1' }]);
  });

  it('nothing happens before the time is known', async () => {
    await add();
    world.clock.synchronised = false;
    world.clock.time = now + day;
    await world.settle();
    expect(states()).toBe('waiting');
  });

  it('timers log that they wait for the time, and resume once it is known', async () => {
    const [due, missed, daily] = [
      await add(),
      await add({ reference: service(2), begin: now + minute, end: now + 2 * minute }),
      await add({ reference: service(3), repeated: 127, begin: now + 2 * hour }),
    ];
    Object.assign(world.clock, { time: 20, synchronised: false });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      await world.restart();
      world.scheduler.start();
      expect(world.list.all.map(({ log }) => log)).toEqual([[], [], []]);
      for (let second = 0; second < 60; second++) {
        await vi.advanceTimersByTimeAsync(1000);
        world.guideListeners.call();
      }
      const text = expect.stringContaining('the time is not known');
      for (const { state, log } of world.list.all) {
        expect([state, log]).toEqual(['waiting', [{ time: 20, code: 5, text }]]);
      }
      expect([world.seen, world.timesKnown]).toEqual([[], 0]);
      Object.assign(world.clock, { time: due.begin + minute, synchronised: true });
      while (states(due.id) !== 'running') await vi.advanceTimersByTimeAsync(1000);
      expect(world.list.find(missed.id)).toMatchObject({ state: 'ended', failed: true });
      expect(world.list.find(daily.id)).toMatchObject({ state: 'waiting', begin: daily.begin });
      expect(world.timesKnown).toBe(1);
      await world.scheduler.stop();
    } finally {
      vi.useRealTimers();
    }
  });

  it('stopping ends the recording, not the timer', async () => {
    const { begin } = await add();
    await world.goTo(begin);
    await world.scheduler.stop();
    expect([world.active.size, states()]).toEqual([0, 'running']);
    await world.restart();
    await world.settle();
    expect([world.active.size, states()]).toEqual([1, 'running']);
  });
});

describe('while it is running', () => {
  let running: Timer;
  beforeEach(async () => {
    const { begin } = await add();
    await world.goTo(begin + minute);
    running = only();
  });

  it('a new end takes effect at once, other changes do not', async () => {
    const { begin } = running;
    await world.list.change(running.id, spec({ begin, end: begin + 10 * minute, name: 'Else' }));
    await world.settle();
    expect([states(), world.recordingSpecs.length, world.active.size]).toEqual(['running', 1, 1]);
    await world.goTo(begin + 10 * minute);
    expect([states(), world.active.size]).toEqual(['ended', 0]);
  });

  it('ending its recording ends it', async () => {
    await world.scheduler.endTimerOf('/elsewhere.ts');
    expect(states()).toBe('running');
    await world.scheduler.endTimerOf(`${running.fileName}.ts`);
    await world.settle();
    expect([states(), world.active.size, world.recordingSpecs.length]).toEqual(['ended', 0, 1]);
  });

  it.each([
    ['removing it', () => world.list.remove(running.id)],
    ['disabling it', () => world.list.change(running.id, spec({ begin: running.begin, disabled: true }))],
    ['moving it', () => world.list.change(running.id, spec({ begin: now + 9 * hour }))],
  ])('%s stops the recording', async (_, change) => {
    await change();
    await world.settle();
    expect([world.active.size, world.seen.at(-1)]).toEqual([0, 'stop News']);
  });
});

describe('repeating timers', () => {
  it('record every time and wait for the next', async () => {
    const { begin } = await add({ repeated: 127, renameRepeat: false });
    await world.goTo(begin + 3 * day - minute);
    expect(world.recordingSpecs.map((one) => one.begin)).toEqual([begin, begin + day, begin + 2 * day]);
    expect(world.recordingSpecs.some(({ continues }) => continues)).toBe(false);
    expect(only()).toMatchObject({ state: 'waiting', begin: begin + 3 * day, end: begin + 3 * day + hour });
  });

  it('all record over a year with both changes of the clock, even if they overlap', async () => {
    world.tuners = [0, 1, 2];
    const begin = now + hour;
    await add({ repeated: 31, begin, name: 'Weekdays', renameRepeat: false });
    await add({
      repeated: 64,
      begin: begin + 30 * minute,
      name: 'Sundays',
      reference: service(2, 2),
      renameRepeat: false,
    });
    await add({ repeated: 127, begin: now + 6 * hour, name: 'Nights', reference: service(3, 3), renameRepeat: false });
    await world.goTo(now + 365 * day);
    const count = (title: string) => world.recordingSpecs.filter((one) => one.title === title);
    expect([count('Weekdays').length, count('Sundays').length, count('Nights').length]).toEqual([261, 52, 365]);
    for (const title of ['Weekdays', 'Sundays', 'Nights'])
      expect(new Set(count(title).map((one) => berlin.clock(one.begin))).size).toBe(1);
    expect(world.list.all.every(({ log }) => log.length <= 30)).toBe(true);
  });

  it('take title and text from the guide each time, if set to', async () => {
    const begin = now + hour;
    await world.broadcast(
      event({ title: 'Part one', shortText: 'A' }),
      event({ id: 101, start: begin + day, title: 'Part two', shortText: 'B' }),
    );
    await add({ begin, repeated: 127 });
    await world.goTo(begin + day);
    expect(world.recordingSpecs.map(({ title, description, eventId }) => [title, description, eventId])).toEqual([
      ['Part one', 'A', 100],
      ['Part two', 'B', 101],
    ]);
  });

  it('wait for the next time after a missed one', async () => {
    const { begin, id } = await add({ repeated: 127 });
    world.clock.time = begin + 2 * hour;
    await world.settle();
    expect(world.list.find(id)).toMatchObject({ state: 'waiting', failed: true, begin: begin + day });
  });
});

describe('a corrected clock', () => {
  it('starts timers that should be running and misses past ones when set forward', async () => {
    const early = await add({ begin: now + minute, end: now + 2 * minute });
    const late = await add({ begin: now + hour });
    world.clock.time = now + hour + minute;
    await world.settle();
    expect(world.list.find(early.id)).toMatchObject({ state: 'ended', failed: true });
    expect(world.list.find(late.id)?.state).toBe('running');
  });

  it('returns missed and started timers to waiting when set back', async () => {
    const once = await add();
    const daily = await add({ repeated: 127, reference: service(2), begin: now + 2 * hour });
    world.clock.time = now + 10 * 365 * day;
    await world.settle();
    expect(world.list.find(once.id)?.state).toBe('ended');
    world.clock.time = now;
    await world.settle();
    expect(world.list.find(once.id)).toMatchObject({ state: 'waiting', failed: false });
    expect(world.list.find(daily.id)).toMatchObject({ state: 'waiting', begin: now + 2 * hour });
    await world.goTo(once.begin);
    expect(world.list.find(once.id)?.state).toBe('running');
    world.clock.time = now;
    await world.settle();
    expect([world.list.find(once.id)?.state, world.active.size]).toEqual(['waiting', 0]);
  });

  it('continues recordings that ended while it was ahead, until their real end', async () => {
    const once = await add();
    const daily = await add({ repeated: 127, reference: service(2), name: 'Daily' });
    await world.goTo(once.begin + 10 * minute);
    const { fileName } = world.list.find(once.id) as Timer;
    world.clock.time = now + 10 * 365 * day;
    await world.settle();
    expect([states(once.id), states(daily.id), world.active.size]).toEqual(['ended', 'waiting', 0]);
    world.clock.time = once.begin + 12 * minute;
    await world.settle();
    expect([states(once.id), states(daily.id), world.active.size]).toEqual(['running', 'running', 2]);
    expect(world.recordingSpecs.filter(({ title }) => title === 'News').at(-1)?.continues).toBe(fileName);
    await world.goTo(once.end - 1);
    expect(world.active.size).toBe(2);
    await world.goTo(once.end);
    expect(world.list.find(once.id)).toMatchObject({ state: 'ended', failed: false });
    expect(world.list.find(daily.id)).toMatchObject({ state: 'waiting', begin: daily.begin + day });
    expect(world.recordingSpecs).toHaveLength(4);
  });

  it('does not resume recordings that a user has ended', async () => {
    const once = await add();
    const daily = await add({ repeated: 127, reference: service(2), name: 'Daily' });
    await world.goTo(once.begin + 40 * minute);
    for (const { path } of [...world.active]) await world.scheduler.endTimerOf(path);
    await world.settle();
    world.clock.time -= 20 * minute;
    await world.settle();
    expect([states(once.id), states(daily.id), world.active.size]).toEqual(['ended', 'waiting', 0]);
  });

  it('by years, minutes or seconds neither loses a recording nor starts it twice', async () => {
    // Seconds from the begin of a recording of an hour at which the clock jumps, by how many, and how many files
    // result.
    for (const [at, by, files] of [
      [0, -1, 1],
      [0, 1, 1],
      [1, -1, 1],
      [hour - 2, 1, 1],
      [hour - 1, -1, 1],
      [30 * minute, 5 * minute, 1],
      [30 * minute, -5 * minute, 1],
      [5 * minute, -10 * minute, 2],
      [30 * minute, -365 * day, 2],
      [30 * minute, 3 * 365 * day, 2],
    ] as const) {
      const { id, begin, end } = await add();
      world.recordingSpecs.length = 0;
      await world.goTo(begin + at);
      world.clock.time += by;
      await world.settle();
      if (Math.abs(by) > day) {
        world.clock.time -= by;
        await world.settle();
      }
      await world.goTo(end - 1);
      expect([states(id), world.active.size], `${by} s at ${at}`).toEqual(['running', 1]);
      await world.goTo(end);
      await world.goTo(end + 2);
      expect([states(id), world.active.size, world.recordingSpecs.length], `${by} s at ${at}`).toEqual([
        'ended',
        0,
        files,
      ]);
      expect(world.list.find(id)?.failed).toBe(false);
      await world.list.remove(id);
      world.clock.time = now;
      await world.settle();
    }
  });

  it('does not repeat a recording when set back by seconds', async () => {
    const { end } = await add({ repeated: 127 });
    await world.goTo(end);
    const { begin } = only();
    world.clock.time = end - 2;
    await world.settle();
    expect(only()).toMatchObject({ state: 'waiting', begin });
  });
});

describe('showing a service', () => {
  it('wakes the receiver, shows the service and returns to standby', async () => {
    world.power.standby = true;
    const { begin, end } = await add({ justPlay: true });
    await world.goTo(begin);
    expect(world.seen).toEqual(['wake', 'zap 1']);
    await world.goTo(end);
    expect([states(), world.seen.at(-1)]).toEqual(['ended', 'standby']);
  });

  it('leaves the receiver on after the brief timer for an event', async () => {
    world.power.standby = true;
    const { end } = await add({ justPlay: true, end: now + hour + 1 });
    await world.goTo(end);
    expect([states(), world.seen]).toEqual(['ended', ['wake', 'zap 1']]);
  });

  it('happens late if the receiver was busy at its time', async () => {
    const { begin } = await add({ justPlay: true, end: now + hour + 1 });
    world.clock.time = begin + 14;
    await world.settle();
    expect(world.seen).toContain('zap 1');
  });

  it('does not wake the receiver unless set to', async () => {
    world.power.standby = true;
    const { begin } = await add({ justPlay: true, zapWakeup: 'never' });
    await world.goTo(begin);
    expect(world.seen).toEqual(['zap 1']);
  });

  it('and recording happen at the same time', async () => {
    const { begin } = await add({ alwaysZap: true });
    await world.goTo(begin);
    expect(world.seen).toEqual(['tune News', 'record News', 'zap 1']);
  });
});

describe('afterwards', () => {
  it.each([
    ['nothing', ['stay on']],
    ['auto', []],
    ['standby', ['standby']],
    ['deepstandby', ['shut down']],
  ] as const)('%s', async (afterEvent, then) => {
    const { end } = await add({ afterEvent });
    await world.goTo(end);
    expect(world.seen.slice(3)).toEqual(then);
  });
});

describe('following the event', () => {
  const known = { start: now + hour, end: now + 2 * hour, crid: '' };
  const following = (given: Parameters<typeof spec>[0] = {}) =>
    add({ begin: now + hour - 3 * minute, end: now + 2 * hour + 5 * minute, eventId: 100, event: known, ...given });

  it('keeps both margins when the broadcaster moves it', async () => {
    const timer = await following();
    await world.broadcast(event({ start: known.start + 20 * minute, duration: hour + 10 * minute }));
    await world.settle();
    expect(only()).toMatchObject({ begin: timer.begin + 20 * minute, end: timer.end + 30 * minute, state: 'waiting' });
    expect(only().log.at(-1)?.code).toBe(15);
    await world.list.flush();
    await world.restart();
    await world.broadcast(event({ start: known.start, duration: hour }));
    await world.settle();
    expect(only()).toMatchObject({ begin: timer.begin, end: timer.end });
  });

  it('moves only the end of a running timer', async () => {
    const timer = await following();
    await world.goTo(timer.begin + minute);
    await world.broadcast(event({ start: known.start + 20 * minute }));
    world.clock.time += 10;
    await world.settle();
    expect(only()).toMatchObject({ begin: timer.begin, end: timer.end + 20 * minute, state: 'running' });
  });

  it.each([
    ['longer', { duration: hour + 10 * minute }, 'ends 600 s later'],
    ['shorter', { duration: hour - minute }, 'ends 60 s earlier'],
    ['moved', { start: known.start + 20 * minute }, 'begins 1200 s later and ends 1200 s later'],
    ['earlier', { start: known.start - minute, duration: hour + minute }, 'begins 60 s earlier'],
  ])('says how the times changed: %s', async (_, given, change) => {
    await following();
    await world.broadcast(event(given));
    await world.settle();
    expect(world.logged).toContain(`timer 'News' follows its event: ${change}`);
    expect(only().log.at(-1)?.text).toBe(`record time changed: ${change}`);
  });

  it('ignores another event that has its id a day later', async () => {
    const timer = await following();
    await world.broadcast(event({ start: known.start + day }));
    await world.settle();
    expect(only()).toMatchObject({ begin: timer.begin, end: timer.end });
  });

  it('finds an event with a new id by its CRID', async () => {
    const timer = await following({ event: { ...known, crid: 'crid://x/1' } });
    const crids = [{ type: 'programme' as const, crid: 'crid://x/1' }];
    await world.broadcast(event({ title: 'Other' }), event({ id: 200, start: known.start + 2 * hour, crids }));
    await world.settle();
    expect(only()).toMatchObject({ begin: timer.begin + 2 * hour, eventId: 200 });
  });

  it('finds an event with a new id by its title if it has no CRID and overlaps the old time', async () => {
    const timer = await following();
    const before = event({ id: 201, start: known.start - hour, duration: hour + 20 * minute, title: 'Cricket' });
    const late = event({ id: 202, start: known.start + 20 * minute });
    await world.broadcast(before, event({ id: 203, start: known.end + 20 * minute }));
    await world.settle();
    expect(only()).toEqual(timer);
    world.clock.time += 10;
    await world.broadcast(before, late, event({ id: 203, start: known.end + 20 * minute }));
    await world.settle();
    expect(only()).toMatchObject({ begin: timer.begin + 20 * minute, end: timer.end + 20 * minute, eventId: 202 });
  });

  it('does not move to an event with another title if it has no CRID', async () => {
    const timer = await following();
    await world.broadcast(event({ id: 202, start: known.start + 20 * minute, title: 'Film' }));
    await world.settle();
    expect(only()).toEqual(timer);
  });

  const other = { originalNetworkId: 1, transportStreamId: 2, serviceId: 0x1a };
  const movedFrom = [{ type: 'moved' as const, crid: 'dvb://1.1.1;64' }];

  it('follows an event that says that it has moved from there', async () => {
    const timer = await following();
    const moved = event({ id: 202, start: known.start + 2 * hour, title: '[延] News', crids: movedFrom });
    await world.broadcast(event({ id: 300, title: 'Baseball' }), moved);
    await world.settle();
    expect(only()).toMatchObject({ begin: timer.begin + 2 * hour, end: timer.end + 2 * hour, eventId: 202 });
  });

  it('follows an event to another service, unless it is running', async () => {
    const timer = await following();
    const moved = event({ id: 202, service: other, start: known.start + hour, crids: movedFrom });
    await world.broadcast(moved);
    await world.settle();
    expect(only()).toEqual(timer);
    world.clock.time += 10;
    await world.broadcast(event({ id: 300, title: 'Baseball' }), moved);
    await world.settle();
    const { reference, begin, eventId } = only();
    expect([reference.serviceId, begin, eventId]).toEqual([0x1a, timer.begin + hour, 202]);
    expect(only().log.at(-1)?.text).toBe(
      'record time changed: is on Service 26 and begins 3600 s later and ends 3600 s later',
    );
    await world.list.remove(timer.id);
    const running = await following({ begin: world.clock.time, name: 'Late' });
    await world.settle();
    await world.broadcast(event({ id: 300, title: 'Baseball' }), moved);
    world.clock.time += 10;
    await world.settle();
    expect(world.list.find(running.id)?.reference.serviceId).toBe(1);
  });

  it('is one of many whose events have gone, for which the guide is searched in turn', async () => {
    world.tuners = Array.from({ length: 9 }, (_, index) => index);
    for (let id = 101; id < 109; id++) await following({ eventId: id, name: `Gone ${id}`, allowDuplicate: true });
    const timer = await following({ allowDuplicate: true });
    const moved = event({ id: 202, service: other, start: known.start + hour, crids: movedFrom });
    for (const searches of [4, 8, 9]) {
      world.clock.time += 10;
      if (searches === 4) await world.broadcast(event({ id: 300, title: 'Baseball' }), moved);
      await world.settle();
      expect(world.searches).toBe(searches);
    }
    expect(world.list.find(timer.id)).toMatchObject({ begin: timer.begin + hour, eventId: 202 });
  });

  it('does not move to a repeat while the guide does not cover its time', async () => {
    const timer = await following({ event: { ...known, crid: 'crid://x/1' } });
    const crids = [{ type: 'programme' as const, crid: 'crid://x/1' }];
    const repeat = event({ id: 200, start: known.start + 3 * hour, crids });
    await world.broadcast(repeat);
    await world.settle();
    expect(only()).toEqual(timer);
    await world.broadcast(repeat, event({ crids }));
    await world.settle();
    expect(only()).toMatchObject({ begin: timer.begin, end: timer.end, eventId: 100 });
  });

  const relayed = [{ type: 'relayed' as const, crid: 'dvb://1.2.1a;c8' }];
  const next = event({ id: 200, service: other, start: known.end, duration: hour, title: 'News, continued' });
  const relays = () => world.list.all.filter(({ relayOf }) => relayOf !== undefined);
  const relay = async (...events: readonly ReturnType<typeof event>[]) => {
    world.clock.time += 10;
    await world.broadcast(...events);
    await world.settle();
    await world.list.flush();
    await world.settle();
  };

  it('records what continues it on another service, with the same margins, folder and tags', async () => {
    world.tuners = [0, 1];
    const timer = await following({ folder: '/media/', tags: ['x'], autoTimer: true, autoTimerRule: 3 });
    await relay(event({ crids: relayed }), next);
    expect(relays()).toHaveLength(1);
    expect(relays()[0]).toMatchObject({
      ...{ name: 'News, continued', begin: known.end - 3 * minute, end: known.end + hour + 5 * minute },
      ...{
        eventId: 200,
        relayOf: timer.id,
        folder: '/media/',
        tags: ['x'],
        autoTimer: false,
        autoTimerRule: undefined,
      },
    });
    expect(relays()[0]?.reference.serviceId).toBe(0x1a);
    expect(world.list.find(timer.id)?.log.at(-1)?.text).toBe('continues on Service 26: dvb://1.2.1a;c8');
    await world.restart();
    await relay(event({ crids: relayed }), next);
    expect(relays()).toMatchObject([{ relayOf: timer.id }]);
  });

  it('leaves its only tuner to the continuation when the programme changes', async () => {
    const timer = await following({ margins: { before: 3 * minute, after: 5 * minute } });
    await relay(event({ crids: relayed }), next);
    expect(world.list.all).toMatchObject([
      { id: timer.id, begin: timer.begin, end: known.end, margins: { before: 3 * minute, after: 0 } },
      { relayOf: timer.id, begin: known.end, end: known.end + hour + 5 * minute },
    ]);
  });

  it('does not record the continuation again after a user has removed that', async () => {
    await following();
    await relay(event({ crids: relayed }), next);
    await world.list.remove(relays()[0]?.id ?? 0);
    await world.restart();
    await relay(event({ crids: relayed }), next);
    expect(relays()).toEqual([]);
  });

  it('is removed and restored with its continuation, which stays once it has ended', async () => {
    const timer = await following();
    await relay(event({ crids: relayed }), next);
    await world.list.remove(timer.id);
    expect(world.list.all).toEqual([]);
    await world.list.restore(timer.id);
    expect(world.list.all.map(({ relayOf }) => relayOf)).toEqual([undefined, timer.id]);
    await world.goTo(timer.end + minute);
    expect(world.list.find(timer.id)?.state).toBe('ended');
    await world.list.remove(timer.id);
    expect(world.list.all).toMatchObject([{ relayOf: timer.id, state: 'running' }]);
  });

  it('is disabled and enabled with its continuation', async () => {
    world.tuners = [0, 1];
    const timer = await following();
    await relay(event({ crids: relayed }), next);
    const states = () => world.list.all.map(({ disabled }) => disabled);
    await world.list.toggle(timer.id);
    expect(states()).toEqual([true, true]);
    await world.list.toggle(timer.id);
    expect(states()).toEqual([false, false]);
    await world.list.change(timer.id, { disabled: true });
    expect(states()).toEqual([true, true]);
    await world.list.remove(timer.id);
    await world.list.restore(timer.id);
    expect(states()).toEqual([true, true]);
    await world.list.change(timer.id, { disabled: false });
    await world.list.change(timer.id, { name: 'Film' });
    await world.list.toggle(relays()[0]?.id ?? 0);
    expect(states()).toEqual([false, true]);
  });

  it('is disabled with its continuation while both are recorded', async () => {
    world.tuners = [0, 1];
    const timer = await following();
    await relay(event({ crids: relayed }), next);
    await world.goTo(known.end - minute);
    expect(world.list.all.map(({ state }) => state)).toEqual(['running', 'running']);
    await world.list.change(timer.id, { disabled: true });
    await world.settle();
    expect(world.list.all.map(({ state, disabled }) => [state, disabled])).toEqual([
      ['waiting', true],
      ['waiting', true],
    ]);
    expect(world.active.size).toBe(0);
  });

  it('is enabled without its continuation if there is no tuner left for that', async () => {
    const timer = await following({ margins: { before: 3 * minute, after: 5 * minute } });
    await relay(event({ crids: relayed }), next);
    await world.list.toggle(timer.id);
    await add({ begin: known.end + 10 * minute, end: known.end + 2 * hour, reference: service(9, 9) });
    await world.list.toggle(timer.id);
    expect(world.list.all.map(({ disabled }) => disabled)).toEqual([false, true, false]);
  });

  it('is removed from the middle of its chain with what comes later', async () => {
    world.tuners = [0, 1];
    await following();
    const more = { crids: [{ type: 'relayed' as const, crid: 'dvb://1.1.1;12c' }] };
    const last = event({ id: 300, start: known.end + hour });
    await relay(event({ crids: relayed }), { ...next, ...more }, last);
    await relay(event({ crids: relayed }), { ...next, ...more }, last);
    expect(relays().map(({ eventId }) => eventId)).toEqual([200, 300]);
    await world.list.remove(relays()[0]?.id ?? 0);
    expect(world.list.all.map(({ eventId }) => eventId)).toEqual([100]);
  });

  it('waits for an event to continue it that begins when it ends', async () => {
    await following();
    await relay(event({ crids: relayed }));
    expect(relays()).toEqual([]);
    await relay(event({ crids: relayed }), { ...next, start: known.end + day });
    expect(relays()).toEqual([]);
    await relay(event({ crids: relayed }), next);
    expect(relays()).toHaveLength(1);
  });

  it('has at most four continuations, whatever the broadcaster announces', async () => {
    const timer = await following();
    const chain = Array.from({ length: 9 }, (_, index) =>
      event({
        ...{ id: 200 + index, service: other, start: known.end + index * hour, title: `Part ${index}` },
        crids: [{ type: 'relayed' as const, crid: `dvb://1.2.1a;${(201 + index).toString(16)}` }],
      }),
    );
    for (let round = 0; round < 9; round++) await relay(event({ crids: relayed }), ...chain);
    expect(relays().map(({ relayOf, eventId }) => [relayOf, eventId])).toEqual(
      [200, 201, 202, 203].map((id) => [timer.id, id]),
    );
  });

  it('is not continued by an event that begins with it, such as itself', async () => {
    const timer = await following();
    const circle = (eventId: string) => [{ type: 'relayed' as const, crid: `dvb://1.2.1a;${eventId}` }];
    const self = [{ type: 'relayed' as const, crid: 'dvb://1.1.1;64' }];
    await relay(event({ crids: self }));
    expect(world.list.all).toEqual([timer]);
    const twin = { ...next, start: known.start, crids: circle('c8') };
    await relay(event({ crids: circle('c8') }), twin);
    await relay(event({ crids: circle('c8') }), twin);
    expect(world.list.all).toEqual([timer]);
  });

  it('keeps its margin if its continuation is not recorded for want of a tuner', async () => {
    const timer = await following({ margins: { before: 3 * minute, after: 5 * minute } });
    await add({ begin: known.end + 10 * minute, end: known.end + 2 * hour, reference: service(9, 9) });
    await relay(event({ crids: relayed }), next);
    expect(relays()).toEqual([]);
    expect(world.list.find(timer.id)).toMatchObject({ end: timer.end, margins: timer.margins });
  });

  it('is restored without a continuation that was removed before it', async () => {
    const timer = await following();
    await relay(event({ crids: relayed }), next);
    await world.list.remove(relays()[0]?.id ?? 0);
    await world.list.remove(timer.id);
    await world.list.restore(timer.id);
    expect(world.list.all.map(({ id }) => id)).toEqual([timer.id]);
  });

  it('stays in place without the guide', async () => {
    const timer = await following();
    await world.broadcast();
    await world.settle();
    expect(only()).toEqual(timer);
  });

  it('by running status begins earlier and lasts as long as the event', async () => {
    const timer = await following({ followsRunningStatus: true });
    world.clock.time = timer.begin - 5 * minute;
    await world.broadcast(event({ runningStatus: 4 }));
    await world.settle();
    expect(states()).toBe('running');
    await world.goTo(timer.end + 10 * minute);
    expect(states()).toBe('running');
    await world.broadcast(event({ runningStatus: 4 }), event({ id: 101, start: known.end, runningStatus: 4 }));
    await world.goTo(timer.end + 12 * minute);
    expect(states()).toBe('ended');
  });

  it('ends with the event if set to', async () => {
    const timer = await following({ followsRunningStatus: true, endsWithEvent: true });
    await world.goTo(timer.begin + minute);
    await world.broadcast(event({ runningStatus: 4 }), event({ id: 101, start: known.end, runningStatus: 4 }));
    world.clock.time = known.end;
    await world.settle();
    expect(states()).toBe('ended');
  });
});
