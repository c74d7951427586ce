/** The keys of a player on the screen of the receiver itself: live television is paused and gone back in, with mpv and without a display. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { Settings } from '../../src/device/settings.ts';
import { DeviceState } from '../../src/device/state.ts';
import { Tuner } from '../../src/dvb/tuner.ts';
import { TunerPool } from '../../src/dvb/tuner-pool.ts';
import { MpvConnection } from '../../src/playback/mpv/connection.ts';
import { MpvOutput } from '../../src/playback/mpv/mpv-output.ts';
import { Playback } from '../../src/playback/playback.ts';
import { Player } from '../../src/playback/player.ts';
import { RecordingFolders } from '../../src/recordings/folders.ts';
import { RecordingLibrary } from '../../src/recordings/library.ts';
import type { ServiceReference } from '../../src/services/reference.ts';
import { ServiceScanner } from '../../src/services/scanner.ts';
import { Services } from '../../src/services/services.ts';
import { Timeshifts } from '../../src/timeshift/timeshifts.ts';
import { until } from '../fixtures/patience.ts';

const isInstalled = spawnSync('mpv', ['--version']).status === 0;
const log = pino({ level: 'silent' });

describe.skipIf(!isInstalled)('timeshift on the screen', () => {
  const folder = mkdtempSync(join(tmpdir(), 'receiverd-screen-'));
  const state = new DeviceState(join(folder, 'state.json'));
  const pool = new TunerPool([new Tuner({ kind: 'demo' })], { linger: 0 });
  const output = new MpvOutput(
    {
      path: 'mpv',
      options: ['--vo=null', '--ao=null', '--hwdec=no', `--input-ipc-server=${join(folder, 'ask')}`],
      folder: join(folder, 'output'),
    },
    log,
  );
  let timeshifts: Timeshifts;
  let player: Player;

  beforeAll(async () => {
    const services = await Services.load(folder);
    await new ServiceScanner({ pool, services, log }).run('always');
    const recordings = new RecordingLibrary(new RecordingFolders([join(folder, 'movie')]), () => null);
    const playback = new Playback({ services, pool, state, recordings, output, log });
    timeshifts = new Timeshifts(
      {
        pool,
        services,
        settings: Settings.parse(''),
        clock: systemClock,
        log,
        playback,
        power: { standby: false, onChange: () => () => undefined },
        recorder: { active: [], start: () => Promise.reject(new Error('nothing is recorded here')) },
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
    await playback.zap(services.allEntries('tv')[0]?.reference as ServiceReference);
    await timeshifts.start();
  });

  afterAll(async () => {
    await timeshifts.close();
    await output.close();
    await pool.close();
    await state.flush();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Seconds on the broadcaster's clock of the picture that is shown; mpv counts from the first one of what it was given. */
  async function shown(): Promise<number> {
    const connection = new MpvConnection(connect(join(folder, 'ask')));
    try {
      const [start, position] = await Promise.all([
        connection.command('get_property', 'demuxer-start-time'),
        connection.command('get_property', 'time-pos'),
      ]);
      expect([typeof start, typeof position]).toEqual(['number', 'number']);
      return (start as number) + (position as number);
    } finally {
      connection.close();
    }
  }

  it('goes back, forward and to the present, and on from a pause', async () => {
    const kept = timeshifts.active;
    if (!kept) throw new Error('nothing is kept');
    await until(() => expect(kept.segments.length).toBeGreaterThan(3));
    await until(() => expect(output.position ?? 0).toBeGreaterThan(1));
    const live = await shown();
    player.seekBy(-12);
    // What is decoded of a live stream lies some seconds behind what is kept.
    await until(async () => expect(await shown()).toBeLessThan(live - 3));
    const back = await shown();
    await until(async () => expect(await shown()).toBeGreaterThan(back + 1));

    player.pause();
    await until(() => expect(output.paused).toBe(true));
    const paused = await shown();
    const segments = kept.segments.length;
    await until(() => expect(kept.segments.length).toBeGreaterThan(segments));
    expect(await shown()).toBe(paused);
    player.pause();
    await until(async () => expect(await shown()).toBeGreaterThan(paused + 0.5));
    expect(await shown()).toBeLessThan(live + 10);

    const air = () => kept.end;
    const before = air();
    player.seekBy(3600);
    await until(async () => expect(await shown()).toBeGreaterThan(live + (air() - before)));
    await player.stop();
    expect(output.paused).toBe(false);
  });
});
