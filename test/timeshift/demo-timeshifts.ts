/**
 * Timeshift of the demo multiplex, eight times as fast as real time, with a current service and standby set by the
 * test.
 */
import { join } from 'node:path';
import pino from 'pino';
import { systemClock } from '../../src/base/clock.ts';
import { Settings } from '../../src/config/enigma2-settings.ts';
import { parseTunerSpec, Tuner } from '../../src/dvb/tuner.ts';
import { TunerPool } from '../../src/dvb/tuner-pool.ts';
import { Guide } from '../../src/epg/guide.ts';
import type { CurrentService } from '../../src/playback/current-service.ts';
import { RecordingFolders } from '../../src/recordings/library/folders.ts';
import { Recorder } from '../../src/recordings/recorder.ts';
import { ServiceReference } from '../../src/services/reference.ts';
import { Services } from '../../src/services/services.ts';
import { type TimeshiftOptions, Timeshifts } from '../../src/timeshift/timeshifts.ts';
import { fastDemo } from '../fixtures/fast-demo.ts';
import { networkStreams } from '../fixtures/network.ts';
import { programTimeoutMs } from '../fixtures/waits.ts';

/** `folder` must be empty; the segments are in its subfolder `timeshift`. */
export async function demoTimeshifts(folder: string, options: Partial<TimeshiftOptions> = {}) {
  const guide = new Guide();
  const tuner = new Tuner(parseTunerSpec(fastDemo), { guide: guide.native });
  const pool = new TunerPool([tuner], { linger: 0 });
  await pool.tuners[0]?.lease({ purpose: 'scan', user: 'test' });
  await pool.tuners[0]?.until((multiplex) => multiplex.complete, { timeoutMs: programTimeoutMs });
  const references = tuner
    .multiplex()
    .services.map((service) => ServiceReference.service(service.type, service, 0xffff0000));
  const listeners = { watched: new Set<() => void>(), standby: new Set<(standby: boolean) => void>() };
  const playback = {
    current: undefined as CurrentService | undefined,
    onChange: (listener: () => void) => {
      listeners.watched.add(listener);
      return () => undefined;
    },
  };
  const power = {
    standby: false,
    onChange: (listener: (standby: boolean) => void) => {
      listeners.standby.add(listener);
      return () => undefined;
    },
  };
  const settings = Settings.parse('');
  const services = await Services.load(folder);
  const log = pino({ level: 'silent' });
  const network = networkStreams();
  const folders = new RecordingFolders(['/']);
  const recorder = new Recorder(
    { pool, network, guide, services, settings, folders, clock: systemClock, log, timeZone: () => 'UTC' },
    { queueBound: 32 << 20, sync: 'never', syncInterval: 1 },
  );
  const timeshifts = new Timeshifts(
    { pool, network, services, settings, clock: systemClock, log, playback, power, recorder },
    {
      folder: join(folder, 'timeshift'),
      size: 100,
      minimumFree: 0,
      automatic: false,
      queueBound: 32 << 20,
      dataDir: folder,
      ...options,
    },
  );
  return {
    pool,
    network,
    references,
    recorder,
    settings,
    timeshifts,
    /** Makes the service of this index in the multiplex the current one. */
    watch(index: number) {
      const reference = references[index];
      playback.current = reference && ({ reference, name: `Service ${index}`, played: undefined } as CurrentService);
      for (const listener of listeners.watched) listener();
    },
    setStandby(standby: boolean) {
      power.standby = standby;
      for (const listener of listeners.standby) listener(standby);
    },
    async close() {
      await recorder.stop();
      await timeshifts.close();
      await pool.close();
    },
  };
}
