/** The programme of a timer, and the margins around it. */
import { expect, it } from 'vitest';

interface Module {
  planOf(timer: object): { start: number; end: number; before?: number; after?: number };
}
// Imported by URL, because its types need those of a browser.
const { href } = new URL('../../src/ui/pages/timers/margins.ts', import.meta.url);
const { planOf } = (await import(href)) as Module;

const event = { start_time: 10_000, duration: 3600 };

it.each([
  ['margins', 9820, 13_900, { start: 10_000, end: 13_600, before: 180, after: 300 }],
  ['no margins', 10_000, 13_600, { start: 10_000, end: 13_600, before: 0, after: 0 }],
  ['a part of its event', 10_000, 12_000, { start: 10_000, end: 12_000 }],
  ['a later part of its event', 11_000, 13_900, { start: 11_000, end: 13_900 }],
  ['much more than its event', 1000, 13_900, { start: 1000, end: 13_900 }],
])('a timer may record %s', (_, start_time, end_time, plan) => {
  expect(planOf({ start_time, end_time, event })).toEqual(plan);
});

it('a timer without an event records a period', () => {
  expect(planOf({ start_time: 1000, end_time: 2000 })).toEqual({ start: 1000, end: 2000 });
});

it('margins that were chosen count more than those of the event', () => {
  const timer = { start_time: 9000, end_time: 13_900, margin_before: 60, margin_after: 0 };
  const plan = { start: 9060, end: 13_900, before: 60, after: 0 };
  expect([planOf(timer), planOf({ ...timer, event })]).toEqual([plan, plan]);
});
