/** Filters: what they match, and that they do not block the event loop. */
import { beforeEach, describe, expect, it } from 'vitest';
import { compileFilters, maxFilters } from '../../src/autotimer/filter.ts';
import { formatPluginFile, parsePluginFile } from '../../src/autotimer/plugin-file.ts';
import { buildRuleSpec, type RuleSpec, validateRuleSpec } from '../../src/autotimer/rule.ts';
import { parseRules } from '../../src/autotimer/rules-file.ts';
import { TimeSlice } from '../../src/base/time-slice.ts';
import { yieldsOf } from '../fixtures/yields.ts';
import { at, show, World } from './world.ts';

let world: World;
beforeEach(async () => {
  world = await World.open();
});
const run = () => world.autoTimer.run();

it.each([
  [{ include: [{ where: 'title', text: '^Harbour' }] }, ['Harbour 1', 'Harbour 2', 'Harbour 3']],
  [{ include: ['Harbour', '[23]$'].map((text) => ({ where: 'title', text })) }, ['Harbour 2', 'Harbour 3']],
  [{ include: [{ where: 'title', text: 'harbour' }] }, []],
  [{ include: [{ where: 'shortdescription', text: 'Repeat' }] }, ['Harbour 2', 'Old Harbour']],
  [{ exclude: [{ where: 'shortdescription', text: '(?i)repeat' }] }, ['Harbour 1', 'Harbour 3']],
  [{ exclude: [{ where: 'description', text: 'Repeat' }] }, ['Harbour 1', 'Harbour 2', 'Harbour 3']],
  [
    {
      include: [{ where: 'description', text: 'pilot' }],
      exclude: ['3', '^Old'].map((text) => ({ where: 'title', text })),
    },
    ['Harbour 1'],
  ],
] as const)('records events that match all includes and no exclude: %j', async (filters, titles) => {
  await world.broadcast(
    1,
    show('Harbour 1', at('20:00'), { shortText: 'Boats', extendedText: 'A pilot comes.' }),
    show('Harbour 2', at('21:00'), { shortText: 'Repeat', extendedText: 'Boats.' }),
    show('Harbour 3', at('22:00'), { extendedText: 'The pilot goes.' }),
    show('Old Harbour', at('23:00'), { extendedText: 'Repeat of a pilot.' }),
  );
  await world.rule({ match: 'harbour', ...filters } as Parameters<World['rule']>[0]);
  await run();
  expect(world.planned.map(([title]) => title)).toEqual(titles);
});

it('yields to the event loop with filters that are slow to match', async () => {
  let state = 1;
  const letter = () => {
    state = (state * 48271) % 2147483647;
    return state & 64 ? 'a' : 'b';
  };
  await world.broadcast(
    1,
    ...[0, 1, 2].map((n) =>
      show('Harbour', at('20:00', n), { extendedText: Array.from({ length: 240 }, letter).join('') }),
    ),
  );
  const hostile = Array.from({ length: maxFilters }, (_, n) => ({
    where: 'description' as const,
    text: `(a|b)*a(a|b){${40 + n}}c`,
  }));
  const passes = await compileFilters({ include: [], exclude: hostile }, new TimeSlice());
  const { events } = await world.guide.search({ text: 'Harbour' });
  const yields = await yieldsOf(async () => {
    for (const event of events) expect(await passes(event, new TimeSlice())).toBe(true);
  });
  expect(yields).toBeGreaterThan(1000);
  // Rules with such filters still find their events.
  await world.rule({ match: 'Harbour', include: hostile });
  const { id } = await world.rule({ match: 'Harbour', exclude: hostile });
  await run();
  expect(world.timers.all.map(({ autoTimerRule }) => autoTimerRule)).toEqual([id, id, id]);
});

describe('filters that are slow to compile yield to the event loop', () => {
  let from = 0x100;
  /** The maximum number of filters. Each call returns other patterns, so that no cache has them. */
  const filters = () => {
    const characters = Array.from({ length: 240 }, (_, index) => String.fromCodePoint(from + index)).join('');
    from++;
    return Array.from({ length: maxFilters }, (_, index) => ({
      where: 'title' as const,
      text: `[${characters}]{${200 + index}}`,
    }));
  };
  const anySpec = () => buildRuleSpec({ match: 'x', include: filters(), exclude: filters() });

  it.each<[string, (spec: RuleSpec, slice: TimeSlice) => Promise<unknown>]>([
    ['validated', validateRuleSpec],
    ['compiled', compileFilters],
  ])('after each filter of a rule that is %s', async (_action, work) => {
    expect(await yieldsOf(() => work(anySpec(), new TimeSlice()))).toBeGreaterThanOrEqual(maxFilters);
  });

  it.each<[string, (all: readonly RuleSpec[]) => Promise<unknown>]>([
    ["the receiver's", (all) => parseRules(JSON.stringify({ rules: all }))],
    ["a box's", (all) => parsePluginFile([...formatPluginFile(all)].join(''))],
  ])('while %s file is parsed', async (_whose, read) => {
    const all = Array.from({ length: 5 }, anySpec);
    expect(await yieldsOf(() => read(all))).toBeGreaterThanOrEqual(all.length * maxFilters);
  });
});
