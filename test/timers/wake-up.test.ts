/** The wake alarm, and when the machine is needed. */
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { fail } from '../../src/base/errors.ts';
import { DeviceState } from '../../src/device/state.ts';
import { WakeUp } from '../../src/timers/wake-up.ts';
import { berlin, day, hour, minute, now, service, spec, World } from './world.ts';

const leadSeconds = 4 * minute;

let world: World;
let state: DeviceState;
/** Seconds with which the alarm was set. */
let set: (number | undefined)[];
let warned: string[];
beforeEach(async () => {
  world = await World.open();
  state = new DeviceState(join(world.folder, 'state.json'));
  [set, warned] = [[], []];
});

function open({ uptime = 0, alarm = true, use = undefined as string | undefined, refuses = false } = {}): WakeUp {
  const ring = async (seconds: number | undefined) => {
    if (refuses) throw fail('file-unwritable', '/wakealarm', 'busy');
    set.push(seconds);
  };
  return new WakeUp({
    timers: world.list,
    clock: world.clock,
    zone: berlin,
    state,
    alarm: alarm ? { path: '/wakealarm', set: ring } : undefined,
    leadSeconds,
    uptime: () => uptime,
    otherUse: () => use,
    log: { warn: (text) => warned.push(text), error: (error) => warned.push((error as Error).message) },
  });
}

describe('the alarm', () => {
  it('is set for the next timer that needs it', async () => {
    const wakeUp = open();
    await wakeUp.arm();
    await world.list.add(spec({ begin: now + 3 * hour }));
    await world.list.add(spec({ begin: now + 2 * hour, reference: service(2), disabled: true }));
    await world.list.add(spec({ begin: now + hour, justPlay: true, zapWakeup: 'from_standby' }));
    expect(await wakeUp.arm()).toBeUndefined();
    await world.list.add(spec({ begin: now + hour, justPlay: true, reference: service(3) }));
    await wakeUp.arm();
    expect(set).toEqual([3 * hour - leadSeconds, hour - leadSeconds]);
  });

  it('leaves the machine time to shut down', async () => {
    await world.list.add(spec({ begin: now + minute }));
    await open().arm();
    expect(set).toEqual([2 * minute]);
  });

  it('is set for the next day of a running repeating timer', async () => {
    const { timer } = await world.list.add(spec({ begin: now - minute, repeated: 127 }));
    await world.list.add(spec({ begin: now - minute, reference: service(2) }));
    expect(timer.begin).toBe(now - minute);
    await open().arm();
    expect(set).toEqual([day - minute - leadSeconds]);
  });

  it('is cleared when no timer is left', async () => {
    const { timer } = await world.list.add(spec());
    const wakeUp = open();
    await wakeUp.arm();
    await world.list.remove(timer.id);
    await wakeUp.arm();
    await wakeUp.arm();
    expect(set).toEqual([hour - leadSeconds, undefined]);
  });

  it('is reported as not set if there is none, it fails, or the time is unknown', async () => {
    await world.list.add(spec());
    expect(await open({ alarm: false }).arm()).toContain("timer 'News'");
    await open({ alarm: false }).armOrLog();
    await open({ refuses: true }).armOrLog();
    world.clock.synchronised = false;
    await open().armOrLog();
    expect([set, warned.length]).toEqual([[], 3]);
  });
});

describe('the machine', () => {
  it('must stay on during a timer, shortly before one, and for other uses', async () => {
    const wakeUp = open();
    expect(wakeUp.busyWith).toBeUndefined();
    await world.list.add(spec({ begin: now + 15 * minute + 1, end: now + hour }));
    expect(wakeUp.busyWith).toBeUndefined();
    await world.goTo(now + 2);
    expect(wakeUp.busyWith).toContain('News');
    await world.goTo(now + hour - 1);
    expect(wakeUp.busyWith).toContain('News');
    await world.goTo(now + hour);
    expect(wakeUp.busyWith).toBeUndefined();
    expect(open({ use: 'somebody watches' }).busyWith).toBe('somebody watches');
  });

  it('was switched on by the alarm, or by a user, or only the receiver was restarted', async () => {
    expect(open().takeCause()).toBe('other');
    await world.list.add(spec());
    const startedAt = async (time: number, uptime: number) => {
      world.clock.time = now;
      await open().arm();
      world.clock.time = time;
      return open({ uptime }).takeCause();
    };
    expect(await startedAt(now + hour - leadSeconds + minute, minute)).toBe('alarm');
    expect(await startedAt(now + hour - leadSeconds + minute, day)).toBe('other');
    expect(await startedAt(now + hour / 2, minute)).toBe('other');
    expect(await startedAt(now + 2 * hour, minute)).toBe('other');
  });

  it('reports the alarm only once: a restarted receiver does not see it again', async () => {
    await world.list.add(spec());
    await open().arm();
    world.clock.time = now + hour - leadSeconds + minute;
    world.clock.synchronised = false;
    const wakeUp = open({ uptime: minute });
    expect(wakeUp.takeCause()).toBeUndefined();
    world.clock.synchronised = true;
    expect([wakeUp.takeCause(), wakeUp.takeCause()]).toEqual(['alarm', undefined]);
    expect(open({ uptime: minute }).takeCause()).toBe('other');
  });
});
