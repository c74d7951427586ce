/** The receiver: reads its files, builds its parts from the configuration, starts and stops them. */
import type { Logger } from 'pino';
import { BroadcastClock, MachineClock } from '../base/clock.ts';
import { systemReason } from '../base/errors.ts';
import { createFolder } from '../base/files.ts';
import type { Configuration } from '../config/config.ts';
import { GuideStore, guideFile } from '../epg/guide-store.ts';
import { makeGuide } from '../epg/make-guide.ts';
import { DataFolder } from '../host/data-folder.ts';
import type { Host } from '../host/host.ts';
import { LocationMounts } from '../recordings/library/mounts.ts';
import { type Assembly, assemble } from './assembly.ts';
import { Lifecycle } from './lifecycle.ts';
import { problemText, readStoredFiles, removeLeftovers } from './stored-files.ts';

export type Receiver = Awaited<ReturnType<typeof openReceiver>>;

/**
 * Locks the data folder, reads the service lists and the guide, and builds all parts. Nothing listens and no tuner runs
 * before `start()`; `stop()` releases the folder.
 * @param host undefined if the receiver is embedded in another program
 * @throws ReceiverError `folder-in-use` while another receiver has the folder
 */
export async function openReceiver(configuration: Configuration, log: Logger, host?: Host) {
  const folder = await DataFolder.lock(configuration.dataDir);
  try {
    await createFolder(configuration.enigma2Dir);
    await removeLeftovers(configuration);
    const mounts = await createLocations(configuration, folder, log);
    const clock = configuration.clock === 'broadcast' ? new BroadcastClock() : new MachineClock();
    const guide = await makeGuide(configuration, clock, (problem) => log.warn(problem));
    const options = { path: guideFile(folder.path), saveIntervalSeconds: configuration.guide.saveEvery };
    const guideStore = new GuideStore({ guide, log }, options);
    // Reads on other threads while this one reads the lists. Never fails: if the file is unreadable, the guide is empty.
    const guideRead = guideStore.open();
    try {
      const stored = await readStoredFiles(configuration, folder.path, log);
      const assembly = assemble(configuration, { ...stored, folder, clock, guide, guideStore, log, host, mounts });
      await guideRead;
      return controlled(configuration, assembly);
    } catch (error) {
      await guideRead;
      await guideStore.stop();
      throw error;
    }
  } catch (error) {
    folder.release();
    throw error;
  }
}

/** Creates the recording folders. One on a missing disk is only logged: the receiver is needed to choose another. */
async function createLocations(
  { locations }: Configuration,
  { path }: DataFolder,
  log: Logger,
): Promise<LocationMounts> {
  const mounts = new LocationMounts(path, (error) => log.warn(`locations.json is not saved: ${error.message}`));
  for (const one of locations)
    await mounts.create(one).catch((error) => log.warn(`cannot record into ${one}: ${systemReason(error)}`));
  return mounts;
}

/** The functions with which a program controls the receiver. */
function controlled(configuration: Configuration, assembly: Assembly) {
  const { parts, accounts, services, settings, picons, tags, reception, recordings, log } = assembly;
  const lifecycle = new Lifecycle(configuration, assembly);
  return {
    parts,
    addresses: () => lifecycle.addresses,

    /** Whether an account may administer. */
    hasAdmin: () => accounts.hasAdmin,

    /**
     * Starts listening, scanning the tuners as configured, and collecting the guide. Returns early once `ending` is
     * aborted; the caller then calls `stop()`. @throws Error if a port is in use
     */
    start: (ending: AbortSignal = new AbortController().signal): Promise<void> => lifecycle.start(ending),

    /**
     * After a start with an empty service list: waits at most 20 seconds for the first scan if a capture or the demo
     * provides data. Resolves to false if the scan is still running then and has found no service.
     */
    hasScanned: (ending: AbortSignal): Promise<boolean> => lifecycle.hasScanned(ending),

    /** Whether the lists have a service or a stream. */
    hasChannels: (): boolean => services.size > 0 || services.playableReferences().next().done === false,

    /**
     * Rereads what other programs may have changed: service lists, settings, tags and picons, but not the timers. Applies
     * the settings that need no restart (`changedSettings`). @throws ReceiverError if a file cannot be read
     */
    async reload({ cleaning, notifications, enigma2 }: Configuration): Promise<void> {
      recordings.housekeeping.setRules(cleaning);
      assembly.notifications.setRules(notifications);
      reception.boxes.setLogins(enigma2.logins);
      // What a scan has found would be lost.
      await services.save();
      await Promise.all([services.reload(), settings.reload(), picons.reload(), tags.reload()]);
      for (const problem of services.problems) log.warn(problemText(problem));
      log.info(`service lists, settings, tags and picons read again; services: ${services.size}`);
    },

    /** Ends every stream, stops the tuners, closes the ports and releases the data folder. */
    stop: (): Promise<void> => lifecycle.stop(),
  };
}
