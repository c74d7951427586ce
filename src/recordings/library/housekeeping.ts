/**
 * Keeps space free on the disks with recordings. Deletes from the trash what is too old, or the oldest when space runs
 * short; deletes the oldest recordings if that is configured; removes the remains of interrupted copies. Never touches
 * a running recording.
 */
import { rm, stat, statfs } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import { ReceiverError } from '../../base/errors.ts';
import { isTemporary } from '../../base/files.ts';
import { ownCommand } from '../../base/own-command.ts';
import type { Configuration } from '../../config/config.ts';
import type { Settings } from '../../config/enigma2-settings.ts';
import { folderEntries } from '../files/folder-entries.ts';
import type { Recording } from '../files/recording.ts';
import type { RecordingActions } from './actions.ts';
import type { RecordingFolders } from './folders.ts';
import type { RecordingLibrary } from './library.ts';
import { isTrashed } from './trash-folder.ts';

/** Rules for deleting recordings automatically. */
export type CleaningRules = Configuration['cleaning'];

/** Space on a file system, in bytes. */
export interface DiskSpace {
  readonly free: number;
  readonly capacity: number;
}

interface HousekeepingParts {
  readonly folders: RecordingFolders;
  readonly library: RecordingLibrary;
  readonly actions: RecordingActions;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether this file is being written. */
  readonly isActive: (path: string) => boolean;
}

/** Seconds between two rounds. */
const roundIntervalSeconds = 300;
const day = 86_400;
const gigabyte = 2 ** 30;
/** Bytes of free space below which a warning is logged. */
const lowSpaceBytes = 2 * gigabyte;
/**
 * The trash need not leave more than this fraction of a disk free: the default of 40 GB would leave no room for a trash
 * on a small disk.
 */
const maxReserveFraction = 0.1;
/** Levels of folders below a location that are searched for leftovers. */
const maxDepth = 16;
/** Whether a file is left over from an interrupted write. Earlier versions named copies `.NAME.copying`. */
const isLeftover = (name: string) => isTemporary(name) || /^\..*\.copying$/.test(name);

export class Housekeeping {
  readonly #parts: HousekeepingParts;
  #rules: CleaningRules;
  readonly #spaceOf: (folder: string) => Promise<DiskSpace>;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  /** Locations for which a warning was logged: low on space, or missing. */
  readonly #lowOnSpace = new Set<string>();
  readonly #missing = new Set<string>();

  constructor(
    parts: HousekeepingParts,
    rules: CleaningRules,
    spaceOf: (folder: string) => Promise<DiskSpace> = spaceAt,
  ) {
    this.#parts = parts;
    this.#rules = rules;
    this.#spaceOf = spaceOf;
  }

  /** Changes the rules; they apply from the next round. */
  setRules(rules: CleaningRules): void {
    this.#rules = rules;
  }

  /** Removes leftovers and starts the periodic rounds. */
  start(): void {
    this.#timer = setInterval(() => void this.round(), roundIntervalSeconds * 1000).unref();
    void this.clearLeftovers();
    this.#checkLocations().catch((error: unknown) =>
      this.#parts.log.error(error, 'the recording folders cannot be checked'),
    );
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
  }

  /** Runs a round, or joins the one in progress. Never rejects: errors are logged. */
  round(): Promise<void> {
    this.#round ??= this.#runRound()
      .catch((error: unknown) =>
        this.#parts.log.error(error, 'cleaning the recording folders failed; the next attempt is in 5 min'),
      )
      .finally(() => {
        this.#round = undefined;
      });
    return this.#round;
  }

  /** Removes the remains of interrupted writes and copies. To be called before the first write. */
  async clearLeftovers(): Promise<void> {
    for (const folder of this.#parts.folders.all) await this.#clear(folder, 0);
  }

  async #clear(folder: string, depth: number): Promise<void> {
    const entries = await folderEntries(folder).catch(() => []);
    for (const entry of entries) {
      if (entry.isFile() && isLeftover(entry.name))
        await rm(folder + entry.name, { force: true }).catch(() => undefined);
      else if (entry.isDirectory() && depth < maxDepth) await this.#clear(`${folder}${entry.name}/`, depth + 1);
    }
  }

  /** Logs a warning about missing locations, and has the mount points of the others remembered. */
  async #checkLocations(): Promise<void> {
    const { folders, log } = this.#parts;
    for (const location of folders.all) {
      const missing = await folders.missingReason(location);
      if (missing === '') {
        if (this.#missing.delete(location)) log.info(`the recording folder ${location} is available again`);
      } else if (!this.#missing.has(location)) {
        this.#missing.add(location);
        log.warn(
          `the recording folder ${location} is missing: ${missing}; nothing can be recorded into it until it is back (run ${ownCommand('doctor')})`,
        );
      }
    }
  }

  async #runRound(): Promise<void> {
    await this.#checkLocations();
    const { library, clock, settings } = this.#parts;
    const all = await library.all({ trash: true });
    const trashed = await this.#byDeletion(all.filter(({ path }) => isTrashed(path)));
    const now = clock.now();
    const maxTrashSeconds = settings.number('config.usage.movielist_trashcan_days') * day;
    const left: Recording[] = [];
    for (const { recording, deletedAt } of trashed) {
      if (now - deletedAt > maxTrashSeconds) await this.#remove(recording, 'exceeded its time in the trash');
      else left.push(recording);
    }
    const kept = all.filter((one) => !isTrashed(one.path) && this.#isDeletable(one)).sort((a, b) => a.begin - b.begin);
    const { deleteAfter } = this.#rules;
    const old = kept.filter(({ begin }) => deleteAfter > 0 && clock.synchronised && now - begin > deleteAfter * day);
    for (const one of old) await this.#remove(one, `is older than ${deleteAfter} days`);
    const gone = new Set(old);
    await this.#freeSpace(
      left,
      kept.filter((one) => !gone.has(one) && now - one.begin > day),
    );
  }

  /** Frees space on each disk that needs it: deletes the oldest in the trash first, then the oldest recordings. */
  async #freeSpace(trashed: readonly Recording[], kept: readonly Recording[]): Promise<void> {
    const { folders, settings, log } = this.#parts;
    const reserve = settings.number('config.usage.movielist_trashcan_reserve') * gigabyte;
    const minimum = this.#rules.minimumFree * gigabyte;
    for (const location of folders.all) {
      // The free space at this path would be that of another disk.
      if (this.#missing.has(location)) continue;
      const inHere = ({ path }: Recording) => folders.folderOf(path) === location;
      let space = await this.#spaceOf(location).catch(() => undefined);
      // The disk does not respond.
      if (space === undefined) continue;
      for (const one of trashed.filter(inHere)) {
        if (space.free >= Math.max(minimum, Math.min(reserve, space.capacity * maxReserveFraction))) break;
        await this.#remove(one, 'was the oldest in the trash, and space was needed');
        space = await this.#spaceOf(location);
      }
      for (const one of kept.filter(inHere)) {
        if (space.free >= minimum) break;
        await this.#remove(one, 'was the oldest, and space was needed');
        space = await this.#spaceOf(location);
      }
      if (space.free >= lowSpaceBytes) this.#lowOnSpace.delete(location);
      else if (!this.#lowOnSpace.has(location)) {
        this.#lowOnSpace.add(location);
        log.warn(
          `${location}: only ${Math.floor(space.free / 2 ** 20)} MB are free for recordings; delete some, or set cleaning.minimumFree`,
        );
      }
    }
  }

  #isDeletable({ path, tags }: Recording): boolean {
    return !this.#parts.isActive(path) && !tags.includes(this.#rules.keepTag);
  }

  /** Sorts recordings by the time of deletion, oldest first: moving a file to the trash sets its `ctime`. */
  async #byDeletion(trashed: readonly Recording[]) {
    const found = await Promise.all(
      trashed.map(async (recording) => ({
        recording,
        deletedAt: await stat(recording.path).then(
          ({ ctimeMs }) => ctimeMs / 1000,
          () => Number.POSITIVE_INFINITY,
        ),
      })),
    );
    return found.sort((a, b) => a.deletedAt - b.deletedAt);
  }

  async #remove({ path, title }: Recording, why: string): Promise<void> {
    const { actions, log } = this.#parts;
    try {
      await actions.delete(path, { forGood: true });
      log.info(`deleted recording '${title}' (${path}): it ${why}`);
    } catch (error) {
      if (!(error instanceof ReceiverError)) throw error;
      log.debug(`recording '${path}' is kept: ${error.message}`);
    }
  }
}

async function spaceAt(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, capacity: blocks * bsize };
}
