/** The receiver's clock on a machine that may not know the time. */
import { expect, it } from 'vitest';
import { MachineClock } from '../../src/base/clock.ts';

const present = Date.UTC(2026, 0, 1) / 1000;
const year = 365 * 86_400;

/** A machine that was switched on just now. */
function machine(time: number) {
  const state = { system: time, uptime: 0 };
  const clock = new MachineClock(
    () => state.system,
    () => state.uptime * 1000,
  );
  const pass = (seconds: number) => {
    state.system += seconds;
    state.uptime += seconds;
  };
  return { state, clock, pass };
}

it('is that of the machine', () => {
  const { clock } = machine(present);
  expect([clock.synchronised, clock.now()]).toEqual([true, present]);
  clock.set(present + year);
  expect(clock.now()).toBe(present);
});

it('is unknown on a machine that starts in 1970, until it is set', () => {
  const box = machine(7);
  box.pass(60);
  expect([box.clock.synchronised, box.clock.now()]).toEqual([false, 67]);
  box.state.system = present;
  expect([box.clock.synchronised, box.clock.now()]).toEqual([true, present]);
});

it('is that of the broadcast until then', () => {
  const box = machine(7);
  box.clock.set(present - 10 * year);
  expect(box.clock.synchronised).toBe(false);
  box.clock.set(present);
  box.pass(90);
  expect([box.clock.synchronised, box.clock.now()]).toEqual([true, present + 90]);
  box.state.system = present + 93;
  expect(box.clock.now()).toBe(present + 93);
  box.clock.set(present + 80);
  expect(box.clock.now()).toBe(present + 93);
});

it('keeps the time if the machine loses it again', () => {
  const box = machine(present);
  expect(box.clock.now()).toBe(present);
  box.state.system = 0;
  box.pass(3600);
  expect([box.clock.synchronised, box.clock.now()]).toEqual([true, present + 3600]);
});

it('follows every other jump of the machine', () => {
  const box = machine(present);
  for (const jump of [-1, 1, -300, 300, -year, 30 * year, -29 * year]) {
    box.state.system += jump;
    expect([box.clock.synchronised, box.clock.now()]).toEqual([true, box.state.system]);
  }
});
