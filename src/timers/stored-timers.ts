/**
 * The timers on the disk: the list in `timers.xml` of the Enigma2 folder, and in a file of our own, in the same format, the instant
 * recordings. A box has these in memory only; here they go on after a restart.
 */
import type { Timer } from './timer.ts';
import { isActive } from './timer.ts';
import type { TimersFile } from './timers-file.ts';

export class StoredTimers {
  readonly #list: TimersFile;
  readonly #instant: TimersFile;
  /** What is in the file of instant recordings; undefined when nobody knows. */
  #running: readonly Timer[] | undefined;

  constructor(list: TimersFile, instant: TimersFile) {
    this.#list = list;
    this.#instant = instant;
  }

  /** All of them in the order in which they were made, each with an id of its own. @throws ReceiverError `file-unreadable` */
  async read(): Promise<{ readonly timers: readonly Timer[]; readonly problems: readonly string[] }> {
    const [list, instant] = await Promise.all([this.#list.read(), this.#instant.read()]);
    const taken = new Set(list.timers.map(({ id }) => id));
    let next = list.timers.reduce((highest, { id }) => Math.max(highest, id), 0);
    for (const { id } of instant.timers) next = Math.max(next, id);
    // The list may have been made by a box meanwhile.
    const running = instant.timers.map((timer) => ({
      ...timer,
      dontSave: true,
      ...(taken.has(timer.id) && { id: ++next }),
    }));
    this.#running = running;
    const timers = [...list.timers, ...running].sort((a, b) => a.id - b.id);
    return { timers, problems: [...list.problems, ...instant.problems] };
  }

  /** Resolves when they are on the disk. @throws ReceiverError `file-unwritable` */
  async write(timers: readonly Timer[]): Promise<void> {
    const running = timers.filter((timer) => timer.dontSave && isActive(timer));
    const before = this.#running;
    const isSame = running.length === before?.length && running.every((timer, index) => timer === before[index]);
    this.#running = running;
    try {
      // One after the other: what is refused must not be in either.
      await this.#list.write(timers.filter(({ dontSave }) => !dontSave));
      if (!isSame) await this.#instant.write(running);
    } catch (error) {
      if (!isSame) this.#running = undefined;
      throw error;
    }
  }
}
