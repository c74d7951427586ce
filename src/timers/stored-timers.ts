/**
 * The timers on disk: the list in `timers.xml` of the Enigma2 folder, and instant recordings in a file of our own in
 * the same format. A box keeps instant recordings in memory only; here they continue after a restart.
 */
import { isActive, type Timer } from './timer.ts';
import type { TimersFile } from './timers-file.ts';

export class StoredTimers {
  readonly #list: TimersFile;
  readonly #instant: TimersFile;
  /** Content of the file of instant recordings; undefined if unknown. */
  #storedInstant: readonly Timer[] | undefined;

  constructor(list: TimersFile, instant: TimersFile) {
    this.#list = list;
    this.#instant = instant;
  }

  /** All timers in order of creation, each with a unique id. @throws ReceiverError `file-unreadable` */
  async read(): Promise<{ readonly timers: readonly Timer[]; readonly problems: readonly string[] }> {
    const [list, instant] = await Promise.all([this.#list.read(), this.#instant.read()]);
    const taken = new Set(list.timers.map(({ id }) => id));
    let next = list.timers.reduce((highest, { id }) => Math.max(highest, id), 0);
    for (const { id } of instant.timers) next = Math.max(next, id);
    // A box may have rewritten the list since, and reused an id.
    const restored = instant.timers.map((timer) => ({
      ...timer,
      dontSave: true,
      ...(taken.has(timer.id) && { id: ++next }),
    }));
    this.#storedInstant = restored;
    const timers = [...list.timers, ...restored].sort((a, b) => a.id - b.id);
    return { timers, problems: [...list.problems, ...instant.problems] };
  }

  /** Resolves once the timers are on the disk. @throws ReceiverError `file-unwritable` */
  async write(timers: readonly Timer[]): Promise<void> {
    const instant = timers.filter((timer) => timer.dontSave && isActive(timer));
    const before = this.#storedInstant;
    const isUnchanged = instant.length === before?.length && instant.every((timer, index) => timer === before[index]);
    this.#storedInstant = instant;
    try {
      // One after the other: if the list cannot be written, neither file must change.
      await this.#list.write(timers.filter(({ dontSave }) => !dontSave));
      if (!isUnchanged) await this.#instant.write(instant);
    } catch (error) {
      if (!isUnchanged) this.#storedInstant = undefined;
      throw error;
    }
  }
}
