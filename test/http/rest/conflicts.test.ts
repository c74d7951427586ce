/** `/api/conflicts`: which timers compete for tuners, and which of them get one. */
import { describe, expect, it } from 'vitest';
import { ServiceReference } from '../../../src/services/reference.ts';
import { timerSpec } from '../../../src/timers/timer.ts';
import { alpha, beta, now } from '../receiver.ts';
import { ask, receiver, useReceiver } from './fixture.ts';

useReceiver();

const elsewhere = '1:0:19:1:777:1:C00000:0:0:0:';
const begin = now + 3600;

/** A timer as from the file of a box: such timers are added even if they are in conflict. */
const listed = (reference: string, name: string, from: number, to: number) =>
  receiver.parts.timers.add(
    timerSpec({
      reference: ServiceReference.parse(reference),
      begin: begin + from,
      end: begin + to,
      name,
      conflictDetection: false,
    }),
  );

async function conflicts() {
  const { body } = await ask('GET', '/api/conflicts');
  return body?.conflicts as readonly {
    readonly start_time: number;
    readonly end_time: number;
    readonly timers: readonly Record<string, unknown>[];
  }[];
}

describe('GET /api/conflicts', () => {
  it('is empty while there are enough tuners', async () => {
    await listed(alpha, 'Ships', 0, 1800);
    await listed(beta, 'Films', 0, 1800);
    expect(await conflicts()).toEqual([]);
  });

  it('returns the competing timers, whether each gets a tuner, their transponders and the possible tuners', async () => {
    await listed(alpha, 'Ships', 0, 1800);
    await listed(elsewhere, 'Match', 600, 2400);
    await listed(alpha, 'Late', 7200, 9000);
    const [conflict, ...more] = await conflicts();
    expect(more).toEqual([]);
    expect(conflict).toMatchObject({ start_time: begin, end_time: begin + 2400 });
    expect(conflict?.timers).toMatchObject([
      { title: 'Ships', service_name: 'Alpha HD', transponder: '11836 MHz H', served: true },
      { title: 'Match', served: false },
    ]);
  });

  it('joins overlapping timers into one conflict', async () => {
    await listed(alpha, 'Ships', 0, 1800);
    await listed(elsewhere, 'Match', 600, 2400);
    await listed(beta, 'Films', 1200, 2000);
    await listed(alpha, 'News', 86_400, 90_000);
    await listed(elsewhere, 'Late match', 87_000, 90_000);
    const titles = (await conflicts()).map(({ timers }) => timers.map(({ title }) => title));
    expect(titles).toEqual([
      ['Ships', 'Match', 'Films'],
      ['News', 'Late match'],
    ]);
  });
});
