/** Builds the recorder, the library and everything else that manages recordings. */
import type { Configuration } from '../config/config.ts';
import { BreakFinder } from './break-finder.ts';
import { RecordingActions } from './library/actions.ts';
import { recordingFolders } from './library/folders.ts';
import { Housekeeping } from './library/housekeeping.ts';
import { Indexer } from './library/indexer.ts';
import { RecordingLibrary } from './library/library.ts';
import { Locations } from './library/locations.ts';
import type { LocationMounts } from './library/mounts.ts';
import { Recorder, type RecorderParts } from './recorder.ts';

export interface RecordingNeeds extends Omit<RecorderParts, 'timeZone' | 'folders'> {
  /** Ends the timer that is recording to this file, so that it does not continue in another file. */
  readonly endTimer: (path: string) => Promise<unknown>;
  readonly mounts: LocationMounts;
  /** Whether a tuner records or streams. */
  readonly isReceiving: () => boolean;
}

export function openRecordings(configuration: Configuration, needs: RecordingNeeds) {
  const { settings, guide, clock, log, endTimer, mounts, isReceiving } = needs;
  const { locations, locationRoots } = configuration;
  const folders = recordingFolders(locations, settings, locationRoots, mounts);
  void folders.foldersOutsideRoots().then((all) => {
    for (const [folder, real] of all)
      log.warn(
        `the recording folder ${folder} is a link to ${real}, outside of locations and locationRoots: its recordings are not listed; add ${real} to locationRoots, or remove the folder`,
      );
  });
  const library = new RecordingLibrary(
    folders,
    (bytes) => guide.eventOfFile(bytes),
    (path) => log.warn(`${path} is not listed, because its name is not UTF-8: rename it`),
  );
  const recorder = new Recorder({ ...needs, folders, timeZone: () => configuration.timeZone }, configuration.recording);
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
  const isBusy = () => recorder.active.length > 0 || isReceiving();
  const { dataDir } = configuration;
  const parts = { folders, library, actions, recorder, settings, clock, log, dataDir, isActive, isBusy };
  return {
    folders,
    locations: new Locations({ folders, settings }, locations, locationRoots),
    library,
    recorder,
    actions,
    housekeeping: new Housekeeping(parts, configuration.cleaning),
    indexer: new Indexer(parts),
    breakFinder: new BreakFinder(parts, configuration.advertisements),
  };
}
