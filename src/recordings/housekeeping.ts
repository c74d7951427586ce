/**
 * Maintains the disks with recordings. Empties the trash by age and when space runs short, deletes the oldest
 * recordings if the owner has configured it, and removes the remains of interrupted copies. Never touches a running
 * recording.
 */
import { rm, stat, statfs } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { ReceiverError } from '../base/errors.ts';
import { isTemporary } from '../base/files.ts';
import type { Configuration } from '../config/config.ts';
import type { Settings } from '../config/enigma2-settings.ts';
import type { RecordingActions } from './actions.ts';
import { folderEntries } from './folder-entries.ts';
import type { RecordingFolders } from './folders.ts';
import type { RecordingLibrary } from './library.ts';
import type { Recording } from './recording.ts';
import { isTrashed } from './trash-folder.ts';

/** Rules for deleting recordings for good without a request. */
export type CleaningRules = Configuration['cleaning'];

/** Space on a file system, in bytes. */
export interface Room {
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
const pace = 300;
const day = 86_400;
const gigabyte = 2 ** 30;
/** A warning is logged below this much free space. */
const shortage = 2 * gigabyte;
/**
 * The largest share of a disk that the trash must leave free: on a small disk the usual 40 GB would leave no trash at
 * all.
 */
const largestReserve = 0.1;
/** Depth of folders below a location that are searched for leftovers. */
const deepest = 16;
/** The second form is that of copies made by earlier versions. */
const isLeftover = (name: string) => isTemporary(name) || /^\..*\.copying$/.test(name);

export class Housekeeping {
  readonly #parts: HousekeepingParts;
  #rules: CleaningRules;
  readonly #roomOf: (folder: string) => Promise<Room>;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  /** Locations that have been warned about: short of space, or not there. */
  readonly #short = new Set<string>();
  readonly #missing = new Set<string>();

  constructor(parts: HousekeepingParts, rules: CleaningRules, roomOf: (folder: string) => Promise<Room> = roomAt) {
    this.#parts = parts;
    this.#rules = rules;
    this.#roomOf = roomOf;
  }

  /** Other rules, from the next round on. */
  changeRules(rules: CleaningRules): void {
    this.#rules = rules;
  }

  /** Removes leftovers and starts the periodic rounds. */
  start(): void {
    this.#timer = setInterval(() => void this.round(), pace * 1000).unref();
    void this.clearLeftovers();
    this.#lookForLocations().catch((error: unknown) =>
      this.#parts.log.error(error, 'no look at the recording folders'),
    );
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
  }

  /** Runs one round, never two at a time. Never rejects: errors are logged. */
  round(): Promise<void> {
    this.#round ??= this.#goRound()
      .catch((error: unknown) =>
        this.#parts.log.error(error, 'the recording folders were not cleaned; the next round is in 5 min'),
      )
      .finally(() => {
        this.#round = undefined;
      });
    return this.#round;
  }

  /** Removes the remains of interrupted writes and copies. Must run before any of them starts. */
  async clearLeftovers(): Promise<void> {
    for (const folder of this.#parts.folders.all) await this.#clear(folder, 0);
  }

  async #clear(folder: string, depth: number): Promise<void> {
    const entries = await folderEntries(folder).catch(() => []);
    for (const entry of entries) {
      if (entry.isFile() && isLeftover(entry.name))
        await rm(folder + entry.name, { force: true }).catch(() => undefined);
      else if (entry.isDirectory() && depth < deepest) await this.#clear(`${folder}${entry.name}/`, depth + 1);
    }
  }

  /** Warns about a location that is not there, and remembers the file system of one that is. */
  async #lookForLocations(): Promise<void> {
    const { folders, log } = this.#parts;
    for (const location of folders.all) {
      const missing = await folders.missing(location);
      if (missing === '') {
        if (this.#missing.delete(location)) log.info(`the recording folder ${location} is there again`);
      } else if (!this.#missing.has(location)) {
        this.#missing.add(location);
        log.warn(
          `the recording folder ${location} is missing: ${missing}; nothing is recorded into it (receiverd doctor says what to do)`,
        );
      }
    }
  }

  async #goRound(): Promise<void> {
    await this.#lookForLocations();
    const { library, clock, settings } = this.#parts;
    const all = await library.all({ trash: true });
    const trashed = await this.#byDeletion(all.filter(({ path }) => isTrashed(path)));
    const now = clock.now();
    const longest = settings.number('config.usage.movielist_trashcan_days') * day;
    const left: Recording[] = [];
    for (const { recording, deletedAt } of trashed) {
      if (now - deletedAt > longest) await this.#remove(recording, 'has been in the trash for long enough');
      else left.push(recording);
    }
    const kept = all.filter((one) => !isTrashed(one.path) && this.#mayGo(one)).sort((a, b) => a.begin - b.begin);
    const { deleteAfter } = this.#rules;
    const old = kept.filter(({ begin }) => deleteAfter > 0 && clock.synchronised && now - begin > deleteAfter * day);
    for (const one of old) await this.#remove(one, `is older than ${deleteAfter} days`);
    const gone = new Set(old);
    await this.#makeRoom(
      left,
      kept.filter((one) => !gone.has(one) && now - one.begin > day),
    );
  }

  /** Deletes the oldest in the trash first, then the oldest recordings, on each disk that needs space. */
  async #makeRoom(trashed: readonly Recording[], kept: readonly Recording[]): Promise<void> {
    const { folders, settings, log } = this.#parts;
    const reserve = settings.number('config.usage.movielist_trashcan_reserve') * gigabyte;
    const minimum = this.#rules.minimumFree * gigabyte;
    for (const location of folders.all) {
      // The space would be that of another disk.
      if (this.#missing.has(location)) continue;
      const inHere = ({ path }: Recording) => folders.folderOf(path) === location;
      let room = await this.#roomOf(location).catch(() => undefined);
      // The disk is not available now.
      if (room === undefined) continue;
      for (const one of trashed.filter(inHere)) {
        if (room.free >= Math.max(minimum, Math.min(reserve, room.capacity * largestReserve))) break;
        await this.#remove(one, 'was removed from the trash to free space');
        room = await this.#roomOf(location);
      }
      for (const one of kept.filter(inHere)) {
        if (room.free >= minimum) break;
        await this.#remove(one, 'was the oldest, and space was needed');
        room = await this.#roomOf(location);
      }
      if (room.free >= shortage) this.#short.delete(location);
      else if (!this.#short.has(location)) {
        this.#short.add(location);
        log.warn(
          `${location}: only ${Math.floor(room.free / 2 ** 20)} MB are left for recordings; delete some, or set cleaning.minimumFree`,
        );
      }
    }
  }

  #mayGo({ path, tags }: Recording): boolean {
    return !this.#parts.isActive(path) && !tags.includes(this.#rules.keepTag);
  }

  /** Adds the time of deletion (renaming a file changes its `ctime`), oldest first. */
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

async function roomAt(folder: string): Promise<Room> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, capacity: blocks * bsize };
}
