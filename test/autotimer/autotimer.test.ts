/** The AutoTimer: which events get timers, repeats, edits by the user, and when it runs. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServiceReference } from '../../src/services/reference.ts';
import { logCodes, timerSpec, withLogEntry } from '../../src/timers/timer.ts';
import { eitSections } from '../fixtures/eit.ts';
import { writeRecording } from '../fixtures/recordings.ts';
import { until } from '../fixtures/waits.ts';
import { withResolvers } from '../fixtures/with-resolvers.ts';
import { yieldsOf } from '../fixtures/yields.ts';
import { at, bouquet, day, hour, now, reference, service, show, World } from './world.ts';

let world: World;
beforeEach(async () => {
  world = await World.open();
});
afterEach(() => void vi.useRealTimers());
const useFakeTimers = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
const run = () => world.autoTimer.run();
const verdicts = async () =>
  (await world.autoTimer.preview(world.rules.all)).map((one) => one.map(({ verdict }) => verdict));
const only = () => world.timers.all[0] ?? expect.fail('no timer');
/** Resolves when all requested runs have ended. */
const allRuns = () => world.autoTimer.removeTimers(-1);

describe('a rule', () => {
  it('creates timers with margins, tags, folder, event and its own id', async () => {
    const folder = join(world.folder, 'movie/');
    const film = show('The Harbour', at('20:15'), {
      shortText: 'Part 1',
      crids: [{ type: 1, crid: 'crid://a.example/1' }],
    });
    await world.broadcast(1, film, show('News', at('21:15')));
    const rule = await world.rule({
      match: 'harbour',
      name: 'My films',
      tags: ['Film'],
      dirname: folder,
      marginAfter: 10,
    });
    expect(await run()).toEqual({ found: 1, created: 1, refused: 0 });
    expect(world.timers.all).toHaveLength(1);
    expect(only()).toMatchObject({
      name: 'The Harbour',
      description: 'Part 1',
      begin: at('20:15') - 120,
      end: at('21:15') + 600,
      eventId: film.id,
      event: { start: at('20:15'), end: at('21:15'), crid: 'crid://a.example/1' },
      folder,
      tags: ['Film', 'AutoTimer', 'My_films'],
      autoTimer: true,
      autoTimerRule: rule.id,
      state: 'waiting',
    });
    expect(only().reference.format()).toBe(reference(1));
    const file = await readFile(join(world.folder, 'timers.xml'), 'utf8');
    expect(file).toMatch(/isAutoTimer="1" autotimer_rule="1"/);
  });

  it('creates each timer once, even if it runs again, another rule matches or the receiver restarts', async () => {
    await world.broadcast(1, show('Harbour', at('20:15')));
    await world.rule({ match: 'Harbour' });
    await world.rule({ match: 'arb' });
    for (let times = 0; times < 3; times++) await run();
    expect(world.timers.all).toHaveLength(1);
    await world.restart();
    await run();
    expect(world.timers.all).toHaveLength(1);
  });

  it('creates no second timer, and counts none, for an event with a new id and time', async () => {
    const [old, late] = [show('Harbour', at('20:15')), show('Harbour', at('20:35'))];
    await world.broadcast(1, old);
    await world.rule({ match: 'Harbour', counter: 2 });
    await run();
    // This is what the timer does to follow its event.
    const { id, begin, end } = only();
    const event = { start: late.start, end: late.start + old.duration, crid: '' };
    world.timers.update(id, (one) => ({ ...one, begin: begin + 1200, end: end + 1200, eventId: late.id, event }));
    await world.guide.clear();
    await world.broadcast(1, late, show('Harbour', at('20:15', 1)), show('Harbour', at('20:15', 2)));
    await run();
    await run();
    expect(world.planned.map(([, start]) => start)).toEqual([at('20:35'), at('20:15', 1)]);
    await world.timers.remove(world.timers.all[0]?.id ?? expect.fail());
    await world.guide.clear();
    await world.broadcast(1, show('Harbour', at('20:45')));
    expect(await verdicts()).toEqual([['dismissed']]);
  });

  it('creates no second timer for an event whose timer has not followed it yet', async () => {
    await world.broadcast(1, show('Harbour', at('20:15')), show('Harbour', at('21:15')));
    await world.rule({ match: 'Harbour' });
    await run();
    expect(world.timers.all).toHaveLength(2);
    for (const start of [at('20:22'), at('20:05')]) {
      await world.guide.clear();
      await world.broadcast(1, show('Harbour', start), show('Harbour', start + hour), show('Harbour', at('23:30')));
      await run();
    }
    expect(world.planned.map(([, start]) => start)).toEqual([at('20:15'), at('21:15'), at('23:30')]);
  });

  it.each([
    ['partial', 'arbour n', false, ['Harbour News', 'The Harbour News']],
    ['start', 'harbour', false, ['Harbour', 'Harbour News']],
    ['exact', 'HARBOUR', false, ['Harbour']],
    ['exact', 'HARBOUR', true, []],
    ['description', 'pilot boats', false, ['Weather']],
  ] as const)('matches by type: %s %s, case-sensitive %s', async (searchType, match, caseSensitive, titles) => {
    await world.broadcast(
      1,
      show('Harbour', at('20:00')),
      show('Harbour News', at('21:00')),
      show('The Harbour News', at('22:00')),
      show('Weather', at('23:00'), { extendedText: 'For pilot boats.' }),
    );
    await world.rule({ match, searchType, caseSensitive });
    await run();
    expect(world.planned.map(([title]) => title)).toEqual(titles);
  });

  it('determines how its timers record', async () => {
    await world.broadcast(1, show('Film', at('20:15')), show('News', at('21:15')));
    await world.rule({ match: 'Film', zapbeforerecord: true, vps: true, vpsOverwrite: true });
    await world.rule({ match: 'News', vpsOverwrite: true });
    await run();
    expect(world.timers.all).toMatchObject([
      { alwaysZap: true, followsRunningStatus: true, endsWithEvent: true },
      { alwaysZap: false, followsRunningStatus: false, endsWithEvent: false },
    ]);
  });

  it('searches only its services and bouquets, and none if they no longer exist', async () => {
    for (const n of [1, 2, 3]) await world.broadcast(n, show('Film', at('20:15', n)));
    const rule = await world.rule({ match: 'Film', services: [reference(1)] });
    await run();
    expect(world.planned).toEqual([['Film', at('20:15', 1)]]);
    await world.rules.change(rule.id, { bouquets: [bouquet] });
    await run();
    expect(world.planned.map(([, start]) => start)).toEqual([1, 2, 3].map((n) => at('20:15', n)));
    await world.rules.change(rule.id, { services: [], bouquets: [bouquet.replace('second', 'gone')] });
    expect(await verdicts()).toEqual([[]]);
  });

  it('yields to the event loop while it reads a large bouquet, and records its streams', async () => {
    const count = 300;
    const stream = (n: number) => `1:0:1:${n.toString(16)}:1:1:C00000:0:0:0:http%3a//127.0.0.1/${n}.ts:Channel ${n}`;
    const entries = Array.from({ length: count }, (_, n) => `#SERVICE ${stream(n + 1)}\n`);
    await writeFile(join(world.folder, 'userbouquet.second.tv'), `#NAME Second\n${entries.join('')}`);
    await world.restart();
    await world.broadcast(1, show('Film', at('20:15')));
    await world.rule({ match: 'Film', bouquets: [bouquet] });
    expect(await yieldsOf(run)).toBeGreaterThan(count);
    expect(world.timers.all.map(({ reference }) => reference.name)).toEqual(['Channel 1']);
  });

  it('leaves out events that have begun, are too short or too long, or lie outside its dates', async () => {
    await world.broadcast(
      1,
      show('Film', now - 600, { duration: 2 * hour }),
      show('Film', at('22:00'), { duration: 600 }),
      show('Film', at('22:10'), { duration: 90 * 60 }),
      show('Film', at('23:40'), { duration: 4 * hour }),
      show('Film', at('22:10', 3), { duration: 90 * 60 }),
    );
    await world.rule({ match: 'Film', minimumDuration: 30, maximumDuration: 120, before: at('00:00', 2) });
    await run();
    expect(world.planned).toEqual([['Film', at('22:10')]]);
  });

  it('does nothing while disabled', async () => {
    await world.broadcast(1, show('Film', at('20:15')));
    await world.rule({ match: 'Film', enabled: false });
    expect(await run()).toEqual({ found: 0, created: 0, refused: 0 });
    expect(await verdicts()).toEqual([['planned']]);
  });

  it('creates timers that only zap with `justplay`', async () => {
    await world.broadcast(1, show('Film', at('20:15')));
    await world.rule({ match: 'Film', justplay: true });
    await run();
    await run();
    expect(world.timers.all).toHaveLength(1);
    expect(only()).toMatchObject({ justPlay: true, begin: at('20:15') });
  });
});

describe('hours and weekdays', () => {
  it('after midnight belong to the day before', async () => {
    // 1 January 2026 is a Thursday.
    const all = [at('21:00'), at('23:30'), at('00:30', 1), at('03:00', 1), at('23:30', 1), at('00:30', 2)];
    await world.broadcast(1, ...all.map((start) => show('Film', start, { duration: 1200 })));
    await world.rule({ match: 'Film', from: '22:00', to: '02:00', weekdays: 1 << 3 });
    await run();
    expect(world.planned.map(([, start]) => start)).toEqual([at('23:30'), at('00:30', 1)]);
  });

  it('are in local time, before and after the change to summer time', async () => {
    // The clock goes forward in the night to Sunday, 29 March 2026: 20:15 is 19:15 UTC before and 18:15 UTC after it.
    const [before, after] = ['2026-03-28T19:15:00Z', '2026-03-29T18:15:00Z'].map((text) => Date.parse(text) / 1000);
    world.clock.time = Date.parse('2026-03-27T12:00:00Z') / 1000;
    const events = [before, after, (before as number) + day].map((start) =>
      show('Film', start as number, { duration: 600 }),
    );
    for (const section of eitSections(service(1), world.clock.time, events)) world.guide.ingestSection(section);
    await world.guide.flush();
    await world.rule({ match: 'Film', from: '20:15', to: '20:15' });
    await run();
    expect(world.planned.map(([, start]) => start)).toEqual([before, after]);
  });
});

describe('a repeat', () => {
  const crid = (text: string) => ({ crids: [{ type: 1, crid: text }] });
  const texts = { shortText: 'Crime', extendedText: 'The missing pilot.' };

  it('is recognised by its CRID, whatever its texts', async () => {
    await world.broadcast(
      1,
      show('Film', at('20:15'), { ...crid('crid://a.example/1'), shortText: 'a' }),
      show('Film', at('22:00'), { ...crid('CRID://A.example/1'), shortText: 'b' }),
      show('Film', at('20:15', 1), { ...crid('crid://a.example/2'), shortText: 'a' }),
    );
    await world.rule({ match: 'Film', avoidDuplicates: 'any' });
    await run();
    expect(world.planned.map(([, start]) => start)).toEqual([at('20:15'), at('20:15', 1)]);
    expect(await verdicts()).toEqual([['timer', 'repeat', 'timer']]);
  });

  it('is recognised by its CRID without the instance; a showing in parts is recorded completely', async () => {
    const part = (start: number, duration: number, text: string) => show('Film', start, { duration, ...crid(text) });
    await world.broadcast(
      1,
      part(at('20:00'), hour, 'crid://a.example/1#1'),
      show('News', at('21:00'), { duration: 300 }),
      part(at('21:05'), hour, 'crid://a.example/1#1'),
      part(at('23:45'), hour, 'crid://a.example/1#1'),
      part(at('20:00', 1), hour, 'crid://a.example/1#1'),
      part(at('20:00', 2), hour, 'crid://a.example/1#2'),
      part(at('21:05', 2), hour, 'crid://a.example/1#2'),
      part(at('20:00', 3), 2 * hour, 'crid://a.example/1'),
    );
    await world.broadcast(2, part(at('21:05'), hour, 'crid://a.example/1#1'));
    await world.rule({ match: 'Film', avoidDuplicates: 'any', compare: 'title' });
    await run();
    const wanted = [at('20:00'), at('21:05'), at('23:45')];
    expect(world.planned.map(([, start]) => start)).toEqual(wanted);
    // Also by the stored timers.
    await world.timers.remove(world.timers.all[2]?.id ?? expect.fail());
    await world.restart();
    await run();
    expect(world.planned.map(([, start]) => start)).toEqual(wanted.slice(0, 2));
  });

  it.each([
    ['all', 3],
    ['short', 2],
    ['title', 1],
  ] as const)('is recognised by its texts: %s', async (compare, wanted) => {
    await world.broadcast(
      1,
      show('Series', at('20:15'), texts),
      show('Series', at('22:00'), texts),
      show('Series', at('20:15', 1), { ...texts, extendedText: 'The missing boat.' }),
      show('Series', at('20:15', 2), { ...texts, shortText: 'Another crime' }),
    );
    await world.rule({ match: 'Series', avoidDuplicates: 'any', compare });
    await run();
    // Also by the stored timers.
    await world.restart();
    await run();
    expect(world.planned).toHaveLength(wanted);
  });

  it('is not assumed if no text distinguishes the episodes', async () => {
    await world.broadcast(1, show('News', at('20:00')), show('News', at('20:00', 1)));
    await world.rule({ match: 'News', avoidDuplicates: 'any' });
    await run();
    expect(world.planned).toHaveLength(2);
  });

  it('on another service counts only if the rule says so', async () => {
    await world.broadcast(1, show('Film', at('20:15'), texts));
    await world.broadcast(2, show('Film', at('22:00'), texts));
    const rule = await world.rule({ match: 'Film', avoidDuplicates: 'service' });
    await run();
    expect(world.planned).toHaveLength(2);
    await world.rules.change(rule.id, { avoidDuplicates: 'any' });
    await world.autoTimer.removeTimers(rule.id);
    await run();
    expect(world.planned).toEqual([['Film', at('20:15')]]);
  });

  it('of a recording counts only if the rule says so', async () => {
    writeRecording(join(world.folder, 'movie', 'Film.ts'), {
      content: Buffer.alloc(188 * 10),
      meta: [reference(1), 'Film', 'Crime', String(now - day), '', '', ''],
    });
    await world.broadcast(1, show('Film', at('20:15'), texts));
    await world.rule({ match: 'Film', avoidDuplicates: 'any' });
    const [[asked], [other]] = [
      await world.autoTimer.preview([{ ...(world.rules.all[0] ?? expect.fail()), avoidDuplicates: 'recording' }]),
      await world.autoTimer.preview(world.rules.all),
    ];
    expect(asked?.map(({ verdict }) => verdict)).toEqual(['repeat']);
    expect(other?.map(({ verdict }) => verdict)).toEqual(['planned']);
  });

  it('is recorded if the first showing gets no tuner', async () => {
    world.tuners = [0];
    await world.timers.add(
      timerSpec({
        reference: ServiceReference.parse(reference(4)),
        begin: at('20:00'),
        end: at('21:30'),
        name: 'Other',
      }),
    );
    await world.broadcast(1, show('Film', at('20:15'), texts), show('Film', at('22:30'), texts));
    await world.rule({ match: 'Film', avoidDuplicates: 'any' });
    expect(await run()).toEqual({ found: 2, created: 1, refused: 1 });
    expect(world.planned).toEqual([
      ['Other', at('20:00')],
      ['Film', at('22:30')],
    ]);
    expect(world.logged).toHaveLength(1);
    expect(world.logged[0]).toMatch(/no timer for 'Film' at \d+: Conflicting/);
    await run();
    expect(world.logged).toHaveLength(1);
  });
});

describe('a change by the user', () => {
  const film = show('Film', at('20:15'));

  it('a removed timer is not created again, neither by another rule nor after a restart', async () => {
    await world.broadcast(1, film, show('Film', at('20:15', 1)));
    await world.rule({ match: 'Film' });
    await run();
    await world.timers.remove(only().id);
    await run();
    expect(world.planned).toEqual([['Film', at('20:15', 1)]]);
    await world.rule({ match: 'film' });
    await world.restart();
    await run();
    await run();
    expect(world.planned).toEqual([['Film', at('20:15', 1)]]);
    expect(await verdicts()).toEqual([
      ['dismissed', 'timer'],
      ['dismissed', 'timer'],
    ]);
    world.clock.time = at('22:00');
    await run();
    expect(world.rules.showings.map(({ start }) => start)).toEqual([at('20:15', 1)]);
  });

  it('a timer removed while the receiver was off is not created again, even if its event has moved', async () => {
    await world.broadcast(1, film);
    await world.rule({ match: 'Film' });
    await run();
    await world.broadcast(1, { ...film, start: film.start + 1800 });
    await writeFile(join(world.folder, 'timers.xml'), '<timers></timers>');
    await world.restart();
    await run();
    expect(world.timers.all).toEqual([]);
  });

  it('a timer created right before the receiver was killed is not mistaken for another', async () => {
    await world.broadcast(1, film);
    await world.rule({ match: 'Film' });
    const rules = await readFile(world.rulesFile.path);
    await run();
    await writeFile(world.rulesFile.path, rules);
    await world.restart();
    await run();
    expect(world.timers.all).toHaveLength(1);
    await world.timers.remove(only().id);
    await run();
    expect(world.timers.all).toEqual([]);
  });

  it('a disabled timer stays disabled', async () => {
    await world.broadcast(1, film);
    await world.rule({ match: 'Film' });
    await run();
    await world.timers.toggle(only().id);
    await run();
    expect(world.timers.all.map(({ disabled }) => disabled)).toEqual([true]);
  });

  it('an event with a timer gets no second one', async () => {
    await world.broadcast(1, film);
    const own = { reference: ServiceReference.parse(reference(1)), begin: at('20:00'), end: at('21:15'), name: 'Mine' };
    await world.timers.add(timerSpec(own));
    await world.rule({ match: 'Film' });
    await run();
    expect(world.planned.map(([title]) => title)).toEqual(['Mine']);
  });

  it('a changed rule recreates its timers, except those that the user has edited', async () => {
    await world.broadcast(1, film, show('Film Club', at('20:15', 1)), show('Film Club', at('20:15', 2)));
    const rule = await world.rule({ match: 'Film' });
    world.autoTimer.start();
    await run();
    const [, second] = world.timers.all;
    await world.timers.change(second?.id ?? 0, { end: (second?.end ?? 0) + 60 });
    await world.rules.change(rule.id, { match: 'Film Club', searchType: 'exact', marginBefore: 0 });
    await run();
    expect(world.planned.map(([title]) => title)).toEqual(['Film Club', 'Film Club']);
    expect(world.timers.all.map(({ begin }) => begin).sort()).toEqual([at('20:15', 1) - 120, at('20:15', 2)]);
  });

  it('a rule is deleted with timers that the receiver itself has changed, and with what continues those', async () => {
    await world.broadcast(1, film);
    const rule = await world.rule({ match: 'Film' });
    await run();
    const [timer = expect.fail()] = world.timers.all;
    for (const text of ['continues on Channel 2: dvb://1.2.2;c8', 'record time changed: ends 60 s later'])
      world.timers.update(timer.id, (one) => withLogEntry(one, now, logCodes.changed, text));
    const { reference, end } = timer;
    for (const begin of [end, end + hour])
      await world.timers.add(timerSpec({ reference, begin, end: begin + 60, name: 'Film', relayOf: timer.id }));
    await world.timers.change(world.timers.all[2]?.id ?? 0, { name: 'Mine' });
    await world.autoTimer.removeTimers(rule.id);
    expect(world.planned.map(([title]) => title)).toEqual(['Mine']);
  });

  it('a timer that has begun, or has a recording, stays as it is', async () => {
    await world.broadcast(1, film, show('Film Club', at('22:15')));
    const rule = await world.rule({ match: 'Film' });
    await run();
    const [first, second] = world.timers.all;
    // The first waits for a retry, the second continues after a restart.
    world.clock.time = at('20:30');
    world.timers.update(first?.id ?? 0, (timer) => ({ ...timer, backoff: 100, nextTry: at('20:31') }));
    world.timers.update(second?.id ?? 0, (timer) => ({ ...timer, fileName: '/movie/Film Club' }));
    const before = world.timers.all;
    await world.rules.change(rule.id, { marginAfter: 10 });
    await run();
    expect(world.timers.all).toEqual(before);
    await world.autoTimer.removeTimers(rule.id);
    expect(world.timers.all).toEqual(before);
  });

  it('a deleted rule leaves its timers, and the next rule gets another id', async () => {
    await world.broadcast(1, film);
    const { id } = await world.rule({ match: 'Film' });
    await run();
    await world.rules.remove(id);
    await world.restart();
    await run();
    expect(world.planned).toHaveLength(1);
    expect((await world.rule({ match: 'Weather' })).id).toBe(2);
    expect((await world.rulesFile.read()).rules.map(({ match }) => match)).toEqual(['Weather']);
  });
});

describe('the schedule of runs', () => {
  it('has a run when a rule is created, and when the guide has grown', async () => {
    useFakeTimers();
    world.autoTimer.start();
    await world.broadcast(1, show('Film', at('20:15')));
    await world.rule({ match: 'Film' });
    await vi.advanceTimersByTimeAsync(1);
    await until(() => expect(world.planned).toHaveLength(1));
    await allRuns();
    await world.broadcast(2, show('Film', at('22:15')));
    await vi.advanceTimersByTimeAsync(61_000);
    await until(() => expect(world.planned).toHaveLength(2));
    await world.rules.storeShowings(world.rules.showings);
  });

  it('has no run while there is no rule', async () => {
    useFakeTimers();
    world.autoTimer.start();
    await world.broadcast(1, show('Film', at('20:15')));
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['in the middle of a run', 5000, 90_000],
    ['in a run that lasts until after the next is due', 15_000, 280_000],
  ])('keeps the minimum interval between runs for a change %s', async (_, runMs, quietMs) => {
    useFakeTimers();
    const search = world.guide.search.bind(world.guide);
    const { promise: held, resolve: release } = withResolvers();
    const searches = vi.spyOn(world.guide, 'search').mockImplementation(async (query) => {
      await held;
      return search(query);
    });
    world.autoTimer.start();
    await world.rule({ match: 'Film' });
    await vi.advanceTimersByTimeAsync(1);
    await until(() => expect(searches).toHaveBeenCalledTimes(1));
    await world.broadcast(2, show('News', at('21:15')));
    await vi.advanceTimersByTimeAsync(runMs);
    release();
    await allRuns();
    await vi.advanceTimersByTimeAsync(quietMs);
    await allRuns();
    expect(searches).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(60_000);
    await until(() => expect(searches).toHaveBeenCalledTimes(2));
  });

  it('repeats a failed run, for the same changed rules', async () => {
    useFakeTimers();
    await world.broadcast(1, show('Film', at('20:15')));
    const rule = await world.rule({ match: 'Film' });
    await run();
    await world.rules.change(rule.id, { marginAfter: 10 });
    world.autoTimer.start();
    vi.spyOn(world.rules, 'storeShowings').mockRejectedValueOnce(new Error('The disk is full.'));
    await expect(run()).rejects.toThrow('full');
    expect(only().end).toBe(at('21:15') + 240);
    await vi.advanceTimersByTimeAsync(30_000);
    await allRuns();
    expect(only().end).toBe(at('21:15') + 240);
    await vi.advanceTimersByTimeAsync(40_000);
    await until(() => expect(only().end).toBe(at('21:15') + 600));
  });

  it('waits until the clock is synchronised', async () => {
    world.clock.synchronised = false;
    useFakeTimers();
    world.autoTimer.start();
    await world.broadcast(1, show('Film', at('20:15')));
    await world.rule({ match: 'Film' });
    await vi.advanceTimersByTimeAsync(1);
    expect(world.timers.all).toEqual([]);
    world.clock.synchronised = true;
    await vi.advanceTimersByTimeAsync(10_001);
    await until(() => expect(world.planned).toHaveLength(1));
  });
});

describe('a run that is stopped', () => {
  it('skips the remaining rules; the next run covers them', async () => {
    await world.broadcast(1, show('Film', at('20:15')), show('News', at('21:15')));
    await world.rule({ match: 'Film' });
    await world.rule({ match: 'News' });
    const search = world.guide.search.bind(world.guide);
    const { promise: held, resolve: release } = withResolvers();
    const searches = vi.spyOn(world.guide, 'search').mockImplementation(async (query) => {
      await held;
      return search(query);
    });
    const ended = run();
    await until(() => expect(searches).toHaveBeenCalled());
    const stopped = world.autoTimer.stop();
    release();
    await stopped;
    expect(await ended).toEqual({ found: 0, created: 0, refused: 0 });
    expect(searches).toHaveBeenCalledTimes(1);
    await world.autoTimer.runChangedRules();
    // runChangedRules waits for two seconds at most.
    await allRuns();
    expect(world.planned.map(([title]) => title)).toEqual(['Film', 'News']);
  });

  it('keeps the timers created before it was stopped', async () => {
    await world.broadcast(1, show('Film', at('20:15')), show('Film Club', at('21:15')));
    await world.rule({ match: 'Film' });
    const addAll = world.timers.addAll.bind(world.timers);
    let stopped: Promise<void> | undefined;
    vi.spyOn(world.timers, 'addAll').mockImplementation((fill) =>
      addAll((add) =>
        fill(async (spec) => {
          const addition = await add(spec);
          stopped ??= world.autoTimer.stop();
          return addition;
        }),
      ),
    );
    expect(await run()).toMatchObject({ created: 1 });
    await stopped;
    expect(world.planned.map(([title]) => title)).toEqual(['Film']);
    await world.restart();
    expect(world.planned.map(([title]) => title)).toEqual(['Film']);
    await run();
    expect(world.planned.map(([title]) => title)).toEqual(['Film', 'Film Club']);
  });

  it('recreates the timers that it has removed', async () => {
    await world.broadcast(1, show('Film', at('20:15')), show('News', at('21:15')));
    const rule = await world.rule({ match: 'Film' });
    await run();
    await world.rule({ match: 'News' });
    await world.rules.change(rule.id, { marginAfter: 10 });
    const removeAll = world.timers.removeAll.bind(world.timers);
    let stopped: Promise<void> | undefined;
    vi.spyOn(world.timers, 'removeAll').mockImplementation((isUnwanted) => {
      stopped = world.autoTimer.stop();
      return removeAll(isUnwanted);
    });
    expect(await run()).toMatchObject({ created: 1 });
    await stopped;
    expect(world.timers.all.map(({ name, end }) => [name, end])).toEqual([['Film', at('21:15') + 600]]);
    await run();
    expect(world.planned.map(([title]) => title)).toEqual(['Film', 'News']);
  });
});

it('creates at most 200 timers for a rule', async () => {
  for (const n of [1, 2]) {
    const events = Array.from({ length: 150 }, (_, i) => show('Film', at('20:00') + i * 1200, { duration: 900 }));
    await world.broadcast(n, ...events);
  }
  await world.rule({ match: 'Film' });
  expect(await run()).toMatchObject({ created: 200 });
  expect((await verdicts())[0]?.filter((verdict) => verdict === 'bound')).toHaveLength(100);
});

it('records into the default folder if the folder of a rule was removed', async () => {
  await world.broadcast(1, show('Film', at('20:15')));
  await world.rule({ match: 'Film', dirname: '/somewhere/else/' });
  await run();
  expect(only().folder).toBeUndefined();
});
