/** When the guide of a transponder is collected, and when a visit ends. */
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { Transponder } from '../../src/dvb/transponder.ts';
import { parseTunerSpec, Tuner } from '../../src/dvb/tuner.ts';
import { TunerPool } from '../../src/dvb/tuner-pool.ts';
import { GuideCollector } from '../../src/epg/collector.ts';
import { Guide } from '../../src/epg/guide.ts';
import { GuidePlan, isComplete } from '../../src/epg/guide-plan.ts';
import { fastDemo } from '../fixtures/fast-demo.ts';
import { timeAndDate } from '../fixtures/sections.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { writeTransportStream } from '../fixtures/transport-stream.ts';
import { untilTrue } from '../fixtures/waits.ts';
import { yieldsOf } from '../fixtures/yields.ts';

const transponder = (transportStreamId: number): Transponder => ({
  namespace: 0xeeee0000,
  transportStreamId,
  originalNetworkId: 1,
  parameters: { kind: 'cable', frequency: 0, symbolRate: 0, inversion: 2, modulation: 0, fec: 0, flags: 0, system: 0 },
});
const stream = (transportStreamId: number, complete: boolean) => ({
  originalNetworkId: 1,
  transportStreamId,
  presentFollowing: 2,
  presentFollowingComplete: complete ? 2 : 1,
  schedules: 2,
  schedulesComplete: complete ? 2 : 1,
});
const [one, two, three] = [transponder(1), transponder(2), transponder(3)];

describe('the plan', () => {
  it('has every transponder due at first, and again when its data is old', () => {
    const plan = new GuidePlan(3600);
    expect(plan.due([one, two], 10_000)).toEqual([one, two]);
    plan.recordVisit(one, 10_000);
    expect(plan.due([one, two], 10_000)).toEqual([two]);
    plan.recordVisit(two, 10_100);
    expect(plan.due([one, two], 13_599)).toEqual([]);
    expect(plan.due([one, two], 13_700)).toEqual([one, two]);
  });

  it('puts the oldest data first', () => {
    const plan = new GuidePlan(100);
    plan.recordVisit(two, 1000);
    plan.recordVisit(one, 2000);
    expect(plan.due([one, two, three], 5000)).toEqual([three, two, one]);
  });

  it('counts data received on another multiplex or for a viewer, if it is complete', () => {
    const plan = new GuidePlan(3600);
    plan.recordProgress([stream(1, true), stream(2, false)], 10_000);
    expect(plan.due([one, two], 10_000)).toEqual([two]);
    expect(isComplete([stream(1, true), stream(2, false)])).toBe(false);
    expect(isComplete([stream(1, true)])).toBe(true);
    expect(isComplete([])).toBe(false);
  });
});

describe('collecting from a source of one multiplex', () => {
  const pools: TunerPool[] = [];
  afterEach(async () => {
    for (const pool of pools.splice(0)) await pool.close();
  });

  it('yields between switching on tuners, and can be stopped meanwhile', async () => {
    const tuners = Array.from({ length: 8 }, () => new Tuner(parseTunerSpec('demo')));
    const pool = new TunerPool(tuners, { linger: 0 });
    pools.push(pool);
    const log = pino({ level: 'silent' });
    const collector = new GuideCollector(
      { pool, clock: systemClock, log, transponders: () => [] },
      { maxAgeSeconds: 3600 },
    );
    await yieldsOf(async () => {
      collector.start();
      expect(pool.tuners.filter(({ users }) => users.length > 0)).toHaveLength(1);
      await collector.stop();
    });
    expect(pool.tuners.flatMap(({ users }) => users)).toEqual([]);
  });

  it('ends when everything that was announced has arrived', async () => {
    const guide = new Guide();
    const tuner = new Tuner(parseTunerSpec(fastDemo), { guide: guide.native });
    const pool = new TunerPool([tuner], { linger: 0 });
    pools.push(pool);
    const lines: Record<string, unknown>[] = [];
    const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
    const collector = new GuideCollector(
      { pool, clock: systemClock, log, transponders: () => [] },
      { maxAgeSeconds: 3600 },
    );
    expect(collector.age).toBeUndefined();
    collector.start();
    await new Promise<void>((updated) => tuner.onGuide(updated));
    expect(pool.tuners[0]?.users).toEqual([{ purpose: 'guide', user: 'guide collection' }]);
    await untilTrue(() => lines.length > 0);
    expect(lines).toMatchObject([{ msg: 'guide collected', tuner: 'Tuner A', whole: true }]);
    await untilTrue(() => !tuner.running);
    const { events } = await guide.statistics();
    // More than a week of guide for eight services.
    expect(events).toBeGreaterThan(1000);
    expect(collector.age).toBeGreaterThanOrEqual(0);
    await collector.stop();
  });

  it.each([
    ['reports a capture without a time, once', [], 1],
    ['reports none with a time', [{ seconds: 1, pid: 0x14, section: timeAndDate }], 0],
  ])('%s', async (_, sections, count) => {
    const path = join(temporaryFolder(), 'capture.ts');
    const services = [{ serviceId: 1, name: 'One' }];
    writeTransportStream(path, {
      ...{ transportStreamId: 1, originalNetworkId: 1, services, sections, bitRate: 200_000, seconds: 2 },
    });
    const tuner = new Tuner({ kind: 'file', path, loop: true, paced: false });
    const pool = new TunerPool([tuner], { linger: 0 });
    pools.push(pool);
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line).msg) });
    const collector = new GuideCollector(
      { pool, clock: systemClock, log, transponders: () => [] },
      { maxAgeSeconds: 0 },
    );
    const timed = new Promise<void>((received) => tuner.onTime(() => received()));
    collector.start();
    if (count > 0) await untilTrue(() => lines.length > 0);
    else await timed;
    await collector.stop();
    await untilTrue(() => !tuner.running);
    collector.start();
    await untilTrue(() => tuner.running && tuner.multiplex().exhausted);
    await collector.stop();
    const said = `file:${path} carries no time (TDT, TOT or STT): by the clock of this machine, events of an old capture are over, and its guide stays empty`;
    expect(lines).toEqual(Array.from({ length: count }, () => said));
  });

  it('ends at once when the receiver stops', async () => {
    const tuner = new Tuner(parseTunerSpec(fastDemo));
    const pool = new TunerPool([tuner], { linger: 0 });
    pools.push(pool);
    const log = pino({ level: 'silent' });
    const collector = new GuideCollector(
      { pool, clock: systemClock, log, transponders: () => [] },
      { maxAgeSeconds: 3600 },
    );
    collector.start();
    await untilTrue(() => tuner.running);
    await collector.stop();
    expect(pool.tuners[0]?.users).toEqual([]);
  });
});
