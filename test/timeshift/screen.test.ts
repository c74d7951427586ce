/** Timeshift shown by the real mpv: pause and seek. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { Settings } from '../../src/config/enigma2-settings.ts';
import { Player } from '../../src/playback/player.ts';
import type { ServiceReference } from '../../src/services/reference.ts';
import { Timeshifts } from '../../src/timeshift/timeshifts.ts';
import { hasMpv, mpvScreen } from '../fixtures/mpv.ts';
import { networkStreams } from '../fixtures/network.ts';
import { until } from '../fixtures/waits.ts';

describe.skipIf(!hasMpv)('timeshift on the screen', () => {
  const screen = mpvScreen();
  const { folder, log, pool, output, ask } = screen;
  let timeshifts: Timeshifts;
  let player: Player;

  beforeAll(async () => {
    const { services, television, playback } = await screen.open();
    timeshifts = new Timeshifts(
      {
        pool,
        network: networkStreams(),
        services,
        settings: Settings.parse(''),
        clock: systemClock,
        log,
        playback,
        power: { standby: false, onChange: () => () => undefined },
        recorder: {
          active: [],
          start: () => Promise.reject(new Error('nothing is recorded here')),
          onChange: () => () => undefined,
        },
      },
      {
        folder: join(folder, 'timeshift'),
        size: 100,
        minimumFree: 0,
        automatic: false,
        queueBound: 32 << 20,
        dataDir: folder,
      },
    );
    player = new Player(playback, timeshifts);
    await playback.zap(television[0] as ServiceReference);
    await timeshifts.start();
  });

  afterAll(async () => {
    await timeshifts.close();
    await screen.close();
  });

  /**
   * Broadcast time in seconds of the picture shown. The position reported by mpv counts from the first one it received.
   */
  async function shown(): Promise<number> {
    const [start, position] = await Promise.all([ask('demuxer-start-time'), ask('time-pos')]);
    expect([typeof start, typeof position]).toEqual(['number', 'number']);
    return (start as number) + (position as number);
  }

  it('moves back, forward and to the live position, and resumes after a pause', async () => {
    const kept = timeshifts.active;
    if (!kept) throw new Error('no timeshift');
    await until(() => expect(kept.segments.length).toBeGreaterThan(3));
    await until(() => expect(output.position ?? 0).toBeGreaterThan(1));
    const live = await shown();
    player.seekBy(-12);
    // The decoded live picture lags some seconds behind the timeshift.
    await until(async () => expect(await shown()).toBeLessThan(live - 3));
    const back = await shown();
    await until(async () => expect(await shown()).toBeGreaterThan(back + 1));

    player.pause();
    await until(async () => expect(await ask('pause')).toBe(true));
    await until(() => expect(output.paused).toBe(true));
    const paused = await shown();
    const segments = kept.segments.length;
    await until(() => expect(kept.segments.length).toBeGreaterThan(segments));
    expect(await shown()).toBe(paused);
    player.pause();
    await until(async () => expect(await shown()).toBeGreaterThan(paused + 0.5));

    const air = () => kept.end;
    const before = air();
    player.seekBy(3600);
    await until(async () => expect(await shown()).toBeGreaterThan(live + (air() - before)));
    await player.stop();
    expect(output.paused).toBe(false);
  });
});
