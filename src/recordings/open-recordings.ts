/** Builds all that makes and manages recordings. */
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Configuration } from '../config.ts';
import type { Settings } from '../device/settings.ts';
import type { TunerPool } from '../dvb/tuner-pool.ts';
import type { Guide } from '../epg/guide.ts';
import type { Services } from '../services/services.ts';
import { RecordingActions } from './actions.ts';
import { recordingFolders } from './folders.ts';
import { Housekeeping } from './housekeeping.ts';
import { RecordingLibrary } from './library.ts';
import { Locations } from './locations.ts';
import { Recorder } from './recorder.ts';

export interface RecordingNeeds {
  readonly pool: TunerPool;
  readonly services: Services;
  readonly guide: Guide;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the timer that makes the recording in this file, which would continue in another file. */
  readonly endTimer: (path: string) => Promise<unknown>;
}

export function openRecordings(configuration: Configuration, needs: RecordingNeeds) {
  const { settings, guide, clock, log, endTimer } = needs;
  const { locations, locationRoots } = configuration;
  const folders = recordingFolders(locations, settings, locationRoots);
  const library = new RecordingLibrary(folders, (bytes) => guide.eventOfFile(bytes));
  const recorder = new Recorder({ ...needs, timeZone: () => configuration.timeZone }, configuration.recording);
  const recordingAt = (path: string) => recorder.active.find((one) => one.path === path);
  const isActive = (path: string) => recordingAt(path) !== undefined;
  const stop = async (path: string) => {
    await endTimer(path);
    await recordingAt(path)?.stop();
  };
  const actions = new RecordingActions({
    folders,
    library,
    settings,
    active: { isActive, stop },
    onError: (error) => log.warn(`moving or copying a recording failed: ${error.message}`),
  });
  const parts = { folders, library, actions, settings, clock, log, isActive };
  return {
    folders,
    locations: new Locations({ folders, settings }, locations, locationRoots),
    library,
    recorder,
    actions,
    housekeeping: new Housekeeping(parts, configuration.cleaning),
  };
}
