/** The timer list: edits, conflicts and storage. */
import { readFile, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { fail } from '../../src/base/errors.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { occurrencesWithin } from '../../src/timers/repeat.ts';
import { maxTimers, TimerConflict } from '../../src/timers/timer-list.ts';
import { withResolvers } from '../fixtures/with-resolvers.ts';
import { yieldsOf } from '../fixtures/yields.ts';
import { berlin, day, hour, minute, now, service, spec, World } from './world.ts';

let world: World;
beforeEach(async () => {
  world = await World.open();
});
const onDisk = async () => (await world.file.read()).timers;

describe('adding', () => {
  it('is on the disk before it resolves', async () => {
    const { timer, added } = await world.list.add(spec({ name: 'Films & more', tags: ['EPG', 'Padding=3,5'] }));
    expect(added).toBe(true);
    expect(await onDisk()).toEqual([timer]);
    expect(world.list.all).toEqual([timer]);
  });

  it('changes nothing if the disk fails', async () => {
    await world.list.add(spec());
    world.file.write = async () => {
      throw fail('file-unwritable', world.path, 'disk full');
    };
    await expect(world.list.add(spec({ reference: service(2) }))).rejects.toMatchObject({ code: 'file-unwritable' });
    expect(world.list.all).toHaveLength(1);
  });

  it('the same timer twice adds it once: a request may be repeated', async () => {
    const event = { eventId: 100, event: { start: now + hour + 5 * minute, end: now + 2 * hour, crid: '' } };
    const { timer } = await world.list.add(spec(event));
    const inside = spec({ ...event, begin: timer.begin + minute, end: timer.end - minute, name: 'other' });
    expect(await world.list.add(spec({ name: 'again' }))).toEqual({ timer, added: false });
    expect(await world.list.add(inside)).toEqual({ timer, added: false });
    expect((await world.list.add({ ...inside, allowDuplicate: true })).added).toBe(true);
    expect((await world.list.add(spec({ end: timer.end + 1 }))).added).toBe(true);
    expect((await world.list.add({ ...inside, justPlay: true })).added).toBe(true);
    expect((await world.list.add({ ...inside, reference: service(2) })).added).toBe(true);
  });

  it('keeps a short event within the margin of another, which stays when the other moves', async () => {
    const film = { eventId: 100, event: { start: now + hour, end: now + 2 * hour, crid: '' } };
    const weather = { eventId: 101, event: { start: now + 2 * hour, end: now + 2 * hour + 5 * minute, crid: '' } };
    const { timer } = await world.list.add(spec({ ...film, name: 'Film', end: now + 2 * hour + 30 * minute }));
    const short = spec({
      ...weather,
      name: 'Weather',
      begin: now + 2 * hour - minute,
      end: now + 2 * hour + 6 * minute,
    });
    expect(await world.list.add(short)).toMatchObject({ added: true, timer: { id: 2, name: 'Weather' } });
    await world.list.change(timer.id, { ...timer, begin: timer.begin - hour, end: timer.end - hour });
    expect((await onDisk()).map(({ name, begin, end }) => [name, begin, end])).toEqual([
      ['Film', timer.begin - hour, timer.end - hour],
      ['Weather', short.begin, short.end],
    ]);
  });

  it('keeps a time within another timer, and can enable it again', async () => {
    await world.list.add(spec());
    await world.list.add(spec({ repeated: 127, reference: service(2) }));
    const part = { begin: now + hour + 10 * minute, end: now + hour + 20 * minute };
    const { timer } = await world.list.add(spec(part));
    expect((await world.list.add(spec({ ...part, reference: service(2) }))).added).toBe(true);
    await world.list.toggle(timer.id);
    expect(await world.list.toggle(timer.id)).toMatchObject({ ...part, disabled: false });
    expect(await onDisk()).toHaveLength(4);
  });

  it('recognises a repeating timer that covers it', async () => {
    const { timer } = await world.list.add(spec({ repeated: 127 }));
    const later = { begin: timer.begin + 3 * day, end: timer.end + 3 * day };
    expect(await world.list.add(spec(later))).toEqual({ timer, added: false });
    expect((await world.list.add(spec({ ...later, end: later.end + 1 }))).added).toBe(true);
  });

  it('moves a repeating timer to the first of its days', async () => {
    const { timer } = await world.list.add(spec({ repeated: 64 }));
    expect(berlin.weekdayAndDate(timer.begin)).toBe('Sun 04.01.2026');
  });

  it('a timer in the past adds an ended one', async () => {
    const { timer } = await world.list.add(spec({ begin: now - hour, end: now - minute }));
    expect(timer.state).toBe('ended');
  });

  it('is limited to maxTimers', async () => {
    const many = Array.from({ length: maxTimers }, () => spec());
    const { timer } = await world.list.add(spec());
    await world.file.write(many.map((one, id) => ({ ...timer, ...one, id: id + 1 })));
    await world.restart();
    await expect(world.list.add(spec())).rejects.toMatchObject({ code: 'too-many-timers' });
  });
});

describe('adding several', () => {
  const specs = [spec({ name: 'a' }), spec({ name: 'b' }), spec({ name: 'c', reference: service(2, 2) })];

  it('reports the outcome of each before the next, and writes once', async () => {
    let writes = 0;
    const write = world.file.write.bind(world.file);
    world.file.write = (timers) => {
      writes++;
      return write(timers);
    };
    const outcomes: unknown[] = [];
    await world.list.addAll(async (add) => {
      for (const one of specs) {
        const addition = await add(one);
        outcomes.push('refused' in addition ? addition.refused.code : addition.added);
      }
    });
    expect(outcomes).toEqual([true, false, 'timer-conflict']);
    expect([writes, world.list.all.map(({ id, name }) => [id, name])]).toEqual([1, [[1, 'a']]]);
    expect(await onDisk()).toEqual(world.list.all);
    expect((await world.list.add(spec({ name: 'd', begin: now + day }))).timer.id).toBe(2);
  });

  it('adds none if the disk fails, or with tryAll', async () => {
    const two = async (add: (one: (typeof specs)[0]) => Promise<unknown>) => {
      await add(spec({ name: 'a' }));
      await add(spec({ name: 'b', begin: now + day }));
    };
    expect((await world.list.tryAll(two)).map(({ name }) => name)).toEqual(['a', 'b']);
    world.file.write = async () => {
      throw fail('file-unwritable', world.path, 'disk full');
    };
    await expect(world.list.addAll(two)).rejects.toMatchObject({ code: 'file-unwritable' });
    expect(world.list.all).toEqual([]);
  });
});

describe('conflicts', () => {
  it('name the timer that gets no tuner and those that run at the same time', async () => {
    const ships = await world.list.add(spec({ name: 'Ships & Harbours' }));
    await world.list.add(spec({ name: 'Shares', reference: service(2) }));
    await world.list.add(spec({ name: 'Later', reference: service(3, 2), begin: now + 3 * hour }));
    const weather = spec({
      name: 'Weather',
      reference: service(4, 2),
      begin: now + hour + minute,
      end: now + hour + 2 * minute,
    });
    await world.list.remove(ships.timer.id + 1);
    const refused = await world.list.add(weather).catch((error) => error);
    expect(refused).toBeInstanceOf(TimerConflict);
    expect(refused.message).toBe('Conflicting Timer(s) detected! Weather / Ships & Harbours');
    expect(refused.conflicts.map(({ begin }: { begin: number }) => begin)).toEqual([weather.begin, ships.timer.begin]);
    expect(await onDisk()).toHaveLength(2);
  });

  it('are not reported for a service that no tuner can receive: the error says so instead', async () => {
    const { timer } = await world.list.add(spec());
    const off = await world.list.add(spec({ begin: now + day, disabled: true }));
    world.tuners = [];
    const refusal = { code: 'not-receivable', message: 'no tuner can receive 1:0:1:1:1:1:C00000:0:0:0:' };
    await expect(world.list.add(spec({ begin: now + 2 * day }))).rejects.toMatchObject(refusal);
    await expect(world.list.change(timer.id, spec({ name: 'Other' }))).rejects.toMatchObject(refusal);
    await expect(world.list.toggle(off.timer.id)).rejects.toMatchObject(refusal);
    await expect(world.list.add(spec({ begin: now + 2 * day }))).rejects.not.toBeInstanceOf(TimerConflict);
    await world.list.addAll(async (add) => {
      expect(await add(spec({ begin: now + 2 * day }))).toMatchObject({ refused: refusal });
    });
    for (const kind of [{ disabled: true }, { justPlay: true }, { conflictDetection: false }])
      expect((await world.list.add(spec({ begin: now + 2 * day, ...kind }))).added).toBe(true);
  });

  it('do not exist for timers that are disabled, have ended, only show a service or ignore conflicts', async () => {
    const other = { reference: service(4, 2) };
    await world.list.add(spec());
    for (const kind of [{ disabled: true }, { justPlay: true }, { conflictDetection: false }])
      expect((await world.list.add(spec({ ...other, ...kind }))).added).toBe(true);
  });

  it('do not exist with a second tuner, or for streams', async () => {
    await world.list.add(spec());
    const stream = ServiceReference.parse('4097:0:1:0:0:0:0:0:0:0:http%3a//host/live.ts:IPTV');
    expect((await world.list.add(spec({ reference: stream }))).added).toBe(true);
    world.tuners = [0, 1];
    expect((await world.list.add(spec({ reference: service(4, 2) }))).added).toBe(true);
  });

  it('are found on a later day of repeating timers, and name that day', async () => {
    await world.list.add(spec({ begin: now + 9 * day, end: now + 9 * day + hour, name: 'Match' }));
    const daily = spec({ reference: service(4, 2), begin: now + day + minute, end: now + day + hour, repeated: 127 });
    const { conflicts } = await world.list.add(daily).catch((error) => error);
    expect(
      conflicts.map(({ begin, timer }: { begin: number; timer: { name: string } }) => [timer.name, begin]),
    ).toEqual([
      ['News', now + 9 * day + minute],
      ['Match', now + 9 * day],
    ]);
  });

  it('of many timers are the same as those of each timer, and checking them yields to the event loop', async () => {
    const many = Array.from({ length: 60 }, (_, n) => {
      const begin = now + hour + ((n * 287 * minute) % day);
      const later = n % 3 === 0 ? 80 * day : 0; // beyond the period of the occurrence cache
      return spec({
        ...{ reference: service(n + 1, (n % 4) + 1), begin: begin + later, end: begin + later + hour },
        ...{ repeated: n % 5 === 0 ? 0 : 127, conflictDetection: false },
      });
    });
    world.tuners = [0, 1];
    for (const one of many) await world.list.add(one);
    const timers = world.list.all;
    const each = [];
    for (const timer of timers) if (await world.list.conflictsOf(timer)) each.push(timer);
    expect(each.length).toBeGreaterThan(0);
    expect(each.length).toBeLessThan(timers.length);
    let together: ReadonlySet<unknown> | undefined;
    const yields = await yieldsOf(async () => {
      together = await world.list.unserved(timers);
    });
    expect([...(together ?? [])]).toEqual(each);
    expect(yields).toBeGreaterThan(timers.length);
  });

  it('of many timers look up once how each is received', async () => {
    for (let n = 0; n < 40; n++) {
      const begin = now + (n + 1) * hour;
      await world.list.add(
        spec({ reference: service(n + 1, n + 1), begin, end: begin + 2 * hour, conflictDetection: false }),
      );
    }
    let lookUps = 0;
    const tuners = () => {
      lookUps++;
      return [0];
    };
    Object.defineProperty(world, 'tuners', { get: tuners });
    expect((await world.list.unserved(world.list.all)).size).toBeGreaterThan(0);
    expect(lookUps).toBe(40);
  });

  it('leave a timer unchanged', async () => {
    await world.list.add(spec());
    const { timer } = await world.list.add(spec({ reference: service(4, 2), begin: now + 4 * hour }));
    const early = spec({ reference: service(4, 2), begin: now + hour });
    await expect(world.list.change(timer.id, early)).rejects.toMatchObject({ code: 'timer-conflict' });
    expect(world.list.find(timer.id)).toEqual(timer);
  });
});

describe('changing', () => {
  it('keeps identity and log', async () => {
    const { timer } = await world.list.add(spec());
    const changed = await world.list.change(
      timer.id,
      spec({ begin: now + 2 * hour, end: now + 3 * hour, name: 'Else' }),
    );
    expect(changed).toMatchObject({ id: timer.id, name: 'Else', begin: now + 2 * hour, state: 'waiting' });
    expect(changed?.log).toEqual([{ time: now, code: 15, text: 'record time changed' }]);
    expect(await onDisk()).toEqual([changed]);
  });

  it('reactivates a timer that has ended', async () => {
    const { timer } = await world.list.add(spec({ begin: now - hour, end: now - minute }));
    expect((await world.list.change(timer.id, spec()))?.state).toBe('waiting');
  });

  it('a missing one does nothing', async () => {
    expect(await world.list.change(7, spec())).toBeUndefined();
    expect(await world.list.remove(7)).toBeUndefined();
    expect(await world.list.toggle(7)).toBeUndefined();
  });
});

describe('disabling and enabling', () => {
  it('is refused for a running timer, in a conflict, and for a duplicate', async () => {
    const { timer } = await world.list.add(spec());
    expect((await world.list.toggle(timer.id))?.disabled).toBe(true);
    const other = await world.list.add(spec({ reference: service(4, 2) }));
    await expect(world.list.toggle(timer.id)).rejects.toMatchObject({ code: 'timer-conflict' });
    await world.list.remove(other.timer.id);
    const same = await world.list.add(spec());
    await expect(world.list.toggle(timer.id)).rejects.toMatchObject({ code: 'timer-exists' });
    await world.list.remove(same.timer.id);
    expect((await world.list.toggle(timer.id))?.disabled).toBe(false);
    world.list.update(timer.id, (one) => ({ ...one, state: 'running' }));
    await expect(world.list.toggle(timer.id)).rejects.toMatchObject({ code: 'timer-runs' });
  });
});

it('cleaning up removes ended timers and leaves disabled ones', async () => {
  const past = { begin: now - hour, end: now - minute };
  await world.list.add(spec(past));
  const off = await world.list.add(spec({ ...past, disabled: true }));
  const waiting = await world.list.add(spec());
  await world.list.cleanup();
  expect(await onDisk()).toEqual([off.timer, waiting.timer]);
});

it('an update is written together with concurrent edits', async () => {
  const { timer } = await world.list.add(spec());
  await Promise.all([
    world.list.add(spec({ reference: service(2) })),
    Promise.resolve().then(() => world.list.update(timer.id, (one) => ({ ...one, failed: true }))),
    world.list.add(spec({ reference: service(3) })),
  ]);
  await world.list.flush();
  expect(await onDisk()).toEqual(world.list.all);
  expect(world.list.all.map(({ failed }) => failed)).toEqual([true, false, false]);
});

it('an update does not wait for a slow edit', async () => {
  const { timer } = await world.list.add(spec());
  const { promise: paused, resolve: resume } = withResolvers();
  const added = world.list.addAll(async (add) => {
    await paused;
    await add(spec({ reference: service(2) }));
  });
  world.list.update(timer.id, (one) => ({ ...one, fileName: '/media/hdd/movie/News' }));
  await world.list.updatesWritten();
  expect((await onDisk()).map(({ fileName }) => fileName)).toEqual(['/media/hdd/movie/News']);
  resume();
  await added;
  expect((await onDisk()).map(({ fileName }) => fileName)).toEqual(['/media/hdd/movie/News', '']);
});

it('a failed write is retried without a new change', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { timer } = await world.list.add(spec());
    const write = world.file.write.bind(world.file);
    world.file.write = async () => {
      throw fail('file-unwritable', world.path, 'disk full');
    };
    world.list.update(timer.id, (one) => ({ ...one, failed: true }));
    await world.list.updatesWritten();
    world.file.write = write;
    await vi.advanceTimersByTimeAsync(60_000);
    await world.list.updatesWritten();
    expect(await onDisk()).toEqual(world.list.all);
  } finally {
    vi.useRealTimers();
  }
});

it('a timer that started early continues when only its end is changed', async () => {
  const { timer } = await world.list.add(spec());
  world.list.update(timer.id, (one) => ({ ...one, state: 'running' }));
  const changed = await world.list.change(timer.id, spec({ end: now + 3 * hour }));
  expect(changed).toMatchObject({ state: 'running', end: now + 3 * hour });
});

it('foreign content of the file is preserved', async () => {
  const text = `<?xml version="1.0" ?>\n<timers>\n<powertimer a="1"/>\n</timers>\n`;
  await writeFile(world.path, text);
  await world.restart();
  await world.list.save();
  expect(await readFile(world.path, 'utf8')).toBe(text);
});

it('however timers are added over a year, the tuners can serve them all', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          multiplex: fc.integer({ min: 1, max: 4 }),
          begin: fc.integer({ min: 1, max: 340 * 24 }),
          length: fc.integer({ min: 1, max: 30 }),
          repeated: fc.constantFrom(0, 0, 31, 64, 127),
        }),
        { maxLength: 14 },
      ),
      async (wanted) => {
        world = await World.open();
        world.tuners = [0, 1];
        for (const [index, { multiplex, begin, length, repeated }] of wanted.entries()) {
          const from = now + begin * hour;
          const one = spec({
            reference: service(index + 1, multiplex),
            begin: from,
            end: from + length * hour,
            repeated,
          });
          await world.list.add(one).catch((error) => expect(error).toBeInstanceOf(TimerConflict));
        }
        // Within the horizon of repeating timers: later times are checked when they are added.
        const within = { begin: now, end: now + 30 * day };
        const times = world.list.all.flatMap((timer) =>
          occurrencesWithin(timer, berlin, within).map((span) => ({
            ...span,
            multiplex: timer.reference.transportStreamId,
          })),
        );
        for (const { begin } of times) {
          const wantedThen = times.filter((one) => one.begin <= begin && begin < one.end);
          expect(new Set(wantedThen.map(({ multiplex }) => multiplex)).size).toBeLessThanOrEqual(2);
        }
      },
    ),
    { numRuns: 40 },
  );
});
