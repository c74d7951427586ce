/** The counter of a rule, which limits its timers per period. */
import { beforeEach, describe, expect, it } from 'vitest';
import { at, day, show, World } from './world.ts';

let world: World;
beforeEach(async () => {
  world = await World.open();
});
const run = () => world.autoTimer.run();
const verdicts = async () =>
  (await world.autoTimer.preview(world.rules.all)).map((one) => one.map(({ verdict }) => verdict));
const only = () => world.timers.all[0] ?? expect.fail('no timer');

describe('a rule with a counter', () => {
  const days = () => world.planned.map(([, start]) => (start - at('20:15')) / day);
  const daily = () => world.broadcast(1, ...[0, 1, 2, 3, 4, 5].map((n) => show('Film', at('20:15', n))));

  it.each([
    // The first day is a Thursday.
    ['week', [0, 1, 4, 5]],
    ['week-from-sunday', [0, 1, 3, 4]],
    ['month', [0, 1]],
    ['always', [0, 1]],
  ] as const)('creates at most `counter` timers in each period: %s', async (counterPeriod, planned) => {
    await daily();
    await world.rule({ match: 'Film', counter: 2, counterPeriod });
    await run();
    await run();
    expect(days()).toEqual(planned);
    const [found = []] = await verdicts();
    expect(found).toEqual([0, 1, 2, 3, 4, 5].map((n) => (planned.includes(n as never) ? 'timer' : 'counter')));
  });

  it('determines the period by local time', async () => {
    await world.broadcast(
      1,
      show('Film', at('23:15', 3), { duration: 1800 }),
      show('Film', at('00:15', 4), { duration: 1800 }),
    );
    await world.rule({ match: 'Film', counter: 1, counterPeriod: 'week', after: at('12:00', 3) });
    await run();
    expect(world.planned.map(([, start]) => start)).toEqual([at('23:15', 3), at('00:15', 4)]);
  });

  it('counts past timers and those removed by the user until the period is over', async () => {
    await daily();
    await world.rule({ match: 'Film', counter: 2, counterPeriod: 'week' });
    await run();
    await world.timers.remove(only().id);
    await run();
    expect(days()).toEqual([1, 4, 5]);
    for (const today of [2, 3]) {
      world.clock.time = at('12:00', today);
      await world.timers.removeAll(({ end }) => end < world.clock.time);
      await run();
      await world.restart();
      await run();
      expect(days()).toEqual([4, 5]);
    }
    expect(world.rules.showings).toHaveLength(4);
    world.clock.time = at('12:00', 4);
    await run();
    expect(days()).toEqual([4, 5]);
    expect(world.rules.showings).toHaveLength(2);
  });

  it('does not count refused timers, and counts from 0 after the rule is changed', async () => {
    await daily();
    world.tuners = [];
    const { id } = await world.rule({ match: 'Film', counter: 1 });
    await run();
    expect(days()).toEqual([]);
    world.tuners = [0];
    await run();
    expect(days()).toEqual([0]);
    await world.rules.change(id, { after: at('12:00', 2) });
    await run();
    expect(days()).toEqual([2]);
  });
});
